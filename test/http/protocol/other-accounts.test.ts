// Sends requests to every route with an id in its path as a user with all scopes except instance:admin. Requests for
// resources of another account return 403 or 404, lists are empty, and nothing changes.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { SCOPES } from '../../../src/services/accounts/actor.ts';
import { storeKey } from '../../../src/services/accounts/keys.ts';
import { openApprovals } from '../../../src/store/approvals.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { listRoutes, type Route } from '../../support/http/routes.ts';
import { createWorkflow, PAIR } from '../../support/workflows.ts';

const V1 = '/api/v1';

let test: TestApp;
let owner: ApiUser;
let otherUser: ApiUser;
let routes: readonly Route[];
/** The owner's ids by the first segment of the path. */
const ownIds: Record<string, string> = {};
before(async () => {
  test = await openTestApp();
  routes = await listRoutes(test.app);
  owner = await test.createUser();
  otherUser = await test.createUser({ scopes: SCOPES.filter(scope => scope !== 'instance:admin') });
  ownIds.workflows = (await createWorkflow(owner)).id;
  // The workflow is not published as a template.
  ownIds.templates = ownIds.workflows;
  const run = await owner.request<{ executionId: string }>('POST', `/workflows/${ownIds.workflows}/run`, {});
  ownIds.executions = run.body.executionId;
  ownIds.approvals = newId('approval');
  await openApprovals(test.deps.db, [
    {
      id: ownIds.approvals,
      execution_id: ownIds.executions,
      node_id: '1',
      workflow_id: String(ownIds.workflows),
      workspace: `user:${owner.userId}`,
      user_id: Number(owner.userId),
      label: 'Ask',
      request: JSON.stringify({ assignees: [] }),
      value: JSON.stringify({ type: 'TEXT', items: [], truncated: false }),
      created_at: new Date(),
      expires_at: new Date(Date.now() + 60_000),
    },
  ]);
  for (const noun of ['folders', 'teams'])
    ownIds[noun] = String((await owner.request('POST', `/${noun}`, { name: noun })).body.id);
  const invitation = { email: 'invited@example.com', role: 'OWNER' };
  const invitations = `/teams/${ownIds.teams}/invitations`;
  ownIds.invitations = String((await owner.request('POST', invitations, invitation)).body.id);
  const key = { name: 'K', scopes: ['workflows:read'] };
  ownIds.keys = String((await owner.request('POST', '/keys', key)).body.id);
  const png = await owner.request<{ mediaId: string }>('POST', '/media/upload', {
    dataUrl:
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  });
  ownIds.media = png.body.mediaId;
  const app = { slug: 'own', title: 'Own', inputs: [], outputs: ['b'] };
  await owner.request('PUT', `/workflows/${ownIds.workflows}/app`, app);
  const rows = [{ inputs: {} }];
  const batches = `/workflows/${ownIds.workflows}/batches`;
  ownIds.batches = (await owner.request<{ batchId: string }>('POST', batches, { rows })).body.batchId;
  const schedule = { cron: '0 0 1 1 *' };
  ownIds.schedules = String(
    (await owner.request('POST', `/workflows/${ownIds.workflows}/schedules`, schedule)).body.id,
  );
  const triggers = `/workflows/${ownIds.workflows}/triggers`;
  ownIds.triggers = String((await owner.request('POST', triggers, { kind: 'hook' })).body.id);
  ownIds.collections = String((await owner.request('POST', '/collections', { name: 'Own' })).body.id);
  const table = await test.app.inject({
    method: 'POST',
    url: `${V1}/tables`,
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'text/csv' },
    payload: 'a\n1\n',
  });
  ownIds.tables = table.json<{ tableId: string }>().tableId;
  const values = { apiKey: 'sk-nobody-0123456789' };
  const credential = { kind: 'openai', name: 'K', owner: 'workspace', values };
  ownIds.credentials = String((await owner.request('POST', '/credentials', credential)).body.id);
});
after(() => test.close());

