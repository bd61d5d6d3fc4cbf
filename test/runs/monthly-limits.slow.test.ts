// Tests the monthly limits of members and API keys: no run exceeds them, also if many start in several processes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { insertMember } from '../../src/store/teams.ts';
import { type Client, createClient, type TestUser } from '../support/client.ts';
import { createLimitedTeam, type LimitedTeam, start } from '../support/credits/limited-team.ts';
import {
  lateMappedGraph,
  modelGraph,
  modelNode,
  type PaidExecution,
  PRICE,
  setUpPaidService,
} from '../support/credits/paid.ts';
import { waitUntil } from '../support/processes.ts';
import { edge, node } from '../support/workflows.ts';

const paid = setUpPaidService();
const setUpTeam = (credits?: number): Promise<LimitedTeam> => createLimitedTeam(paid, credits);

const listTitles = async (user: Client): Promise<readonly string[]> => {
  const { body } = await user.request<{ data: { title: string }[] }>('GET', '/notices');
  return body.data.map(({ title }) => title);
};

describe('the monthly limit of a member', () => {
  it('is never exceeded by 100 runs that start at once in two processes', async () => {
    const team = await setUpTeam();
    const [first, second] = [
      await team.createWorkflow(team.member, modelGraph({ prompt: 'one' })),
      await team.createWorkflow(team.member, modelGraph({ prompt: 'two' })),
    ];
    await team.setLimit(10 * PRICE + 1);
    const another = await paid.service.startAnother();
    try {
      const other = createClient(another.url, team.member.key);
      const responses = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          start(index % 2 === 0 ? team.member : other, index % 3 === 0 ? first : second),
        ),
      );
      const accepted = responses.filter(({ status }) => status === 202);
      assert.equal(accepted.length, 10);
      const refused = responses.filter(({ status }) => status !== 202);
      for (const { status, body } of refused)
        assert.deepEqual(
          [status, body.code, body.requiredCredits, body.availableCredits, body.monthlyCredits],
          [402, 'member_limit_exceeded', PRICE, 1, 10 * PRICE + 1],
        );
      for (const { body } of accepted) await team.member.waitForStatus(body.executionId, 'COMPLETED');
    } finally {
      await another.close();
    }
    const { body } = await team.member.request<{ spentThisMonth: number }>(
      'GET',
      `/teams/${team.teamId}/members/${team.member.userId}`,
    );
    // Equal requests share a cached result, which costs nothing.
    assert.ok(body.spentThisMonth <= 10 * PRICE, String(body.spentThisMonth));
    const ledger = await paid.service.db.query(
      `select coalesce(sum(case kind when 'hold' then amount when 'release' then -amount else 0 end), 0)::int as spent
       from credit_entries where workspace = $1 and user_id = $2`,
      [team.teamId, team.member.userId],
    );
    assert.deepEqual(ledger.rows, [{ spent: body.spentThisMonth }]);
  });

  it('does not apply to other members, nor to other runs of the same commit', async () => {
    const team = await setUpTeam();
    const workflow = await team.createWorkflow(team.member, modelGraph({ prompt: 'others' }));
    await team.setLimit(0);
    const statuses = await Promise.all(
      [team.member, team.owner, team.member, team.owner].map(
        async user => (await start(user, workflow)).status,
      ),
    );
    assert.deepEqual(statuses, [402, 202, 402, 202]);
    await team.setLimit(null);
    assert.equal((await start(team.member, workflow)).status, 202);
  });

  it('stops a run before a call that would exceed it', async () => {
    const team = await setUpTeam();
    const workflow = await team.createWorkflow(team.member, lateMappedGraph(['l', 'i', 'm']));
    await team.setLimit(2 * PRICE + 1);
    const execution = (await team.member.runWorkflow(workflow)) as PaidExecution;
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'member_limit_exceeded']);
    assert.match(
      execution.error?.message ?? '',
      /6 of the 7 credits of this month \(UTC\) are spent or reserved/,
    );
    assert.deepEqual(execution.credits, { estimated: PRICE, held: 0, charged: 2 * PRICE, released: 0 });
    // What was spent last month does not count.
    await paid.service.db.query(
      `update spender_months set month = (month - interval '1 month')::date where workspace = $1`,
      [team.teamId],
    );
    assert.equal((await start(team.member, workflow)).status, 202);
  });

  it('is shown in estimates and on the page of credits before it refuses a run', async () => {
    const team = await setUpTeam();
    const workflow = await team.createWorkflow(team.member, modelGraph({ prompt: 'estimated' }));
    await team.setLimit(PRICE - 1);
    const estimate = await team.member.request<{
      availableCredits: number;
      meta: { warnings: readonly string[] };
    }>('POST', `/workflows/${workflow}/estimate`, {});
    assert.equal(estimate.body.availableCredits, PRICE - 1);
    assert.match(
      estimate.body.meta.warnings.join(),
      /The run needs 3 credits, but 0 of the 2 credits of this month \(UTC\) are spent or reserved for .+ in “Studio”\. Ask an OWNER/,
    );
    await team.member.request('PUT', '/me/workspace', { teamId: team.teamId });
    const credits = await team.member.request<{ own: object }>('GET', '/credits');
    assert.deepEqual(credits.body.own, { monthlyCredits: PRICE - 1, spentThisMonth: 0 });
  });

  it('notifies the member at half and four fifths, and the owners when a run is refused, each once', async () => {
    const team = await setUpTeam();
    await team.setLimit(4 * PRICE);
    const run = async (prompt: string): Promise<void> => {
      const workflow = await team.createWorkflow(team.member, modelGraph({ prompt }));
      await team.member.runWorkflow(workflow);
    };
    await run('notice 1');
    assert.deepEqual(await listTitles(team.member), []);
    await run('notice 2');
    assert.deepEqual(await listTitles(team.member), ['You have spent 50% of your limit in “Studio”']);
    await run('notice 3');
    assert.equal((await listTitles(team.member)).length, 1);
    const workflow = await team.createWorkflow(team.member, modelGraph({ prompt: 'notice 4' }));
    await team.setLimit(3 * PRICE + 1);
    for (let tries = 0; tries < 2; tries++) assert.equal((await start(team.member, workflow)).status, 402);
    const [last] = await listTitles(team.member);
    assert.match(last ?? '', /has reached the monthly limit in “Studio”$/);
    assert.deepEqual(await listTitles(team.owner), [last]);
  });

  it('can be set only by owners of the team', async () => {
    const team = await setUpTeam();
    const path = `/teams/${team.teamId}/members/${team.member.userId}/limit`;
    assert.equal((await team.member.request('PUT', path, { monthlyCredits: 5 })).status, 403);
    const other = await setUpTeam();
    assert.equal((await other.owner.request('PUT', path, { monthlyCredits: 5 })).status, 404);
    assert.equal((await team.owner.request('PUT', path, { monthlyCredits: -1 })).status, 400);
  });

  it('counts the rows of a batch, which stops at it', async () => {
    const team = await setUpTeam();
    const workflow = await team.createWorkflow(team.member, {
      nodes: [node('text', 'input:text'), modelNode('m')],
      edges: [edge('text.text > m.prompt')],
    });
    await team.setLimit(2 * PRICE);
    const created = await team.member.request<{
      batchId: string;
      estimate: { meta: { warnings: string[] } };
    }>('POST', `/workflows/${workflow}/batches`, {
      rows: ['x', 'y', 'z'].map(prompt => ({ inputs: { text: `batch ${prompt}` } })),
    });
    assert.match(JSON.stringify(created.body), /The batch needs 9 credits, but 0 of the 6 credits/);
    await waitUntil('the batch to stop', async () => {
      const { body } = await team.member.request('GET', `/batches/${created.body.batchId}`);
      return body.status === 'STOPPED' && body.reason === 'member_limit_exceeded';
    });
  });
});

