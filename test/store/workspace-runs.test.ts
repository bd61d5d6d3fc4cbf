// Tests lists of the runs of a workspace and of the instance: each combination of filters finds the matching runs, and a
// page reads a bounded number of rows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Db, Tx } from '../../src/store/db.ts';
import { EXECUTION_STATUSES } from '../../src/store/executions.ts';
import {
  listFailureGroups,
  listWorkspaceRunRows,
  type WorkspaceRunFilter,
} from '../../src/store/workspace-runs.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertManyExecutions } from '../support/runs/many-executions.ts';

const COUNT = 12_000;
const LIMIT = 51;
/** A page examines 5,000 rows, each of which may be read several times. */
const MAX_READ = 20_000;
const END_MS = Date.UTC(2026, 5, 1);
const ANA = 7;
const BEA = 8;

interface Run {
  readonly id: string;
  readonly workspace: string;
  readonly workflow_id: string;
  readonly user_id: number;
  readonly status: string;
  readonly error: { readonly code: string; readonly nodeType?: string } | null;
  readonly created_at: Date;
  readonly models: readonly string[];
}

let db: Db;
let drop: () => Promise<void>;
let runs: readonly Run[];

before(async () => {
  ({ db, drop } = await createTestDatabase());
  await insertManyExecutions(db, { count: COUNT, userId: ANA, workflowIds: ['wf_a', 'wf_b'], endMs: END_MS });
  await insertManyExecutions(db, { count: 900, userId: BEA, workflowIds: ['wf_c', 'wf_d'], endMs: END_MS });
  await db.query(
    `insert into users (email, name, plan) select n || '@example.com', 'User ' || n, 'p' from generate_series(1, 8) n`,
  );
  await db.query("insert into teams (id, name) values ('team_a', 'Studio')");
  await db.query(`insert into team_members (team_id, user_id, role) values ('team_a', $1, 'EDITOR')`, [ANA]);
  await db.query(`update executions set workspace = 'team_a' where id like '%7' and user_id = $1`, [ANA]);
  await db.query(
    `update executions set error = '{"code":"provider_auth","message":"The key was rejected.","nodeId":"n","nodeType":"generate:x"}'
     where status = 'FAILED'`,
  );
  await db.query(
    `update executions set error = '{"code":"cancelled","message":"The run was cancelled.","nodeId":null}' where status = 'CANCELLED'`,
  );
  await db.query(`update executions set status = 'FAILED', error = '{"code":"timeout","message":"Late.","nodeId":null}'
     where id like '%77' and workspace = 'team_a'`);
  await db.query(`insert into run_models select id, 'generate:x' from executions where id like '%3'`);
  await db.query('analyze executions, run_models');
  const { rows } = await db.query<Run>(
    `select id, workspace, workflow_id, user_id, status, error::json as error, created_at,
       array(select model from run_models m where m.execution_id = e.id) as models
     from executions e order by id desc`,
  );
  runs = rows;
});
after(() => drop());

const ONE = { limit: 1, words: null, groupsBatches: false };
const ALL_RUNS: WorkspaceRunFilter = {
  readerId: ANA,
  workspace: null,
  includesPersonal: true,
  workflowId: null,
  userId: null,
  model: null,
  errorCode: null,
  failedNodeType: null,
  trigger: null,
  statuses: EXECUTION_STATUSES,
  createdAfter: null,
  createdBefore: null,
  before: null,
};

const CHOICES: { readonly [K in keyof WorkspaceRunFilter]?: readonly WorkspaceRunFilter[K][] } = {
  workspace: [null, 'team_a', `user:${BEA}`],
  workflowId: [null, 'wf_a', 'wf_d'],
  userId: [null, ANA, BEA],
  model: [null, 'generate:x'],
  errorCode: [null, 'provider_auth'],
  statuses: [EXECUTION_STATUSES, ['FAILED']],
};

function listCombinations(
  choices: readonly (readonly [string, readonly unknown[]])[],
): readonly Partial<WorkspaceRunFilter>[] {
  const [head, ...tail] = choices;
  if (head === undefined) return [{}];
  const tailCombinations = listCombinations(tail);
  return head[1].flatMap(value =>
    tailCombinations.map(combination => ({ ...combination, [head[0]]: value })),
  );
}

const matches = (run: Run, filter: WorkspaceRunFilter): boolean =>
  (filter.workspace === null
    ? filter.includesPersonal || run.workspace === 'team_a' || run.workspace === `user:${filter.readerId}`
    : run.workspace === filter.workspace) &&
  (filter.workflowId === null || run.workflow_id === filter.workflowId) &&
  (filter.userId === null || run.user_id === filter.userId) &&
  (filter.model === null || run.models.includes(filter.model)) &&
  (filter.errorCode === null || run.error?.code === filter.errorCode) &&
  (filter.failedNodeType === null || run.error?.nodeType === filter.failedNodeType) &&
  (filter.statuses as readonly string[]).includes(run.status) &&
  (filter.createdAfter === null || run.created_at > filter.createdAfter) &&
  (filter.createdBefore === null || run.created_at < filter.createdBefore);

