// Polls active provider calls at a rate that the provider accepts. Wakes runs whose calls have ended, grants free slots
// to waiting calls, and cancels calls of runs that ended.
import { setTimeout as sleep } from 'node:timers/promises';
import { createBatcher } from '../../lib/batcher.ts';
import { startDeadline } from '../../lib/deadline.ts';
import { getOrCreate } from '../../lib/get-or-create.ts';
import { type Providers, readProviders } from '../../nodes/models/providers.ts';
import { hasTasks, pollProviderTask } from '../../nodes/models/task-providers.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import type { ProviderName } from '../../providers/names.ts';
import { type CallRow, claimDueCalls, getPollSchedule, postponeCalls, toCallKey } from '../../store/calls.ts';
import { computeNextPollMs, estimateProgress } from '../change/pace.ts';
import type { RunDeps } from '../deps.ts';
import { applyPollResults, grantWaitingCalls, type PollResult } from './apply-poll-results.ts';
import { type CallFollower, createCallFollower } from './follow-calls.ts';
import { placeWaitingCalls } from './server-queues.ts';

/** The providers whose calls can wait for slots. Calls of most providers also continue without a connection. */
type PolledProvider = ProviderName;

/** Polls per second with each credential, per worker. Replicate allows 50 in total. */
const POLLS_PER_SECOND: Readonly<Record<PolledProvider, number>> = {
  fal: 400,
  replicate: 30,
  comfyui: 20,
  openai: 20,
  elevenlabs: 20,
};
/**
 * After this time, another poller may claim a call that this poller has claimed and not finished. Longer than the time limit
 * of a poll.
 */
const LEASE_MS = 15_000;
const MAX_BATCH = 100;
/** The maximum number of concurrent polls, which limits the resources that an unresponsive provider occupies. */
const MAX_POLLS = 300;
/** How many limiters with waiting calls get free slots in one round. */
const MAX_GRANTS = 20;
/** How long a cancelled call is polled for its outcome. After that, it counts as billed. */
const CANCEL_TIMEOUT_MS = 600_000;

/** Polls until the signal fires. Resolves when the last poll has ended. */
export async function pollCalls(deps: RunDeps, signal: AbortSignal): Promise<void> {
  const providers = readProviders(deps.settings);
  const names = Object.keys(POLLS_PER_SECOND) as readonly PolledProvider[];
  const pollers = names.map(name => new ProviderPoller(deps, name, providers, signal).run());
  await Promise.all([refreshTraffic(deps, signal), ...pollers]);
}

/** Reads periodically the limits and durations that other processes recorded. */
async function refreshTraffic(deps: RunDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await deps.traffic
      .refresh()
      .catch((err: unknown) => deps.log.warn({ err }, 'limits and durations of providers could not be read'));
    await sleep(deps.timing.trafficReadMs, undefined, { signal }).catch(() => undefined);
  }
}

interface LimiterPace {
  /** Polls that may start now; refilled each second. */
  allowance: number;
  refilledAtMs: number;
  pausedUntilMs: number;
  /** Polls in progress. */
  active: number;
}

/** Polls one provider at a limited rate for each credential, the longest overdue calls first. */
class ProviderPoller {
  readonly #deps: RunDeps;
  readonly #name: PolledProvider;
  readonly #isConfigured: boolean;
  readonly #signal: AbortSignal;
  readonly #polls = new Set<Promise<void>>();
  readonly #apply: (result: PollResult) => Promise<void>;
  readonly #follower: CallFollower;
  /** The pace of each limiter that was polled lately. */
  readonly #paces = new Map<string, LimiterPace>();
  /** The limiter that got free slots last. */
  #lastGranted = '';
  #sleepEndMs = 0;
  /** Ends the current sleep early. */
  #wake: (() => void) | undefined;

