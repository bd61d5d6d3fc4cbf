// Looks up a value in a map, weak map or cache, and creates it if it is missing.

/** Returns the value of the key; a missing one is created and stored. */
export function getOrCreate<K, V>(
  cache: { get(key: K): V | undefined; set(key: K, value: V, weight?: number): unknown },
  key: K,
  make: () => V,
  weightOf?: (made: V) => number,
): V {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made, weightOf?.(made));
  return made;
}
