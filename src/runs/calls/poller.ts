// Watches over calls at providers that no run in memory waits for: asks for those that are due, at the pace that the
// provider takes, wakes the runs whose calls have ended, lets calls in that wait for room, and cancels calls
// at providers that nobody wants any more.
import { setTimeout as sleep } from 'node:timers/promises';
import { createBatcher } from '../../lib/batch.ts';
import { startDeadline } from '../../lib/deadline.ts';
import { type Providers, readProviders } from '../../nodes/models/providers.ts';
import { isWatched, type LookAt, watchedProvider } from '../../nodes/models/watched.ts';
import { type CallRow, readOutlook, takeDueCalls } from '../../store/calls.ts';
import type { RunDeps } from '../deps.ts';
import { guessProgress, nextLookAt } from './pace.ts';
import { admitWaiting, type Looked, settleLooks } from './settle-looks.ts';

/** Providers whose calls may be limited; of most of them they go on by themselves. */
type Called = Exclude<keyof Providers, 'speechCommand'>;

/** Requests a second to each provider, of each worker. Replicate takes 50 of all. */
const PER_SECOND: Readonly<Record<Called, number>> = {
  fal: 400,
  replicate: 30,
  comfyui: 20,
  openai: 20,
  elevenlabs: 20,
};
const TICK_MS = 100;
/** Between two looks at the table while nothing is known to be due; and of a provider that is not configured. */
const IDLE_MS = 1000;
const UNUSED_MS = 30_000;
/** A call that its poller does not come back to is asked for by another. */
const LEASE_MS = 15_000;
const REQUEST_TIMEOUT_MS = 10_000;
const LIMITED_PAUSE_MS = 2000;
const MAX_BATCH = 100;
/** Requests under way at once: a provider that does not answer costs no more than these. */
const MAX_LOOKS = 200;
/** A provider that does not say for so long what became of a call that nobody wants is asked no more: the call counts as billed. */
const CANCEL_PATIENCE_MS = 600_000;
const REFRESH_MS = 60_000;

/** Begins to poll until the signal fires. Resolves when the last look has ended. */
export async function pollCalls(deps: RunDeps, signal: AbortSignal): Promise<void> {
  const providers = readProviders(deps.settings);
  const names = Object.keys(PER_SECOND) as readonly Called[];
  const streams = names.map(name => new Stream(deps, name, providers, signal).run());
  await Promise.all([keepFresh(deps, signal), ...streams]);
}

