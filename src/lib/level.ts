// Divides a limited total fairly: small requests are met in full, and the larger ones share what remains equally.

/** Returns the most that each may have so that the sum stays within `total`; no bound if all sizes fit. */
export function computeFairShare(sizes: readonly number[], total: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let remaining = Math.max(0, total);
  for (const [index, size] of ascending.entries()) {
    const share = remaining / (ascending.length - index);
    if (size > share) return Math.floor(share);
    remaining -= size;
  }
  return Number.MAX_SAFE_INTEGER;
}
