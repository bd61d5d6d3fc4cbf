// Receives events of an open workflow: changes by others, who has it open, and reconnects after an outage.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RemoteWorkflow } from './remote.ts';
import type { Saver } from './saver.ts';

export interface PresentUser {
  readonly userId: number;
  readonly name: string;
  /** Node ids. Absent: the service is older than the page. */
  readonly selected?: readonly string[];
}

export interface Presence {
  readonly users: readonly PresentUser[];
  /** By node id, who has the node selected. */
  readonly at: ReadonlyMap<string, readonly PresentUser[]>;
}

/** Returns a person's color. Consecutive users get clearly different hues. */
export const hueOf = (userId: number): number => (userId * 137) % 360;

export interface ServiceEvents {
  /** Everyone who has the workflow open, including this user. */
  readonly others: StoreApi<Presence>;
  /** Calls back when the service is reachable again after an outage. Returns an unsubscribe function. */
  onReconnect(listener: () => void): () => void;
  close(): void;
}

/** The browser reconnects after a cut, but not after a refusal, such as 429 beyond the limit of open streams. */
const RETRY_MS = 5000;

/** Calls `refresh` when another writer saved. */
export function followService(id: string, saver: Saver<RemoteWorkflow>, refresh: () => void): ServiceEvents {
  const others = createStore<Presence>(() => ({ users: [], at: new Map() }));
  const listeners = new Set<() => void>();
  let wasCut = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const connect = (): EventSource => {
    const source = new EventSource(`/api/v1/workflows/${id}/events`);
    source.onerror = () => {
      wasCut = true;
      if (source.readyState !== EventSource.CLOSED) return;
      retry = setTimeout(() => {
        events = connect();
      }, RETRY_MS);
    };
    source.onopen = () => {
      if (wasCut) for (const listener of listeners) listener();
      wasCut = false;
    };
    source.addEventListener('presence', event =>
      others.setState(presenceOf((JSON.parse(event.data) as Pick<Presence, 'users'>).users)),
    );
    source.addEventListener('changed', event => {
      const { updatedAt } = JSON.parse(event.data) as { updatedAt: string };
      if (Date.parse(updatedAt) > Date.parse(saver.base.info.updatedAt)) refresh();
    });
    return source;
  };
  let events = connect();
  return {
    others,
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

function presenceOf(users: readonly PresentUser[]): Presence {
  const at = new Map<string, PresentUser[]>();
  for (const user of users)
    for (const nodeId of user.selected ?? []) at.set(nodeId, [...(at.get(nodeId) ?? []), user]);
  return { users, at };
}
