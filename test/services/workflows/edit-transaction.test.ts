// Tests that large graphs are prepared outside of a transaction, and used only for the version that they were prepared
// for.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { AppError } from '../../../src/lib/errors.ts';
import { readSettings } from '../../../src/lib/settings.ts';
import { createNodeTypes } from '../../../src/nodes/catalog.ts';
import { editTransaction } from '../../../src/services/workflows/edit-transaction.ts';
import type { TaskOf } from '../../../src/services/workflows/graph-task.ts';
import { createGraphVersions } from '../../../src/services/workflows/graph-versions.ts';
import type { Tx } from '../../../src/store/db.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const settings = readSettings({});
const { catalog } = createNodeTypes(settings);
const user = { userId: 1 };
let test: TestDatabase;
before(async () => {
  test = await createTestDatabase();
});
after(() => test.drop());

const getDeps = () => ({ db: test.db, catalog, settings, versions: createGraphVersions(catalog) });
const caller = { id: 'wf_1', versions: [1] };

const makeTask = (count: number): TaskOf<'write'> => ({
  kind: 'write',
  input: {
    nodes: Array.from({ length: count }, (_, index) => ({
      id: `n${index}`,
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: { label: 'a', category: 'input', nodeType: 'input:text', config: {} },
    })),
    edges: [],
  },
});

/** Returns the ID of the transaction. */
async function readTransactionId(tx: Tx): Promise<string> {
  const { rows } = await tx.query<{ id: string }>('select pg_current_xact_id()::text as id');
  return rows[0]?.id ?? '';
}

/** Returns the IDs of the active transactions. */
async function listActiveTransactions(): Promise<readonly string[]> {
  const { rows } = await test.db.query<{ id: string }>(
    'select pg_snapshot_xip(pg_current_snapshot())::text as id',
  );
  return rows.map(({ id }) => id);
}

it('editTransaction prepares a small graph within one transaction', async () => {
  const transactionIds: string[] = [];
  const write = await editTransaction(getDeps(), user, async (tx, runTask) => {
    transactionIds.push(await readTransactionId(tx));
    return runTask<'write'>(1, makeTask(1), caller);
  });
  assert.equal(write.isChanged, true);
  assert.equal(transactionIds.length, 1);
});

it('editTransaction ends the transaction while a thread prepares a large graph', async () => {
  const transactionIds: string[] = [];
  const bases = [1, 2, 2];
  const { text } = await editTransaction(getDeps(), user, async (tx, runTask) => {
    const open = await listActiveTransactions();
    assert.ok(transactionIds.every(id => !open.includes(id)));
    transactionIds.push(await readTransactionId(tx));
    return runTask<'write'>(bases[transactionIds.length - 1] ?? 0, makeTask(1500), caller);
  });
  assert.equal(transactionIds.length, 3);
  assert.match(text, /"n1499"/);
});

it('editTransaction fails with unavailable after five version changes', async () => {
  let base = 0;
  await assert.rejects(
    editTransaction(getDeps(), user, async (_, runTask) => runTask<'write'>(base++, makeTask(1500), caller)),
    (err: unknown) => err instanceof AppError && err.code === 'unavailable',
  );
  assert.equal(base, 5);
});

it('editTransaction rejects with the error of the task', async () => {
  const { input } = makeTask(1500);
  const task: TaskOf<'write'> = { kind: 'write', input: { ...input, edges: [{}] } };
  await assert.rejects(
    editTransaction(getDeps(), user, async (_, runTask) => runTask<'write'>(1, task, caller)),
    (err: unknown) => err instanceof AppError && err.code === 'invalid_graph',
  );
});
