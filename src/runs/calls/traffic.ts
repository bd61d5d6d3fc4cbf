// Tracks, across processes, how many concurrent calls each provider accepts and how long its models usually take.
import type { CallSlots } from '../../engine/types.ts';
import { createBatcher } from '../../lib/batcher.ts';
import { getOrCreate } from '../../lib/get-or-create.ts';
import type { Logger } from '../../lib/log.ts';
import type { Settings } from '../../lib/settings.ts';
import type { Timing } from '../../lib/timing.ts';
import { getLimiterName } from '../../providers/provider.ts';
import type { TaskCredential } from '../../providers/run-call.ts';
import type { LimitedProvider, SlotRequest } from '../../store/call-slots.ts';
import {
  claimSlots,
  growLimits,
  listDurations,
  listLimits,
  type ModelDuration,
  recordDurations,
  shrinkLimit,
} from '../../store/call-slots.ts';
import type { Db } from '../../store/db.ts';
import type { RunRow } from '../../store/runs.ts';

/** A call that has ended, and its duration. */
export interface EndedCall {
  readonly provider: string;
  readonly model: string | null;
  readonly durationMs: number;
}

type SlotOutcome = Awaited<ReturnType<CallSlots['claim']>>;
/** Claims a slot of one limiter. Claims that arrive together share a transaction. */
type ClaimBatcher = (request: SlotRequest) => Promise<SlotOutcome>;

export interface TrafficOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly timing: Timing;
  readonly maxConcurrent: Settings['PROVIDER_CONCURRENCY'];
}

const BATCH = { maxItems: 200, concurrency: 1 } as const;
const MAX_DURATION_MS = 86_400_000;

export class ProviderTraffic {
  readonly #db: Db;
  readonly #log: Logger;
  readonly #timing: Timing;
  readonly #maxConcurrent: Readonly<Record<string, number>>;
  /** Limiters with a rate-limited submission. Every call of such a limiter needs a slot. */
  readonly #rateLimitedLimiters = new Set<string>();
  readonly #usualMs = new Map<string, number>();
  /** The number of submissions since the last flush, by provider, then by limiter. */
  readonly #submittedCounts = new Map<string, Map<string, number>>();
  /** The batchers of slot claims, by limiter. */
  readonly #claimBatchers = new Map<string, ClaimBatcher>();
  readonly #listeners = new Map<string, (atMs: number) => void>();

  constructor({ db, log, timing, maxConcurrent }: TrafficOptions) {
    this.#db = db;
    this.#log = log;
    this.#timing = timing;
    this.#maxConcurrent = maxConcurrent;
  }

  /** Returns the operator's limit for concurrent calls, or null if there is none. */
  getMaxConcurrent(provider: string): number | null {
    return this.#maxConcurrent[provider] ?? null;
  }

