// Tracks live workers by their heartbeats, and finds the runs and jobs of dead workers.
import type { Tx } from './db.ts';
import { enqueue } from './queue.ts';
import { all, allValues, firstValue, insertRow } from './rows.ts';

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

/** A run whose lease the worker holds. */
export interface LeasedRun {
  readonly id: string;
  readonly lease: number;
  readonly cancelling: boolean;
}

/**
 * Records a heartbeat and the pools under which the worker locks jobs. Returns the runs whose leases the worker holds,
 * or undefined if another worker has declared this worker dead.
 */
export async function touchWorker(
  tx: Tx,
  { id, pools }: Pick<WorkerRow, 'id' | 'pools'>,
): Promise<readonly LeasedRun[] | undefined> {
  const { rows } = await tx.query<{ id: string | null; lease: number; cancelling: boolean }>(
    `with alive as (update workers set heartbeat_at = now(), pools = $2 where id = $1 returning id)
     select e.id, e.lease, e.status = 'CANCELLING' as cancelling from alive a left join executions e on e.worker_id = a.id and e.under_way`,
    [id, pools],
  );
  if (rows.length === 0) return undefined;
  return rows.flatMap(({ id: runId, ...run }) => (runId === null ? [] : [{ id: runId, ...run }]));
}

/**
 * Lists workers whose last heartbeat is older than `takeoverMs`, and all workers of this host, because their processes can
 * be checked.
 */
export function listWorkersToCheck(
  tx: Tx,
  hostname: string,
  takeoverMs: number,
): Promise<readonly (WorkerRow & { readonly silent: boolean })[]> {
  return all(
    tx,
    `select id, pools, hostname, pid, pid_started, heartbeat_at < now() - $2::float8 * interval '1 millisecond' as silent
     from workers where hostname = $1 or heartbeat_at < now() - $2::float8 * interval '1 millisecond'`,
    [hostname, takeoverMs],
  );
}

/** Deletes a worker. Returns its pools, whose jobs the caller must unlock, or undefined if there is no such worker. */
export function deleteWorker(tx: Tx, id: string): Promise<readonly string[] | undefined> {
  return firstValue(tx, 'delete from workers where id = $1 returning pools', [id]);
}

/** A run whose worker no longer exists. */
export interface OrphanRun {
  readonly id: string;
  readonly lease: number;
  readonly worker_id: string;
}

/** Work that no worker continues. */
export interface StrandedWork {
  /** Runs whose worker is not registered. Usually there are none, because removing a dead worker requeues its runs. */
  readonly orphans: readonly OrphanRun[];
  /** Whether any run is parked. */
  readonly hasParked: boolean;
  /** Whether a process died while starting a schedule's run. */
  readonly hasLostFirings: boolean;
}

/** Finds work that no worker continues. Each heartbeat calls this. The indexes that it reads are nearly always empty. */
export async function findStrandedWork(tx: Tx): Promise<StrandedWork> {
  const rows = await all<OrphanRun & { readonly kind: 'orphan' | 'parked' | 'firing' }>(
    tx,
    `select 'orphan' as kind, id, lease, worker_id from executions e
     where worker_id is not null and under_way and not exists (select from workers w where w.id = e.worker_id)
     union all select 'parked', null, null, null where exists (select from executions where parked)
     union all select 'firing', null, null, null where exists (
       select from firings where outcome = 'starting' and retry_at <= now())`,
  );
  return {
    orphans: rows.filter(({ kind }) => kind === 'orphan'),
    hasParked: rows.some(({ kind }) => kind === 'parked'),
    hasLostFirings: rows.some(({ kind }) => kind === 'firing'),
  };
}

/**
 * Lists pools that locked a job more than `takeoverMs` ago but belong to no worker, because the worker died before it was
 * registered.
 */
export function listOrphanPools(tx: Tx, takeoverMs: number): Promise<readonly string[]> {
  return allValues(
    tx,
    `select distinct locked_by as pool from graphile_worker.jobs j
     where locked_at < now() - $1::float8 * interval '1 millisecond'
       and not exists (select from workers w where j.locked_by = any (w.pools))`,
    [takeoverMs],
  );
}

/** Queues parked runs whose workspace has a free slot. Needed if a run was parked at the moment when another run ended. */
export async function enqueueParkedRuns(tx: Tx, maxConcurrent: number): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    `with free as (
       select p.workspace, $1::int - (select count(*) from executions r where r.workspace = p.workspace and r.under_way) as slots
       from (select distinct workspace from executions where parked) p
     )
     update executions e set parked = false
     from free s cross join lateral (
       select id from executions p where p.workspace = s.workspace and p.parked order by id limit greatest(s.slots, 0) for update skip locked) p
     where e.id = p.id returning e.id`,
    [maxConcurrent],
  );
  await enqueue(
    tx,
    'run',
    rows.map(({ id }) => id),
  );
}
