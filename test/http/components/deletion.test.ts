// Tests how a workflow is deleted that other workflows call as a component.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, createWorkflow, node, type Workflow } from '../../support/workflows.ts';

let test: TestApp;
let owner: ApiUser;
let otherUser: ApiUser;
before(async () => {
  test = await openTestApp();
  [owner, otherUser] = await test.createUsers(2);
});
after(() => test.close());

const toCallerWorkflow = ({ id }: Workflow, name: string) => ({
  name,
  nodes: [node('call', 'component:call', { workflowId: id })],
  edges: [],
});

describe('DELETE /workflows/{id} of a component', () => {
  it('returns 409 with the readable callers and the number of hidden callers', async () => {
    const component = await createWorkflow(owner, { name: 'Shared' });
    const sharing = { userId: otherUser.userId, role: 'VIEW' };
    await owner.request('PUT', `/workflows/${component.id}/permissions`, sharing);
    const ownCaller = await createWorkflow(owner, toCallerWorkflow(component, 'Mine'));
    const otherCaller = await createWorkflow(otherUser, toCallerWorkflow(component, 'Theirs'));
    const response = await owner.request<{ callers: unknown; hidden: number }>(
      'DELETE',
      `/workflows/${component.id}`,
    );
    const { error } = assertRefused(response, 409, 'component_in_use');
    assert.match(error, /"Mine", 1 that you cannot open/);
    assert.equal(JSON.stringify(response.body).includes('Theirs'), false);
    assert.deepEqual(response.body.callers, [{ workflowId: ownCaller.id, name: 'Mine' }]);
    assert.equal(response.body.hidden, 1);
    assert.equal((await owner.request('GET', `/workflows/${component.id}`)).status, 200);

    for (const { id } of [ownCaller, otherCaller]) {
      const user = id === ownCaller.id ? owner : otherUser;
      assert.equal((await user.request('DELETE', `/workflows/${id}`)).status, 200);
    }
    assert.equal((await owner.request('DELETE', `/workflows/${component.id}`)).status, 200);
  });

  it('succeeds with force=true or if only earlier versions call the component', async () => {
    const component = await createWorkflow(owner);
    const caller = await createWorkflow(owner, toCallerWorkflow(component, 'Caller'));
    const path = `/workflows/${component.id}`;
    assert.equal((await owner.request('DELETE', `${path}?force=true`)).status, 200);
    assert.equal((await owner.request('POST', `${path}/restore`)).status, 200);
    assertRefused(await owner.request('DELETE', path), 409, 'component_in_use');
    const graphWithoutCall = { nodes: [node('a', 'input:text')], edges: [] };
    await owner.request('PUT', `/workflows/${caller.id}`, graphWithoutCall);
    assert.equal((await owner.request('DELETE', path)).status, 200);
  });

  it('names at most 20 callers in the error', async () => {
    const component = await createWorkflow(owner);
    for (let index = 0; index < 22; index++)
      await createWorkflow(owner, toCallerWorkflow(component, `ApiUser ${index}`));
    const response = await owner.request<{ callers: unknown[] }>('DELETE', `/workflows/${component.id}`);
    const { error } = assertRefused(response, 409, 'component_in_use');
    assert.match(error, /"ApiUser 19", more\. /);
    assert.equal(response.body.callers.length, 20);
  });
});
