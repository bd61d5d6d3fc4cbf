// Limits the background jobs that wait for the servers of users: receivers of webhooks, feeds and inboxes, and the mail server. Accounts share
// the slots, so that an account whose servers hang delays nobody else. A job that gets no slot within a short time gives
// back its place in the job pool and is told when to try again.
import type { Timing } from '../lib/timing.ts';

/** Slots that accounts share: the fewer are free, the fewer an account may have. */
export interface SlotPool {
  readonly name: string;
  readonly size: number;
  readonly maxPerAccount: number;
}

/** Half of the background jobs, so that the other half always does work that waits for nobody. */
const ALL: SlotPool = { name: 'all', size: 128, maxPerAccount: 32 };
/** Jobs with a long body, which may take 50 MB each while it is signed and sent. */
const LONG_BODIES: SlotPool = { name: 'long bodies', size: 8, maxPerAccount: 2 };
const createHostPool = (host: string): SlotPool => ({ name: `host ${host}`, size: 64, maxPerAccount: 8 });
/** Connections to the mail server, which often allows an address only ten. */
const MAIL: SlotPool = { name: 'mail', size: 8, maxPerAccount: 4 };

/**
 * The most jobs that wait for a slot, each for a short time and in a place of the job pool. An account may have half of
 * those that are free.
 */
const MAX_WAITING = 96;

export interface OutboundCall {
  readonly account: string;
  readonly host: string;
  readonly hasLongBody?: boolean;
  /** Whether the host is the mail server, which the operator configured. */
  readonly isMail?: boolean;
}

export interface OutboundSlots {
  /** Waits for a slot. Returns a function that releases it, or when to try again if the wait would be too long. */
  acquire(call: OutboundCall): Promise<(() => void) | Postponement>;
}

export interface Postponement {
  readonly delayMs: number;
}

/** The slots of an account in a pool. */
interface Share {
  readonly account: string;
  readonly pool: SlotPool;
  /** The starts of the active calls, oldest first. */
  readonly active: Set<{ readonly startedAtMs: number }>;
  /** The moving average of how long a call takes. */
  averageMs: number;
  waiting: number;
  /** When the calls that were postponed before will probably have got their slots, at most `maxPostponeMs` from now. */
  postponedUntilMs: number;
}

interface Waiter {
  readonly account: string;
  readonly shares: readonly Share[];
  readonly start: (release: (() => void) | undefined) => void;
}

type Durations = Pick<Timing, 'outboundSlotMs' | 'minPostponeMs' | 'maxPostponeMs'>;

