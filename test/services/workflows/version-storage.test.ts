// Tests that counting the graphs of several authors toward their storage forms no deadlock.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sweepRuns } from '../../../src/runs/sweep-runs.ts';
import type { Tx } from '../../../src/store/db.ts';
import { lockStorageUsage } from '../../../src/store/media/storage-usage.ts';
import { deleteSuperseded } from '../../../src/store/workflows/versions.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { waitUntil } from '../../support/processes.ts';
import { createWorkflow, node } from '../../support/workflows.ts';

let test: TestApp;
/** Their accounts are locked in this order. */
let first: ApiUser;
let second: ApiUser;
let id: string;
before(async () => {
  test = await createTestApp();
  [first, second] = await test.createUsers(2);
  assert.ok(first.userId < second.userId);
});
after(() => test.close());
beforeEach(async () => {
  ({ id } = await createWorkflow(second));
});

let nodeCount = 0;
const autosave = () => {
  const nodes = [node(`n${nodeCount++}`, 'input:text')];
  return second.request('PUT', `/workflows/${id}?autosave=true`, { nodes, edges: [] });
};
/** Makes all superseded versions old enough to be deleted, with authors in this order. */
const supersede = (authors: readonly number[]) =>
  test.deps.db.query(
    `update workflow_versions set superseded_at = now() - interval '2 minutes', user_id = ($2::int[])[version - 1]
     where workflow_id = $1 and superseded_at is not null`,
    [id, authors],
  );
const listVersions = async (): Promise<readonly number[]> => {
  const { rows } = await test.deps.db.query<{ version: number }>(
    'select version from workflow_versions where workflow_id = $1 order by version',
    [id],
  );
  return rows.map(({ version }) => version);
};
const recountStorage = async (): Promise<void> => {
  await test.deps.db.query('select recount_storage()');
};
const readUsage = async () =>
  (await test.deps.db.query('select user_id, bytes from storage_usage where bytes > 0 order by user_id'))
    .rows;

/**
 * Performs the work while another transaction holds the account of `first`. That transaction then locks the account of
 * `second` too, in the order of all transactions.
 */
async function performDuringLocks<T>(perform: () => Promise<T>): Promise<T> {
  const { result } = await test.deps.db.transaction(async tx => {
    await lockStorageUsage(tx, [first.userId]);
    const result = perform();
    result.catch(() => undefined);
    await waitUntil('the work to wait for the first account', async () => (await countBlocked()) === 1);
    await lockStorageUsage(tx, [second.userId]);
    return { result };
  });
  return result;
}

const countBlocked = async (): Promise<number> => {
  const { rows } = await test.deps.db.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
};

describe('the storage of graphs', () => {
  it('is counted without a deadlock when an autosave deletes the versions of another author', async () => {
    for (let count = 0; count < 2; count++) assert.equal((await autosave()).status, 200);
    await supersede([first.userId]);
    await recountStorage();
    const response = await performDuringLocks(autosave);
    assert.equal(response.status, 200);
    assert.deepEqual(await listVersions(), [1, 3, 4]);
    const usage = await readUsage();
    await recountStorage();
    assert.deepEqual(await readUsage(), usage);
  });

  it('is counted without a deadlock when one statement deletes the versions of several authors', async () => {
    for (let count = 0; count < 4; count++) assert.equal((await autosave()).status, 200);
    // Both ends belong to the second account, so that it comes first in either direction.
    await supersede([second.userId, first.userId, second.userId]);
    await recountStorage();
    const deleteAll = (tx: Tx) => deleteSuperseded(tx, id, 100);
    assert.equal(await performDuringLocks(() => test.deps.db.transaction(deleteAll)), 3);
    const usage = await readUsage();
    await recountStorage();
    assert.deepEqual(await readUsage(), usage);
  });
});

describe('an autosave', () => {
  it('succeeds if replaced autosaves cannot be deleted, which the daily cleanup deletes', async () => {
    for (let count = 0; count < 2; count++) await autosave();
    await supersede([second.userId]);
    await test.deps.db.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
    );
    await test.deps.db.query(
      'create trigger refuse before delete on workflow_versions for each row execute function refuse()',
    );
    assert.equal((await autosave()).status, 200);
    assert.deepEqual(await listVersions(), [1, 2, 3, 4]);
    await test.deps.db.query('drop function refuse cascade');
    await sweepRuns(test.deps, new AbortController().signal);
    assert.deepEqual(await listVersions(), [1, 3, 4]);
  });
});
