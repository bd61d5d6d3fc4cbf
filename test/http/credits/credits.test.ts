// Tests credits over HTTP: the caller's balance and ledger, and grants by administrators.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestApp, openTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, createWorkflow } from '../../support/workflows.ts';

describe('GET /credits and POST /admin/credits', () => {
  let test: TestApp;
  before(async () => {
    test = await openTestApp();
  });
  after(() => test.close());

  it('GET returns a balance of 0 for a new user', async () => {
    const user = await test.createUser();
    const { status, body } = await user.request('GET', '/credits');
    assert.equal(status, 200);
    assert.deepEqual(body, {
      teamId: null,
      balance: 0,
      held: 0,
      own: { monthlyCredits: null, spentThisMonth: 0 },
      entries: [],
      nextCursor: null,
    });
  });

  it('POST grants credits to a user', async () => {
    const admin = await test.createUser();
    const user = await test.createUser({ scopes: ['account:admin'] });
    const grant = await admin.request('POST', '/admin/credits', {
      userId: user.userId,
      amount: 250,
      note: 'welcome',
    });
    assert.equal(grant.status, 200);
    assert.equal(grant.body.balance, 250);
    const credits = await user.request<{ balance: number; entries: { kind: string; note: string }[] }>(
      'GET',
      '/credits',
    );
    assert.equal(credits.body.balance, 250);
    assert.deepEqual(
      credits.body.entries.map(({ kind, note }) => [kind, note]),
      [['grant', 'welcome']],
    );
    assert.equal((await admin.request('GET', '/credits')).body.balance, 0);
  });

  it('GET pages through the ledger', async () => {
    const user = await test.createUser();
    for (const amount of [1, 2, 3])
      await user.request('POST', '/admin/credits', { userId: user.userId, amount, note: 'n' });
    type Entries = { entries: { amount: number }[]; nextCursor: string | null };
    const first = await user.request<Entries>('GET', '/credits?limit=2');
    const second = await user.request<Entries>('GET', `/credits?limit=2&cursor=${first.body.nextCursor}`);
    assert.deepEqual(
      [...first.body.entries, ...second.body.entries].map(entry => entry.amount),
      [3, 2, 1],
    );
    assert.equal(second.body.nextCursor, null);
  });

  it('POST grants credits to a team', async () => {
    const admin = await test.createUser();
    const team = await admin.request<{ id: string }>('POST', '/teams', { name: 'studio' });
    await admin.request('POST', '/admin/credits', { teamId: team.body.id, amount: 70, note: 'team' });
    assert.equal((await admin.request('GET', '/credits')).body.balance, 0);
    await admin.request('PUT', '/me/workspace', { teamId: team.body.id });
    assert.equal((await admin.request('GET', '/credits')).body.balance, 70);
  });

  it('POST returns 400 for an invalid account, amount or note', async () => {
    const admin = await test.createUser();
    for (const body of [
      { amount: 1, note: 'n' },
      { userId: admin.userId, teamId: 'team_x', amount: 1, note: 'n' },
      { userId: admin.userId, amount: 0.5, note: 'n' },
      { userId: admin.userId, amount: 0, note: 'n' },
      { userId: admin.userId, amount: 1 },
    ]) {
      assert.equal((await admin.request('POST', '/admin/credits', body)).status, 400, JSON.stringify(body));
    }
  });

  it('POST returns insufficient_scope without instance:admin', async () => {
    const user = await test.createUser({ scopes: ['workflows:read', 'workflows:execute'] });
    const response = await user.request('POST', '/admin/credits', {
      userId: user.userId,
      amount: 1,
      note: 'n',
    });
    assert.equal(response.body.code, 'insufficient_scope');
  });

  it('POST returns 404 for an unknown user or team', async () => {
    const admin = await test.createUser();
    for (const account of [{ userId: 999_999 }, { teamId: 'team_none' }]) {
      const grant = { ...account, amount: 1, note: 'n' };
      assert.equal((await admin.request('POST', '/admin/credits', grant)).status, 404);
    }
  });

  it('POST returns 409 for a revocation of more than the balance', async () => {
    const admin = await test.createUser();
    const revocation = { userId: admin.userId, amount: -1, note: 'n' };
    assert.equal((await admin.request('POST', '/admin/credits', revocation)).status, 409);
  });
});

