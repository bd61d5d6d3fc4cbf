// Sends reads to a replica: lists and pages, nothing that decides whether a write is allowed. A read sees everything
// that was committed before it began, by any process: the primary reports its log position, concurrent reads share that
// query, and the replica answers only after replaying up to it. So nothing has to track recent writes, and caches keyed
// by revision stay correct. If the replica lags, is down, or fails, the primary answers; the replica is then skipped
// and checked every second until it has caught up.
import { setTimeout as sleep } from 'node:timers/promises';
import { createBatcher } from '../../lib/batch.ts';
import { toError } from '../../lib/errors.ts';
import type { Db, Rows, Tx } from '../db.ts';
import { explainConnection } from '../preflight.ts';
import { identify } from './identity.ts';

export interface ReplicaStanding {
  /** Why it is skipped; undefined: it answers reads. */
  readonly fault: string | undefined;
  /** Age of the last replayed transaction if it is behind; undefined if unknown. */
  readonly lagSeconds: number | undefined;
}

/** The database for reads. */
export interface Replica extends Tx {
  readonly standing: ReplicaStanding;
  /** Number of reads that each server has answered since the start. */
  readonly answered: Readonly<Record<'replica' | 'primary', number>>;
  close(): Promise<void>;
}

export interface ReplicaOptions {
  readonly primary: Tx;
  /** Use short time limits: the primary answers after them. */
  readonly replica: Pick<Db, 'query' | 'inSequence' | 'close'>;
  /** Describes the connection in messages. */
  readonly url: string;
  readonly onChange: (standing: ReplicaStanding) => void;
}

/** A nearby replica lags by milliseconds; waiting longer costs a reader more than it saves. */
const MAX_WAIT_MS = 100;
const FIRST_PAUSE_MS = 1;
const CHECK_EVERY_MS = 1000;
const READS_TOGETHER = 1000;

// The flushed position, not the inserted one: replicas receive only flushed data, and no commit is visible before that.
const HORIZON = 'select pg_current_wal_flush_lsn()::text as lsn';
const REPLAYED = `
select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::text::pg_lsn as is_current,
  greatest(0, extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()))::float8 as age_seconds`;

/** Checks the replica once before it resolves; an unavailable replica may come back later. */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const replica = new ReplicaReads(options);
  await replica.check();
  replica.keepChecking();
  return replica;
}

class ReplicaReads implements Replica {
  readonly answered = { replica: 0, primary: 0 };
  readonly #options: ReplicaOptions;
  readonly #askHorizon: (read: undefined) => Promise<string>;
  #standing: ReplicaStanding = { fault: BEHIND, lagSeconds: undefined };
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#askHorizon = createBatcher(
      async reads => {
        const horizon = await readHorizon(options.primary);
        return reads.map(() => horizon);
      },
      { maxItems: READS_TOGETHER, concurrency: 1 },
    );
  }

  get standing(): ReplicaStanding {
    return this.#standing;
  }

  async query<R>(...statement: Parameters<Tx['query']>): Promise<Rows<R>> {
    const horizon = this.#isIn() ? await this.#askHorizon(undefined) : undefined;
    const rows = horizon === undefined ? undefined : await this.#readThere<R>(horizon, statement);
    this.answered[rows === undefined ? 'primary' : 'replica']++;
    return rows ?? this.#options.primary.query<R>(...statement);
  }

  /** Undefined: the primary has to answer. */
  async #readThere<R>(horizon: string, statement: Parameters<Tx['query']>): Promise<Rows<R> | undefined> {
    const { replica, url } = this.#options;
    try {
      // On one connection, which breaks if the server restarts, possibly behind what it had replayed.
      return await replica.inSequence(async tx => {
        const { isCurrent } = await awaitReplay(tx, horizon, () => this.#isIn());
        if (isCurrent) return await tx.query<R>(...statement);
        this.#become({ ...this.#standing, fault: this.#standing.fault ?? BEHIND });
        return undefined;
      });
    } catch (err) {
      if (!isOfStatement(err)) this.#become({ fault: describe(err, url), lagSeconds: undefined });
      return undefined;
    }
  }

  #isIn(): boolean {
    return this.#standing.fault === undefined;
  }

  #become(standing: ReplicaStanding): void {
    const isNews = standing.fault !== this.#standing.fault;
    this.#standing = standing;
    if (isNews) this.#options.onChange(standing);
  }

  /** If the primary does not answer either, nothing is known about the replica. */
  async check(): Promise<void> {
    const { primary, replica, url } = this.#options;
    await lookAtReplica(primary, replica, url).then(
      standing => this.#become(standing),
      () => undefined,
    );
  }

  keepChecking(): void {
    this.#timer = setTimeout(() => {
      const timer = this.#timer;
      void this.check().then(() => {
        if (timer === this.#timer) this.keepChecking();
      });
    }, CHECK_EVERY_MS);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#options.replica.close();
  }
}

async function readHorizon(primary: Tx): Promise<string> {
  const { rows } = await primary.query<{ lsn: string }>(HORIZON);
  return (rows[0] as { lsn: string }).lsn;
}

/** The replica's current state. Throws if the primary does not answer. */
export async function lookAtReplica(primary: Tx, replica: Tx, url: string): Promise<ReplicaStanding> {
  const [own, horizon] = [await identify(primary), await readHorizon(primary)];
  try {
    const other = await identify(replica);
    if (other.system !== own.system || other.database !== own.database)
      return { fault: OTHER_DATABASE, lagSeconds: undefined };
    if (!other.is_replica) return { fault: NO_REPLICA, lagSeconds: undefined };
    const { isCurrent, ageSeconds } = await awaitReplay(replica, horizon, () => true);
    return isCurrent ? { fault: undefined, lagSeconds: 0 } : { fault: BEHIND, lagSeconds: ageSeconds };
  } catch (err) {
    return { fault: describe(err, url), lagSeconds: undefined };
  }
}

interface Replayed {
  readonly isCurrent: boolean;
  /** Of the last transaction that it replayed; undefined: none since it started. */
  readonly ageSeconds: number | undefined;
}

/** Waits a moment for the replica to replay that far, as long as that is worth it. */
async function awaitReplay(replica: Tx, horizon: string, isWorthIt: () => boolean): Promise<Replayed> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    const { rows } = await replica.query<{ is_current: boolean; age_seconds: number | null }>(REPLAYED, [
      horizon,
    ]);
    const isCurrent = rows[0]?.is_current === true;
    const isLate = performance.now() + pauseMs > deadline;
    if (isCurrent || isLate || !isWorthIt())
      return { isCurrent, ageSeconds: rows[0]?.age_seconds ?? undefined };
    await sleep(pauseMs);
  }
}

const BEHIND = 'The replica is behind the primary.';
const NO_REPLICA =
  'The PostgreSQL of DATABASE_REPLICA_URL is no replica: let it lead to one, or unset it to read from the primary.';
const OTHER_DATABASE =
  'The PostgreSQL of DATABASE_REPLICA_URL is no replica of that of DATABASE_URL: let it lead to one that streams from there, or unset it to read from the primary.';

// Cancelled because it conflicts with replay (40001, 40P01), or too slow: the next read may succeed.
const OF_STATEMENT: ReadonlySet<unknown> = new Set(['40001', '40P01', '57014']);

const isOfStatement = (err: unknown): boolean => OF_STATEMENT.has((err as { readonly code?: unknown }).code);

const describe = (err: unknown, url: string): string =>
  explainConnection(toError(err), { setting: 'DATABASE_REPLICA_URL', url, otherwise: OTHERWISE }).message;
const OTHERWISE = 'unset it to read from the primary';
