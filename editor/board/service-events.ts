// What the service announces of an open workflow: that others wrote, who has it open, and that it was away for a while.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RemoteWorkflow } from './remote.ts';
import type { Saver } from './saver.ts';

export interface PresentUser {
  readonly userId: number;
  readonly name: string;
  /** Ids of nodes. Absent: the service is older than the page. */
  readonly selected?: readonly string[];
}

export interface Presence {
  readonly users: readonly PresentUser[];
  /** By the id of a node, who has it selected. */
  readonly at: ReadonlyMap<string, readonly PresentUser[]>;
}

/** A person's colour: far apart for people who follow each other. */
export const hueOf = (userId: number): number => (userId * 137) % 360;

export interface ServiceEvents {
  /** Who has the workflow open, this person included. */
  readonly others: StoreApi<Presence>;
  /** Calls back when the service was away and is there again; returns the way out. */
  onReconnect(listener: () => void): () => void;
  close(): void;
}

/** `refresh` is called where somebody else wrote. The browser itself connects again after a cut. */
export function followService(id: string, saver: Saver, refresh: () => void): ServiceEvents {
  const others = createStore<Presence>(() => ({ users: [], at: new Map() }));
  const listeners = new Set<() => void>();
  const events = new EventSource(`/api/v1/workflows/${id}/events`);
  let wasCut = false;
  events.onerror = () => {
    wasCut = true;
  };
  events.onopen = () => {
    if (wasCut) for (const listener of listeners) listener();
    wasCut = false;
  };
  events.addEventListener('presence', event =>
    others.setState(presenceOf((JSON.parse(event.data) as Pick<Presence, 'users'>).users)),
  );
  events.addEventListener('changed', event => {
    const { updatedAt } = JSON.parse(event.data) as { updatedAt: string };
    const { info } = saver.base as RemoteWorkflow;
    if (Date.parse(updatedAt) > Date.parse(info.updatedAt)) refresh();
  });
  return {
    others,
    onReconnect: listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => events.close(),
  };
}

function presenceOf(users: readonly PresentUser[]): Presence {
  const at = new Map<string, PresentUser[]>();
  for (const user of users)
    for (const nodeId of user.selected ?? []) at.set(nodeId, [...(at.get(nodeId) ?? []), user]);
  return { users, at };
}
