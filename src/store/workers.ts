// The workers that are alive, by their heartbeats, and what the dead ones left behind.
import type { Tx } from './db.ts';
import { enqueue } from './queue.ts';
import { TAKEOVER_SECONDS } from './runs.ts';

export interface WorkerRow {
  readonly id: string;
  readonly pools: readonly string[];
  readonly hostname: string;
  readonly pid: number;
  readonly pid_started: string;
}

export async function insertWorker(tx: Tx, worker: WorkerRow): Promise<void> {
  await tx.query('insert into workers (id, pools, hostname, pid, pid_started) values ($1, $2, $3, $4, $5)', [
    worker.id,
    worker.pools,
    worker.hostname,
    worker.pid,
    worker.pid_started,
  ]);
}

/** Returns false where the row is gone: others have declared this worker dead. */
export async function touchWorker(tx: Tx, id: string): Promise<boolean> {
  const { rowCount } = await tx.query('update workers set heartbeat_at = now() where id = $1', [id]);
  return rowCount === 1;
}

/** Workers without a heartbeat for 20 s, and those of this host, which can be asked whether they live. */
export async function listSuspects(
  tx: Tx,
  hostname: string,
): Promise<readonly (WorkerRow & { readonly silent: boolean })[]> {
  const { rows } = await tx.query<WorkerRow & { silent: boolean }>(
    `select id, pools, hostname, pid, pid_started, heartbeat_at < now() - interval '${TAKEOVER_SECONDS} seconds' as silent
     from workers where hostname = $1 or heartbeat_at < now() - interval '${TAKEOVER_SECONDS} seconds'`,
    [hostname],
  );
  return rows;
}

/**
 * Removes a dead worker and queues its runs again. Returns its queue pools, whose jobs are to be unlocked; undefined
 * where another process did it first.
 */
export async function buryWorker(tx: Tx, id: string): Promise<readonly string[] | undefined> {
  const { rows } = await tx.query<{ pools: string[] }>('delete from workers where id = $1 returning pools', [
    id,
  ]);
  const row = rows[0];
  if (row === undefined) return undefined;
  const held = await tx.query<{ id: string }>('select id from executions where worker_id = $1', [id]);
  await enqueue(
    tx,
    'run',
    held.rows.map(run => run.id),
  );
  return row.pools;
}

/** Pools that hold jobs and belong to no worker: of one that died between its start and its enrolment. */
export async function listOrphanPools(tx: Tx): Promise<readonly string[]> {
  const { rows } = await tx.query<{ pool: string }>(
    `select distinct locked_by as pool from graphile_worker.jobs j
     where locked_at < now() - interval '${TAKEOVER_SECONDS} seconds'
       and not exists (select from workers w where j.locked_by = any (w.pools))`,
  );
  return rows.map(row => row.pool);
}

/** Parked runs whose workspace has room again; closes the gap between a parking and an ending at the same moment. */
export async function unparkRuns(tx: Tx, maxConcurrent: number): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    `with spare as (
       select p.workspace, $1::int - (select count(*) from executions r where r.workspace = p.workspace and r.worker_id is not null) as slots
       from (select distinct workspace from executions where parked) p
     )
     update executions e set parked = false
     from spare s cross join lateral (
       select id from executions p where p.workspace = s.workspace and p.parked order by id limit greatest(s.slots, 0) for update skip locked) p
     where e.id = p.id returning e.id`,
    [maxConcurrent],
  );
  await enqueue(
    tx,
    'run',
    rows.map(row => row.id),
  );
}
