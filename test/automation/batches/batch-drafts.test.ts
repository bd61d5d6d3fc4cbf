// Tests that a batch whose rows are being stored cannot be seen, and disappears if its process dies.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { advanceBatch } from '../../../src/automation/batches/advance-batch.ts';
import { countRunningBatches, type NewBatch } from '../../../src/automation/batches/store/batches.ts';
import {
  addDraftRows,
  deleteDraft,
  insertDraft,
  publishDraft,
} from '../../../src/automation/batches/store/drafts.ts';
import type { NewRow } from '../../../src/automation/batches/store/rows.ts';
import { type RowToStore, storeBatch } from '../../../src/automation/batches/store-batch.ts';
import { newId } from '../../../src/lib/ids.ts';
import { saveIdempotencyKey } from '../../../src/store/executions.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { waitUntil } from '../../support/processes.ts';
import { createWorkflow } from '../../support/workflows.ts';
import { GRAPH, textRows } from './support.ts';

const LEASE_MS = 60_000;
const EXPIRED_MS = -1;

let app: TestApp;
let user: ApiUser;
let workflowId: string;
before(async () => {
  app = await openTestApp();
  user = await app.createUser();
  workflowId = (await createWorkflow(user, GRAPH)).id;
});
after(() => app.close());

const createBatchRow = (): NewBatch => ({
  id: newId('batch'),
  workflow_id: workflowId,
  workflow_version: 1,
  user_id: user.userId,
  spender_id: null,
  key_id: null,
  workspace: `user:${user.userId}`,
  total: 2,
  concurrency: 1,
  max_credits: null,
  stop_after_failures: 0,
  first_rows: null,
  estimated_credits: 0,
  estimate_is_exact: true,
  axes: null,
  targets: null,
  metadata: null,
  webhook: null,
  bytes: 2,
  created_at: new Date(),
});

/** Stores a draft with one row, as a process does that is still storing the others. Returns its id. */
async function storeDraft(leaseMs: number, key?: string): Promise<string> {
  const batch = createBatchRow();
  await app.deps.db.transaction(async tx => {
    await insertDraft(tx, batch, leaseMs);
    const use = { userId: user.userId, workflowId, route: 'batch', body_hash: '00', executionId: batch.id };
    if (key !== undefined) await saveIdempotencyKey(tx, { ...use, key });
  });
  await addRow(batch.id, 1, leaseMs);
  return batch.id;
}

const createRow = (row_number: number): NewRow => ({
  row_number,
  key: null,
  inputs: '{}',
  config: null,
  shared: null,
  bytes: 2,
  estimated_credits: 0,
});

/** A row that fills a part. */
const createLargeRow = (row_number: number): RowToStore => ({
  row: { ...createRow(row_number), inputs: JSON.stringify({ who: 'x'.repeat(1_100_000) }) },
  newValues: [],
});

const addRow = (id: string, row_number: number, leaseMs: number): Promise<boolean> =>
  app.deps.db.transaction(tx => addDraftRows(tx, id, { rows: [createRow(row_number)], values: [] }, leaseMs));

const countRows = async (id: string): Promise<number> =>
  (await app.deps.db.query('select from batch_rows where batch_id = $1', [id])).rowCount;
const countJobs = async (id: string): Promise<number> =>
  (await app.deps.db.query('select from graphile_worker.jobs where key = $1', [`batch:${id}`])).rowCount;

describe('the draft of a batch', () => {
  it('cannot be read, changed or started until it is published', async () => {
    const id = await storeDraft(LEASE_MS);
    for (const path of ['', '/rows', '/events', '/export'])
      assert.equal((await user.request('GET', `/batches/${id}${path}`)).status, 404, path);
    assert.equal((await user.request('POST', `/batches/${id}/stop`, {})).status, 404);
    assert.equal((await user.request('DELETE', `/batches/${id}`)).status, 404);
    for (const path of ['/batches', `/workflows/${workflowId}/batches`])
      assert.deepEqual((await user.request<{ data: unknown[] }>('GET', path)).body.data, [], path);
    await advanceBatch(app.deps, id);
    assert.deepEqual([await countRows(id), await countJobs(id)], [1, 1]);
    assert.equal(await countRunningBatches(app.deps.db, `user:${user.userId}`), 1, 'it has a place');

    assert.ok(await addRow(id, 2, LEASE_MS));
    await app.deps.db.transaction(tx => publishDraft(tx, id));
    const { body } = await user.request<{ status: string; counts: object }>('GET', `/batches/${id}`);
    assert.equal(body.status, 'RUNNING');
    await app.deps.db.transaction(tx => deleteDraft(tx, id));
    assert.equal((await user.request('GET', `/batches/${id}`)).status, 200, 'it is no draft any more');
  });

  it('is deleted by its job once it has expired, and gives its idempotency key back', async () => {
    const headers = { 'idempotency-key': 'dead' };
    const body = { rows: textRows(1) };
    const path = `/workflows/${workflowId}/batches`;
    const id = await storeDraft(EXPIRED_MS, 'dead');
    const early = await user.request('POST', path, body, headers);
    assert.equal(early.status, 422, 'the key belongs to the draft');
    await advanceBatch(app.deps, id);
    assert.equal(await countRows(id), 0);
    assert.equal(await addRow(id, 2, LEASE_MS), false);
    assert.equal(await app.deps.db.transaction(tx => publishDraft(tx, id)), undefined);
    assert.equal((await user.request('POST', path, body, headers)).status, 202);
  });
});