/** What other processes have found out is read now and then. */
async function keepFresh(deps: RunDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await deps.traffic
      .refresh()
      .catch((err: unknown) => deps.log.warn({ err }, 'what is known of providers could not be read'));
    await sleep(REFRESH_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** One paced stream of requests: what the pace allows since the last time, to the calls that have been due for longest. */
class Stream {
  readonly #deps: RunDeps;
  readonly #name: Called;
  readonly #provider: ReturnType<typeof watchedProvider>;
  readonly #idleMs: number;
  readonly #signal: AbortSignal;
  readonly #looks = new Set<Promise<void>>();
  readonly #settle: (looked: Looked) => Promise<void>;
  #allowance: number;
  #countedAtMs: number;
  #pausedUntilMs = 0;
  /** While it sleeps: until when, and what ends that. */
  #untilMs = 0;
  #rise: (() => void) | undefined;

  constructor(deps: RunDeps, name: Called, providers: Providers, signal: AbortSignal) {
    this.#deps = deps;
    this.#name = name;
    this.#provider = isWatched(name) ? watchedProvider(providers, name) : undefined;
    this.#idleMs = providers[name] === undefined ? UNUSED_MS : IDLE_MS;
    this.#signal = signal;
    this.#allowance = PER_SECOND[name];
    this.#countedAtMs = deps.now();
    this.#settle = createBatcher<Looked, void>(
      async looks => {
        await settleLooks(deps, looks);
        return looks.map(() => undefined);
      },
      { maxItems: 200, concurrency: 1 },
    );
  }

  async run(): Promise<void> {
    const unlisten = this.#deps.traffic.listen(this.#name, atMs => this.#expect(atMs));
    const rise = (): void => this.#rise?.();
    this.#signal.addEventListener('abort', rise, { once: true });
    while (!this.#signal.aborted) {
      const nextMs = await this.#turn().catch((err: unknown) => {
        this.#warn(err);
        return TICK_MS;
      });
      await this.#sleep(nextMs);
    }
    unlisten();
    await Promise.all(this.#looks);
  }

  /** Does what there is to be done; returns after how long there may be more. */
  async #turn(): Promise<number> {
    const { traffic, runDb, now } = this.#deps;
    await traffic.flush(this.#name);
    const outlook = await readOutlook(runDb, this.#name);
    if (outlook.has_waiting) await admitWaiting(this.#deps, this.#name);
    const dueMs = outlook.due_at?.getTime() ?? Number.POSITIVE_INFINITY;
    if (dueMs <= now()) await this.#lookAtDue();
    const idleMs = outlook.has_waiting ? TICK_MS : this.#idleMs;
    return Math.max(TICK_MS, Math.min(dueMs - now(), idleMs));
  }

  async #lookAtDue(): Promise<void> {
    const nowMs = this.#deps.now();
    const perSecond = PER_SECOND[this.#name];
    this.#allowance = Math.min(perSecond, this.#allowance + ((nowMs - this.#countedAtMs) / 1000) * perSecond);
    this.#countedAtMs = nowMs;
    const limit = Math.min(Math.floor(this.#allowance), MAX_BATCH, MAX_LOOKS - this.#looks.size);
    if (limit < 1 || nowMs < this.#pausedUntilMs) return;
    const calls = await takeDueCalls(this.#deps.runDb, this.#name, { limit, leaseMs: LEASE_MS });
    this.#allowance -= calls.length;
    for (const call of calls) {
      const looking = this.#look(call)
        .catch((err: unknown) => this.#warn(err))
        .finally(() => this.#looks.delete(looking));
      this.#looks.add(looking);
    }
  }

  async #look(call: CallRow): Promise<void> {
    const looked = await lookAt(this.#deps, this.#provider, call, this.#signal);
    if (looked.isLimited) this.#pausedUntilMs = this.#deps.now() + LIMITED_PAUSE_MS;
    await this.#settle(looked);
  }

  #warn(err: unknown): void {
    if (this.#signal.aborted) return;
    this.#deps.log.warn({ err, provider: this.#name }, 'calls at a provider could not be asked for');
  }

  /** Something falls due then, which is not in the table yet or was not when it was read. */
  #expect(atMs: number): void {
    if (atMs < this.#untilMs) this.#rise?.();
  }

  async #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#untilMs = this.#deps.now() + ms;
    const timer = setTimeout(resolve, ms);
    const earliest = sleep(TICK_MS);
    this.#rise = resolve;
    await promise;
    clearTimeout(timer);
    this.#rise = undefined;
    // However many rouse it: the table is not read more often than that.
    if (!this.#signal.aborted) await earliest;
  }
}

async function lookAt(
  deps: RunDeps,
  look: LookAt | undefined,
  call: CallRow,
  signal: AbortSignal,
): Promise<Looked> {
  const nowMs = deps.now();
  const isCancelled = call.cancelled_at !== null;
  // What was not submitted, or at a provider that is no longer configured, cannot be asked for; a run finds out by itself.
  if (look === undefined || call.job_id === null)
    return isCancelled
      ? dropped(call, call.job_id === null ? undefined : { usage: undefined })
      : { call, outcome: 'over', isLimited: false };
  if (!isCancelled && nowMs >= call.deadline_at.getTime()) return { call, outcome: 'over', isLimited: false };
  const handle = { id: call.job_id, ...(call.state === null ? {} : { state: call.state }) };
  using deadline = startDeadline(REQUEST_TIMEOUT_MS, signal);
  const seen = await look({ ...handle, isCancelled }, fetchOf(deps), deadline.signal).catch(
    () => ({ kind: 'unknown', afterMs: undefined, isLimited: false }) as const,
  );
  const isLimited = seen.kind === 'unknown' && seen.isLimited;
  if (seen.kind === 'cancelled') return dropped(call);
  if (seen.kind === 'billed') return dropped(call, { usage: seen.usage });
  if (isCancelled) {
    // What costs nothing need not be followed to its end.
    if (seen.kind === 'running' && call.credits === 0) return dropped(call);
    const isGivenUp = nowMs - (call.cancelled_at?.getTime() ?? 0) > CANCEL_PATIENCE_MS;
    if (isGivenUp) return dropped(call, { usage: undefined });
  }
  if (seen.kind === 'ended') return { call, outcome: 'ended', isLimited };
  const usualMs = deps.traffic.usualMs(call.provider, call.model);
  const submittedAtMs = call.submitted_at.getTime();
  const known = seen.kind === 'running' ? seen.fraction : undefined;
  const fraction = known ?? guessProgress(submittedAtMs, usualMs, nowMs);
  if (fraction !== undefined && !isCancelled)
    deps.runNotifier.notifyProgress(call.execution_id, call.node_id, fraction);
  const atMs = nextLookAt({
    submittedAtMs,
    deadlineAtMs: call.deadline_at.getTime(),
    nowMs: deps.now(),
    usualMs,
    hasHook: call.token !== null,
    afterMs: seen.kind === 'unknown' ? (seen.afterMs ?? 0) : 0,
  });
  return { call, outcome: new Date(atMs), isLimited };
}

function dropped(call: CallRow, bill?: Looked['bill']): Looked {
  return { call, outcome: 'dropped', isLimited: false, ...(bill === undefined ? {} : { bill }) };
}

function fetchOf({ providerFetch }: RunDeps): Parameters<LookAt>[1] {
  return (url, init = {}) =>
    providerFetch.fetch(url, { timeoutMs: REQUEST_TIMEOUT_MS, maxBytes: MAX_BYTES, ...init });
}

const MAX_BYTES = 8_388_608;
