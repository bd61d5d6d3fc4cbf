// Credits over HTTP: the caller's own pool, the operator's grants.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestApp, type TestApp } from '../../support/app.ts';

describe('credits', () => {
  let test: TestApp;
  before(async () => {
    test = await createTestApp();
  });
  after(() => test.close());

  it('shows a new user an empty pool', async () => {
    const user = await test.createCaller();
    const { status, body } = await user.request('GET', '/credits');
    assert.equal(status, 200);
    assert.deepEqual(body, { teamId: null, balance: 0, held: 0, entries: [], nextCursor: null });
  });

  it('lets the operator grant, and shows the grant to its owner alone', async () => {
    const operator = await test.createCaller();
    const user = await test.createCaller({ scopes: ['account:admin'] });
    const granted = await operator.request('POST', '/admin/credits', {
      userId: user.userId,
      amount: 250,
      note: 'welcome',
    });
    assert.equal(granted.status, 200);
    assert.equal(granted.body.balance, 250);
    const mine = await user.request<{ balance: number; entries: { kind: string; note: string }[] }>(
      'GET',
      '/credits',
    );
    assert.equal(mine.body.balance, 250);
    assert.deepEqual(
      mine.body.entries.map(({ kind, note }) => [kind, note]),
      [['grant', 'welcome']],
    );
    assert.equal((await operator.request('GET', '/credits')).body.balance, 0);
  });

  it('pages through the ledger', async () => {
    const user = await test.createCaller();
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

  it('gives a team a pool of its own', async () => {
    const operator = await test.createCaller();
    const team = await operator.request<{ id: string }>('POST', '/teams', { name: 'studio' });
    await operator.request('POST', '/admin/credits', { teamId: team.body.id, amount: 70, note: 'team' });
    assert.equal((await operator.request('GET', '/credits')).body.balance, 0);
    await operator.request('PUT', '/me/workspace', { teamId: team.body.id });
    assert.equal((await operator.request('GET', '/credits')).body.balance, 70);
  });

  it('400: names nobody, or both, or an amount that is no whole number, or none', async () => {
    const operator = await test.createCaller();
    for (const body of [
      { amount: 1, note: 'n' },
      { userId: operator.userId, teamId: 'team_x', amount: 1, note: 'n' },
      { userId: operator.userId, amount: 0.5, note: 'n' },
      { userId: operator.userId, amount: 0, note: 'n' },
      { userId: operator.userId, amount: 1 },
    ]) {
      assert.equal(
        (await operator.request('POST', '/admin/credits', body)).status,
        400,
        JSON.stringify(body),
      );
    }
  });

  it('401: a key without the scope; 404: an unknown user or team; 409: taking back more than there is', async () => {
    const operator = await test.createCaller();
    const user = await test.createCaller({ scopes: ['workflows:read', 'workflows:execute'] });
    const grant = { userId: user.userId, amount: 1, note: 'n' };
    assert.equal((await user.request('POST', '/admin/credits', grant)).body.code, 'insufficient_scope');
    assert.equal(
      (await operator.request('POST', '/admin/credits', { ...grant, userId: 999_999 })).status,
      404,
    );
    assert.equal(
      (await operator.request('POST', '/admin/credits', { teamId: 'team_none', amount: 1, note: 'n' }))
        .status,
      404,
    );
    assert.equal((await operator.request('POST', '/admin/credits', { ...grant, amount: -1 })).status, 409);
  });
});
