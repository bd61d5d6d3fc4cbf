// A map that forgets the entries used longest ago once their weights pass a bound.

export interface Lru<V> {
  get(key: string): V | undefined;
  set(key: string, value: V, weight: number): void;
  delete(key: string): void;
}

export function createLru<V>(maxWeight: number): Lru<V> {
  // A Map iterates in insertion order; re-inserting on each use keeps the oldest use first.
  const entries = new Map<string, { readonly value: V; readonly weight: number }>();
  let total = 0;
  const remove = (key: string): void => {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, weight) {
      remove(key);
      if (weight > maxWeight) return;
      entries.set(key, { value, weight });
      total += weight;
      for (const oldest of entries.keys()) {
        if (total <= maxWeight) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
