// Tests that transactions which count graphs and files toward the storage of accounts form no deadlock.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sweepRuns } from '../../../src/runs/sweep-runs.ts';
import { claimStorage } from '../../../src/services/media/storage-quota.ts';
import type { Tx } from '../../../src/store/db.ts';
import { lockStorageUsage } from '../../../src/store/media/storage-usage.ts';
import { deleteSuperseded } from '../../../src/store/workflows/versions.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { waitUntil } from '../../support/processes.ts';
import { createWorkflow, node } from '../../support/workflows.ts';

let test: TestApp;
/** Their accounts are locked in this order. */
let first: ApiUser;
let second: ApiUser;
let id: string;
before(async () => {
  test = await createTestApp({ plans: { small: { storageBytes: 100_000 } } });
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
 * Performs the work while another transaction holds the account of `first`. Once the work waits for it, the other transaction
 * also locks the account of `second`. All transactions lock the two accounts in this order.
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

describe('a transaction that holds an account', () => {
  it('notifies its user while a graph that makes the storage almost full is stored', async () => {
    const user = await test.createUser({ plan: 'small' });
    const workflow = await createWorkflow(user);
    const { db, settings } = test.deps;
    const nodes = [node('t', 'input:text', { value: 'x'.repeat(85_000) })];
    const { response } = await db.transaction(async tx => {
      await lockStorageUsage(tx, [user.userId]);
      const response = user.request('PUT', `/workflows/${workflow.id}`, { nodes, edges: [] });
      await waitUntil('the graph to wait for the account', async () => (await countBlocked()) === 1);
      await claimStorage(tx, settings, { userId: user.userId, bytes: 85_000 });
      return { response };
    });
    assert.equal((await response).status, 200);
    const { rows } = await db.query('select kind from notices where user_id = $1', [user.userId]);
    assert.deepEqual(rows, [{ kind: 'storage_high' }]);
  });

  it('may hold a version that an import with files calls', async () => {
    const image = await noiseImage(8, 8, 'png');
    const mediaId = 'med_00000000000000000000000001';
    const file = {
      name: 'W',
      nodes: [
        node('c', 'component:call', { workflowId: id, version: 1 }),
        node('i', 'input:image', { mediaId }),
      ],
      edges: [],
      media: [
        {
          mediaId,
          url: `https://there.test/cdn/${mediaId}/a.png`,
          name: 'a.png',
          contentType: 'image/png',
          width: null,
          height: null,
          duration: null,
          data: image.toString('base64'),
        },
      ],
    };
    const { response } = await test.deps.db.transaction(async tx => {
      await tx.query('select from workflow_versions where workflow_id = $1 for update', [id]);
      const response = second.request('POST', '/workflows/import', file);
      await waitUntil('the import to wait for the version', async () => (await countBlocked()) === 1);
      await lockStorageUsage(tx, [second.userId]);
      return { response };
    });
    assert.equal((await response).status, 201);
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
