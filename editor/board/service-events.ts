// Receives events of an open workflow: changes made elsewhere, and the users who have the workflow open.

import { createStore, type StoreApi } from 'zustand/vanilla';
import { messages } from '../flow-messages.ts';
import { openEventStream } from '../lib/event-stream.ts';
import type { RemoteWorkflow } from './remote.ts';
import type { Saver } from './saver.ts';

export interface PresentUser {
  readonly userId: number;
  readonly name: string;
  /** Ids of the selected nodes. Older services do not send them. */
  readonly selected?: readonly string[];
}

export interface Presence {
  readonly users: readonly PresentUser[];
  /** The users who have selected each node, by node id. */
  readonly usersByNode: ReadonlyMap<string, readonly PresentUser[]>;
  /** The last write. `userId` is null if its author is unknown. */
  readonly lastWrite?: { readonly updatedAt: string; readonly userId: number | null };
}

/** Returns the hue of a person's color. Consecutive users get clearly different hues. */
export const toHue = (userId: number): number => (userId * 137) % 360;

export interface ServiceEvents {
  /** Everyone who has the workflow open, including this user. */
  readonly presence: StoreApi<Presence>;
  /** Calls back when the service is reachable again after an outage. Returns an unsubscribe function. */
  onReconnect(listener: () => void): () => void;
  close(): void;
}

/** Returns the name of the other user who wrote the state of that time. Undefined for this user or an unknown author. */
export function findOtherAuthor(
  { users, lastWrite }: Presence,
  updatedAt: string,
  ownId: number,
): string | undefined {
  const authorId = lastWrite?.updatedAt === updatedAt ? lastWrite.userId : null;
  if (authorId === null || authorId === ownId) return undefined;
  return users.find(({ userId }) => userId === authorId)?.name ?? messages.flow.somebody;
}

/** Subscribes to the events of a workflow. Calls `refresh` when it was saved elsewhere. */
export function subscribeToService(
  id: string,
  saver: Saver<RemoteWorkflow>,
  refresh: () => void,
): ServiceEvents {
  const presence = createStore<Presence>(() => ({ users: [], usersByNode: new Map() }));
  const listeners = new Set<() => void>();
  let wasDisconnected = false;
  const close = openEventStream(`/workflows/${id}/events`, {
    events: {
      presence: data => presence.setState(toPresence((data as Pick<Presence, 'users'>).users)),
      changed: data => {
        const { updatedAt, userId } = data as NonNullable<Presence['lastWrite']>;
        presence.setState({ lastWrite: { updatedAt, userId } });
        if (Date.parse(updatedAt) > Date.parse(saver.base.info.updatedAt)) refresh();
      },
    },
    onOpen: () => {
      if (wasDisconnected) for (const listener of listeners) listener();
      wasDisconnected = false;
    },
    onError: () => {
      wasDisconnected = true;
    },
  });
  return {
    presence,
    onReconnect: listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close,
  };
}

function toPresence(users: readonly PresentUser[]): Pick<Presence, 'users' | 'usersByNode'> {
  const usersByNode = new Map<string, PresentUser[]>();
  for (const user of users)
    for (const nodeId of user.selected ?? [])
      usersByNode.set(nodeId, [...(usersByNode.get(nodeId) ?? []), user]);
  return { users, usersByNode };
}
