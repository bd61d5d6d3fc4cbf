// Tests that an app is out of order while the account of the user who saved it is disabled, also for pages that embed it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, it } from 'node:test';
import { encrypt } from '../../src/lib/crypto.ts';
import { insertMember, insertTeam } from '../../src/store/teams.ts';
import { type ApiUser, createTestApp, type TestApp } from '../support/app.ts';
import { createEmbedKey, signVisitor } from '../support/apps/visitors.ts';
import { createWorkflow, edge, node } from '../support/workflows.ts';

const TEAM = `team_${'0'.repeat(26)}`;
const GRAPH = {
  nodes: [
    node('text', 'input:text', { value: 'Oslo' }),
    node('picture', 'input:image'),
    node('out', 'output:preview'),
  ],
  edges: [edge('text.text > out.input')],
};
const APP = {
  slug: 'frame',
  title: 'Frame',
  inputs: [{ nodeId: 'text' }, { nodeId: 'picture' }],
  outputs: ['out'],
  audience: 'signed_in',
};

let test: TestApp;
let admin: ApiUser;
/** The owners of the team. Ana saves the app. */
let ana: ApiUser;
let ben: ApiUser;
let path: string;
let embedKey: string;
before(async () => {
  test = await createTestApp();
  [admin, ana, ben] = [await test.createUser(), await test.createUser(), await test.createUser()];
  await insertTeam(test.deps.db, { id: TEAM, name: 'Team' });
  for (const { userId } of [ana, ben]) await insertMember(test.deps.db, TEAM, userId, 'OWNER');
  const { id } = await createWorkflow(ana, GRAPH);
  const { body: folder } = await ana.request('POST', '/folders', { name: 'F', teamId: TEAM });
  assert.equal((await ana.request('PUT', `/workflows/${id}`, { folderId: folder.id })).status, 200);
  path = `/workflows/${id}/app`;
  assert.equal((await ana.request('PUT', path, APP)).status, 200);
  embedKey = await createEmbedKey(ana, id);
});
after(() => test.close());

/** Sends a request of a visitor for whom an embedding page vouches. */
async function send(method: 'GET' | 'POST', url: string, body?: object) {
  const token = await signVisitor(embedKey, APP.slug);
  const response = await test.app.inject({
    method,
    url,
    headers: { 'x-app-visitor': token, accept: 'application/json' },
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: response.statusCode, text: response.body, body: response.json() };
}
const upload = (): Promise<{ status: number }> =>
  test.app
    .inject({
      method: 'POST',
      url: `/api/v1/apps/${APP.slug}/media`,
      headers: { authorization: `Bearer ${ben.key}`, 'content-type': 'multipart/form-data; boundary=x' },
      payload: '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\na\r\n--x--\r\n',
    })
    .then(({ statusCode }) => ({ status: statusCode }));

const setDisabled = async (disabled: boolean): Promise<void> => {
  const { status } = await admin.request('PATCH', `/admin/users/${ana.userId}`, { disabled });
  assert.equal(status, 200);
};
const run = () => send('POST', `/api/v1/apps/${APP.slug}/run`, { inputs: {} });

it('runs and takes no files until another owner saves it or the account is enabled', async () => {
  assert.equal((await send('GET', `/api/v1/apps/${APP.slug}`)).body.isOutOfOrder, false);
  assert.equal((await run()).status, 202);
  assert.equal((await upload()).status, 415, 'the file is no picture');
  await setDisabled(true);
  assert.equal((await send('GET', `/api/v1/apps/${APP.slug}`)).body.isOutOfOrder, true);
  const refused = await run();
  assert.deepEqual([refused.status, refused.body.code], [503, 'app_out_of_order']);
  assert.ok(!refused.text.includes('account'), 'visitors do not learn why');
  assert.equal((await upload()).status, 404);
  const { body } = await ben.request<{ issues: { code: string }[] }>('GET', path);
  assert.deepEqual(
    body.issues.map(({ code }) => code),
    ['account_disabled'],
  );
  const { body: notices } = await ben.request<{ data: { kind: string; text: string }[] }>('GET', '/notices');
  assert.match(notices.data.find(({ kind }) => kind === 'app_out_of_order')?.text ?? '', /is disabled/);
  await setDisabled(false);
  assert.equal((await run()).status, 202);
  await setDisabled(true);
  assert.equal((await ben.request('PUT', path, APP)).status, 200);
  assert.equal((await run()).status, 202, 'it runs as Ben now');
});

it('refuses tokens if the service can no longer read the embed key', async () => {
  await test.deps.db.query('update apps set embed_key = $1', [encrypt(randomBytes(32), embedKey)]);
  const { status, body } = await run();
  assert.deepEqual([status, body.code], [401, 'unauthorized']);
});