/** Returns the first segment of a path that has an id after it. */
const getNoun = (path: string): string | undefined =>
  new RegExp(`^${V1}/([a-z]+)/:(?:id|mediaId)`).exec(path)?.[1];
const fillParameters = (path: string, id: string): string =>
  path
    .slice(V1.length)
    .replace(/:(?:id|mediaId)/, id)
    .replace(/:(?:userId|person)/, String(owner.userId))
    .replaceAll(/:\w+/g, '1');

/** Valid bodies, for routes that check the body before the resource. */
const BODIES: Readonly<Record<string, unknown>> = {
  [`PUT ${V1}/workflows/:id`]: { name: 'Taken' },
  [`POST ${V1}/workflows/:id/edit`]: { operations: [{ op: 'remove_node', nodeId: 'a' }] },
  [`POST ${V1}/workflows/:id/visibility`]: { linkPermission: 'DUPLICATE' },
  [`POST ${V1}/workflows/:id/publish`]: { isPublished: true },
  [`PUT ${V1}/workflows/:id/budget`]: { dailyCreditBudget: 1 },
  [`PUT ${V1}/workflows/:id/permissions`]: { userId: 1, role: 'OWNER' },
  [`PUT ${V1}/workflows/:id/selection`]: { nodeIds: ['a'] },
  [`PATCH ${V1}/folders/:id`]: { name: 'Taken' },
  [`PATCH ${V1}/collections/:id`]: { name: 'Taken' },
  [`PATCH ${V1}/teams/:id`]: { name: 'Taken' },
  [`POST ${V1}/teams/:id/members`]: { userId: 1, role: 'OWNER' },
  [`PATCH ${V1}/teams/:id/members/:userId`]: { role: 'VIEWER' },
  [`PUT ${V1}/teams/:id/members/:userId/limit`]: { monthlyCredits: 1 },
  [`PUT ${V1}/teams/:id/policy`]: { providers: null, models: { allow: null, deny: [] } },
  [`POST ${V1}/teams/:id/invitations`]: { email: 'stranger@example.com', role: 'OWNER' },
  [`PATCH ${V1}/keys/:id`]: { name: 'Taken' },
  [`POST ${V1}/executions/:id/approvals/:nodeId`]: { decision: 'approve' },
  [`POST ${V1}/approvals/:id/link`]: { email: 'stranger@example.com' },
  [`PATCH ${V1}/batches/:id/rows/:row`]: { rating: 1 },
  [`PUT ${V1}/workflows/:id/app`]: { slug: 'taken', title: 'Taken', inputs: [], outputs: ['b'] },
  [`PATCH ${V1}/credentials/:id`]: { name: 'Taken' },
  [`POST ${V1}/workflows/:id/triggers`]: { kind: 'hook' },
  [`PATCH ${V1}/triggers/:id`]: { name: 'Taken' },
  [`POST ${V1}/workflows/:id/callers/update`]: { version: 1 },
  [`POST ${V1}/workflows/:id/batches`]: { rows: [{ inputs: {} }] },
  [`POST ${V1}/workflows/:id/schedules`]: { cron: '0 0 1 1 *' },
  [`PATCH ${V1}/schedules/:id`]: { name: 'Taken' },
  [`POST ${V1}/schedules/:id/backfill`]: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
};

