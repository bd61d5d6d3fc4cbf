// Tests that the policy of a team applies on every path that starts a run, and that every lint shows it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createScheduleClient } from '../automation/schedules/support.ts';
import { createTrigger, waitForHistory } from '../automation/triggers/support.ts';
import { createVisitor, runAsVisitor, saveApp } from '../support/apps/visitors.ts';
import type { TestUser } from '../support/client.ts';
import { start } from '../support/credits/limited-team.ts';
import { createPaidTeam, MODEL, modelGraph, modelNode, setUpPaidService } from '../support/credits/paid.ts';
import { connectAgent } from '../support/mcp/agent.ts';
import { edge, node } from '../support/workflows.ts';

const paid = setUpPaidService();

const GRAPH = {
  nodes: [node('text', 'input:text', { value: 'a fox' }), modelNode('m'), node('end', 'output:preview')],
  edges: [edge('text.text > m.prompt'), edge('m.image > end.input')],
};
const PLAIN_GRAPH = {
  nodes: [node('text', 'input:text', { value: 'a fox' }), node('end', 'output:preview')],
  edges: [edge('text.text > end.input')],
};
const FORM = {
  inputs: [{ nodeId: 'text', label: 'Text' }],
  outputs: ['end'],
  dailyCredits: 100,
  maxCreditsPerRun: 10,
};
const REASON = /does not allow the model generate:fal_seedream/;

interface Team {
  readonly owner: TestUser;
  readonly teamId: string;
  readonly folderId: string;
  createWorkflow(graph: object): Promise<string>;
  /** Denies the model of the graphs. */
  deny(): Promise<void>;
}

async function setUpTeam(): Promise<Team> {
  const owner = (await paid.newUser(100)) as TestUser;
  const { teamId, folderId } = await createPaidTeam(paid, owner, 1000);
  return {
    owner,
    teamId,
    folderId,
    async createWorkflow(graph) {
      const id = await owner.createWorkflow(graph);
      assert.equal((await owner.request('PUT', `/workflows/${id}`, { folderId })).status, 200);
      return id;
    },
    async deny() {
      const policy = { providers: null, models: { allow: null, deny: [MODEL] } };
      assert.equal((await owner.request('PUT', `/teams/${teamId}/policy`, policy)).status, 200);
    },
  };
}

interface Answer {
  readonly id: string;
  readonly code?: string;
  readonly issues?: readonly { readonly code: string; readonly nodeId?: string }[];
  readonly meta?: { readonly issues?: readonly { readonly code: string; readonly nodeId?: string }[] };
}

