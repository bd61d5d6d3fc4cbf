// Tests the report of spending: its groups, names, filters, periods and CSV files.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { insertMember } from '../../../src/store/teams.ts';
import type { Client, TestUser } from '../../support/client.ts';
import { createPaidTeam, MODEL, modelGraph, PRICE, setUpPaidService } from '../../support/credits/paid.ts';

const paid = setUpPaidService();

interface Report {
  readonly code?: string;
  readonly total: { readonly credits: number; readonly calls: number; readonly runs: number };
  readonly data: readonly { readonly key: string | null; readonly label: string; readonly credits: number }[];
  readonly others: { readonly credits: number };
  readonly days: readonly { readonly date: string; readonly credits: number }[];
}

const read = async (user: Client, query: string): Promise<Report> => {
  const { status, body } = await user.request<Report>('GET', `/credits/spending?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

/** Runs a workflow of a team as its owner with two keys, and as a member. */
async function setUpSpending() {
  const owner = (await paid.newUser(0)) as TestUser;
  const member = (await paid.newUser(0)) as TestUser;
  const { teamId, folderId } = await createPaidTeam(paid, owner, 1000);
  await insertMember(paid.service.db, teamId, member.userId, 'EDITOR');
  await owner.request('PUT', '/me/workspace', { teamId });
  const created = await owner.request<{ id: string; key: string }>('POST', '/keys', {
    name: '=HYPERLINK("http://example.com")',
    scopes: ['workflows:execute'],
  });
  const runs: readonly (readonly [string, Client])[] = [
    ['owner', owner],
    ['key', paid.service.withKey(created.body.key)],
    ['member', member],
  ];
  const ids: string[] = [];
  for (const [name, client] of runs) {
    const id = await owner.createWorkflow(modelGraph({ prompt: `${teamId} ${name}` }));
    await owner.request('PUT', `/workflows/${id}`, { folderId });
    const execution = await client.runWorkflow(id);
    assert.equal(execution.status, 'COMPLETED');
    ids.push(id);
  }
  return { owner, member, teamId, keyId: created.body.id, workflowIds: ids };
}

describe('the report of spending', () => {
  it('says who spent what, on which model, with whose key', async () => {
    const { owner, member, teamId, keyId, workflowIds } = await setUpSpending();
    const list = async (query: string) =>
      (await read(owner, query)).data.map(({ key, label, credits }) => [key, label, credits]);
    const me = await owner.request<{ name: string }>('GET', '/me');
    assert.deepEqual(await list('groupBy=team'), [[teamId, 'Studio', 3 * PRICE]]);
    assert.deepEqual((await list('groupBy=member'))[0], [String(owner.userId), me.body.name, 2 * PRICE]);
    assert.deepEqual(await list('groupBy=provider'), [['fal', 'fal', 3 * PRICE]]);
    assert.deepEqual(await list('groupBy=credential'), [
      ['cred_environment_fal', 'fal key of the instance', 3 * PRICE],
    ]);
    const [model] = await list('groupBy=model');
    assert.deepEqual([model?.[0], model?.[2]], [MODEL, 3 * PRICE]);
    const keys = await list('groupBy=key');
    assert.deepEqual(
      keys.map(([, , credits]) => credits),
      [PRICE, PRICE, PRICE],
    );
    assert.match(String(keys.find(([key]) => key === keyId)?.[1]), /^=HYPERLINK/);
    const byKey = await read(owner, `groupBy=workflow&key=${keyId}`);
    assert.deepEqual(
      byKey.data.map(({ key, credits }) => [key, credits]),
      [[workflowIds[1], PRICE]],
    );
    assert.deepEqual(await list(`groupBy=provider&member=${member.userId}`), [['fal', 'fal', PRICE]]);
    assert.deepEqual(await list('groupBy=model&key=none'), []);
    const limited = await read(owner, 'groupBy=key&limit=1');
    assert.deepEqual([limited.data.length, limited.others.credits], [1, 2 * PRICE]);
    assert.deepEqual(limited.total, { credits: 3 * PRICE, usd: 0, calls: 3, runs: 3 });
    assert.equal(
      limited.days.reduce((sum, { credits }) => sum + credits, 0),
      3 * PRICE,
    );
    const { body } = await paid.service.request<Report>(
      'GET',
      `/admin/spending?groupBy=member&team=${teamId}`,
    );
    assert.deepEqual(body.total, limited.total);
    // Without a group, the response is as before.
    const { body: before } = await owner.request('GET', '/credits/spending?days=3');
    assert.deepEqual([before.total, (before.days as unknown[]).length], [3 * PRICE, 3]);
  });

  it('names what was deleted', async () => {
    const { owner, teamId, keyId, workflowIds } = await setUpSpending();
    await owner.request('DELETE', `/workflows/${workflowIds[0]}`);
    await owner.request('DELETE', `/keys/${keyId}`);
    const list = async (query: string) => (await read(owner, query)).data.map(({ label }) => label);
    assert.ok((await list('groupBy=workflow')).some(label => label.endsWith('(deleted)')));
    assert.ok((await list('groupBy=key')).some(label => label.endsWith('(deleted)')));
    await paid.service.db.query('delete from api_keys where id = $1', [keyId]);
    await paid.service.db.query(
      'update credit_entries set user_id = null where execution_id = (select max(execution_id) from credit_entries where workspace = $1)',
      [teamId],
    );
    assert.ok((await list('groupBy=key')).includes('Deleted API key'));
    const unrecorded = await read(owner, 'groupBy=member&member=null');
    assert.deepEqual(
      unrecorded.data.map(({ key, label, credits }) => [key, label, credits]),
      [[null, 'Not recorded', PRICE]],
    );
  });

  it('is a CSV file whose cells no spreadsheet computes', async () => {
    const { owner } = await setUpSpending();
    const response = await fetch(`${paid.service.url}/api/v1/credits/spending?groupBy=key&format=csv`, {
      headers: { authorization: `Bearer ${owner.key}` },
    });
    assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(
      response.headers.get('content-disposition') ?? '',
      /^attachment; filename="spending-by-key-/,
    );
    const lines = (await response.text()).trimEnd().split('\r\n');
    assert.equal(lines[0], 'key,label,credits,usd,calls,runs');
    assert.equal(lines.length, 4);
    assert.ok(
      lines.some(line => line.includes(`,"'=HYPERLINK(`)),
      lines.join('\n'),
    );
  });

  it('refuses invalid periods and groups, and callers who are not administrators', async () => {
    const user = await paid.newUser(0);
    for (const [query, message] of [
      ['groupBy=model&from=2026-02-01&to=2026-01-01', /to must not be before from/],
      ['groupBy=model&from=2024-01-01&to=2026-01-01', /at most 366 days/],
      ['groupBy=model&from=yesterday', /from/],
      ['groupBy=color', /groupBy/],
    ] as const) {
      const { status, body } = await user.request('GET', `/credits/spending?${query}`);
      assert.deepEqual([query, status], [query, 400]);
      assert.match(String(body.error), message);
    }
    assert.equal((await user.request('GET', '/admin/spending')).status, 401);
  });
});