describe('creating a batch', () => {
  it('is refused with 409 while another request with its idempotency key stores the batch', async () => {
    const path = `/workflows/${workflowId}/batches`;
    const send = () =>
      user.request<{ batchId?: string }>('POST', path, { rows: textRows(50) }, { 'idempotency-key': 'same' });
    const responses = await Promise.all([send(), send(), send()]);
    const statuses = responses.map(({ status }) => status);
    const ids = new Set(responses.flatMap(({ body }) => body.batchId ?? []));
    assert.equal(ids.size, 1);
    assert.ok(
      statuses.every(status => status === 202 || status === 409),
      String(statuses),
    );
    const repeated = await send();
    assert.deepEqual([repeated.status, ids.has(repeated.body.batchId ?? '')], [202, true]);
  });

  it('keeps its draft although reading the rows takes longer than the draft lasts', async () => {
    const batch = createBatchRow();
    const readExpiry = async (): Promise<unknown> => {
      const query = 'select draft_until::text as expiry from batches where id = $1';
      return (await app.deps.db.query<{ expiry: string }>(query, [batch.id])).rows[0]?.expiry;
    };
    async function* readRows(): AsyncGenerator<RowToStore> {
      yield createLargeRow(0);
      yield createLargeRow(1);
      const before = await readExpiry();
      assert.ok(before !== undefined);
      await waitUntil('the draft to be renewed', async () => (await readExpiry()) !== before);
    }
    const deps = { ...app.deps, timing: { ...app.deps.timing, batchDraftMs: 2000 } };
    const stored = await storeBatch(deps, { batch, readRows, key: null });
    assert.deepEqual([stored.id, await countRows(batch.id)], [batch.id, 2]);
  });

  it('stores nothing if reading the rows fails', async () => {
    const batch = createBatchRow();
    const error = new Error('The table is gone.');
    async function* readRows(): AsyncGenerator<RowToStore> {
      yield createLargeRow(0);
      yield createLargeRow(1);
      assert.equal(await countRows(batch.id), 1, 'rows are stored in parts');
      throw error;
    }
    await assert.rejects(storeBatch(app.deps, { batch, readRows, key: null }), error);
    assert.equal(await countRows(batch.id), 0);
    const { rowCount } = await app.deps.db.query('select from batches where id = $1', [batch.id]);
    assert.equal(rowCount, 0);
  });

  it('stores nothing if its table cannot be marked as used', async () => {
    const { db } = app.deps;
    const upload = await app.app.inject({
      method: 'POST',
      url: '/api/v1/tables',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'text/csv' },
      payload: 'name\nAnna\n',
    });
    const body = { tableId: upload.json<{ tableId: string }>().tableId, mapping: { who: 'name' } };
    const path = `/workflows/${workflowId}/batches`;
    const listIds = async (): Promise<readonly string[]> => {
      const list = await user.request<{ data: readonly { id: string }[] }>('GET', path);
      return list.body.data.map(({ id }) => id);
    };
    const before = await listIds();
    await db.query('alter table tables add constraint never_used check (used_at is null)');
    try {
      assert.equal((await user.request('POST', path, body)).status, 500);
      assert.deepEqual(await listIds(), before);
    } finally {
      await db.query('alter table tables drop constraint never_used');
    }
    const created = await user.request<{ batchId: string }>('POST', path, body);
    assert.deepEqual(await listIds(), [created.body.batchId, ...before]);
  });
});
