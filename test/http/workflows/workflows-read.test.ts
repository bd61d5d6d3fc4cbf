// Tests reads of workflows: redaction for readers who cannot edit, posters, views, conditional GETs, lists.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { insertMedia } from '../../../src/store/media/media.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { uploadPicture } from '../../support/media/files.ts';
import {
  assertRefused,
  at,
  createWorkflow,
  node,
  PAIR,
  putWorkflow,
  readWorkflow,
  type Workflow,
} from '../../support/workflows.ts';

let app: TestApp;
let owner: ApiUser;
let friend: ApiUser;
let otherUser: ApiUser;

before(async () => {
  app = await openTestApp();
  [owner, friend, otherUser] = await app.createUsers(3);
});
after(() => app.close());

const GRAPH_WITH_SECRETS = {
  nodes: [
    node('a', 'input:text', { value: 'x', apiKey: 'k', nested: { auth_token: 't', keyframes: [1] } }),
    node('b', 'output:preview', {}, { ...at(500, 0), webhookUrl: 'https://x.test', password: 'p' }),
  ],
  edges: PAIR.edges,
};
const shareByLink = (id: string, linkPermission = 'VIEW') =>
  owner.request('POST', `/workflows/${id}/visibility`, { linkPermission });
const publish = (id: string, body: object = {}) =>
  owner.request<Workflow>('POST', `/workflows/${id}/publish`, { isPublished: true, ...body });
const get = (user: Pick<ApiUser, 'request'>, id: string, headers = {}) =>
  user.request<Workflow>('GET', `/workflows/${id}`, undefined, headers);

describe('redaction of workflows', () => {
  it('hides secrets, keys, tokens and passwords from readers', async () => {
    const { id } = await createWorkflow(owner, {
      ...GRAPH_WITH_SECRETS,
      secrets: { A: 'b' },
      webhookId: 'hook',
    });
    await shareByLink(id);
    await owner.request('PUT', `/workflows/${id}/permissions`, { userId: friend.userId, role: 'VIEW' });
    for (const [user, role] of [
      [app.anonymous, 'ANONYMOUS'],
      [otherUser, 'VIEWER'],
      [friend, 'VIEWER'],
    ] as const) {
      const body = await readWorkflow(user, id);
      for (const key of [
        'webhookId',
        'webhookUrl',
        'lastEditorHeartbeatAt',
        'dailyCreditBudget',
        'executionEngine',
      ]) {
        assert.ok(!Object.hasOwn(body, key), key);
      }
      assert.deepEqual([body.secrets, body.userRole, body.canEdit, body.isOwner], [null, role, false, false]);
      const [a, b] = body.nodes;
      assert.deepEqual(a?.data.config, { value: 'x', nested: { keyframes: [1] } });
      assert.ok(!Object.hasOwn(b ?? {}, 'webhookUrl') && !Object.hasOwn(b ?? {}, 'password'));
    }
  });

  it('hides nothing from owners and editors', async () => {
    const { id } = await createWorkflow(owner, GRAPH_WITH_SECRETS);
    await owner.request('PUT', `/workflows/${id}/permissions`, { userId: friend.userId, role: 'EDIT' });
    for (const user of [owner, friend]) {
      const body = await readWorkflow(user, id);
      assert.deepEqual(body.nodes[0]?.data, GRAPH_WITH_SECRETS.nodes[0]?.data);
      assert.equal(body.nodes[1]?.password, 'p');
    }
  });

  it('shows readers only title, description, category and allowDuplicate of publishSettings', async () => {
    const { id } = await createWorkflow(owner);
    const publicSettings = { title: 'T', description: 'D', category: 'c', allowDuplicate: true };
    await publish(id, { settings: { ...publicSettings, exposedInputs: ['a'], isTemplate: true } });
    assert.deepEqual((await readWorkflow(app.anonymous, id)).publishSettings, publicSettings);
    assert.deepEqual((await readWorkflow(owner, id)).publishSettings, {
      ...publicSettings,
      exposedInputs: ['a'],
      isTemplate: true,
    });
  });

  it('treats keys without workflows:read as anonymous visitors', async () => {
    const { id } = await createWorkflow(owner, { secrets: { A: 'b' } });
    const writer = await app.withScopes(owner, ['workflows:write']);
    assertRefused(await get(writer, id), 401, 'unauthorized');
    await shareByLink(id);
    assert.deepEqual(
      [(await readWorkflow(writer, id)).userRole, (await readWorkflow(writer, id)).secrets],
      ['ANONYMOUS', null],
    );
  });
});

