// What the processes of a service share of each provider: how many calls it takes at once, and how long its models
// usually take.
import type { CallSlots } from '../../engine/types.ts';
import { createBatcher } from '../../lib/batch.ts';
import { getOrMake } from '../../lib/get-or-make.ts';
import type { Logger } from '../../lib/log.ts';
import type { Settings } from '../../lib/settings.ts';
import type { NewSlot } from '../../store/call-slots.ts';
import {
  claimSlots,
  growLimit,
  learnDurations,
  listDurations,
  listLimits,
  type ModelDuration,
  shrinkLimit,
} from '../../store/call-slots.ts';
import type { Db } from '../../store/db.ts';
import type { RunRow } from '../../store/runs.ts';

/** A call that has ended, and how long it took. */
export interface EndedCall {
  readonly provider: string;
  readonly model: string | null;
  readonly tookMs: number;
}

type SlotAnswer = Awaited<ReturnType<CallSlots['claim']>>;
type ClaimSlot = (call: NewSlot) => Promise<SlotAnswer>;

export interface TrafficOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly maxConcurrent: Settings['PROVIDER_CONCURRENCY'];
}

const BATCH = { maxItems: 200, concurrency: 1 } as const;
const MAX_TOOK_MS = 86_400_000;
/** No call is looked at sooner after its submission. */
const FIRST_POLL_MS = 1000;

export class ProviderTraffic {
  readonly #db: Db;
  readonly #log: Logger;
  readonly #maxConcurrent: Readonly<Record<string, number>>;
  /** Providers that have refused a submission once: their number is asked for before each. */
  readonly #limited = new Set<string>();
  readonly #usualMs = new Map<string, number>();
  readonly #submitted = new Map<string, number>();
  readonly #claims = new Map<string, ClaimSlot>();
  readonly #listeners = new Map<string, (atMs: number) => void>();

  constructor({ db, log, maxConcurrent }: TrafficOptions) {
    this.#db = db;
    this.#log = log;
    this.#maxConcurrent = maxConcurrent;
  }

  /** The operator's number of calls at once; null: none. */
  maxConcurrent(provider: string): number | null {
    return this.#maxConcurrent[provider] ?? null;
  }

  /** Whether the call may be submitted now; else it waits as a row until it is its workspace's turn. */
  async claim(provider: string, call: NewSlot): Promise<SlotAnswer> {
    if (this.maxConcurrent(provider) === null && !this.#limited.has(provider)) return 'open';
    const answer = await this.#claimOf(provider)(call);
    if (answer === 'wait') this.#listeners.get(provider)?.(0);
    return answer;
  }

  /** The provider has refused a submission by its rate limit, with so many at work in this process. */
  onRateLimited(provider: string, callsHere: number): void {
    this.#limited.add(provider);
    shrinkLimit(this.#db, provider, callsHere).catch((err: unknown) =>
      this.#log.warn({ err, provider }, 'that a provider takes fewer calls could not be stored'),
    );
  }

  /** Another process was turned away. */
  markLimited(provider: string): void {
    this.#limited.add(provider);
  }

  /** The provider has taken a submission. */
  onSubmitted(provider: string): void {
    if (this.#limited.has(provider)) this.#submitted.set(provider, (this.#submitted.get(provider) ?? 0) + 1);
    this.#listeners.get(provider)?.(Date.now() + FIRST_POLL_MS);
  }

  /** Calls back when calls of the provider fall due that this process knows of. Returns the way out. */
  subscribe(provider: string, onDue: (atMs: number) => void): () => void {
    this.#listeners.set(provider, onDue);
    return () => this.#listeners.delete(provider);
  }

  /** Writes how many submissions the provider has taken since the last time. */
  async flush(provider: string): Promise<void> {
    const count = this.#submitted.get(provider) ?? 0;
    if (count === 0) return;
    this.#submitted.delete(provider);
    await growLimit(this.#db, provider, count);
  }

  usualMs(provider: string, model: string | null): number | undefined {
    return model === null ? undefined : this.#usualMs.get(`${provider} ${model}`);
  }

  /** Counts calls that have ended for what their models usually take. */
  async recordDurations(calls: readonly EndedCall[]): Promise<void> {
    const durations = medians(calls);
    if (durations.length > 0) this.#cache(await learnDurations(this.#db, durations));
  }

  /** Reads what other processes have found. */
  async refresh(): Promise<void> {
    for (const { provider } of await listLimits(this.#db)) this.#limited.add(provider);
    this.#cache(await listDurations(this.#db));
  }

  #cache(durations: readonly ModelDuration[]): void {
    for (const { provider, model, usual_ms } of durations)
      this.#usualMs.set(`${provider} ${model}`, usual_ms);
  }

  /** Calls that arrive together ask together. */
  #claimOf(provider: string): ClaimSlot {
    return getOrMake(this.#claims, provider, () =>
      createBatcher<NewSlot, SlotAnswer>(async calls => {
        const limit = this.maxConcurrent(provider);
        const granted = await this.#db.transaction(tx => claimSlots(tx, provider, calls, limit));
        return calls.map((_, index) => (granted.has(index) ? 'slot' : 'wait'));
      }, BATCH),
    );
  }
}

/** The traffic as one run meets it. */
export function createCallSlots(
  { traffic }: { readonly traffic: ProviderTraffic },
  run: Pick<RunRow, 'id' | 'workspace'>,
  timeoutAtMs: number,
): CallSlots {
  return {
    onRateLimited: (provider, callsHere) => traffic.onRateLimited(provider, callsHere),
    onSubmitted: provider => traffic.onSubmitted(provider),
    usualMs: (provider, model) => traffic.usualMs(provider, model),
    claim: (nodeId, item, provider) =>
      traffic.claim(provider, {
        execution_id: run.id,
        node_id: nodeId,
        item,
        workspace: run.workspace,
        deadline_at: new Date(timeoutAtMs),
      }),
  };
}

/** One row a model, as the statement needs it. */
function medians(ended: readonly EndedCall[]): readonly ModelDuration[] {
  const groups = Map.groupBy(
    ended.filter(({ model }) => model !== null),
    ({ provider, model }) => JSON.stringify([provider, model]),
  );
  return [...groups].map(([key, calls]) => {
    const [provider, model] = JSON.parse(key) as [string, string];
    const times = calls.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
    const middle = times[times.length >> 1] ?? 0;
    return { provider, model, usual_ms: Math.round(Math.min(Math.max(middle, 0), MAX_TOOK_MS)) };
  });
}