  /** Claims a slot for the call. If no slot is free, the call is stored and waits for its workspace's turn. */
  async claim(provider: string, request: SlotRequest): Promise<SlotOutcome> {
    const limiter = request.credential_id ?? provider;
    if (this.getMaxConcurrent(provider) === null && !this.#rateLimitedLimiters.has(limiter)) return 'open';
    const claim = await this.#getClaimBatcher({ provider, limiter })(request);
    if (claim === 'wait') this.#listeners.get(provider)?.(0);
    return claim;
  }

  /** Lowers the limit after the provider rejected a submission. `activeCalls` counts the calls of this process. */
  onRateLimited(task: TaskCredential, activeCalls: number): void {
    const limiter = getLimiterName(task);
    this.#rateLimitedLimiters.add(limiter);
    shrinkLimit(this.#db, limiter, activeCalls).catch((err: unknown) =>
      this.#log.warn({ err, limiter }, 'the lower limit of a provider could not be stored'),
    );
  }

  /** Records that a submission of another process was rate-limited. */
  recordRateLimited(limiter: string): void {
    this.#rateLimitedLimiters.add(limiter);
  }

  /** Wakes the poller of the provider in this process if it sleeps beyond the time. */
  notifyDue(provider: string, atMs: number): void {
    this.#listeners.get(provider)?.(atMs);
  }

  /** Counts an accepted submission. */
  onSubmitted(task: TaskCredential): void {
    const limiter = getLimiterName(task);
    if (this.#rateLimitedLimiters.has(limiter)) {
      const counts = getOrCreate(this.#submittedCounts, task.provider, () => new Map<string, number>());
      counts.set(limiter, (counts.get(limiter) ?? 0) + 1);
    }
    this.#listeners.get(task.provider)?.(Date.now() + this.#timing.firstCallPollMs);
  }

  /** Calls back with the time at which a call of the provider is due. Returns an unsubscribe function. */
  subscribe(provider: string, onDue: (atMs: number) => void): () => void {
    this.#listeners.set(provider, onDue);
    return () => this.#listeners.delete(provider);
  }

  /** Stores how many submissions the provider has accepted since the last flush, by limiter. */
  async flush(provider: string): Promise<void> {
    const counts = this.#submittedCounts.get(provider);
    if (counts === undefined) return;
    this.#submittedCounts.delete(provider);
    await growLimits(
      this.#db,
      Array.from(counts, ([limiter, count]) => ({ limiter, count })),
    );
  }

  /** Returns the usual duration of the model's calls, if it is known. */
  getUsualMs(provider: string, model: string | null): number | undefined {
    return model === null ? undefined : this.#usualMs.get(`${provider} ${model}`);
  }

  /** Records the durations of ended calls. */
  async recordDurations(calls: readonly EndedCall[]): Promise<void> {
    const durations = toMedians(calls);
    if (durations.length > 0) this.#cacheDurations(await recordDurations(this.#db, durations));
  }

  /** Reads the limits and durations that other processes recorded. */
  async refresh(): Promise<void> {
    for (const { limiter } of await listLimits(this.#db)) this.#rateLimitedLimiters.add(limiter);
    this.#cacheDurations(await listDurations(this.#db));
  }

  #cacheDurations(durations: readonly ModelDuration[]): void {
    for (const { provider, model, usual_ms } of durations)
      this.#usualMs.set(`${provider} ${model}`, usual_ms);
  }

  #getClaimBatcher({ provider, limiter }: LimitedProvider): ClaimBatcher {
    return getOrCreate(this.#claimBatchers, limiter, () =>
      createBatcher<SlotRequest, SlotOutcome>(async requests => {
        const maxConcurrent = this.getMaxConcurrent(provider);
        const grantedIndexes = await this.#db.transaction(tx =>
          claimSlots(tx, { provider, limiter }, requests, maxConcurrent),
        );
        return requests.map((_, index) => (grantedIndexes.has(index) ? 'slot' : 'wait'));
      }, BATCH),
    );
  }
}

/** Returns the traffic of all runs in the form that the engine needs for the calls of one run. */
export function createCallSlots(
  { traffic }: { readonly traffic: ProviderTraffic },
  run: Pick<RunRow, 'id' | 'workspace'>,
  timeoutAtMs: number,
): CallSlots {
  return {
    onRateLimited: (task, activeCalls) => traffic.onRateLimited(task, activeCalls),
    onSubmitted: task => traffic.onSubmitted(task),
    getUsualMs: (provider, model) => traffic.getUsualMs(provider, model),
    claim: (nodeId, item, { provider, credentialId = null, valueId = null }) =>
      traffic.claim(provider, {
        credential_id: credentialId,
        value_id: valueId,
        execution_id: run.id,
        node_id: nodeId,
        item,
        workspace: run.workspace,
        deadline_at: new Date(timeoutAtMs),
      }),
  };
}

/** Returns the median duration per model, because the statement needs one row per model. */
function toMedians(calls: readonly EndedCall[]): readonly ModelDuration[] {
  const groups = Map.groupBy(
    calls.filter(({ model }) => model !== null),
    ({ provider, model }) => JSON.stringify([provider, model]),
  );
  return [...groups].map(([key, calls]) => {
    const [provider, model] = JSON.parse(key) as [string, string];
    const times = calls.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
    const middle = times[times.length >> 1] ?? 0;
    return { provider, model, usual_ms: Math.round(Math.min(Math.max(middle, 0), MAX_DURATION_MS)) };
  });
}