describe('read access to workflows', () => {
  it('is refused with 403 to other users and 401 to anonymous clients', async () => {
    const { id } = await createWorkflow(owner);
    assertRefused(await get(otherUser, id), 403, 'forbidden');
    assertRefused(await get(app.anonymous, id), 401, 'unauthorized');
    assertRefused(await get(otherUser, newId('workflow')), 404, 'not_found');
    assertRefused(await get(app.anonymous, 'wf_nonsense'), 404, 'not_found');
  });

  it('is given to everyone by link permission or publication', async () => {
    const { id } = await createWorkflow(owner);
    await shareByLink(id);
    assert.equal((await get(app.anonymous, id)).status, 200);
    await shareByLink(id, 'PRIVATE');
    assert.equal((await get(app.anonymous, id)).status, 401);
    await publish(id);
    assert.equal((await get(app.anonymous, id)).status, 200);
  });
});

describe('views of a workflow', () => {
  it('count reads by users who cannot edit the workflow', async () => {
    const { id, updatedAt } = await createWorkflow(owner);
    await shareByLink(id);
    for (const user of [owner, app.anonymous, otherUser, otherUser]) await readWorkflow(user, id);
    assert.equal((await readWorkflow(owner, id)).views, 0);
    await app.deps.views.flush();
    const currentWorkflow = await readWorkflow(owner, id);
    assert.equal(currentWorkflow.views, 3);
    assert.ok(currentWorkflow.updatedAt > updatedAt, 'sharing by link changes updatedAt');
    await readWorkflow(otherUser, id);
    await app.deps.views.flush();
    assert.deepEqual(
      [(await readWorkflow(owner, id)).views, (await readWorkflow(owner, id)).updatedAt],
      [4, currentWorkflow.updatedAt],
    );
  });
});

describe('poster of a workflow', () => {
  let id: string;
  beforeEach(async () => {
    ({ id } = await createWorkflow(owner));
  });
  /** Stores a file as the output of a run of the workflow and returns its URL. */
  const storeOutput = async (
    contentType = 'image/png',
    origin: 'output' | 'upload' = 'output',
  ): Promise<string> => {
    const run = await owner.request('POST', `/workflows/${id}/run`, {});
    const mediaId = newId('media');
    await insertMedia(app.deps.db, [
      {
        id: mediaId,
        user_id: owner.userId,
        workspace: `user:${owner.userId}`,
        name: 'out.png',
        content_type: contentType,
        bytes: 1,
        sha256: mediaId,
        width: 1,
        height: 1,
        duration: null,
        origin,
        execution_id: String(run.body.executionId),
        prompt: null,
        poster_id: null,
        node_type: null,
        seed: null,
      },
    ]);
    return `${app.deps.settings.CDN_URL}/${mediaId}/out.png`;
  };
  const readPoster = async () => (await readWorkflow(owner, id)).poster;

  it('is the newest image that a run produced', async () => {
    assert.equal(await readPoster(), null);
    const first = await storeOutput();
    assert.equal(await readPoster(), first);
    const second = await storeOutput();
    await storeOutput('video/mp4');
    await storeOutput('image/png', 'upload');
    assert.equal(await readPoster(), second);
  });

  it('is pinned by PUT with poster and released by PUT without poster', async () => {
    const first = await storeOutput();
    const { body } = await putWorkflow(owner, id, { poster: first });
    assert.deepEqual([body.poster, body.meta.warnings], [first, []]);
    const second = await storeOutput();
    assert.equal(await readPoster(), first);
    assert.equal((await putWorkflow(owner, id, { name: 'New' })).body.poster, second);
    assert.equal(await readPoster(), second);
  });

  it('can be pinned to an image of an earlier run', async () => {
    const first = await storeOutput();
    await storeOutput();
    assert.equal((await putWorkflow(owner, id, { poster: first })).body.poster, first);
  });

  it('cannot be pinned to another URL', async () => {
    const posterUrl = await storeOutput();
    const cdn = app.deps.settings.CDN_URL;
    for (const poster of ['https://evil.test/x.png', `${cdn}/${newId('media')}/out.png`, 'x']) {
      const { body } = await putWorkflow(owner, id, { poster });
      assert.ok(body.meta.warnings.some(line => line.startsWith('Ignored: poster.')));
      assert.equal(body.poster, posterUrl);
    }
  });
});

