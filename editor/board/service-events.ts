// What the service announces of an open workflow: that others wrote, who has it open, and that it was away for a while.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { RemoteWorkflow } from './remote.ts';
import type { Saver } from './saver.ts';

export interface PresentUser {
  readonly userId: number;
  readonly name: string;
}

export interface ServiceEvents {
  /** Who has the workflow open, this person included. */
  readonly others: StoreApi<{ readonly users: readonly PresentUser[] }>;
  /** Calls back when the service was away and is there again; returns the way out. */
  onReconnect(listener: () => void): () => void;
  close(): void;
}

/** `refresh` is called where somebody else wrote. The browser itself connects again after a cut. */
export function followService(id: string, saver: Saver, refresh: () => void): ServiceEvents {
  const others = createStore<{ readonly users: readonly PresentUser[] }>(() => ({ users: [] }));
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
    others.setState(JSON.parse(event.data) as { users: readonly PresentUser[] }),
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
