// Divides a limited total fairly: small requests are granted in full, and the larger ones share the rest equally.

/**
 * Returns the size to which each request must be limited so that the sum stays within `total`, or MAX_SAFE_INTEGER if
 * all requests fit.
 */
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