describe('the monthly limit of an API key', () => {
  it('holds over all workspaces, for parallel runs in two processes', async () => {
    const team = await setUpTeam();
    const user = (await paid.newUser(1000)) as TestUser;
    await insertMember(paid.service.db, team.teamId, user.userId, 'EDITOR');
    const created = await user.request<{ id: string; key: string; monthlyCredits: number }>('POST', '/keys', {
      name: 'limited',
      scopes: ['workflows:execute'],
      monthlyCredits: 5 * PRICE + 2,
    });
    assert.deepEqual([created.status, created.body.monthlyCredits], [201, 5 * PRICE + 2]);
    const workflows = [
      await user.createWorkflow(modelGraph({ prompt: 'personal' })),
      await team.createWorkflow(user, modelGraph({ prompt: 'of the team' })),
    ];
    const another = await paid.service.startAnother();
    try {
      const clients = [paid.service.withKey(created.body.key), createClient(another.url, created.body.key)];
      const responses = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          start(clients[index % 2] as Client, workflows[Math.floor(index / 2) % 2] ?? ''),
        ),
      );
      assert.equal(responses.filter(({ status }) => status === 202).length, 5);
      const codes = new Set(responses.flatMap(({ status, body }) => (status === 202 ? [] : [body.code])));
      assert.deepEqual([...codes], ['key_limit_exceeded']);
      for (const { status, body } of responses)
        if (status === 202) await user.waitForStatus(body.executionId, 'COMPLETED');
    } finally {
      await another.close();
    }
    // Runs with another key do not count.
    assert.equal((await start(user, workflows[0] ?? '')).status, 202);
    const changed = await user.request('PATCH', `/keys/${created.body.id}`, { monthlyCredits: null });
    assert.deepEqual(
      [changed.status, changed.body.name, changed.body.monthlyCredits],
      [200, 'limited', null],
    );
    assert.equal((await start(paid.service.withKey(created.body.key), workflows[0] ?? '')).status, 202);
  });

  it('cannot be changed or evaded by the key itself', async () => {
    const user = (await paid.newUser(100)) as TestUser;
    const { body } = await user.request<{ id: string; key: string }>('POST', '/keys', {
      name: 'admin',
      scopes: ['account:admin'],
      monthlyCredits: 5,
    });
    const limited = paid.service.withKey(body.key);
    const raise = await limited.request('PATCH', `/keys/${body.id}`, { monthlyCredits: 500 });
    assert.deepEqual([raise.status, raise.body.code], [403, 'forbidden']);
    const other = await limited.request('POST', '/keys', { name: 'other', scopes: ['account:admin'] });
    assert.deepEqual([other.status, other.body.code], [403, 'forbidden']);
    assert.equal((await limited.request('PATCH', `/keys/${body.id}`, { name: 'renamed' })).status, 200);
  });
});
