// Tests that a member without a second factor reads nothing of a team that requires one, by any GET route.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { insertNotice } from '../../../src/store/notices.ts';
import { insertMember, insertTeam } from '../../../src/store/teams.ts';
import { createPerson, type Person } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { node, PAIR } from '../../support/workflows.ts';

const TEAM = 'team_00000000000000000000000000';
/** In the name of everything that the team has. */
const NAME = 'Zebra';

let test: TestApp;
let owner: ApiUser;
let member: Person;
/** The ids of the team's rows, by the first segment of their path. */
let ids: Readonly<Record<string, readonly string[]>>;
before(async () => {
  test = await createTestApp({ env: { BASE_URL: 'http://localhost:3000' } });
  owner = await test.createUser();
  member = await createPerson(test, owner);
  await insertTeam(test.deps.db, { id: TEAM, name: 'Studio' });
  for (const { userId } of [owner, member]) await insertMember(test.deps.db, TEAM, userId, 'OWNER');
  ids = await fillTeam();
  await test.deps.db.query('update teams set requires_second_factor = true where id = $1', [TEAM]);
  test.deps.sessions.forgetUser(member.userId);
});
after(() => test.close());

async function create<B = { id: string }>(
  user: Pick<ApiUser, 'request'>,
  path: string,
  body: object,
): Promise<B> {
  const response = await user.request<B>('POST', path, body);
  assert.ok(response.status < 300, `${path} ${JSON.stringify(response.body)}`);
  return response.body;
}

async function fillTeam(): Promise<typeof ids> {
  for (const user of [owner, member]) await user.request('PUT', '/me/workspace', { teamId: TEAM });
  const folder = await create(member, '/folders', { name: NAME, teamId: TEAM });
  const workflows = [];
  const executions = [];
  for (const user of [owner, member]) {
    const { id } = await create(user, '/workflows', { name: NAME, ...PAIR });
    await user.request('PUT', `/workflows/${id}`, { folderId: folder.id });
    workflows.push(id);
    executions.push(
      (await create<{ executionId: string }>(member, `/workflows/${id}/execute`, {})).executionId,
    );
  }
  const [, own = ''] = workflows;
  const automation = { name: NAME, inputs: {} };
  const schedule = { ...automation, cron: '0 0 1 1 *', timeZone: 'UTC' };
  const schedules = [await create(member, `/workflows/${own}/schedules`, schedule)];
  const triggers = [await create(member, `/workflows/${own}/triggers`, { ...automation, kind: 'hook' })];
  const batch = await create<{ batchId: string }>(member, `/workflows/${own}/batches`, {
    rows: [{ inputs: {} }],
  });
  const app = { slug: 'zebra', title: NAME, inputs: [], outputs: ['b'] };
  const saved = await member.request('PUT', `/workflows/${own}/app`, app);
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  const collections = [await create(member, '/collections', { name: NAME })];
  await insertNotice(test.deps.db, {
    kind: 'schedule_paused',
    cause: 'sch_1',
    workspace: TEAM,
    userId: member.userId,
    title: NAME,
    text: NAME,
    link: null,
  });
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  return {
    workflows,
    flow: workflows,
    executions,
    schedules: idsOf(schedules),
    triggers: idsOf(triggers),
    batches: [batch.batchId],
    apps: ['zebra'],
    collections: idsOf(collections),
    folders: [folder.id],
    teams: [TEAM],
  };
}

/** Lists the addresses of the GET routes in the OpenAPI document, with the ids of the team's rows. */
async function listAddresses(): Promise<readonly string[]> {
  const { paths } = (await test.app.inject('/openapi.json')).json<{ paths: Record<string, object> }>();
  return Object.entries(paths)
    .filter(
      ([path, operations]) => 'get' in operations && !path.includes('/admin/') && !path.endsWith('/events'),
    )
    .flatMap(([path]) => {
      const [segment = ''] = path.replace('/api/v1', '').split('/').slice(1);
      return (ids[segment] ?? ['x']).map(id =>
        path
          .replace(/\{(id|slug|teamId)\}/, id)
          .replace('{nodeId}', 'b')
          .replace('{version}', '1')
          .replace('{userId}', String(member.userId))
          .replaceAll(/\{[^}]+\}/g, 'x'),
      );
    });
}

const read = async (url: string) => {
  const { statusCode, body } = await test.app.inject({ url, headers: { cookie: member.cookie } });
  return { statusCode, body };
};

