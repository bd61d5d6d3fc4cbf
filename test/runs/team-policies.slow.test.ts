// Tests the policies of teams: which providers and models their runs may use, wherever a run starts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { insertMember } from '../../src/store/teams.ts';
import type { Client, TestUser } from '../support/client.ts';
import { createPaidTeam, MODEL, modelGraph, modelNode, setUpPaidService } from '../support/credits/paid.ts';
import { edge, node } from '../support/workflows.ts';

const paid = setUpPaidService();

const OTHER_MODEL = 'generate:fal_flux_dev';
const ALL = { providers: null, models: { allow: null, deny: [] } };

interface Refused {
  readonly code: string;
  readonly error: string;
  readonly executionId: string;
  readonly issues: readonly { readonly nodeId: string; readonly code: string; readonly message: string }[];
}

async function setUpTeam() {
  const owner = (await paid.newUser(0)) as TestUser;
  const { teamId, folderId } = await createPaidTeam(paid, owner, 1000);
  const path = `/teams/${teamId}/policy`;
  return {
    owner,
    teamId,
    path,
    setPolicy: async (policy: object): Promise<void> => {
      const { status, body } = await owner.request('PUT', path, { ...ALL, ...policy });
      assert.equal(status, 200, JSON.stringify(body));
    },
    createWorkflow: async (graph: object): Promise<string> => {
      const id = await owner.createWorkflow(graph);
      assert.equal((await owner.request('PUT', `/workflows/${id}`, { folderId })).status, 200);
      return id;
    },
  };
}

const start = (user: Client, workflow: string, body: object = {}) =>
  user.request<Refused>('POST', `/workflows/${workflow}/run`, body);

describe('the policy of a team', () => {
  it('allows everything until an owner changes it', async () => {
    const { owner, path, teamId } = await setUpTeam();
    assert.deepEqual((await owner.request('GET', path)).body, ALL);
    const member = (await paid.newUser(0)) as TestUser;
    assert.equal((await member.request('GET', path)).status, 404);
    await insertMember(paid.service.db, teamId, member.userId, 'EDITOR');
    const policy = { providers: ['openai'], models: { allow: null, deny: [OTHER_MODEL] } };
    assert.equal((await member.request('PUT', path, policy)).status, 403);
    assert.deepEqual((await owner.request('PUT', path, policy)).body, policy);
    assert.deepEqual((await member.request('GET', path)).body, policy);
    for (const wrong of [
      { ...policy, providers: ['nobody'] },
      { ...policy, models: { allow: ['logic:delay'], deny: [] } },
      { ...policy, models: { allow: null, deny: ['no:such_model'] } },
    ])
      assert.equal((await owner.request('PUT', path, wrong)).status, 400);
    const audit = await paid.service.db.query(
      `select before->>'deniedModels' as before, after->>'deniedModels' as after from audit_events
       where target = $1 and action = 'policy.changed'`,
      [teamId],
    );
    assert.equal(audit.rows.length, 1);
  });

  it('refuses runs with a provider or model that it does not allow, and says which', async () => {
    const { owner, setPolicy, createWorkflow } = await setUpTeam();
    const workflow = await createWorkflow(modelGraph({ prompt: 'refused' }));
    for (const [policy, reason] of [
      [
        { providers: ['openai'] },
        /does not allow the provider fal, which “m” uses\. Use another model, or ask an OWNER/,
      ],
      [{ models: { allow: null, deny: [MODEL] } }, /does not allow the model generate:fal_seedream of “m”/],
      [
        { models: { allow: [OTHER_MODEL], deny: [] } },
        /does not allow the model generate:fal_seedream of “m”/,
      ],
    ] as const) {
      await setPolicy(policy);
      const { status, body } = await start(owner, workflow);
      assert.deepEqual([status, body.code, body.issues[0]?.nodeId], [403, 'not_allowed_by_policy', 'm']);
      assert.match(body.error, reason);
    }
    await setPolicy({ providers: ['fal'], models: { allow: [MODEL], deny: [] } });
    assert.equal((await start(owner, workflow)).status, 202);
  });

  it('is shown in estimates, lint and the catalog', async () => {
    const { owner, teamId, setPolicy, createWorkflow } = await setUpTeam();
    const workflow = await createWorkflow(modelGraph({ prompt: 'shown' }));
    await setPolicy({ models: { allow: null, deny: [MODEL] } });
    const estimate = await owner.request<Refused>('POST', `/workflows/${workflow}/estimate`, {});
    const lint = await owner.request<Refused>('POST', `/workflows/${workflow}/lint`, {});
    for (const { body } of [estimate, lint])
      assert.deepEqual(
        body.issues.map(({ nodeId, code }) => [nodeId, code]),
        [['m', 'not_allowed_by_policy']],
      );
    const findEntry = async () => {
      const { body } = await owner.request<{
        models: { nodeType: string; isAvailable?: false; policyReason?: string }[];
      }>('GET', '/models?includeHidden=1');
      return body.models.find(({ nodeType }) => nodeType === MODEL);
    };
    assert.equal((await findEntry())?.isAvailable, undefined);
    await owner.request('PUT', '/me/workspace', { teamId });
    const entry = await findEntry();
    assert.equal(entry?.isAvailable, false);
    assert.match(entry?.policyReason ?? '', /^The policy of the team does not allow the model/);
  });

  it('applies to batches, configs of a run, resumed runs and components, but not to personal workspaces', async () => {
    const { owner, setPolicy, createWorkflow } = await setUpTeam();
    const workflow = await createWorkflow(modelGraph({ prompt: 'everywhere' }));
    const component = await createWorkflow({
      nodes: [
        node('text', 'input:text', { value: 'inside' }),
        modelNode('inner'),
        node('out', 'output:preview'),
      ],
      edges: [edge('text.text > inner.prompt'), edge('inner.image > out.input')],
    });
    const caller = await createWorkflow({
      nodes: [node('call', 'component:call', { workflowId: component })],
      edges: [],
    });
    const ended = await owner.runWorkflow(workflow);
    await setPolicy({ providers: ['openai'] });
    const personal = await owner.createWorkflow(modelGraph({ prompt: 'personal' }));
    const responses = await Promise.all([
      owner.request<Refused>('POST', `/workflows/${workflow}/batches`, { rows: [{ inputs: {} }] }),
      owner.request<Refused>('POST', `/workflows/${workflow}/execute`, {}),
      owner.request<Refused>('POST', `/executions/${ended.id}/resume`, { fromNodeId: 'm' }),
      start(owner, caller),
    ]);
    for (const [index, { status, body }] of responses.entries())
      assert.deepEqual(
        [index, status, body.code],
        [index, 403, 'not_allowed_by_policy'],
        JSON.stringify(body),
      );
    // It has no credits, but its policy is not the team's.
    assert.equal((await start(owner, personal)).body.code, 'insufficient_credits');
  });
});
