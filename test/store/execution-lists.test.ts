// Tests lists of executions: each combination of filters returns the matching rows and reads few other rows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Db, Tx } from '../../src/store/db.ts';
import { type ExecutionFilter, listExecutions } from '../../src/store/execution-lists.ts';
import { EXECUTION_STATUSES } from '../../src/store/executions.ts';
import { listWorkflows, type WorkflowFilter } from '../../src/store/workflows/lists.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertManyExecutions, SPAN_MS } from '../support/runs/many-executions.ts';
import { isNightly } from '../support/tier.ts';

const COUNT = isNightly ? 20_000 : 6_000;
const LIMIT = 51;
const END_MS = Date.UTC(2026, 5, 1);
const WORKFLOWS = ['wf_many', 'wf_some'] as const;
const USER_ID = 7;

interface ExecutionRow {
  readonly id: string;
  readonly workflow_id: string;
  readonly status: string;
  readonly idempotency_key: string | null;
  readonly created_at: Date;
}

let db: Db;
let drop: () => Promise<void>;
let allRows: readonly ExecutionRow[];

before(async () => {
  ({ db, drop } = await createTestDatabase());
  await insertManyExecutions(db, { count: COUNT, userId: USER_ID, workflowIds: WORKFLOWS, endMs: END_MS });
  // Another user has executions with the same idempotency keys.
  await insertManyExecutions(db, { count: 100, userId: 8, workflowIds: ['wf_c', 'wf_d'], endMs: END_MS });
  await db.query(
    `insert into users (email, name, plan) select n || '@example.com', 'a', 'p' from generate_series(1, $1::int) n`,
    [USER_ID],
  );
  // Every tenth execution of the user belongs to a team of the user.
  await db.query("insert into teams (id, name) select 'team_' || n, 'T' from generate_series(1, 50) n");
  await db.query(
    "insert into team_members (team_id, user_id, role) select 'team_' || n, $1, 'EDITOR' from generate_series(1, 10) n",
    [USER_ID],
  );
  await db.query(`update executions set workspace = 'team_10' where user_id = $1 and id like '%5'`, [
    USER_ID,
  ]);
  await db.query('analyze executions, teams, team_members');
  const { rows } = await db.query<ExecutionRow>(
    'select id, workflow_id, status, idempotency_key, created_at from executions where user_id = $1 order by id desc',
    [USER_ID],
  );
  allRows = rows;
});
after(() => drop());

const middle = new Date(END_MS - SPAN_MS / 2);
const CHOICES = {
  workflowId: [null, ...WORKFLOWS, 'wf_none'],
  status: [null, 'COMPLETED', 'FAILED', 'TIMEOUT'],
  createdAfter: [null, middle, new Date(END_MS), new Date('2999-01-01')],
  createdBefore: [null, middle, new Date(END_MS - SPAN_MS * 2), new Date(0)],
  idempotencyKey: [null, 'key-15', 'empty'],
} as const;

type Choice = { readonly [K in keyof typeof CHOICES]: (typeof CHOICES)[K][number] };

function* listCombinations(): Generator<Choice> {
  for (const workflowId of CHOICES.workflowId)
    for (const status of CHOICES.status)
      for (const createdAfter of CHOICES.createdAfter)
        for (const createdBefore of CHOICES.createdBefore)
          for (const idempotencyKey of CHOICES.idempotencyKey)
            yield { workflowId, status, createdAfter, createdBefore, idempotencyKey };
}

const matches = (row: ExecutionRow, choice: Choice): boolean =>
  (choice.workflowId === null || row.workflow_id === choice.workflowId) &&
  (choice.status === null || row.status === choice.status) &&
  (choice.createdAfter === null || row.created_at > choice.createdAfter) &&
  (choice.createdBefore === null || row.created_at < choice.createdBefore) &&
  (choice.idempotencyKey === null || row.idempotency_key === choice.idempotencyKey);

