// Tests writes that refer to a version while a cleanup deletes the version: the write is refused or the version stays.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startRun } from '../../../src/runs/accept/start-run.ts';
import { SCOPES, type UserActor } from '../../../src/services/accounts/actor.ts';
import type { Tx } from '../../../src/store/db.ts';
import { deleteOldVersions } from '../../../src/store/retention/old-versions.ts';
import { insertVersionCalls } from '../../../src/store/workflows/components.ts';
import { deleteSuperseded } from '../../../src/store/workflows/versions.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { waitUntil } from '../../support/processes.ts';
import { assertRefused, createWorkflow, node, PAIR, putWorkflow } from '../../support/workflows.ts';

let test: TestApp;
let owner: ApiUser;
/** A workflow with three versions, all of them three days old. */
let id: string;
let callerId: string;
before(async () => {
  test = await openTestApp();
  owner = await test.createUser();
});
after(() => test.close());
beforeEach(async () => {
  id = (await createWorkflow(owner)).id;
  callerId = (await createWorkflow(owner)).id;
  for (const value of ['y', 'z'])
    assert.equal(
      (await putWorkflow(owner, id, { ...PAIR, nodes: [node('a', 'input:text', { value })], edges: [] }))
        .status,
      200,
    );
  await test.deps.db.query(
    `update workflow_versions set created_at = now() - interval '3 days' where workflow_id = $1`,
    [id],
  );
});

const CLEANUPS: Readonly<Record<string, (tx: Tx) => Promise<number>>> = {
  'of old versions': tx => deleteOldVersions(tx, id, 1),
  'of replaced autosaves': async tx => {
    await tx.query(
      `update workflow_versions set superseded_at = now() - interval '2 minutes' where workflow_id = $1 and version < 3`,
      [id],
    );
    return deleteSuperseded(tx, id, 100);
  },
};

const listVersions = async (): Promise<readonly number[]> => {
  const { rows } = await test.deps.db.query<{ version: number }>(
    'select version from workflow_versions where workflow_id = $1 order by version',
    [id],
  );
  return rows.map(({ version }) => version);
};

const countBlockedQueries = async (): Promise<number> => {
  const { rows } = await test.deps.db.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
};

/** Sends a write after the cleanup deleted versions and before the cleanup commits. */
const writeDuring = async <T>(cleanup: (tx: Tx) => Promise<number>, write: () => Promise<T>): Promise<T> => {
  const { response } = await test.deps.db.transaction(async tx => {
    assert.equal(await cleanup(tx), 2);
    const response = write();
    // It may fail before the commit returns, and is awaited after it.
    response.catch(() => undefined);
    await waitUntil('the write to wait for the cleanup', async () => (await countBlockedQueries()) === 1);
    return { response };
  });
  return response;
};

for (const [name, cleanup] of Object.entries(CLEANUPS)) {
  describe(`a cleanup ${name}`, () => {
    it('makes a concurrent call of a deleted version fail', async () => {
      const nodes = [node('c', 'component:call', { workflowId: id, version: 1 })];
      const response = await writeDuring(cleanup, () => putWorkflow(owner, callerId, { nodes, edges: [] }));
      assert.match(
        assertRefused(response, 400, 'component_missing').error,
        /Version 1 .* was deleted\. Choose/,
      );
    });

    it('makes a concurrent app for a deleted version fail', async () => {
      const app = { slug: id.slice(-20), title: 'A', inputs: [], outputs: ['b'], version: 1 };
      const response = await writeDuring(cleanup, () => owner.request('PUT', `/workflows/${id}/app`, app));
      assert.deepEqual(
        assertRefused(response, 400, 'invalid_request').issues?.map(({ path }) => path),
        ['/version'],
      );
    });

    it('makes a concurrent run of a deleted version fail', async () => {
      const { deps } = test;
      const actor: UserActor = {
        kind: 'user',
        userId: owner.userId,
        credential: { kind: 'key', id: 'key_1' },
        scopes: new Set(SCOPES),
        accountPlan: 'free',
      };
      const run: Parameters<typeof startRun>[2] = {
        workflowId: id,
        versionNumber: 1,
        idempotencyScope: 'schedule',
        request: {},
        trigger: 'schedule',
      };
      const start = writeDuring(cleanup, () => startRun(deps, actor, run));
      await assert.rejects(start, {
        code: 'not_found',
        message: 'Version 1 of the workflow was not found.',
      });
      const { rows } = await deps.db.query('select from executions where workflow_id = $1', [id]);
      assert.equal(rows.length, 0);
    });

    it('keeps a version that a concurrent write calls', async () => {
      const call = { component_id: id, version: 1, node_ids: ['c'], user_id: owner.userId };
      await test.deps.db.transaction(async tx => {
        await insertVersionCalls(tx, { id: callerId, version: 1 }, [call]);
        // The cleanup does not wait for the transaction that stores the call.
        assert.equal(await test.deps.db.transaction(cleanup), 1);
      });
      assert.deepEqual(await listVersions(), [1, 3]);
    });
  });
}
