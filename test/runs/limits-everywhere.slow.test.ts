// Tests that no path evades the monthly limits: schedules, triggers, apps, batches of others, resumed runs, configs, agents.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { insertMember } from '../../src/store/teams.ts';
import { createScheduleClient, HOUR_MS } from '../automation/schedules/support.ts';
import { createTrigger, waitForHistory } from '../automation/triggers/support.ts';
import { createVisitor, runAsVisitor, saveApp } from '../support/apps/visitors.ts';
import type { Client, TestUser } from '../support/client.ts';
import { createLimitedTeam, type LimitedTeam, start } from '../support/credits/limited-team.ts';
import { modelGraph, modelNode, PRICE, setUpPaidService } from '../support/credits/paid.ts';
import { connectAgent } from '../support/mcp/agent.ts';
import { waitUntil } from '../support/processes.ts';
import { edge, node } from '../support/workflows.ts';

const paid = setUpPaidService();

const TEXT_GRAPH = {
  nodes: [node('text', 'input:text', { value: 'a fox' }), modelNode('m'), node('end', 'output:preview')],
  edges: [edge('text.text > m.prompt'), edge('m.image > end.input')],
};
const YEARLY = { cron: '0 0 1 1 *' };
const SCOPES = ['workflows:read', 'workflows:write', 'workflows:execute'];

async function createLimitedKey(
  user: Client,
  monthlyCredits: number,
): Promise<Client & { readonly id: string }> {
  const body = { name: 'limited', scopes: SCOPES, monthlyCredits };
  const created = await user.request<{ id: string; key: string }>('POST', '/keys', body);
  assert.equal(created.status, 201, JSON.stringify(created.body));
  return { ...paid.service.withKey(created.body.key), id: created.body.id };
}

/** Makes the schedule due now. */
async function makeDue(id: string): Promise<void> {
  await paid.service.db.query('update schedules set next_run_at = now() where id = $1', [id]);
  await paid.service.db.query(`select pg_notify('graphwright_schedules', 'schedules')`);
}

const readSpender = async (table: string, id: string) =>
  (
    await paid.service.db.query<{ spender_id: number; key_id: string | null }>(
      `select spender_id, key_id from ${table} where id = $1`,
      [id],
    )
  ).rows[0];

