// Tracks live workers by their heartbeats, and finds the runs and jobs of dead ones.
import type { Tx } from './db.ts';
import { enqueue } from './queue.ts';
import { all, allValues, firstValue, insertRow } from './rows.ts';
import { TAKEOVER_SECONDS } from './runs.ts';

export interface WorkerRow {
  readonly id: string;
  readonly pools: readonly string[];
  readonly hostname: string;
  readonly pid: number;
  readonly pid_started: string;
}

export function insertWorker(tx: Tx, worker: WorkerRow): Promise<void> {
  return insertRow(tx, 'workers', worker);
}

/** A run held by the worker. */
export interface HeldRun {
  readonly id: string;
  readonly lease: number;
  readonly cancelling: boolean;
}

/**
 * Records a heartbeat and the ids that lock the worker's jobs. Returns the runs held by it; undefined if others have
 * declared it dead.
 */
export async function touchWorker(
  tx: Tx,
  { id, pools }: Pick<WorkerRow, 'id' | 'pools'>,
): Promise<readonly HeldRun[] | undefined> {
  const { rows } = await tx.query<{ id: string | null; lease: number; cancelling: boolean }>(
    `with alive as (update workers set heartbeat_at = now(), pools = $2 where id = $1 returning id)
     select e.id, e.lease, e.status = 'CANCELLING' as cancelling from alive a left join executions e on e.worker_id = a.id and e.under_way`,
    [id, pools],
  );
  if (rows.length === 0) return undefined;
  return rows.flatMap(({ id: runId, ...run }) => (runId === null ? [] : [{ id: runId, ...run }]));
}

/** Lists workers without a heartbeat for 20 s, and those of this host, whose processes can be checked. */
export function listSuspects(
  tx: Tx,
  hostname: string,
): Promise<readonly (WorkerRow & { readonly silent: boolean })[]> {
  return all(
    tx,
    `select id, pools, hostname, pid, pid_started, heartbeat_at < now() - interval '${TAKEOVER_SECONDS} seconds' as silent
     from workers where hostname = $1 or heartbeat_at < now() - interval '${TAKEOVER_SECONDS} seconds'`,
    [hostname],
  );
}

/** Deletes a worker. Returns its queue pools, whose jobs must be unlocked, or undefined if it was already deleted. */
export function deleteWorker(tx: Tx, id: string): Promise<readonly string[] | undefined> {
  return firstValue(tx, 'delete from workers where id = $1 returning pools', [id]);
}

/** A run held by a worker that does not advance it. */
export interface OrphanRun {
  readonly id: string;
  readonly lease: number;
  readonly worker_id: string;
}

/** What no worker advances. */
export interface Stranded {
  /** Runs held by an unknown worker. Deleting a dead worker leaves none of these. */
  readonly orphans: readonly OrphanRun[];
  /** Whether any run is deferred. */
  readonly hasDeferred: boolean;
  /** Whether a process was lost while it started the run of a schedule. */
  readonly hasLostFirings: boolean;
}

/** Finds what no worker advances. One statement at each heartbeat: each part reads an index that is nearly always empty. */
export async function findStranded(tx: Tx): Promise<Stranded> {
  const rows = await all<OrphanRun & { readonly found: 'orphan' | 'deferred' | 'firing' }>(
    tx,
    `select 'orphan' as found, id, lease, worker_id from executions e
     where worker_id is not null and under_way and not exists (select from workers w where w.id = e.worker_id)
     union all select 'deferred', null, null, null where exists (select from executions where parked)
     union all select 'firing', null, null, null where exists (
       select from firings where outcome = 'starting' and retry_at <= now())`,
  );
  return {
    orphans: rows.filter(({ found }) => found === 'orphan'),
    hasDeferred: rows.some(({ found }) => found === 'deferred'),
    hasLostFirings: rows.some(({ found }) => found === 'firing'),
  };
}

/** Lists pools with locked jobs that belong to no worker, because it died between its start and its registration. */
export function listOrphanPools(tx: Tx): Promise<readonly string[]> {
  return allValues(
    tx,
    `select distinct locked_by as pool from graphile_worker.jobs j
     where locked_at < now() - interval '${TAKEOVER_SECONDS} seconds'
       and not exists (select from workers w where j.locked_by = any (w.pools))`,
  );
}

/**
 * Enqueues deferred runs whose workspace has a slot again. Closes the race between deferring a run and another one
 * ending.
 */
export async function enqueueDeferredRuns(tx: Tx, maxConcurrent: number): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    `with spare as (
       select p.workspace, $1::int - (select count(*) from executions r where r.workspace = p.workspace and r.under_way) as slots
       from (select distinct workspace from executions where parked) p
     )
     update executions e set parked = false
     from spare s cross join lateral (
       select id from executions p where p.workspace = s.workspace and p.parked order by id limit greatest(s.slots, 0) for update skip locked) p
     where e.id = p.id returning e.id`,
    [maxConcurrent],
  );
  const ids = rows.map(row => row.id);
  await enqueue(tx, 'run', ids);
}
