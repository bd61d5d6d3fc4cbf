// Tests the search for workflows to call as components, among those of the user and of the active team.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { getUserActor } from '../../../src/services/accounts/user-actor.ts';
import { type ComponentSearch, findComponents } from '../../../src/services/components/find-components.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { createWorkflow, edge, node, PAIR } from '../../support/workflows.ts';

let test: TestApp;
let owner: ApiUser;
let member: ApiUser;
let teamId: string;
before(async () => {
  test = await openTestApp();
  [owner, member] = await test.createUsers(2);
  teamId = String((await owner.request('POST', '/teams', { name: 'Team' })).body.id);
  await test.deps.db.query(`insert into team_members (team_id, user_id, role) values ($1, $2, 'EDITOR')`, [
    teamId,
    member.userId,
  ]);
});
after(() => test.close());

const find = async (user: ApiUser, search: Partial<ComponentSearch>): Promise<readonly string[]> => {
  const actor = await getUserActor(test.deps, user.userId);
  const components = await findComponents(test.deps, actor, { words: [], limit: 5, ...search });
  return components.map(({ name }) => name);
};

it('findComponents finds components with outputs and every word in the name or description', async () => {
  await createWorkflow(owner, { name: 'Red poster', description: 'For the summer' });
  await createWorkflow(owner, { name: 'Blue poster' });
  await createWorkflow(owner, { name: 'Poster without output', nodes: [node('a', 'input:text')], edges: [] });
  assert.deepEqual(await find(owner, { words: ['poster'] }), ['Blue poster', 'Red poster']);
  assert.deepEqual(await find(owner, { words: ['summer', 'poster'] }), ['Red poster']);
  assert.deepEqual(await find(owner, { words: ['poster'], limit: 1 }), ['Blue poster']);
  assert.deepEqual(await find(member, { words: ['poster'] }), []);
});

it('findComponents filters by the types of inputs and outputs', async () => {
  const nodes = [node('photo', 'input:image'), node('out', 'output:preview')];
  await createWorkflow(owner, { name: 'Typed photo', nodes, edges: [edge('photo.image > out.input')] });
  await createWorkflow(owner, { name: 'Typed text', ...PAIR });
  assert.deepEqual(await find(owner, { words: ['typed'], accepts: 'IMAGE' }), ['Typed photo']);
  assert.deepEqual(await find(owner, { words: ['typed'], produces: 'TEXT' }), ['Typed text']);
});

it('findComponents lists workflows that are already called if there are no words', async () => {
  const { id } = await createWorkflow(owner, { name: 'Called' });
  assert.ok(!(await find(owner, { limit: 50 })).includes('Called'));
  await createWorkflow(owner, { nodes: [node('c', 'component:call', { workflowId: id })], edges: [] });
  assert.deepEqual(await find(owner, { limit: 50 }), ['Called']);
});

it('findComponents includes workflows of the active team', async () => {
  const { id } = await createWorkflow(owner, { name: 'Shared banner' });
  const folder = await owner.request('POST', '/folders', { name: 'F', teamId });
  const response = await owner.request('PUT', `/workflows/${id}`, { folderId: folder.body.id });
  assert.equal(response.status, 200, JSON.stringify(response.body));
  assert.deepEqual(await find(member, { words: ['banner'] }), []);
  await member.request('PUT', '/me/workspace', { teamId });
  assert.deepEqual(await find(member, { words: ['banner'] }), ['Shared banner']);
});