  constructor(deps: RunDeps, name: PolledProvider, providers: Providers, signal: AbortSignal) {
    this.#deps = deps;
    this.#name = name;
    this.#isConfigured = providers[name] !== undefined;
    this.#signal = signal;
    this.#apply = createBatcher<PollResult, void>(
      async results => {
        await applyPollResults(deps, results);
        return results.map(() => undefined);
      },
      { maxItems: 200, concurrency: 1 },
    );
    this.#follower = createCallFollower(deps, call => this.#pollSoon(call), signal);
  }

  async run(): Promise<void> {
    const unsubscribe = this.#deps.traffic.subscribe(this.#name, atMs => this.#onDue(atMs));
    const wake = (): void => this.#wake?.();
    this.#signal.addEventListener('abort', wake, { once: true });
    while (!this.#signal.aborted) {
      const nextMs = await this.#tick().catch((err: unknown) => {
        this.#warn(err);
        return this.#deps.timing.callTickMs;
      });
      await this.#sleep(nextMs);
    }
    unsubscribe();
    await Promise.all([...this.#polls, this.#follower.close()]);
  }

  /** Does one round of work. Returns the delay until the next round. */
  async #tick(): Promise<number> {
    const { traffic, runDb, now } = this.#deps;
    const { callTickMs, callReadMs, unconfiguredCallReadMs } = this.#deps.timing;
    await traffic.flush(this.#name);
    const { due_at, waiting_limiters: waitingLimiters } = await getPollSchedule(runDb, this.#name);
    if (waitingLimiters.length > 0) await this.#grant(waitingLimiters);
    const dueMs = due_at?.getTime() ?? Number.POSITIVE_INFINITY;
    if (dueMs <= now()) await this.#pollDue();
    const isUsed = this.#isConfigured || due_at !== null;
    const idleMs = waitingLimiters.length > 0 ? callTickMs : isUsed ? callReadMs : unconfiguredCallReadMs;
    return Math.max(callTickMs, Math.min(dueMs - now(), idleMs));
  }

  /** Grants free slots to the waiting calls of the next limiters in rotation. */
  async #grant(waitingLimiters: readonly string[]): Promise<void> {
    const start = waitingLimiters.findIndex(limiter => limiter > this.#lastGranted);
    const rotation =
      start === -1 ? waitingLimiters : [...waitingLimiters.slice(start), ...waitingLimiters.slice(0, start)];
    for (const limiter of rotation.slice(0, MAX_GRANTS)) {
      if (this.#name === 'comfyui' && limiter !== this.#name) await placeWaitingCalls(this.#deps, limiter);
      else await grantWaitingCalls(this.#deps, { provider: this.#name, limiter });
      this.#lastGranted = limiter;
    }
  }

  async #pollDue(): Promise<void> {
    const freePolls = MAX_POLLS - this.#polls.size;
    const limit = Math.min(MAX_BATCH, freePolls);
    if (limit < 1) return;
    const calls = await claimDueCalls(this.#deps.runDb, this.#name, {
      limit,
      perLimiter: Math.min(POLLS_PER_SECOND[this.#name], Math.ceil(freePolls / 2)),
      excludedLimiters: this.#listBusyLimiters(freePolls),
      leaseMs: LEASE_MS,
    });
    const credentials = await this.#deps.credentialOpener.openMany(
      this.#name,
      calls.map(({ value_id }) => value_id),
    );
    for (const [index, call] of calls.entries()) {
      const pace = getOrCreate(this.#paces, call.limiter, () => this.#newPace());
      pace.allowance--;
      pace.active++;
      const poll = this.#poll(call, credentials[index], pace)
        .catch((err: unknown) => this.#warn(err))
        .finally(() => {
          pace.active--;
          this.#polls.delete(poll);
        });
      this.#polls.add(poll);
    }
  }

  #newPace(): LimiterPace {
    return {
      allowance: POLLS_PER_SECOND[this.#name],
      refilledAtMs: this.#deps.now(),
      pausedUntilMs: 0,
      active: 0,
    };
  }

  /**
   * Lists the limiters that may not be polled now, because they are rate-limited or have used their polls per second or
   * their share of the concurrent polls. A limiter may use as many concurrent polls as it leaves free for other limiters.
   */
  #listBusyLimiters(freePolls: number): readonly string[] {
    const nowMs = this.#deps.now();
    const perSecond = POLLS_PER_SECOND[this.#name];
    const busy: string[] = [];
    for (const [limiter, pace] of this.#paces) {
      const refill = ((nowMs - pace.refilledAtMs) / 1000) * perSecond;
      pace.allowance = Math.min(perSecond, pace.allowance + refill);
      pace.refilledAtMs = nowMs;
      const isPaused = nowMs < pace.pausedUntilMs;
      if (isPaused || pace.allowance < 1 || pace.active >= freePolls) busy.push(limiter);
      else if (pace.active === 0 && pace.allowance === perSecond) this.#paces.delete(limiter);
    }
    return busy;
  }

  async #poll(call: CallRow, credential: ProviderCredential | undefined, pace: LimiterPace): Promise<void> {
    const result = await pollCall(this.#deps, credential, call, this.#signal);
    if (result.isRateLimited) pace.pausedUntilMs = this.#deps.now() + this.#deps.timing.rateLimitPauseMs;
    await this.#apply(result);
    if (result.outcome instanceof Date && call.cancelled_at === null && credential !== undefined)
      this.#follower.follow(call, credential);
    else this.#follower.unfollow(call);
  }

  /** Polls a call now whose server has said that it ended. */
  #pollSoon(call: CallRow): void {
    const nowMs = this.#deps.now();
    postponeCalls(this.#deps.runDb, [{ ...toCallKey(call), due_at: new Date(nowMs) }])
      .then(() => this.#onDue(nowMs))
      .catch((err: unknown) => this.#warn(err));
  }

  #warn(err: unknown): void {
    if (this.#signal.aborted) return;
    this.#deps.log.warn({ err, provider: this.#name }, 'calls at a provider could not be polled');
  }

  /** Wakes the poller if a call is due before the next round. */
  #onDue(atMs: number): void {
    if (atMs < this.#sleepEndMs) this.#wake?.();
  }

  async #sleep(ms: number): Promise<void> {
    // The signal may have fired during the round.
    if (this.#signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#sleepEndMs = this.#deps.now() + ms;
    const timer = setTimeout(resolve, ms);
    const minSleep = sleep(this.#deps.timing.callTickMs);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
    this.#wake = undefined;
    // The table is read at most once per tick, however often the poller is woken.
    if (!this.#signal.aborted) await minSleep;
  }
}

async function pollCall(
  deps: RunDeps,
  credential: ProviderCredential | undefined,
  call: CallRow,
  signal: AbortSignal,
): Promise<PollResult> {
  const nowMs = deps.now();
  const isCancelled = call.cancelled_at !== null;
  // A call that was not submitted, or whose provider is no longer configured, cannot be polled. Its run handles that.
  if (credential === undefined || !hasTasks(call.provider) || call.job_id === null)
    return isCancelled
      ? createDroppedResult(call, call.job_id === null ? undefined : { usage: undefined })
      : { call, outcome: 'unresolved', isRateLimited: false };
  if (!isCancelled && nowMs >= call.deadline_at.getTime())
    return { call, outcome: 'unresolved', isRateLimited: false };
  const handle = { id: call.job_id, ...(call.state === null ? {} : { state: call.state }) };
  using deadline = startDeadline(deps.timing.callPollTimeoutMs, signal);
  const task = { ...handle, isCancelled };
  const state = await pollProviderTask(call.provider, credential, task, deadline.signal).catch(
    () => ({ kind: 'unknown', afterMs: undefined, isRateLimited: false }) as const,
  );
  const isRateLimited = state.kind === 'unknown' && state.isRateLimited;
  if (state.kind === 'cancelled') return createDroppedResult(call);
  if (state.kind === 'billed') return createDroppedResult(call, { usage: state.usage });
  if (isCancelled) {
    // A free call does not need a final outcome.
    if (state.kind === 'running' && call.credits === 0) return createDroppedResult(call);
    const isExpired = nowMs - (call.cancelled_at?.getTime() ?? 0) > CANCEL_TIMEOUT_MS;
    if (isExpired) return createDroppedResult(call, { usage: undefined });
  }
  if (state.kind === 'ended') return { call, outcome: 'ended', isRateLimited };
  const usualMs = deps.traffic.getUsualMs(call.provider, call.model);
  const submittedAtMs = call.submitted_at.getTime();
  const reportedFraction = state.kind === 'running' ? state.fraction : undefined;
  const fraction = reportedFraction ?? estimateProgress(submittedAtMs, usualMs, nowMs);
  if (fraction !== undefined && !isCancelled)
    deps.changeHub.notifyProgress(call.execution_id, call.node_id, fraction);
  const polledCall = {
    submittedAtMs,
    deadlineAtMs: call.deadline_at.getTime(),
    nowMs: deps.now(),
    usualMs,
    hasCallback: call.token !== null,
    minDelayMs: state.kind === 'unknown' ? (state.afterMs ?? 0) : 0,
  };
  const { timing } = deps;
  // ComfyUI servers are near, and wait for their next call.
  const pollTiming =
    call.provider === 'comfyui' ? { ...timing, minCallPollMs: timing.minComfyPollMs } : timing;
  const atMs = computeNextPollMs(polledCall, pollTiming);
  return { call, outcome: new Date(atMs), isRateLimited };
}

function createDroppedResult(call: CallRow, billing?: PollResult['billing']): PollResult {
  return { call, outcome: 'dropped', isRateLimited: false, ...(billing === undefined ? {} : { billing }) };
}
