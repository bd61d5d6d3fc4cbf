// Groups consecutive items of a list.

/** Groups consecutive items with the same key. An item without a key is a group of its own. */
export function groupConsecutive<T>(
  items: readonly T[],
  getKey: (item: T) => string | undefined,
): readonly (readonly T[])[] {
  const groups: T[][] = [];
  for (const item of items) {
    const lastGroup = groups.at(-1);
    const key = getKey(item);
    if (lastGroup?.[0] !== undefined && key !== undefined && getKey(lastGroup[0]) === key)
      lastGroup.push(item);
    else groups.push([item]);
  }
  return groups;
}
