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

/** The number of this transaction. */
async function idOf(tx: Tx): Promise<string> {
  const { rows } = await tx.query<{ id: string }>('select pg_current_xact_id()::text as id');
  return rows[0]?.id ?? '';
}

/** Transactions that are in progress. */
async function listOpen(): Promise<readonly string[]> {
  const { rows } = await test.db.query<{ id: string }>(
    'select pg_snapshot_xip(pg_current_snapshot())::text as id',
  );
  return rows.map(({ id }) => id);
}

it('prepares a small graph within the transaction', async () => {
  const tries: string[] = [];
  const deps = { db: test.db, catalog, settings, versions: createGraphVersions(catalog) };
  const write = await editTransaction(deps, user, async (tx, work) => {
    tries.push(await idOf(tx));
    return work<'write'>(1, makeTask(1), caller);
  });
  assert.equal(write.isChanged, true);
  assert.equal(tries.length, 1);
});

it('ends the transaction before a thread prepares a large graph, and prepares again for another version', async () => {
  const tries: string[] = [];
  const bases = [1, 2, 2];
  const deps = { db: test.db, catalog, settings, versions: createGraphVersions(catalog) };
  const editing = editTransaction(deps, user, async (tx, work) => {
    const open = await listOpen();
    assert.ok(tries.every(id => !open.includes(id)));
    tries.push(await idOf(tx));
    return work<'write'>(bases[tries.length - 1] ?? 0, makeTask(1500), caller);
  });
  const { text } = await editing;
  assert.equal(tries.length, 3);
  assert.match(text, /"n1499"/);
});

it('fails if the version changes each time', async () => {
  let base = 0;
  const deps = { db: test.db, catalog, settings, versions: createGraphVersions(catalog) };
  await assert.rejects(
    editTransaction(deps, user, async (_, work) => work<'write'>(base++, makeTask(1500), caller)),
    (err: unknown) => err instanceof AppError && err.code === 'unavailable',
  );
  assert.equal(base, 5);
});

it('passes on errors of the task', async () => {
  const { input } = makeTask(1500);
  const task: TaskOf<'write'> = { kind: 'write', input: { ...input, edges: [{}] } };
  const deps = { db: test.db, catalog, settings, versions: createGraphVersions(catalog) };
  await assert.rejects(
    editTransaction(deps, user, async (_, work) => work<'write'>(1, task, caller)),
    (err: unknown) => err instanceof AppError && err.code === 'invalid_graph',
  );
});
