// A look-up that fills what is looked in: a map, a weak map, or one that forgets.

/** The value of the key; where there is none yet it is made and kept. */
export function getOrMake<K, V>(
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