describe('a member without the second factor that the team requires', () => {
  it('reads nothing of the team', async () => {
    const { workflows = [], executions = [] } = ids;
    const secrets = [NAME, ...workflows, ...executions];
    const addresses = await listAddresses();
    assert.ok(addresses.length > 90, `${addresses.length}`);
    for (const url of addresses) {
      const { statusCode, body } = await read(url);
      assert.ok(statusCode < 500, `${statusCode} ${url}`);
      const isOpen = statusCode < 300 && secrets.some(secret => body.includes(secret));
      assert.ok(!isOpen, `${statusCode} ${url} ${body.slice(0, 300)}`);
    }
    const search = await read(`/api/v1/executions?workflowId=${workflows[0]}`);
    assert.deepEqual([search.statusCode, JSON.parse(search.body).data], [200, []]);
    assert.equal((await read('/api/v1/nodes')).statusCode, 200);
  });

  it('cannot call a workflow of the team as a component', async () => {
    const [workflowId = ''] = ids.workflows ?? [];
    const nodes = [node('call', 'component:call', { workflowId })];
    const { status, body } = await member.request('POST', '/workflows', { name: 'W', nodes, edges: [] });
    assert.deepEqual([status, body.code], [403, 'component_forbidden']);
  });

  it('cannot make a key, which would need no factor', async () => {
    const key = { name: 'k', scopes: ['workflows:read'] };
    const { status, body } = await member.request('POST', '/keys', key);
    assert.deepEqual([status, body.code], [403, 'second_factor_required']);
  });

  it('cannot start, stop or delete its runs', async () => {
    const [id = ''] = ids.executions ?? [];
    const requests = [
      ['POST', `/executions/${id}/cancel`],
      ['POST', `/executions/${id}/resume`],
      ['DELETE', `/executions/${id}`],
      ['POST', `/workflows/${ids.workflows?.[0]}/execute`],
    ] as const;
    for (const [method, path] of requests)
      assert.equal((await member.request(method, path, {})).body.code, 'second_factor_required', path);
  });

  it('sees neither its credits nor the number of its notices', async () => {
    await test.deps.db.query(
      `insert into credit_pools (workspace, balance, held) values ($1, 77, 0) on conflict (workspace) do update set balance = 77`,
      [TEAM],
    );
    const session = await member.request('GET', '/auth/session');
    assert.deepEqual(session.body.credits, { balance: 0, held: 0 });
    const { rows } = await test.deps.db.query('select from notices where user_id = $1 and read_at is null', [
      member.userId,
    ]);
    assert.ok(rows.length > 0);
    assert.equal((await member.request('GET', '/notices')).body.unread, 0);
  });

  it('learns neither prices nor callers of its workflows', async () => {
    const [workflowId = ''] = ids.workflows ?? [];
    for (const path of [`/workflows/${workflowId}/estimate`, `/workflows/${workflowId}/batches/estimate`]) {
      const { body } = await member.request(
        'POST',
        path,
        path.includes('batches') ? { rows: [{ inputs: {} }] } : {},
      );
      assert.equal(body.code, 'second_factor_required', path);
    }
    await member.request('PUT', '/me/workspace', { teamId: null });
    const { id: component } = await create(member, '/workflows', { name: 'C', ...PAIR });
    await member.request('PATCH', `/workflows/${component}/visibility`, { linkPermission: 'DUPLICATE' });
    // The workflow of the team calls the component of the member.
    const calling = { nodes: [node('call', 'component:call', { workflowId: component })], edges: [] };
    await test.deps.db.query('update teams set requires_second_factor = false where id = $1', [TEAM]);
    test.deps.sessions.forgetUser(member.userId);
    const [folderId] = ids.folders ?? [];
    const { id: caller } = await create(member, '/workflows', { name: NAME, ...calling });
    const moved = await member.request('PUT', `/workflows/${caller}`, { folderId });
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    await test.deps.db.query('update teams set requires_second_factor = true where id = $1', [TEAM]);
    test.deps.sessions.forgetUser(member.userId);
    const updated = await member.request('POST', `/workflows/${component}/callers/update`, {
      version: 'latest',
      dryRun: true,
    });
    assert.deepEqual([updated.body.data, updated.body.hidden], [[], 1], JSON.stringify(updated.body));
    const refused = await member.request('DELETE', `/workflows/${component}`);
    assert.deepEqual(
      [refused.body.code, refused.body.callers, refused.body.hidden],
      ['component_in_use', [], 1],
    );
    assert.ok(!JSON.stringify(refused.body).includes(caller));
  });

  it('can leave it', async () => {
    const { status, body } = await member.request('DELETE', `/teams/${TEAM}/members/${member.userId}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await member.request('DELETE', `/teams/${TEAM}/members/${owner.userId}`)).status, 404);
  });
});
