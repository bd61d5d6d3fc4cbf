// Who wants to hear of which run: subscriptions of this process, by execution id.

export interface RunNews {
  /** Calls back after each change of the run that this process makes or hears of. Returns the way out. */
  subscribe(id: string, listener: NewsListener): () => void;
  tell(id: string): void;
  tellProgress(id: string, nodeId: string, fraction: number): void;
}

export interface NewsListener {
  onChange(): void;
  onProgress?(nodeId: string, fraction: number): void;
}

export function createRunNews(): RunNews {
  const listeners = new Map<string, Set<NewsListener>>();
  return {
    subscribe(id, listener) {
      const set = listeners.get(id) ?? new Set();
      listeners.set(id, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(id) === set) listeners.delete(id);
      };
    },
    tell(id) {
      for (const listener of listeners.get(id) ?? []) listener.onChange();
    },
    tellProgress(id, nodeId, fraction) {
      for (const listener of listeners.get(id) ?? []) listener.onProgress?.(nodeId, fraction);
    },
  };
}