/** Reads pages until the limit is reached. Returns the ids and the largest number of rows that one page read. */
async function list(
  filter: WorkspaceRunFilter,
): Promise<{ readonly ids: readonly string[]; readonly read: number }> {
  const ids: string[] = [];
  let [cursor, mostRead]: [string | null, number] = [null, 0];
  for (let pages = 0; pages < 20; pages++) {
    let rowsRead = 0;
    const counting: Pick<Db, 'transaction'> = {
      transaction: work =>
        db.transaction(async tx => {
          const readBefore = await countRead(tx);
          const result = await work(tx);
          rowsRead = (await countRead(tx)) - readBefore;
          return result;
        }),
    };
    const { rows, resumeBeforeId } = await listWorkspaceRunRows(
      counting,
      { ...filter, before: cursor },
      { limit: LIMIT, words: null, groupsBatches: false },
    );
    ids.push(...rows.map(({ id }) => id));
    mostRead = Math.max(mostRead, rowsRead);
    if (resumeBeforeId === undefined || ids.length >= LIMIT) break;
    cursor = resumeBeforeId;
  }
  return { ids: ids.slice(0, LIMIT), read: mostRead };
}

async function countRead(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ read: number }>(
    `select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as read from pg_stat_xact_user_tables
     where relname in ('executions', 'run_models')`,
  );
  return rows[0]?.read ?? 0;
}

test('listWorkspaceRunRows finds the newest matching runs for every combination of filters and reads few rows', async () => {
  for (const choice of listCombinations(Object.entries(CHOICES))) {
    const filter = { ...ALL_RUNS, ...choice };
    const expected = runs.filter(run => matches(run, filter)).slice(0, LIMIT);
    const { ids, read } = await list(filter);
    assert.deepEqual(
      ids,
      expected.map(({ id }) => id),
      JSON.stringify(choice),
    );
    assert.ok(read < MAX_READ, `${read} rows for ${JSON.stringify(choice)}`);
  }
});

test('listWorkspaceRunRows excludes other personal workspaces and runs outside the period', async () => {
  const middle = new Date(END_MS - 45 * 86_400_000);
  for (const change of [{ includesPersonal: false }, { createdAfter: middle }, { createdBefore: middle }]) {
    const filter = { ...ALL_RUNS, userId: null, ...change, readerId: BEA };
    const expected = runs.filter(run => matches(run, filter)).slice(0, LIMIT);
    const { ids } = await list(filter);
    assert.deepEqual(
      ids,
      expected.map(({ id }) => id),
      JSON.stringify(change),
    );
  }
});

test('listWorkspaceRunRows reads few rows besides the listed runs if there are no conditions', async () => {
  for (const workspace of [null, 'team_a']) {
    const { ids, read } = await list({ ...ALL_RUNS, workspace });
    assert.equal(ids.length, LIMIT);
    assert.ok(read < 20 * LIMIT, `${read} rows`);
  }
});

test('listWorkspaceRunRows returns the models, workspace, user and access of a run', async () => {
  const { rows } = await listWorkspaceRunRows(db, { ...ALL_RUNS, model: 'generate:x' }, ONE);
  assert.deepEqual(rows[0]?.models, ['generate:x']);
  const team = (await listWorkspaceRunRows(db, { ...ALL_RUNS, workspace: 'team_a' }, ONE)).rows[0];
  assert.equal(team?.workspace_name, 'Studio');
  assert.equal(team?.may_open, true);
  const foreign = (await listWorkspaceRunRows(db, { ...ALL_RUNS, workspace: `user:${BEA}` }, ONE)).rows[0];
  assert.equal(foreign?.workspace_name, 'User 8');
  assert.equal(foreign?.user_name, 'User 8');
  assert.equal(foreign?.may_open, false);
});

test('listFailureGroups groups failed runs by error and failed node type', async () => {
  const groups = await listFailureGroups(db, { ...ALL_RUNS, workspace: 'team_a' });
  const failedRuns = runs.filter(({ status, workspace }) => status === 'FAILED' && workspace === 'team_a');
  assert.equal(
    groups.reduce((sum, group) => sum + group.runs, 0),
    failedRuns.length,
  );
  assert.ok(groups.length >= 1);
  for (const { code, node_type, runs: count, message } of groups) {
    assert.notEqual(message, '');
    const members = failedRuns.filter(
      ({ error }) => error?.code === code && (error.nodeType ?? null) === node_type,
    );
    assert.equal(count, members.length);
  }
});