describe('GET /workflows/{id} with If-None-Match', () => {
  it('returns 304 until the workflow changes', async () => {
    const { id } = await createWorkflow(owner);
    await shareByLink(id);
    const { headers } = await get(owner, id);
    const etag = headers.etag ?? '';
    assert.match(etag, /^"[^"]+"$/);
    const response = await get(owner, id, { 'if-none-match': etag });
    assert.deepEqual([response.status, response.headers.etag, response.body], [304, etag, undefined]);
    assert.equal((await get(app.anonymous, id, { 'if-none-match': etag })).status, 200);
    await putWorkflow(owner, id, { name: 'New' });
    assert.equal((await get(owner, id, { 'if-none-match': etag })).status, 200);
  });
});

describe('GET /workflows', () => {
  const list = (user: ApiUser, query = '') => user.request<Workflow[]>('GET', `/workflows${query}`);

  it("lists the user's own workflows, most recently updated first", async () => {
    const user = await app.createUser();
    const first = await createWorkflow(user, { name: 'first', tags: ['t'] });
    const second = await createWorkflow(user, { name: 'second' });
    await putWorkflow(user, first.id, { description: 'newest' });
    const { body } = await list(user);
    assert.deepEqual(
      body.map(({ id }) => id),
      [first.id, second.id],
    );
    const { updatedAt, createdAt, ...item } = body[0] as Workflow;
    assert.ok(updatedAt > createdAt);
    assert.deepEqual(item, {
      id: first.id,
      name: 'first',
      description: 'newest',
      webhookId: null,
      webhookUrl: null,
      isActive: true,
      isPublished: false,
      executionCount: 0,
      lastExecutedAt: null,
      tags: ['t'],
    } as unknown);
  });

  it('filters by isActive and mediaId', async () => {
    const user = await app.createUser();
    const { id } = await createWorkflow(user, { isActive: false });
    await createWorkflow(user);
    const listIds = async (query: string) => (await list(user, query)).body.map(entry => entry.id);
    assert.deepEqual(await listIds('?isActive=false'), [id]);
    assert.equal((await listIds('?isActive=true')).includes(id), false);
    const createMediaId = async (user: ApiUser) => (await uploadPicture(user)).mediaId;
    const linkedMediaId = await createMediaId(user);
    const linkedWorkflow = await createWorkflow(user, { mediaId: linkedMediaId });
    assert.deepEqual(await listIds(`?mediaId=${linkedMediaId}`), [linkedWorkflow.id]);
    assert.deepEqual(await listIds(`?mediaId=${await createMediaId(user)}`), []);
    for (const mediaId of [await createMediaId(owner), newId('media'), 'med_x', '']) {
      assertRefused(await list(user, `?mediaId=${mediaId}`), 403, 'forbidden');
    }
    assertRefused(await list(user, '?isActive=yes'), 400, 'invalid_request');
  });

  it('lists workflows of a team only to its members', async () => {
    const teamId = String((await owner.request('POST', '/teams', { name: 'T' })).body.id);
    await joinTeam(owner, teamId, friend, 'VIEWER');
    const { body: folder } = await owner.request('POST', '/folders', { name: 'F', teamId });
    const { id } = await createWorkflow(owner);
    await putWorkflow(owner, id, { folderId: folder.id });
    assert.deepEqual(
      (await list(friend, `?teamId=${teamId}`)).body.map(entry => entry.id),
      [id],
    );
    assertRefused(await list(otherUser, `?teamId=${teamId}`), 404, 'not_found');
    assertRefused(await list(otherUser, '?teamId=team_x'), 404, 'not_found');
    const personal = (await list(owner, `?teamId=user:${owner.userId}&limit=1000`)).body.map(
      entry => entry.id,
    );
    assert.ok(personal.length > 0 && !personal.includes(id));
  });

  it('returns webhookId and webhookUrl only to editors', async () => {
    const teamId = String((await owner.request('POST', '/teams', { name: 'T' })).body.id);
    for (const [member, role] of [
      [friend, 'VIEWER'],
      [otherUser, 'EDITOR'],
    ] as const) {
      await joinTeam(owner, teamId, member, role);
    }
    const { body: folder } = await owner.request('POST', '/folders', { name: 'F', teamId });
    const { id } = await createWorkflow(owner, { webhookId: 'hook' });
    await putWorkflow(owner, id, { folderId: folder.id, webhookUrl: 'https://x.test' });
    const readListItem = async (user: ApiUser) => (await list(user, `?teamId=${teamId}`)).body[0] ?? {};
    for (const user of [owner, otherUser]) {
      const { webhookId, webhookUrl } = (await readListItem(user)) as Workflow;
      assert.deepEqual([webhookId, webhookUrl], ['hook', 'https://x.test']);
    }
    const workflow = await readListItem(friend);
    assert.deepEqual(
      ['webhookId' in workflow, 'webhookUrl' in workflow, 'name' in workflow],
      [false, false, true],
    );
    await owner.request('PUT', `/workflows/${id}/permissions`, { userId: friend.userId, role: 'EDIT' });
    assert.equal('webhookId' in (await readListItem(friend)), true);
  });

  it('pages by the Link header while workflows are added', async () => {
    const user = await app.createUser();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await createWorkflow(user)).id);
    const listedIds: string[] = [];
    let path = '/workflows?limit=2';
    for (let page = 0; page < 3; page++) {
      const { body, headers } = await user.request<Workflow[]>('GET', path);
      listedIds.push(...body.map(({ id }) => id));
      await createWorkflow(user);
      const link = /^<[^>]*(\/workflows\?[^>]+)>; rel="next"$/.exec(headers.link ?? '');
      assert.equal(link === null, page === 2);
      path = link?.[1] ?? '';
    }
    assert.deepEqual(listedIds, ids);
    assertRefused(await list(user, '?cursor=nonsense'), 400, 'invalid_request');
    assertRefused(await list(user, '?limit=1001'), 400, 'invalid_request');
  });

  it('counts the runs of each workflow with and without a cached count', async () => {
    const user = await app.createUser();
    const { id } = await createWorkflow(user);
    for (let i = 0; i < 3; i++) await user.request('POST', `/workflows/${id}/run`, {});
    const { rows } = await app.deps.db.query<{ id: string; created_at: Date }>(
      'select id, created_at from executions where workflow_id = $1 order by id',
      [id],
    );
    const readListItem = async () =>
      (await list(user)).body.map(entry => entry as unknown as Record<string, unknown>)[0];
    const lastExecutedAt = rows[2]?.created_at.toISOString();
    for (const countedId of [rows[0]?.id, rows[1]?.id]) {
      const { executionCount, lastExecutedAt: last } = (await readListItem()) ?? {};
      assert.deepEqual([executionCount, last], [3, lastExecutedAt]);
      const { advanceExecutionCounts } = await import('../../../src/store/workflows/writes.ts');
      await advanceExecutionCounts(app.deps.db, [id], countedId ?? '');
    }
    assert.equal((await readListItem())?.executionCount, 3);
  });

  it('requires workflows:read or workflows:execute', async () => {
    assertRefused(await list(await app.withScopes(owner, ['workflows:write'])), 401, 'insufficient_scope');
    assert.equal((await list(await app.withScopes(owner, ['workflows:execute']))).status, 200);
  });
});
