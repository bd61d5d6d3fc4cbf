// What the processes of a service share of each provider: how many calls it takes at once, and how long its models
// usually take.
import type { CallRoom } from '../../engine/types.ts';
import { createBatcher } from '../../lib/batch.ts';
import { getOrMake } from '../../lib/get-or-make.ts';
import type { Logger } from '../../lib/log.ts';
import type { Settings } from '../../lib/settings.ts';
import type { NewSlot } from '../../store/call-slots.ts';
import {
  growLimit,
  learnDurations,
  listDurations,
  listLimits,
  type ModelDuration,
  shrinkLimit,
  takeSlots,
} from '../../store/call-slots.ts';
import type { Db } from '../../store/db.ts';
import type { RunRow } from '../../store/runs.ts';

/** A call that has ended, and how long it took. */
export interface Ended {
  readonly provider: string;
  readonly model: string | null;
  readonly tookMs: number;
}

type Room = Awaited<ReturnType<CallRoom['take']>>;
type Door = (call: NewSlot) => Promise<Room>;

export interface TrafficOptions {
  readonly db: Db;
  readonly log: Logger;
  readonly most: Settings['PROVIDER_CONCURRENCY'];
}

const BATCH = { maxItems: 200, concurrency: 1 } as const;
const MAX_TOOK_MS = 86_400_000;
/** No call is looked at sooner after its submission. */
const FIRST_LOOK_MS = 1000;

export class ProviderTraffic {
  readonly #db: Db;
  readonly #log: Logger;
  readonly #most: Readonly<Record<string, number>>;
  /** Providers that have refused a submission once: their number is asked for before each. */
  readonly #limited = new Set<string>();
  readonly #usual = new Map<string, number>();
  readonly #grown = new Map<string, number>();
  readonly #doors = new Map<string, Door>();
  readonly #listeners = new Map<string, (atMs: number) => void>();

  constructor({ db, log, most }: TrafficOptions) {
    this.#db = db;
    this.#log = log;
    this.#most = most;
  }

  /** The operator's number of calls at once; null: none. */
  mostAt(provider: string): number | null {
    return this.#most[provider] ?? null;
  }

  /** Whether the call may be submitted now; else it waits as a row until it is its workspace's turn. */
  async take(provider: string, call: NewSlot): Promise<Room> {
    if (this.mostAt(provider) === null && !this.#limited.has(provider)) return 'open';
    const room = await this.#doorOf(provider)(call);
    if (room === 'wait') this.#listeners.get(provider)?.(0);
    return room;
  }

  /** The provider has refused a submission by its rate limit, with so many at work in this process. */
  turnedAway(provider: string, callsHere: number): void {
    this.#limited.add(provider);
    shrinkLimit(this.#db, provider, callsHere).catch((err: unknown) =>
      this.#log.warn({ err, provider }, 'that a provider takes fewer calls could not be stored'),
    );
  }

  /** Another process was turned away. */
  limit(provider: string): void {
    this.#limited.add(provider);
  }

  /** The provider has taken a submission. */
  took(provider: string): void {
    if (this.#limited.has(provider)) this.#grown.set(provider, (this.#grown.get(provider) ?? 0) + 1);
    this.#listeners.get(provider)?.(Date.now() + FIRST_LOOK_MS);
  }

  /** Calls back when calls of the provider fall due that this process knows of. Returns the way out. */
  listen(provider: string, onDue: (atMs: number) => void): () => void {
    this.#listeners.set(provider, onDue);
    return () => this.#listeners.delete(provider);
  }

  /** Writes how many submissions the provider has taken since the last time. */
  async flush(provider: string): Promise<void> {
    const count = this.#grown.get(provider) ?? 0;
    if (count === 0) return;
    this.#grown.delete(provider);
    await growLimit(this.#db, provider, count);
  }

  usualMs(provider: string, model: string | null): number | undefined {
    return model === null ? undefined : this.#usual.get(`${provider} ${model}`);
  }

  /** Counts calls that have ended for what their models usually take. */
  async learn(seen: readonly Ended[]): Promise<void> {
    const durations = medians(seen);
    if (durations.length > 0) this.#note(await learnDurations(this.#db, durations));
  }

  /** Reads what other processes have found. */
  async refresh(): Promise<void> {
    for (const { provider } of await listLimits(this.#db)) this.#limited.add(provider);
    this.#note(await listDurations(this.#db));
  }

  #note(durations: readonly ModelDuration[]): void {
    for (const { provider, model, usual_ms } of durations) this.#usual.set(`${provider} ${model}`, usual_ms);
  }

  /** Calls that arrive together ask together. */
  #doorOf(provider: string): Door {
    return getOrMake(this.#doors, provider, () =>
      createBatcher<NewSlot, Room>(async calls => {
        const most = this.mostAt(provider);
        const granted = await this.#db.transaction(tx => takeSlots(tx, provider, calls, most));
        return calls.map((_, place) => (granted.has(place) ? 'slot' : 'wait'));
      }, BATCH),
    );
  }
}

/** The traffic as one run meets it. */
export function roomOf(
  { traffic }: { readonly traffic: ProviderTraffic },
  run: Pick<RunRow, 'id' | 'workspace'>,
  timeoutAtMs: number,
): CallRoom {
  return {
    turnedAway: (provider, callsHere) => traffic.turnedAway(provider, callsHere),
    took: provider => traffic.took(provider),
    usualMs: (provider, model) => traffic.usualMs(provider, model),
    take: (nodeId, item, provider) =>
      traffic.take(provider, {
        execution_id: run.id,
        node_id: nodeId,
        item,
        workspace: run.workspace,
        deadline_at: new Date(timeoutAtMs),
      }),
  };
}

/** One row a model, as the statement needs it. */
function medians(seen: readonly Ended[]): readonly ModelDuration[] {
  const groups = Map.groupBy(
    seen.filter(({ model }) => model !== null),
    ({ provider, model }) => JSON.stringify([provider, model]),
  );
  return [...groups].map(([key, calls]) => {
    const [provider, model] = JSON.parse(key) as [string, string];
    const times = calls.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
    const middle = times[times.length >> 1] ?? 0;
    return { provider, model, usual_ms: Math.round(Math.min(Math.max(middle, 0), MAX_TOOK_MS)) };
  });
}