async function readTables(): Promise<string> {
  const tables = [
    'workflows',
    'workflow_versions',
    'executions',
    'folders',
    'teams',
    'workflow_permissions',
    'workflow_email_shares',
    'team_members',
    'team_invitations',
    'media',
    'api_keys',
    'batches',
    'approvals',
    'batch_rows',
    'schedules',
    'firings',
    'credentials',
    'media_collections',
    'apps',
  ];
  const texts = tables.map(async table => {
    const { rows } = await test.deps.db.query<{ text: string }>(
      `select coalesce(json_agg(t order by t::text), '[]')::text as text from ${table} t`,
    );
    return rows[0]?.text;
  });
  // The last use of an API key may change.
  return (await Promise.all(texts)).join('\n').replaceAll(/"last_used_at":"?[^,}]*/g, '');
}

describe('a user of another account', () => {
  it('can neither read nor change any resource of the account', async () => {
    const resourceRoutes = routes.filter(
      ({ path, access }) => getNoun(path) !== undefined && access !== 'public' && access !== 'instance:admin',
    );
    assert.ok(resourceRoutes.length >= 40, `${resourceRoutes.length} routes`);
    const tablesBefore = await readTables();
    for (const { name, method, path } of resourceRoutes) {
      const noun = getNoun(path) ?? '';
      assert.ok(ownIds[noun] !== undefined || noun === 'connections', `${name}: this test has no ${noun}`);
      const id = ownIds[noun] ?? 'x';
      const response = await otherUser.request(method, fillParameters(path, id), BODIES[name] ?? {});
      assert.ok(
        [403, 404].includes(response.status),
        `${name}: ${response.status} ${JSON.stringify(response.body)}`,
      );
      assert.doesNotMatch(JSON.stringify(response.body), /"(?:nodes|email|hash|secret)"/, name);
    }
    assert.equal(await readTables(), tablesBefore);
  });

  it('finds no resources of the account in lists', async () => {
    const accounts = ['teams', 'invitations', 'keys', 'credits', 'connections'];
    const lists = [
      'workflows',
      'executions',
      'folders',
      'media',
      'batches',
      'approvals',
      'schedules',
      'apps',
      'credentials',
      ...accounts,
    ];
    for (const list of lists) {
      const { status, body } = await otherUser.request('GET', `/${list}`);
      assert.equal(status, 200, list);
      for (const id of Object.values(ownIds))
        assert.ok(!JSON.stringify(body).includes(id), `${list} has ${id}`);
    }
  });

  it('cannot use workspaces of the account', async () => {
    const teamId = ownIds.teams;
    for (const [method, path, body] of [
      ['POST', '/workflows', { name: 'W', ...PAIR, folderId: ownIds.folders }],
      ['POST', '/folders', { name: 'F', teamId }],
      ['PUT', '/me/workspace', { teamId }],
      ['GET', `/workflows?teamId=${teamId}`, undefined],
      ['GET', `/executions?workflowId=${ownIds.workflows}`, undefined],
    ] as const) {
      const response = await otherUser.request(method, path, body);
      const isEmpty = response.status === 200 && !JSON.stringify(response.body).includes('_0');
      assert.ok(
        [403, 404].includes(response.status) || isEmpty,
        `${method} ${path}: ${JSON.stringify(response)}`,
      );
    }
  });
});

describe('an unknown, revoked or expired API key', () => {
  it('is rejected by every route that is not public', async () => {
    const { key, id } = (
      await owner.request<{ key: string; id: string }>('POST', '/keys', {
        name: 'Revoked',
        scopes: ['workflows:read'],
      })
    ).body;
    assert.equal((await owner.request('DELETE', `/keys/${id}`)).status, 200);
    const expiredKey = 'sk-test-expired-0123456789abcdef';
    const expiresAt = new Date(Date.now() - 1000);
    const { userId } = owner;
    await storeKey(test.deps.db, { userId, name: 'Expired', scopes: SCOPES, expiresAt, key: expiredKey });
    const invalidKeys = ['sk-0000000000000000000000000000000000000000', key, expiredKey];
    for (const { name, method, path, access } of routes) {
      if (['public', 'content-secret', 'agent', 'scim'].includes(access)) continue;
      for (const invalidKey of invalidKeys) {
        const response = await test.app.inject({
          method,
          url: path.replaceAll(/:\w+/g, '1'),
          headers: { authorization: `Bearer ${invalidKey}` },
        });
        assert.equal(response.statusCode, 401, `${name}: ${response.body.slice(0, 200)}`);
      }
    }
  });
});
