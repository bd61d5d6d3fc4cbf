// Caches values by weight: evicts the least recently used values once the total weight exceeds a limit.
import { LRUCache } from 'lru-cache';

export interface Lru<V> {
  get(key: string): V | undefined;
  set(key: string, value: V, weight?: number): void;
  delete(key: string): void;
  /** Deletes all matching entries. Checks every entry, so use it for rare events, not for each request. */
  deleteWhere(matches: (value: V) => boolean): void;
}

/** Creates a cache. An entry that is heavier than `maxWeight` is not stored. */
export function createLru<V extends object | string | boolean>(maxWeight: number): Lru<V> {
  const cache = new LRUCache<string, V>({ maxSize: maxWeight });
  return {
    get: key => cache.get(key),
    // The library accepts only positive integers.
    set: (key, value, weight = 1) => void cache.set(key, value, { size: Math.max(1, Math.ceil(weight)) }),
    delete: key => void cache.delete(key),
    deleteWhere: matches => {
      for (const [key, value] of [...cache.entries()]) if (matches(value)) cache.delete(key);
    },
  };
}
