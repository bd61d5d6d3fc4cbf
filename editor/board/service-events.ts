// Receives events of an open workflow: changes by others and who has it open. Reconnects after an outage.
import { createStore, type StoreApi } from 'zustand/vanilla';
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

/** The browser itself reconnects after a lost connection, but not after an error status such as 429. */
const RETRY_MS = 5000;

/** Subscribes to the events of a workflow. Calls `refresh` when someone else saved it. */
export function subscribeToService(
  id: string,
  saver: Saver<RemoteWorkflow>,
  refresh: () => void,
): ServiceEvents {
  const presence = createStore<Presence>(() => ({ users: [], usersByNode: new Map() }));
  const listeners = new Set<() => void>();
  let wasDisconnected = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const connect = (): EventSource => {
    const source = new EventSource(`/api/v1/workflows/${id}/events`);
    source.onerror = () => {
      wasDisconnected = true;
      if (source.readyState !== EventSource.CLOSED) return;
      retry = setTimeout(() => {
        events = connect();
      }, RETRY_MS);
    };
    source.onopen = () => {
      if (wasDisconnected) for (const listener of listeners) listener();
      wasDisconnected = false;
    };
    source.addEventListener('presence', event =>
      presence.setState(toPresence((JSON.parse(event.data) as Pick<Presence, 'users'>).users)),
    );
    source.addEventListener('changed', event => {
      const { updatedAt } = JSON.parse(event.data) as { updatedAt: string };
      if (Date.parse(updatedAt) > Date.parse(saver.base.info.updatedAt)) refresh();
    });
    return source;
  };
  let events = connect();
  return {
    presence,
    onReconnect: listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => {
      clearTimeout(retry);
      events.close();
    },
  };
}

function toPresence(users: readonly PresentUser[]): Presence {
  const usersByNode = new Map<string, PresentUser[]>();
  for (const user of users)
    for (const nodeId of user.selected ?? [])
      usersByNode.set(nodeId, [...(usersByNode.get(nodeId) ?? []), user]);
  return { users, usersByNode };
}
