// Knows which accounts have sent requests to this process within the last second. Costly work of an account leaves time to
// the others while there are others.

const ACTIVE_MS = 1000;

/** The accounts by the time of their last request. The last is the newest. */
const lastRequests = new Map<string, number>();

/** Records that the account has sent a request. */
export function noteActive(account: string): void {
  lastRequests.delete(account);
  lastRequests.set(account, performance.now());
}

/** Returns whether other accounts have sent requests within the last second. */
export function hasActiveOthers(account: string): boolean {
  const minMs = performance.now() - ACTIVE_MS;
  for (const [oldest, atMs] of lastRequests) {
    if (atMs >= minMs) break;
    lastRequests.delete(oldest);
  }
  return lastRequests.size > (lastRequests.has(account) ? 1 : 0);
}