describe('GET /credits/spending and GET /credits/budgets', () => {
  const nowMs = Date.parse('2026-03-10T12:00:00Z');
  let test: TestApp;
  before(async () => {
    test = await createTestApp({ now: () => nowMs });
  });
  after(() => test.close());

  const insertCharge = (
    workspace: string,
    createdAt: string,
    amount: number,
    nodeType: string | null,
    workflowId = 'wf_x',
  ) =>
    test.deps.db.query(
      `insert into credit_entries (workspace, kind, amount, workflow_id, node_type, created_at)
       values ($1, 'charge', $2, $3, $4, $5)`,
      [workspace, amount, workflowId, nodeType, createdAt],
    );

  it('spending sums up charges of the active workspace by UTC day, model and workflow', async () => {
    const caller = await test.createUser();
    const { id } = await createWorkflow(caller);
    const ownWorkspace = `user:${caller.userId}`;
    await insertCharge(ownWorkspace, '2026-03-10T00:00:00Z', 5, 'generate:sandbox', id);
    await insertCharge(ownWorkspace, '2026-03-09T23:59:59.999Z', 2, 'generate:sandbox');
    await insertCharge(ownWorkspace, '2026-03-08T00:00:00Z', 4, 'video:gone');
    await insertCharge(ownWorkspace, '2026-03-07T23:59:59.999Z', 100, null);
    await insertCharge('user:0', '2026-03-10T00:00:00Z', 100, null);
    const threeDays = await caller.request('GET', '/credits/spending?days=3');
    assert.deepEqual(threeDays.body, {
      teamId: null,
      from: '2026-03-08',
      to: '2026-03-10',
      total: 11,
      days: [
        { date: '2026-03-08', credits: 4 },
        { date: '2026-03-09', credits: 2 },
        { date: '2026-03-10', credits: 5 },
      ],
      models: [
        { nodeType: 'generate:sandbox', label: 'Sandbox image', credits: 7, charges: 2 },
        { nodeType: 'video:gone', label: null, credits: 4, charges: 1 },
      ],
      workflows: [
        { id: 'wf_x', name: null, credits: 6 },
        { id, name: 'W', credits: 5 },
      ],
      credentials: [],
    });
    const month = await caller.request<{ days: object[]; total: number }>('GET', '/credits/spending');
    assert.deepEqual([month.body.days.length, month.body.total], [30, 111]);
    const team = (await caller.request<{ id: string }>('POST', '/teams', { name: 'T' })).body.id;
    await caller.request('PUT', '/me/workspace', { teamId: team });
    const teamSpending = await caller.request('GET', '/credits/spending?days=1');
    assert.deepEqual(
      [teamSpending.body.teamId, teamSpending.body.total, teamSpending.body.models],
      [team, 0, []],
    );
    for (const days of ['0', '367', '1.5', 'x', ''])
      assertRefused(await caller.request('GET', `/credits/spending?days=${days}`), 400, 'invalid_request');
  });

  it('budgets lists the budgets of the active workspace with the spending of today', async () => {
    const caller = await test.createUser();
    const [first, second] = [await createWorkflow(caller), await createWorkflow(caller)];
    await createWorkflow(caller);
    for (const { id } of [first, second])
      await caller.request('PUT', `/workflows/${id}/budget`, { dailyCreditBudget: 50 });
    await test.deps.db.query(
      `insert into run_credits (execution_id, workspace, workflow_id, estimated, held, charged)
       values ('ex_budget', $1, $2, 9, 4, 5)`,
      [`user:${caller.userId}`, first.id],
    );
    const { body } = await caller.request('GET', '/credits/budgets');
    const createBudget = (id: string, spentToday: number) => ({
      workflowId: id,
      name: 'W',
      dailyCreditBudget: 50,
      spentToday,
    });
    // Sorted by id, because entries of the same millisecond have no defined order.
    const budgets = [createBudget(first.id, 9), createBudget(second.id, 0)].sort((a, b) =>
      a.workflowId < b.workflowId ? -1 : 1,
    );
    assert.deepEqual(body, { data: budgets, nextCursor: null });
  });
});
