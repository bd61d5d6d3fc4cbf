// Tests what happens to calling workflows when a component is shared, unshared or moved, and that every route that stores
// a version updates component_calls.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import {
  assertRefused,
  createWorkflow,
  node,
  putWorkflow,
  readWorkflow,
  type Workflow,
} from '../../support/workflows.ts';

let test: TestApp;
let owner: ApiUser;
let otherUser: ApiUser;
before(async () => {
  test = await openTestApp();
  [owner, otherUser] = await test.createUsers(2);
});
after(() => test.close());

const toCallerWorkflow = ({ id }: Pick<Workflow, 'id'>) => ({
  name: 'Caller',
  nodes: [node('call', 'component:call', { workflowId: id }), node('text', 'input:text')],
  edges: [],
});
const share = (id: string, role: string) =>
  owner.request('PUT', `/workflows/${id}/permissions`, { userId: otherUser.userId, role });
const unshare = (id: string) => owner.request('DELETE', `/workflows/${id}/permissions/${otherUser.userId}`);
const startRun = (user: ApiUser, id: string) => user.request('POST', `/workflows/${id}/run`, {});
/** Adds a node and thereby creates a new version. */
const addNode = async (user: ApiUser, id: string): Promise<Workflow> => {
  const { nodes } = await readWorkflow(user, id);
  const { status, body } = await putWorkflow(user, id, {
    nodes: [...nodes, node(`n${nodes.length}`, 'input:text')],
    edges: [],
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const listIssueCodes = ({ meta }: Workflow) => meta.issues.map(({ code }) => code);
const countCalls = async (id: string): Promise<number> =>
  Number(
    (await test.deps.db.query('select count(*) as count from component_calls where caller_id = $1', [id]))
      .rows[0]?.count,
  );

describe('a call of an unreadable component', () => {
  it('is saved with a warning, but does not run', async () => {
    const component = await createWorkflow(owner);
    await share(component.id, 'VIEW');
    const { id } = await createWorkflow(otherUser, toCallerWorkflow(component));
    assert.equal((await startRun(otherUser, id)).status, 202);
    await unshare(component.id);
    assertRefused(await startRun(otherUser, id), 403, 'component_forbidden');
    assert.deepEqual(listIssueCodes(await addNode(otherUser, id)), ['component_forbidden']);
    assertRefused(await startRun(otherUser, id), 403, 'component_forbidden');
    await share(component.id, 'VIEW');
    assert.equal((await startRun(otherUser, id)).status, 202);
    assert.deepEqual(listIssueCodes(await addNode(otherUser, id)), []);
  });

  it('runs, also in a batch, for users with whom only the calling workflow is shared', async () => {
    const component = await createWorkflow(owner);
    const { id } = await createWorkflow(owner, toCallerWorkflow(component));
    await share(id, 'EDIT');
    assert.equal((await startRun(otherUser, id)).status, 202);
    const rows = [{ inputs: { text: 'a' } }];
    const estimate = await otherUser.request('POST', `/workflows/${id}/batches/estimate`, { rows });
    assert.equal(estimate.status, 200, JSON.stringify(estimate.body));
  });

  it('runs again once a user with access saves the calling workflow', async () => {
    const component = await createWorkflow(owner);
    await share(component.id, 'VIEW');
    const { id } = await createWorkflow(otherUser, toCallerWorkflow(component));
    const sharing = { userId: owner.userId, role: 'EDIT' };
    await otherUser.request('PUT', `/workflows/${id}/permissions`, sharing);
    await unshare(component.id);
    assertRefused(await startRun(otherUser, id), 403, 'component_forbidden');
    assert.deepEqual(listIssueCodes(await addNode(owner, id)), []);
    assert.equal((await startRun(otherUser, id)).status, 202);
  });
});

describe('a component that moves to a team', () => {
  it('can be called only by current members of the team', async () => {
    const team = (await owner.request<{ id: string }>('POST', '/teams', { name: 'Studio' })).body.id;
    await joinTeam(owner, team, otherUser, 'VIEWER');
    const component = await createWorkflow(owner);
    const folder = (await owner.request<{ id: string }>('POST', '/folders', { name: 'F', teamId: team })).body
      .id;
    assertRefused(
      await otherUser.request('POST', '/workflows', toCallerWorkflow(component)),
      403,
      'component_forbidden',
    );
    assert.equal((await putWorkflow(owner, component.id, { folderId: folder })).status, 200);
    const { id } = await createWorkflow(otherUser, toCallerWorkflow(component));
    assert.equal((await startRun(otherUser, id)).status, 202);
    assert.equal((await owner.request('DELETE', `/teams/${team}/members/${otherUser.userId}`)).status, 200);
    assertRefused(await startRun(otherUser, id), 403, 'component_forbidden');
  });
});

describe('component_calls', () => {
  it('has one row per call after each kind of write', async () => {
    const component = await createWorkflow(owner);
    const { id } = await createWorkflow(owner, toCallerWorkflow(component));
    const writes: readonly (() => Promise<{ readonly status: number }>)[] = [
      () =>
        putWorkflow(owner, id, { nodes: [...toCallerWorkflow(component).nodes, node('more', 'input:text')] }),
      () => owner.request('POST', `/workflows/${id}/layout`, {}),
      async () => {
        const { nodes } = await readWorkflow(owner, id);
        const movedNodes = nodes.map(item => ({ ...item, position: { x: item.position?.x, y: 777 } }));
        return owner.request('PUT', `/workflows/${id}?autosave=true`, { nodes: movedNodes, edges: [] });
      },
      () => owner.request('POST', `/workflows/${id}/versions/1/restore`, {}),
    ];
    let version = 1;
    for (const [index, write] of writes.entries()) {
      assert.equal((await write()).status, 200, `${index}`);
      const { rows } = await test.deps.db.query<{ version: number }>(
        'select version from workflows where id = $1',
        [id],
      );
      assert.ok(Number(rows[0]?.version) > version, `${index}`);
      version = Number(rows[0]?.version);
      assert.equal(await countCalls(id), 1, `${index}`);
    }
    const copy = await owner.request<Workflow>('POST', `/workflows/${id}/duplicate`, {});
    assert.equal(await countCalls(copy.body.id), 1);
  });
});
