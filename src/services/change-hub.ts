// Notifies subscribers inside this process of changes by the id of what changed: a run, batch or workflow, the notices of a
// user, or the schedules.

export interface ChangeHub {
  /** Calls the subscriber after each change that this process makes or hears of. Returns an unsubscribe function. */
  subscribe(id: string, subscriber: ChangeSubscriber): () => void;
  notify(id: string): void;
  notifyProgress(id: string, nodeId: string, fraction: number): void;
}

export interface ChangeSubscriber {
  onChange(): void;
  onProgress?(nodeId: string, fraction: number): void;
}

export function createChangeHub(): ChangeHub {
  const subscribers = new Map<string, Set<ChangeSubscriber>>();
  return {
    subscribe(id, subscriber) {
      const idSubscribers = subscribers.get(id) ?? new Set();
      subscribers.set(id, idSubscribers.add(subscriber));
      return () => {
        idSubscribers.delete(subscriber);
        if (idSubscribers.size === 0 && subscribers.get(id) === idSubscribers) subscribers.delete(id);
      };
    },
    notify(id) {
      for (const subscriber of subscribers.get(id) ?? []) subscriber.onChange();
    },
    notifyProgress(id, nodeId, fraction) {
      for (const subscriber of subscribers.get(id) ?? []) subscriber.onProgress?.(nodeId, fraction);
    },
  };
}
