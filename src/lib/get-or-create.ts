// Looks up a value in a map, weak map or cache, and creates it if it is missing.

/** Returns the value of the key. If it is missing, creates and stores it. */
export function getOrCreate<K, V>(
  cache: { get(key: K): V | undefined; set(key: K, value: V, weight?: number): unknown },
  key: K,
  create: () => V,
  getWeight?: (value: V) => number,
): V {
  const existing = cache.get(key);
  if (existing !== undefined) return existing;
  const newValue = create();
  cache.set(key, newValue, getWeight?.(newValue));
  return newValue;
}
