// Tests that lists whose items have long texts are cut into pages by size, where the items are read.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { listSchedules } from '../../../src/automation/schedules/store.ts';
import { listTriggers } from '../../../src/automation/triggers/store.ts';
import { type ApiUser, createTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import { createWorkflow, node } from '../../support/workflows.ts';

const ROWS = 6;
/** Two of these fit into a page of 4 MB. */
const LONG = 'x'.repeat(1_500_000);

const FIRST_PAGE = { after: null, limit: 51 };
/** The database returns rows until they are larger than a page, and one more. */
const READ_ROWS = 4;

let test: TestApp;
let owner: ApiUser;
let workflowId: string;
before(async () => {
  test = await createTestApp();
  owner = await test.createUser();
  ({ id: workflowId } = await createWorkflow(owner, { nodes: [node('a', 'input:text')], edges: [] }));
});
after(() => test.close());

interface Listed {
  readonly id: string;
}

/** Stores long inputs in the only row of the table, and then copies that row. */
async function copyRow(table: 'schedules' | 'triggers'): Promise<void> {
  const { db } = test.deps;
  // The copies end in other digits.
  await db.query(`update ${table} set id = left(id, -1) || '1', inputs = $1`, [JSON.stringify({ a: LONG })]);
  await db.query(
    `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('id', left(t.id, -1) || n))).*
     from ${table} t, generate_series(2, ${ROWS}) n`,
  );
}

async function readPages(path: string): Promise<readonly number[]> {
  const sizes: number[] = [];
  const seen = new Set<string>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const suffix: string = cursor === '' ? '' : `?cursor=${cursor}`;
    const { status, body }: TestResponse<{ data: readonly Listed[]; nextCursor: string | null }> =
      await owner.request('GET', path + suffix);
    assert.equal(status, 200, JSON.stringify(body).slice(0, 300));
    for (const { id } of body.data) seen.add(id);
    sizes.push(body.data.length);
    cursor = body.nextCursor;
  }
  assert.equal(
    seen.size,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  return sizes;
}

it('schedules', async () => {
  const body = { cron: '0 9 * * *', inputs: { a: 'x' } };
  assert.equal((await owner.request('POST', `/workflows/${workflowId}/schedules`, body)).status, 201);
  await copyRow('schedules');
  assert.deepEqual(await readPages(`/workflows/${workflowId}/schedules`), [2, 2, 2]);
  assert.equal((await listSchedules(test.deps.db, { workflowId }, FIRST_PAGE)).length, READ_ROWS);
});

it('triggers', async () => {
  const body = { kind: 'feed', config: { url: 'https://example.com/feed' }, inputs: {} };
  assert.equal((await owner.request('POST', `/workflows/${workflowId}/triggers`, body)).status, 201);
  await copyRow('triggers');
  assert.deepEqual(await readPages(`/workflows/${workflowId}/triggers`), [2, 2, 2]);
  assert.equal((await listTriggers(test.deps.db, { workflowId }, FIRST_PAGE)).length, READ_ROWS);
});
