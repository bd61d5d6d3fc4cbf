// Sharing a total among many fairly: the small get what they ask for, the large get the same.

/** What each may have at most so that all together have `total`; no bound where they fit. */
export function findFairShare(sizes: readonly number[], total: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let left = Math.max(0, total);
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (size > share) return Math.floor(share);
    left -= size;
  }
  return Number.MAX_SAFE_INTEGER;
}