const createFilter = ({ status, ...choice }: Choice, before: string | null = null): ExecutionFilter => ({
  ...choice,
  userId: USER_ID,
  withoutTeams: [],
  statuses: status === null ? EXECUTION_STATUSES : [status],
  before,
  limit: LIMIT,
});

/** Returns the listed ids and the number of rows that PostgreSQL read. */
async function list(
  filter: ExecutionFilter,
): Promise<{ readonly ids: readonly string[]; readonly read: number }> {
  return db.transaction(async tx => {
    const readCountBefore = await countRead(tx);
    const rows = await listExecutions(tx, filter);
    return { ids: rows.map(({ id }) => id), read: (await countRead(tx)) - readCountBefore };
  });
}

async function countRead(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ read: number }>(
    `select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as read from pg_stat_xact_user_tables
     where relname in ('executions', 'media', 'workflows')`,
  );
  return rows[0]?.read ?? 0;
}

test('listExecutions returns the newest matching rows for every combination of filters and reads few other rows', async () => {
  for (const choice of listCombinations()) {
    const { ids, read } = await list(createFilter(choice));
    const expected = allRows
      .values()
      .filter(row => matches(row, choice))
      .map(({ id }) => id)
      .take(LIMIT);
    const name = JSON.stringify(choice);
    assert.deepEqual(ids, [...expected], name);
    // A page for each of several statuses, the page itself, and rows with nearly the same time.
    assert.ok(read <= 5 * LIMIT, `${read} rows were read for ${name}`);
  }
});

test('listExecutions continues after a cursor anywhere in the list', async () => {
  const choice = {
    workflowId: null,
    status: null,
    createdAfter: null,
    createdBefore: null,
    idempotencyKey: null,
  };
  for (const index of [10, COUNT / 2, COUNT - 2]) {
    const cursor = allRows[index]?.id ?? '';
    const { ids, read } = await list(createFilter(choice, cursor));
    assert.deepEqual(
      ids,
      allRows.slice(index + 1, index + 1 + LIMIT).map(({ id }) => id),
    );
    assert.ok(read <= 5 * LIMIT, `${read} rows were read`);
    const { ids: empty } = await list(createFilter({ ...choice, createdBefore: new Date(0) }, cursor));
    assert.deepEqual(empty, []);
  }
});

test("listWorkflows does not read other users' runs and files for workflows that never ran", async () => {
  await db.query(
    `insert into workflows (id, user_id, version, name, team_id, updated_at)
     select 'wf_' || lpad(n::text, 26, '0'), $1, 1, 'w', case when n % 2 = 0 then 'team_10' end,
       now() - n * interval '1 minute' from generate_series(1, 2000) n`,
    [USER_ID],
  );
  await db.query(
    `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, origin, execution_id, workflow_id)
     select 'med_' || lpad(n::text, 26, '0'), $1, 'w', 'a.png', 'image/png', 1, '', 'output', 'ex', $2 from generate_series(1, 5000) n`,
    [USER_ID, WORKFLOWS[0]],
  );
  await db.query(
    'insert into execution_counts select workflow_id, max(id), count(*) from executions group by 1',
  );
  await db.query('analyze');
  for (let time = 1; time <= 9; time++) {
    const rowsRead = await db.transaction(async tx => {
      const readCountBefore = await countRead(tx);
      const rows = await listWorkflows(tx, ALL_WORKFLOWS);
      assert.equal(rows.length, LIMIT);
      return (await countRead(tx)) - readCountBefore;
    });
    // For each listed workflow, one run and one file of the next workflow that has any.
    assert.ok(rowsRead <= 10 * LIMIT, `${rowsRead} rows were read, time ${time}`);
  }
});

const ALL_WORKFLOWS: WorkflowFilter = {
  userId: USER_ID,
  isActive: null,
  mediaId: null,
  teamId: null,
  ownership: 'own',
  query: null,
  tag: null,
  folderId: null,
  isPublished: null,
  isComponent: null,
  callableFrom: null,
  status: null,
  withoutTeams: null,
  form: 'card',
  before: null,
  limit: LIMIT,
};
