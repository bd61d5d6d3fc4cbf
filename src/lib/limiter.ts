// Limits the concurrency of costly work: some calls run at the same time, some wait, and the rest are rejected. Accounts
// take turns. Calls that belong to work that the service has already accepted always wait.
import { hasActiveOthers } from './active-accounts.ts';
import { AppError } from './errors.ts';
import { Rests } from './rests.ts';
import { getWork } from './work.ts';

export interface LimiterOptions {
  readonly concurrency: number;
  /** The most places of an account. If this is less than `concurrency`, others do not wait for its calls. Default: all. */
  readonly maxPerAccount?: number;
  /**
   * An account that has a place gets another one only while it has less than this share of the free places, so that a few
   * accounts whose work does not end cannot use up all places. Unset: no limit.
   */
  readonly maxShareOfFree?: number;
  /**
   * An account with this many waiting calls is rejected with `unavailable`, and every account if ten times as many wait.
   * Unset: no limit.
   */
  readonly maxWaiting?: number;
  /** Whether the work is costly: while others are active, an account has one place, and rests after its work. Default: false. */
  readonly isCostly?: boolean;
}

export type Limiter = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export interface FairLimiter {
  /** `account`: the account whose places the work takes. Default: the account for which the code works. */
  <T>(work: () => Promise<T>, signal: AbortSignal, account?: string): Promise<T>;
  /** Returns whether an account waits for a place that has fewer places than the current account. */
  readonly mustYield: () => boolean;
}

type Start = () => void;

/** Many accounts may wait, but each waiting call takes memory. */
const TOTAL_FACTOR = 10;

/**
 * Returns a function that runs the work when a place is free. The next free place goes to the waiting
 * account that has the fewest. Calls of an account start in order of arrival. Aborting the signal removes a waiting call.
 */
export function createLimiter({
  concurrency,
  maxPerAccount = concurrency,
  maxShareOfFree = Number.POSITIVE_INFINITY,
  maxWaiting = Number.POSITIVE_INFINITY,
  isCostly = false,
}: LimiterOptions): FairLimiter {
  /** The waiting calls by account. The account whose turn is next is first. */
  const queues = new Map<string, Set<Start>>();
  const activeCounts = new Map<string, number>();
  const rests = new Rests();
  let activeCount = 0;
  let waitingCount = 0;

  const countPlaces = (account: string): number => activeCounts.get(account) ?? 0;

  const canStart = (account: string): boolean => {
    if (rests.has(account)) return false;
    const places = countPlaces(account);
    if (places > 0 && places >= (concurrency - activeCount) * maxShareOfFree) return false;
    return places < (isCostly && hasActiveOthers(account) ? 1 : maxPerAccount);
  };

  const count = (account: string, change: 1 | -1): void => {
    activeCount += change;
    const ofAccount = countPlaces(account) + change;
    if (ofAccount === 0) activeCounts.delete(account);
    else activeCounts.set(account, ofAccount);
  };

  const acquire = async (account: string, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    const queue = queues.get(account) ?? new Set();
    if (activeCount < concurrency && queue.size === 0 && canStart(account)) {
      count(account, 1);
      return;
    }
    const isFull = queue.size >= maxWaiting || waitingCount >= TOTAL_FACTOR * maxWaiting;
    if (isFull && !getWork().isAccepted) {
      throw new AppError(
        'unavailable',
        'The service is busy with other work of this kind. Try again in a few seconds.',
      );
    }
    await new Promise<void>((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', onAbort);
        count(account, 1);
        resolve();
      };
      const onAbort = (): void => {
        remove(account, start);
        reject(signal.reason);
      };
      waitingCount++;
      queues.set(account, queue.add(start));
      signal.addEventListener('abort', onAbort, { once: true });
      // Earlier calls of the account may have waited for others that are no longer active.
      startWaiting();
    });
  };

  const remove = (account: string, start: Start): void => {
    const queue = queues.get(account);
    if (queue?.delete(start) !== true) return;
    waitingCount--;
    if (queue.size === 0) queues.delete(account);
  };

  /** Starts calls until none can start. The next is of the account that has the fewest places, then the longest wait. */
  const startWaiting = (): void => {
    while (activeCount < concurrency) {
      const [first, ...others] = [...queues.keys()].filter(canStart);
      if (first === undefined) return;
      const account = others.reduce((a, b) => (countPlaces(b) < countPlaces(a) ? b : a), first);
      const queue = queues.get(account) ?? new Set();
      const [start] = queue;
      if (start === undefined) return;
      remove(account, start);
      // The account moves to the end.
      queues.delete(account);
      if (queue.size > 0) queues.set(account, queue);
      start();
    }
  };

  const limit = async <T>(
    work: () => Promise<T>,
    signal: AbortSignal,
    account = getWork().account,
  ): Promise<T> => {
    await acquire(account, signal);
    const startedMs = performance.now();
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      count(account, -1);
      if (isCostly) rests.begin(account, performance.now() - startedMs, startWaiting);
      startWaiting();
    }
  };
  const mustYield = (): boolean => {
    const places = countPlaces(getWork().account);
    return queues.keys().some(waiting => countPlaces(waiting) < Math.min(places, maxPerAccount));
  };
  return Object.assign(limit, { mustYield });
}
