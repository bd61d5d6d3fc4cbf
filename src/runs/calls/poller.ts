// Watches over calls at providers that no run in memory waits for: asks for those that are due, at the pace that the
// provider takes, wakes the runs whose calls have ended, and cancels calls at providers that nobody wants any more.
import { setTimeout as sleep } from 'node:timers/promises';
import { readProviders } from '../../nodes/models/providers.ts';
import type { WatchedName } from '../../nodes/models/watched.ts';
import { look, WATCHED, watchedProvider } from '../../nodes/models/watched.ts';
import type { CallKey, CallRow } from '../../store/calls.ts';
import { dropCalls, endCalls, postponeCalls, takeDueCalls } from '../../store/calls.ts';
import { lockRuns } from '../../store/runs.ts';
import { applyAll } from '../commit.ts';
import type { RunDeps } from '../deps.ts';

/** Requests a second to each provider, of each worker. Replicate takes 50 of all. */
const PER_SECOND: Readonly<Record<WatchedName, number>> = {
  fal: 400,
  replicate: 30,
  comfyui: 20,
  openai: 20,
};
const TICK_MS = 100;
/** A call that its poller does not come back to is asked for by another. */
const LEASE_MS = 15_000;
const REQUEST_TIMEOUT_MS = 10_000;
const LIMITED_PAUSE_MS = 2000;
/** Between two polls: a share of the age of the call, within bounds. */
const SHARE_OF_AGE = 0.2;
const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 15_000;
/** A call nobody wants is forgotten when the provider could not be asked that long to cancel it. */
const CANCEL_PATIENCE_MS = 600_000;

/** Begins to poll until the signal fires. Resolves when the last look has ended. */
export async function pollCalls(deps: RunDeps, signal: AbortSignal): Promise<void> {
  const providers = readProviders(deps.settings);
  const streams = WATCHED.map(name => createStream(deps, name, watchedProvider(providers, name), signal));
  await Promise.all(streams.map(poll => keepPolling(deps, poll, signal)));
}

async function keepPolling(deps: RunDeps, poll: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await poll().catch((err: unknown) => {
      if (!signal.aborted) deps.log.warn({ err }, 'calls at a provider could not be asked for');
    });
    await sleep(TICK_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** One paced stream of requests: what the pace allows since the last time, to the calls that have been due for longest. */
function createStream(
  deps: RunDeps,
  name: WatchedName,
  provider: ReturnType<typeof watchedProvider>,
  signal: AbortSignal,
): () => Promise<void> {
  const perSecond = PER_SECOND[name];
  let allowance = perSecond;
  let countedAtMs = deps.now();
  let pausedUntilMs = 0;
  return async () => {
    const nowMs = deps.now();
    allowance = Math.min(perSecond, allowance + ((nowMs - countedAtMs) / 1000) * perSecond);
    countedAtMs = nowMs;
    if (allowance < 1 || nowMs < pausedUntilMs) return;
    const limit = Math.min(Math.floor(allowance), 100);
    const calls = await takeDueCalls(deps.runDb, name, { limit, leaseMs: LEASE_MS });
    allowance -= calls.length;
    const looks = await Promise.all(calls.map(call => lookAt(deps, provider, call, signal)));
    if (looks.some(({ isLimited }) => isLimited)) pausedUntilMs = deps.now() + LIMITED_PAUSE_MS;
    await settle(deps, looks);
  };
}

interface Looked {
  readonly call: CallRow;
  readonly outcome: 'ended' | 'dropped' | Date;
  readonly isLimited: boolean;
}

async function lookAt(
  deps: RunDeps,
  provider: ReturnType<typeof watchedProvider>,
  call: CallRow,
  signal: AbortSignal,
): Promise<Looked> {
  const nowMs = deps.now();
  const isCancelled = call.cancelled_at !== null;
  // Its run finds out, and ends it or itself.
  const isOver = provider === undefined || nowMs >= call.deadline_at.getTime();
  if (!isCancelled && isOver) return { call, outcome: 'ended', isLimited: false };
  // One that is no longer configured cannot be asked.
  if (provider === undefined) return { call, outcome: 'dropped', isLimited: false };
  const state = call.state === null ? {} : { state: call.state };
  const limits = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
  const seen = await look(provider, { id: call.job_id, ...state, isCancelled }, fetchOf(deps), limits).catch(
    () => ({ kind: 'unknown', afterMs: undefined, isLimited: false }) as const,
  );
  if (seen.kind === 'running' && seen.fraction !== undefined)
    deps.runNotifier.notifyProgress(call.execution_id, call.node_id, seen.fraction);
  if (isCancelled) {
    const isGivenUp = nowMs - (call.cancelled_at?.getTime() ?? 0) > CANCEL_PATIENCE_MS;
    if (seen.kind !== 'unknown' || isGivenUp) return { call, outcome: 'dropped', isLimited: false };
  }
  if (seen.kind === 'ended') return { call, outcome: 'ended', isLimited: false };
  const afterMs = seen.kind === 'unknown' ? (seen.afterMs ?? 0) : 0;
  const isLimited = seen.kind === 'unknown' && seen.isLimited;
  return { call, outcome: nextLook(call, nowMs, afterMs), isLimited };
}

function nextLook({ submitted_at, deadline_at }: CallRow, nowMs: number, afterMs: number): Date {
  const ageMs = Math.max(0, nowMs - submitted_at.getTime());
  const delayMs = Math.max(Math.min(Math.max(ageMs * SHARE_OF_AGE, MIN_DELAY_MS), MAX_DELAY_MS), afterMs);
  return new Date(Math.max(nowMs + MIN_DELAY_MS, Math.min(nowMs + delayMs, deadline_at.getTime())));
}

function fetchOf({ providerFetch }: RunDeps): Parameters<typeof look>[2] {
  return (url, init = {}) =>
    providerFetch.fetch(url, { timeoutMs: REQUEST_TIMEOUT_MS, maxBytes: MAX_BYTES, ...init });
}

const MAX_BYTES = 8_388_608;

async function settle(deps: RunDeps, looks: readonly Looked[]): Promise<void> {
  const ended = looks.filter(({ outcome }) => outcome === 'ended').map(({ call }) => call);
  const dropped = looks.filter(({ outcome }) => outcome === 'dropped').map(({ call }) => call);
  const later = looks.flatMap(({ call, outcome }) =>
    outcome instanceof Date ? [{ ...keyOf(call), due_at: outcome }] : [],
  );
  if (ended.length > 0) await wakeRuns(deps, ended);
  if (dropped.length > 0) await dropCalls(deps.runDb, dropped.map(keyOf));
  if (later.length > 0) await postponeCalls(deps.runDb, later);
}

const keyOf = ({ execution_id, node_id, item }: CallKey): CallKey => ({ execution_id, node_id, item });

/** Marks the calls as ended and lets their runs go on; the worker that executes one is notified. */
export async function wakeRuns(deps: RunDeps, calls: readonly CallKey[]): Promise<void> {
  const ids = [...new Set(calls.map(({ execution_id }) => execution_id))];
  const event = { kind: 'wake', atMs: deps.now() } as const;
  await deps.runDb.transaction(async tx => {
    // Runs before calls, as everywhere: none waits in a circle.
    const runs = await lockRuns(tx, ids);
    await endCalls(tx, calls.map(keyOf));
    await applyAll(
      tx,
      runs.map(run => ({ run, event })),
      () => undefined,
    );
  });
  deps.wakeTimers.set('runs', 0);
}