describe('the policy of a team', () => {
  it('refuses schedules, triggers, apps and agents', async () => {
    const { owner, createWorkflow, deny } = await setUpTeam();
    const workflow = await createWorkflow(GRAPH);
    const schedules = createScheduleClient(() => owner);
    const schedule = await schedules.create(workflow);
    const hook = await createTrigger(owner, workflow, { kind: 'hook' });
    const slug = await saveApp(owner, workflow, { ...FORM, audience: 'anyone' });
    await deny();
    await paid.service.db.query('update schedules set next_run_at = now() where id = $1', [schedule.id]);
    await paid.service.db.query(`select pg_notify('graphwright_schedules', 'schedules')`);
    await schedules.waitForOutcomes(schedule.id, 'refused');
    assert.match((await schedules.listFirings(schedule.id))[0]?.reason ?? '', REASON);
    await fetch(`${paid.service.url}${new URL(hook.url ?? '').pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    assert.match((await waitForHistory(owner, hook.id, 'refused', 1))[0]?.reason ?? '', REASON);
    const visitor = await runAsVisitor(createVisitor(paid.service), slug, { input_1: 'by a visitor' });
    assert.equal(visitor.body.code, 'app_out_of_order');
    assert.doesNotMatch(JSON.stringify(visitor.body), /seedream|fal|policy/);
    for (const [path, body] of [
      [`/schedules/${schedule.id}/run`, {}],
      [`/triggers/${hook.id}/run`, { payload: {} }],
    ] as const)
      assert.equal((await owner.request('POST', path, body)).body.code, 'not_allowed_by_policy');
    const agent = await connectAgent(`${paid.service.url}/mcp`, owner.key, '2026-07-28');
    try {
      const { isError, text } = await agent.call('run_workflow', { workflowId: workflow, maxCredits: 10 });
      assert.ok(isError && REASON.test(text), text);
    } finally {
      await agent.close();
    }
  });

  it('refuses models that an edit, a config, another version or a component brings', async () => {
    const { owner, createWorkflow, deny } = await setUpTeam();
    const outsider = (await paid.newUser(0)) as TestUser;
    const component = await outsider.createWorkflow(GRAPH);
    const share = { email: owner.email, role: 'VIEW' };
    const shared = await outsider.request('PUT', `/workflows/${component}/permissions`, share);
    assert.ok(shared.status < 300, JSON.stringify(shared.body));
    const workflow = await createWorkflow(GRAPH);
    await deny();
    const replaced = await owner.request<Answer>('PUT', `/workflows/${workflow}`, PLAIN_GRAPH);
    assert.equal(replaced.status, 200);
    assert.equal((await start(owner, workflow)).status, 202);
    const operation = { op: 'add_node', nodeId: 'again', nodeType: MODEL, config: { prompt: 'again' } };
    const edited = await owner.request<Answer>(
      'POST',
      `/workflows/${workflow}/edit`,
      { operations: [operation] },
      { 'if-match': '*' },
    );
    assert.equal(edited.status, 200, JSON.stringify(edited.body));
    assert.deepEqual(listDisallowed(edited.body), ['again']);
    assert.equal((await start(owner, workflow)).body.code, 'not_allowed_by_policy');
    const restored = await owner.request<Answer>('POST', `/workflows/${workflow}/versions/1/restore`, {});
    assert.deepEqual(listDisallowed(restored.body), ['m'], JSON.stringify(restored.body));
    const call = {
      nodes: [node('call', 'component:call', { workflowId: component })],
      edges: [],
    };
    const called = await owner.request<Answer>('PUT', `/workflows/${workflow}`, call);
    assert.deepEqual(listDisallowed(called.body), ['call/m'], JSON.stringify(called.body));
    const lint = await owner.request<Answer>('POST', `/workflows/${workflow}/lint`, {});
    assert.deepEqual(listDisallowed(lint.body), ['call/m'], JSON.stringify(lint.body));
    const run = await start(owner, workflow);
    assert.equal(run.body.code, 'not_allowed_by_policy');
  });

  it('is in the answer of each write of a workflow of the team', async () => {
    const { owner, folderId, createWorkflow, deny } = await setUpTeam();
    const workflow = await createWorkflow(PLAIN_GRAPH);
    const personal = await owner.createWorkflow(PLAIN_GRAPH);
    await deny();
    const put = await owner.request<Answer>('PUT', `/workflows/${workflow}`, GRAPH);
    assert.deepEqual(listDisallowed(put.body), ['m'], JSON.stringify(put.body));
    const post = await owner.request<Answer>('POST', '/workflows', {
      id: workflow,
      name: 'W',
      ...modelGraph({ prompt: 'other' }),
    });
    assert.deepEqual(listDisallowed(post.body), ['m'], JSON.stringify(post.body));
    // A write that moves the workflow to the team is checked with the policy there.
    const elsewhere = await owner.request<Answer>('PUT', `/workflows/${personal}`, modelGraph());
    assert.deepEqual(listDisallowed(elsewhere.body), []);
    const moved = await owner.request<Answer>('PUT', `/workflows/${personal}`, {
      ...modelGraph({ prompt: 'moved' }),
      folderId,
    });
    assert.deepEqual(listDisallowed(moved.body), ['m'], JSON.stringify(moved.body));
    assert.equal((await start(owner, personal)).body.code, 'not_allowed_by_policy');
  });

  it('refuses an app of another workspace that the team would pay for, without naming its models', async () => {
    const { owner, teamId, deny } = await setUpTeam();
    const outsider = (await paid.newUser(0)) as TestUser;
    const slug = await saveApp(outsider, await outsider.createWorkflow(GRAPH), {
      ...FORM,
      audience: 'signed_in',
      payer: 'visitor',
    });
    await deny();
    const run = () =>
      owner.request('POST', `/apps/${slug}/run`, { inputs: { input_1: `paid ${Math.random()}` } });
    await owner.request('PUT', '/me/workspace', { teamId });
    const refused = await run();
    assert.deepEqual([refused.status, refused.body.code], [403, 'not_allowed_by_policy']);
    assert.doesNotMatch(JSON.stringify(refused.body), /seedream|fal/);
    // It is not a fault of the app, whose owner gets no notice.
    const notices = await outsider.request<{ data: unknown[] }>('GET', '/notices');
    assert.deepEqual(notices.body.data, []);
    await owner.request('PUT', '/me/workspace', { teamId: null });
    assert.equal((await run()).status, 202);
  });
});

function listDisallowed(answer: Answer): readonly (string | undefined)[] {
  const issues = answer.issues ?? answer.meta?.issues ?? [];
  return issues.filter(({ code }) => code === 'not_allowed_by_policy').map(({ nodeId }) => nodeId);
}
