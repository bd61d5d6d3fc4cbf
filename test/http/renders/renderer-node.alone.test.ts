// Tests the Video Editor in workflows over HTTP: ports are set when a workflow is saved, and templates can be private.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TEMPLATES } from '../../../src/render/templates/catalog.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { at, createWorkflow, edge, node, putWorkflow, readWorkflow } from '../../support/workflows.ts';

const TEAM = 'team_private';

let test: TestApp;
let owner: ApiUser;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphwright-templates-'));
  process.env.TEMPLATES_DIR = folder;
  // The service reads the folder at startup. In a new database, the first user has the id 1.
  await writeTemplate('for-user', { users: [1] });
  await writeTemplate('for-team', { teams: [TEAM] });
  test = await createTestApp();
  owner = await test.createUser();
  assert.equal(owner.userId, 1);
});
after(async () => {
  await test.close();
  await rm(folder, { recursive: true, force: true });
});

const writeTemplate = (id: string, allow: object): Promise<void> =>
  writeFile(join(folder, `${id}.json`), JSON.stringify({ ...TEMPLATES[0], id, allow }));
const createEditor = (config: object) => node('video', 'video:renderer', { ...config }, at(600, 0));
const text = node('text', 'input:text', { value: 'x' });
const listPortIds = (nodes: readonly { id: string; data: Record<string, unknown> }[]): readonly string[] => {
  const { inputs } = nodes.find(({ id }) => id === 'video')?.data ?? {};
  return (inputs as { id: string }[]).map(({ id }) => id);
};

describe('private video templates', () => {
  it('are listed only for the allowed users and teams', async () => {
    const [member, otherUser] = await test.createUsers(2);
    await test.deps.db.query(`insert into teams (id, name) values ($1, 'T')`, [TEAM]);
    await test.deps.db.query(`insert into team_members (team_id, user_id, role) values ($1, $2, 'VIEWER')`, [
      TEAM,
      member.userId,
    ]);
    const listPrivate = async (user: ApiUser) =>
      (await user.request<{ data: { id: string }[] }>('GET', '/renderer/templates')).body.data
        .map(({ id }) => id)
        .filter(id => id.startsWith('for-'));
    assert.deepEqual(await listPrivate(owner), ['for-user']);
    assert.deepEqual(await listPrivate(member), ['for-team']);
    assert.deepEqual(await listPrivate(otherUser), []);
    assert.equal((await otherUser.request('GET', '/renderer/templates/for-user')).status, 200);
    const fetchThumbnail = async (headers: Readonly<Record<string, string>>, id: string) => {
      const url = `/api/v1/renderer/templates/${id}/thumbnail`;
      const response = await test.app.inject({ url, headers });
      return [response.statusCode, response.headers['content-type'], response.headers['cache-control']];
    };
    const toHeaders = ({ key }: ApiUser) => ({ authorization: `Bearer ${key}` });
    const expected = [200, 'image/webp', 'private, no-cache'];
    const json = 'application/json; charset=utf-8';
    assert.deepEqual(await fetchThumbnail(toHeaders(owner), 'for-user'), expected);
    assert.deepEqual(await fetchThumbnail(toHeaders(member), 'for-team'), expected);
    assert.deepEqual((await fetchThumbnail({}, 'for-user')).slice(0, 2), [401, json]);
    assert.deepEqual((await fetchThumbnail(toHeaders(otherUser), 'for-user')).slice(0, 2), [403, json]);
    assert.deepEqual((await fetchThumbnail(toHeaders(owner), 'for-team')).slice(0, 2), [403, json]);
    assert.equal((await fetchThumbnail({}, 'quote-card'))[2], 'public, max-age=86400');
  });
});

describe('a workflow with a Video Editor', () => {
  it('stores the ports of the current template', async () => {
    const nodes = [text, createEditor({ templateId: 'quote-card' })];
    const {
      id,
      nodes: created,
      meta,
    } = await createWorkflow(owner, {
      nodes,
      edges: [edge('text.text > video.quote')],
    });
    assert.deepEqual(listPortIds(created), ['quote', 'author', 'role', 'music']);
    assert.deepEqual(
      meta.warnings.filter(warning => warning.startsWith('video')),
      [],
    );
    const response = await putWorkflow(owner, id, {
      nodes: [text, createEditor({ templateId: 'logo-sting' })],
      edges: [],
    });
    assert.deepEqual(listPortIds(response.body.nodes), ['name', 'tagline', 'logo', 'music']);
    assert.deepEqual(listPortIds((await readWorkflow(owner, id)).nodes), [
      'name',
      'tagline',
      'logo',
      'music',
    ]);
    assert.ok(
      response.body.meta.warnings.some(warning =>
        /video: The required port "Name" is not connected/.test(warning),
      ),
    );
  });

  it('stores a port for each token of the scene graph', async () => {
    const withoutMode = await createWorkflow(owner, { nodes: [createEditor({})], edges: [] });
    assert.ok(
      withoutMode.meta.issues.some(({ code, nodeId }) => code === 'unusable_config' && nodeId === 'video'),
    );
    const overlays = [{ type: 'text', text: '{{title}}' }];
    const sceneGraph = { fps: 10, width: 160, height: 90, scenes: [{ duration: 1 }], overlays };
    const created = await createWorkflow(owner, {
      nodes: [createEditor({ props: { sceneGraph } })],
      edges: [],
    });
    assert.deepEqual(listPortIds(created.nodes), ['title']);
    assert.deepEqual(
      created.meta.issues.map(({ code }) => code),
      ['required_port_unfed'],
    );
  });

  it('can be previewed with placeholders for unconnected inputs', async () => {
    const overlays = [
      { type: 'image', src: '{{photo}}' },
      { type: 'text', text: 'By {{author}}' },
    ];
    const sceneGraph = { fps: 10, width: 160, height: 90, scenes: [{ duration: 1 }], overlays };
    const { id } = await createWorkflow(owner, {
      nodes: [createEditor({ props: { sceneGraph } })],
      edges: [],
    });
    const body = { workflowId: id, nodeId: 'video' };
    const response = await owner.request<{ data: { warnings: string[] } }>(
      'POST',
      '/render/renderer/preview',
      body,
    );
    assert.equal(response.status, 200, JSON.stringify(response.body));
    assert.deepEqual(response.body.data.warnings, []);
  });
});
