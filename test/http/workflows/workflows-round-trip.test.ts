// Tests that a PUT of an unchanged GET response changes nothing and causes no warnings.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { toCanonicalJson } from '../../../src/lib/canonical-json.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { isNightly } from '../../support/tier.ts';
import { createWorkflow, putWorkflow, randomGraph, readWorkflow } from '../../support/workflows.ts';

const GRAPHS = isNightly ? 60 : 15;

let test: TestApp;
let owner: ApiUser;
let friend: ApiUser;
let teammate: ApiUser;
let folderId: string;

before(async () => {
  test = await openTestApp();
  [owner, friend, teammate] = await test.createUsers(3);
  const teamId = (await owner.request('POST', '/teams', { name: 'T' })).body.id;
  await joinTeam(owner, String(teamId), teammate, 'EDITOR');
  folderId = String((await owner.request('POST', '/folders', { name: 'F', teamId })).body.id);
});
after(() => test.close());

/** Sends the body of a GET by PUT, and asserts that the response has no warnings and that nothing was written. */
async function assertRoundTrip(user: ApiUser, id: string, rewrite = (body: unknown) => body): Promise<void> {
  const original = await user.request('GET', `/workflows/${id}`);
  const response = await putWorkflow(user, id, rewrite(original.body));
  assert.equal(response.status, 200, JSON.stringify(response.body));
  const { meta, ...returnedWorkflow } = response.body;
  assert.deepEqual(meta, { warnings: [], issues: [] });
  assert.deepEqual(returnedWorkflow, original.body);
  assert.equal(response.headers.etag, original.headers.etag);
  const secondRead = await user.request('GET', `/workflows/${id}`);
  assert.equal(JSON.stringify(secondRead.body), JSON.stringify(original.body));
  const { rows } = await test.deps.db.query<{ count: number }>(
    'select count(*) from workflow_versions where workflow_id = $1',
    [id],
  );
  assert.equal(rows[0]?.count, 1, 'a version was written');
}

describe('PUT of an unchanged GET body', () => {
  it(`changes none of ${GRAPHS} random graphs`, async () => {
    for (let seed = 1; seed <= GRAPHS; seed++) {
      const { id } = await createWorkflow(owner, randomGraph(seed)).catch((err: unknown) => {
        throw new Error(`seed ${seed}`, { cause: err });
      });
      await assertRoundTrip(owner, id).catch((err: unknown) => {
        throw new Error(`seed ${seed}`, { cause: err });
      });
    }
  });

  it('changes nothing if the client writes object keys in another order', async () => {
    for (let seed = 101; seed <= 110; seed++) {
      const { id } = await createWorkflow(owner, randomGraph(seed));
      await assertRoundTrip(owner, id, body => JSON.parse(toCanonicalJson(body as object)));
    }
  });

  it('changes nothing if the nodes have runtime fields of a canvas', async () => {
    const { id } = await createWorkflow(owner, randomGraph(3));
    await assertRoundTrip(owner, id, body => {
      const { nodes, ...rest } = body as { nodes: object[] };
      const runtime = {
        width: 9,
        height: 9,
        positionAbsolute: { x: 5, y: 5 },
        selected: true,
        dragging: true,
      };
      return { ...rest, nodes: nodes.map(node => ({ ...node, ...runtime })) };
    });
  });

  it('changes nothing in a workflow with every field set', async () => {
    const { id } = await createWorkflow(owner, {
      ...randomGraph(5),
      description: 'Grüße',
      tags: ['a', 'b'],
      webhookId: 'hook',
      secrets: { TOKEN: 'x' },
    });
    const settings = { title: 'T', isTemplate: true, exposedInputs: [], allowDuplicate: true, category: 'c' };
    await owner.request('POST', `/workflows/${id}/publish`, { isPublished: true, settings });
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    await owner.request('PUT', `/workflows/${id}/budget`, { dailyCreditBudget: 10 });
    await owner.request('POST', `/workflows/${id}/heartbeat`);
    await test.anonymous.request('GET', `/workflows/${id}`);
    await test.deps.views.flush();
    await assertRoundTrip(owner, id);
  });

  it('changes nothing if a shared editor or team member sends the body', async () => {
    const { id } = await createWorkflow(owner, { ...randomGraph(7), secrets: { A: 'b' } });
    await owner.request('PUT', `/workflows/${id}/permissions`, { userId: friend.userId, role: 'EDIT' });
    await putWorkflow(owner, id, { folderId });
    await assertRoundTrip(friend, id);
    await assertRoundTrip(teammate, id);
    assert.deepEqual((await readWorkflow(owner, id)).secrets, { A: 'b' });
  });

  it('changes nothing with only workflows:read and workflows:write', async () => {
    const key = await test.withScopes(owner, ['workflows:read', 'workflows:write']);
    const { id } = await createWorkflow(owner, randomGraph(8));
    await assertRoundTrip(key, id);
  });

  it('causes no warning after views and heartbeats', async () => {
    const { id } = await createWorkflow(owner);
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    await owner.request('POST', `/workflows/${id}/heartbeat`);
    const workflow = await readWorkflow(owner, id);
    await test.anonymous.request('GET', `/workflows/${id}`);
    await test.deps.views.flush();
    await owner.request('POST', `/workflows/${id}/heartbeat`);
    const { body } = await putWorkflow(owner, id, workflow);
    assert.deepEqual([body.views, body.meta.warnings], [workflow.views + 1, []]);
  });
});
