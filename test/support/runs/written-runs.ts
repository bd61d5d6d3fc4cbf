// Writes accepted and ended runs with the store's statements, as the service does.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../../../src/store/db.ts';
import { insertRuns, type RunRow, writeRuns } from '../../../src/store/runs.ts';

/** Stores a run with a job, and then the end of the run with two node states. */
export async function writeRun(db: Db, id: string): Promise<void> {
  const row: RunRow = { ...RUNNING, id, created_at: new Date(), started_at: new Date() };
  const accepted = await insertRuns(db, [
    { row, trigger: 'api', steps: [], idempotency: null, has_job: true },
  ]);
  assert.ok(accepted.has(id), 'the run is accepted');
  const endedRow: RunRow = { ...row, status: 'COMPLETED', seq: 3, under_way: false, finished_at: new Date() };
  const transitionFields = {
    delivery: null,
    digest: null,
    job_at: null,
    frees_slot: true,
    notifies_cancel: false,
    notifies_wake: false,
  };
  const steps = [{ nodeId: 'a' }, { nodeId: 'b' }];
  const written = await writeRuns(db, [{ before: row, row: endedRow, steps, ...transitionFields }]);
  assert.ok(written.has(id), 'the end is written');
}

const MIGRATIONS = join(import.meta.dirname, '../../../migrations');

/** Adds the columns and tables that `writeRun` needs to an old schema. Later migrations accept that they exist. */
export async function extendOldSchema(db: Pick<Db, 'query'>): Promise<void> {
  await db.query(
    'alter table executions add column credentials text, add column components jsonb, add column origin_id text, add column origin_key text, add column key_id text',
  );
  for (const name of ['0176_triggers.sql', '0321_run_digests.sql']) {
    const migration = await readFile(join(MIGRATIONS, name), 'utf8');
    for (const statement of migration.split(/;\n/)) await db.query(statement);
  }
  await db.query(await readFile(join(MIGRATIONS, '0226_queue_jobs.sql'), 'utf8'));
}

/** A run that a worker executes, without its id and times. */
export const RUNNING = {
  workflow_id: 'wf_a',
  workflow_version: 1,
  user_id: 1,
  key_id: null,
  workspace: 'user:1',
  request: '{}',
  webhook: null,
  watched: false,
  is_paid: false,
  nodes_total: 1,
  resumed_from_id: null,
  credentials: null,
  components: null,
  traceparent: null,
  origin_id: null,
  origin_key: null,
  status: 'RUNNING',
  lease: 1,
  worker_id: 'w',
  parked: false,
  under_way: true,
  seq: 1,
  nodes_done: 0,
  running_ms: 0,
  running_since: null,
  wake_at: null,
  error: null,
  decisions: null,
  finished_at: null,
} as const;