describe('the limit of an API key', () => {
  it('covers the schedules and triggers that were created with it', async () => {
    const user = await paid.newUser(1000);
    const key = await createLimitedKey(user, PRICE - 1);
    const workflow = await user.createWorkflow(modelGraph({ prompt: 'automated' }));
    const schedules = createScheduleClient(() => key);
    const { id } = await schedules.create(workflow, YEARLY);
    await makeDue(id);
    await schedules.waitForOutcomes(id, 'refused');
    const [firing] = await schedules.listFirings(id);
    assert.match(firing?.reason ?? '', /for the API key “limited”/);
    const hook = await createTrigger(key, workflow, { kind: 'hook' });
    const response = await fetch(`${paid.service.url}${new URL(hook.url ?? '').pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    assert.equal(response.status < 500, true);
    const [event] = await waitForHistory(key, hook.id, 'refused', 1);
    assert.match(event?.reason ?? '', /for the API key “limited”/);
  });

  it('covers the apps that were saved with it, and visitors who pay with it', async () => {
    const user = await paid.newUser(1000);
    const key = await createLimitedKey(user, PRICE - 1);
    const workflow = await user.createWorkflow(TEXT_GRAPH);
    const form = {
      inputs: [{ nodeId: 'text', label: 'Text' }],
      outputs: ['end'],
      dailyCredits: 100,
      maxCreditsPerRun: 10,
    };
    const slug = await saveApp(key, workflow, { ...form, audience: 'anyone' });
    const refused = await runAsVisitor(createVisitor(paid.service), slug, { input_1: 'by a visitor' });
    assert.deepEqual([refused.status, refused.body.code], [402, 'app_out_of_credits']);
    // Saved with a key without a limit, it runs.
    await saveApp(user, workflow, { ...form, slug, audience: 'anyone' });
    assert.equal((await runAsVisitor(createVisitor(paid.service), slug, { input_1: 'again' })).status, 202);
    const owner = await paid.newUser(0);
    const other = await saveApp(owner, await owner.createWorkflow(TEXT_GRAPH), {
      ...form,
      audience: 'signed_in',
      payer: 'visitor',
    });
    const paying = await key.request('POST', `/apps/${other}/run`, { inputs: { input_1: 'paid' } });
    assert.deepEqual([paying.status, paying.body.code], [402, 'key_limit_exceeded']);
  });

  it('covers runs that it resumes, runs with a config, and runs by agents', async () => {
    const user = await paid.newUser(1000);
    const key = await createLimitedKey(user, PRICE);
    const workflow = await user.createWorkflow(modelGraph({ prompt: `resumed ${Math.random()}` }));
    const ended = await user.runWorkflow(workflow);
    const resume = () => key.request('POST', `/executions/${ended.id}/resume`, { fromNodeId: 'm' });
    assert.equal((await resume()).status, 202);
    const [resumed, configured] = [
      await resume(),
      await start(key, workflow, { config: { m: { prompt: `other ${Math.random()}` } } }),
    ];
    for (const { status, body } of [resumed, configured])
      assert.deepEqual([status, body.code], [402, 'key_limit_exceeded'], JSON.stringify(body));
    const agent = await connectAgent(`${paid.service.url}/mcp`, key.key, '2026-07-28');
    try {
      const { isError, text } = await agent.call('run_workflow', { workflowId: workflow, maxCredits: PRICE });
      assert.ok(isError && text.includes('API key “limited”'), text);
    } finally {
      await agent.close();
    }
  });
});

describe('the limit of a member', () => {
  const setUp = async (): Promise<LimitedTeam & { readonly workflow: string }> => {
    const team = await createLimitedTeam(paid);
    const workflow = await team.createWorkflow(team.owner, modelGraph({ prompt: `of ${team.teamId}` }));
    await team.setLimit(PRICE - 1);
    return { ...team, workflow };
  };

  it('covers schedules of others that the member changes or runs for past times', async () => {
    const { owner, member, workflow } = await setUp();
    const schedules = createScheduleClient(() => owner);
    const { id } = await schedules.create(workflow, { cron: '0 * * * *' });
    await member.request('PATCH', `/schedules/${id}`, { name: 'Renamed' });
    await member.request('PATCH', `/schedules/${id}`, { isActive: false });
    assert.equal((await readSpender('schedules', id))?.spender_id, (owner as TestUser).userId);
    const now = await member.request('POST', `/schedules/${id}/run`, {});
    assert.deepEqual([now.status, now.body.code], [402, 'member_limit_exceeded']);
    assert.equal((await member.request('PATCH', `/schedules/${id}`, { isActive: true })).status, 200);
    await makeDue(id);
    await waitUntil('the refused firing', async () => {
      const reasons = (await schedules.listFirings(id)).filter(({ kind }) => kind === 'scheduled');
      return reasons.some(({ reason }) => /credits of this month/.test(reason ?? ''));
    });
    // The owner takes it over again.
    assert.equal(
      (await owner.request('PATCH', `/schedules/${id}`, { isActive: true, cron: '30 * * * *' })).status,
      200,
    );
    assert.equal((await readSpender('schedules', id))?.spender_id, owner.userId);
    const range = {
      from: new Date(Date.now() - 3 * HOUR_MS).toISOString(),
      to: new Date(Date.now() - 1000).toISOString(),
    };
    const backfill = await member.request('POST', `/schedules/${id}/backfill`, range);
    assert.ok(backfill.status < 300, JSON.stringify(backfill.body));
    await waitUntil('the refused backfill', async () =>
      (await schedules.listFirings(id)).some(
        ({ kind, reason }) => kind === 'backfill' && /credits of this month/.test(reason ?? ''),
      ),
    );
  });

  it('covers triggers of others that the member changes or runs', async () => {
    const { owner, member, workflow } = await setUp();
    const { id } = await createTrigger(owner, workflow, { kind: 'hook' });
    const run = await member.request('POST', `/triggers/${id}/run`, { payload: {} });
    assert.deepEqual([run.status, run.body.code], [402, 'member_limit_exceeded'], JSON.stringify(run.body));
    assert.equal((await member.request('PATCH', `/triggers/${id}`, { maxCredits: 50 })).status, 200);
    assert.equal((await readSpender('triggers', id))?.spender_id, member.userId);
  });

  it('covers batches of others that the member resumes', async () => {
    const { owner, member, createWorkflow, setLimit } = await setUp();
    const workflow = await createWorkflow(owner, TEXT_GRAPH);
    const { body } = await owner.request<{ batchId: string }>('POST', `/workflows/${workflow}/batches`, {
      rows: ['x', 'y'].map(text => ({ inputs: { text: `${text} ${Math.random()}` } })),
      firstRows: 1,
    });
    const waitForBatch = (status: string) =>
      waitUntil(`the batch to be ${status}`, async () => {
        const batch = await member.request('GET', `/batches/${body.batchId}`);
        return batch.body.status === status;
      });
    await waitForBatch('PAUSED');
    assert.equal((await member.request('POST', `/batches/${body.batchId}/resume`, {})).status, 200);
    await waitForBatch('STOPPED');
    assert.equal(
      (await member.request('GET', `/batches/${body.batchId}`)).body.reason,
      'member_limit_exceeded',
    );
    await setLimit(null);
    assert.equal((await owner.request('POST', `/batches/${body.batchId}/resume`, {})).status, 200);
    await waitForBatch('COMPLETED');
  });

  it('stays when the member leaves and joins again', async () => {
    const { teamId, owner, member, workflow } = await setUp();
    const path = `/teams/${teamId}/members/${member.userId}`;
    assert.equal((await member.request('DELETE', path)).status, 200);
    await insertMember(paid.service.db, teamId, member.userId, 'EDITOR');
    assert.equal((await start(member, workflow)).body.code, 'member_limit_exceeded');
    assert.equal((await owner.request('GET', path)).body.monthlyCredits, PRICE - 1);
  });
});

describe('a visitor who pays for an app', () => {
  it('needs a role that may run workflows in the team that pays', async () => {
    const owner = await paid.newUser(0);
    const slug = await saveApp(owner, await owner.createWorkflow(TEXT_GRAPH), {
      inputs: [{ nodeId: 'text', label: 'Text' }],
      outputs: ['end'],
      audience: 'signed_in',
      payer: 'visitor',
    });
    const team = await createLimitedTeam(paid);
    const viewer = (await paid.newUser(0)) as TestUser;
    await insertMember(paid.service.db, team.teamId, viewer.userId, 'VIEWER');
    const run = async (user: Client) => {
      await user.request('PUT', '/me/workspace', { teamId: team.teamId });
      return user.request('POST', `/apps/${slug}/run`, { inputs: { input_1: `by ${Math.random()}` } });
    };
    const refused = await run(viewer);
    assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'], JSON.stringify(refused.body));
    assert.equal((await viewer.request('POST', `/apps/${slug}/estimate`, { inputs: {} })).status, 403);
    assert.equal((await run(team.member)).status, 202);
  });
});