/** Creates the slots of a process. A call whose wait would probably be longer than `outboundSlotMs` does not wait at all. */
export function createOutboundSlots(
  { outboundSlotMs, minPostponeMs, maxPostponeMs }: Durations,
  now: () => number,
): OutboundSlots {
  /** By the name of the pool, then by account. */
  const pools = new Map<string, Map<string, Share>>();
  const waiters = new Set<Waiter>();

  const getShare = (pool: SlotPool, account: string): Share => {
    const shares = pools.get(pool.name) ?? new Map<string, Share>();
    pools.set(pool.name, shares);
    const share = shares.get(account) ?? {
      account,
      pool,
      active: new Set(),
      averageMs: 0,
      waiting: 0,
      postponedUntilMs: 0,
    };
    shares.set(account, share);
    return share;
  };
  const forgetIfIdle = ({ pool, account, active, waiting, postponedUntilMs }: Share): void => {
    if (active.size + waiting > 0 || postponedUntilMs > now()) return;
    const shares = pools.get(pool.name);
    shares?.delete(account);
    if (shares?.size === 0) pools.delete(pool.name);
  };
  let cleanedAtMs = now();
  /** Forgets the accounts and hosts whose postponed calls were deleted or went to another process. */
  const clean = (): void => {
    if (now() - cleanedAtMs < maxPostponeMs) return;
    cleanedAtMs = now();
    for (const shares of pools.values()) for (const share of shares.values()) forgetIfIdle(share);
  };
  const countActive = ({ name }: SlotPool): number =>
    sum(pools.get(name)?.values() ?? [], ({ active }) => active.size);
  const hasSlot = ({ pool, active }: Share): boolean =>
    active.size < pool.maxPerAccount && isFair(active.size, pool.size - countActive(pool), pool.size);
  const canWait = (account: string): boolean =>
    sum(waiters, waiter => (waiter.account === account ? 1 : 0)) < MAX_WAITING - waiters.size;

  const claim = (shares: readonly Share[]): (() => void) => {
    const slot = { startedAtMs: now() };
    for (const share of shares) share.active.add(slot);
    return () => {
      for (const share of shares) {
        share.active.delete(slot);
        share.averageMs = (share.averageMs + now() - slot.startedAtMs) / 2;
      }
      startNext();
      for (const share of shares) forgetIfIdle(share);
    };
  };
  const startNext = (): void => {
    for (const waiter of waiters) if (waiter.shares.every(hasSlot)) waiter.start(claim(waiter.shares));
  };
  const wait = (account: string, shares: readonly Share[]): Promise<(() => void) | undefined> =>
    new Promise(resolve => {
      const start: Waiter['start'] = release => {
        clearTimeout(timer);
        waiters.delete(waiter);
        for (const share of shares) share.waiting--;
        resolve(release);
      };
      const timer = setTimeout(() => start(undefined), outboundSlotMs);
      const waiter = { account, shares, start };
      for (const share of shares) share.waiting++;
      waiters.add(waiter);
    });
  /** Spreads the calls over the time that the calls before them need, so that few of them try again in vain. */
  const postpone = (shares: readonly Share[]): Postponement => {
    const nowMs = now();
    for (const share of shares)
      if (!hasSlot(share))
        share.postponedUntilMs = Math.min(
          nowMs + maxPostponeMs,
          Math.max(nowMs, share.postponedUntilMs) +
            estimateDurationMs(share, nowMs) / share.pool.maxPerAccount,
        );
    return { delayMs: Math.max(minPostponeMs, ...shares.map(share => share.postponedUntilMs - nowMs)) };
  };

  return {
    async acquire({ account, host, hasLongBody, isMail }) {
      clean();
      const hostPool = isMail === true ? MAIL : createHostPool(host);
      const slotPools = [ALL, hostPool, ...(hasLongBody === true ? [LONG_BODIES] : [])];
      const shares = slotPools.map(pool => getShare(pool, account));
      if (shares.every(hasSlot)) return claim(shares);
      const estimateMs = Math.max(
        ...shares.map(share => (hasSlot(share) ? 0 : estimateWaitMs(share, now()))),
      );
      const release =
        estimateMs <= outboundSlotMs && canWait(account) ? await wait(account, shares) : undefined;
      if (release !== undefined) return release;
      const postponement = postpone(shares);
      for (const share of shares) forgetIfIdle(share);
      return postponement;
    },
  };
}

/**
 * Returns whether an account that has `own` of `size` places may have another one. Half of those that are free would leave
 * too few for the accounts that come last, so the share also shrinks with what is free.
 */
const isFair = (own: number, free: number, size: number): boolean => own < free ** 2 / (2 * size);

const sum = <T>(items: Iterable<T>, measure: (item: T) => number): number => {
  let total = 0;
  for (const item of items) total += measure(item);
  return total;
};

/** The calls in progress may take longer than the ones before. */
function estimateDurationMs({ active, averageMs }: Share, nowMs: number): number {
  const [oldest] = active;
  return Math.max(averageMs, nowMs - (oldest?.startedAtMs ?? nowMs));
}

function estimateWaitMs(share: Share, nowMs: number): number {
  return ((share.waiting + 1) / share.pool.maxPerAccount) * estimateDurationMs(share, nowMs);
}
