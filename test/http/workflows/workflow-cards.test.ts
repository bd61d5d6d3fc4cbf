// Tests the data of workflow pages: search, filters, cards with poster and last run, restored workflows and prices.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { MODEL, modelGraph, PRICE } from '../../support/credits/paid.ts';
import {
  assertRefused,
  createWorkflow,
  node,
  putWorkflow,
  readWorkflow,
  type Workflow,
} from '../../support/workflows.ts';

interface Card extends Workflow {
  readonly lastExecution: {
    readonly id: string;
    readonly status: string;
    readonly finishedAt: string | null;
  } | null;
}

let nowMs: number;
let test: TestApp;
before(async () => {
  nowMs = Date.now();
  test = await createTestApp({ now: () => nowMs, env: { FAL_KEY: 'key' } });
});
after(() => test.close());

const list = (user: ApiUser, query: string) => user.request<Card[]>('GET', `/workflows?${query}`);
const listIds = async (user: ApiUser, query: string): Promise<string[]> =>
  (await list(user, query)).body.map(({ id }) => id);

/** Inserts a run into the table, because no worker runs in this process. */
async function insertRun(user: ApiUser, workflowId: string, status: string, ageMs = 0): Promise<string> {
  const id = newId('execution', nowMs - ageMs);
  await test.deps.db.query(
    `insert into executions (id, workflow_id, workflow_version, user_id, workspace, status, trigger, request,
       nodes_total, created_at, finished_at)
     values ($1, $2, 1, $3::int, 'user:' || $3::int, $4, 'api', '{}', 1, $5, $5)`,
    [id, workflowId, user.userId, status, new Date(nowMs - ageMs)],
  );
  return id;
}

async function insertOutput(
  user: ApiUser,
  workflowId: string,
  name: string,
  contentType: string,
  ageMs = 0,
): Promise<string> {
  const id = newId('media', nowMs - ageMs);
  await test.deps.db.query(
    `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, origin, workflow_id)
     values ($1, $2::int, 'user:' || $2::int, $3, $4, 1, '', 'output', $5)`,
    [id, user.userId, name, contentType, workflowId],
  );
  return `${test.deps.settings.CDN_URL}/${id}/${name}`;
}

describe('GET /workflows', () => {
  it('searches name, description and tags', async () => {
    const user = await test.createUser();
    const { id: fox } = await createWorkflow(user, { name: 'A red FOX' });
    const { id: hen } = await createWorkflow(user, { name: 'Hen', description: 'without the fox' });
    const { id: sly } = await createWorkflow(user, { name: '100%_\\', tags: ['foxes', 'animal'] });
    assert.deepEqual(await listIds(user, 'query=fOx'), [sly, hen, fox]);
    assert.deepEqual(await listIds(user, `query=${encodeURIComponent('%_\\')}`), [sly]);
    assert.deepEqual(await listIds(user, `query=${encodeURIComponent("' or 1=1 --")}`), []);
    assert.deepEqual(await listIds(user, 'tag=animal'), [sly]);
    assert.deepEqual(await listIds(user, 'tag=anim'), []);
    for (const query of [
      'query=',
      `query=${'x'.repeat(201)}`,
      'tag=',
      'status=DONE',
      'include=all',
      'isPublished=1',
    ])
      assertRefused(await list(user, query), 400, 'invalid_request');
  });

  it('filters by folder, publication and status of the last run', async () => {
    const user = await test.createUser();
    const folder = (await user.request<{ id: string }>('POST', '/folders', { name: 'Drafts' })).body.id;
    const { id: idInFolder } = await createWorkflow(user, { folderId: folder });
    const { id: idAtRoot } = await createWorkflow(user);
    assert.deepEqual(await listIds(user, `folderId=${folder}`), [idInFolder]);
    assert.deepEqual(await listIds(user, 'folderId=root'), [idAtRoot]);
    assert.deepEqual(await listIds(user, 'folderId=fld_none'), []);
    await insertRun(user, idAtRoot, 'COMPLETED', 5000);
    await insertRun(user, idAtRoot, 'FAILED');
    assert.deepEqual(await listIds(user, 'status=FAILED'), [idAtRoot]);
    assert.deepEqual(await listIds(user, 'status=COMPLETED'), []);
    assert.deepEqual(await listIds(user, 'status=NONE'), [idInFolder]);
    await user.request('POST', `/workflows/${idInFolder}/publish`, { isPublished: true });
    assert.deepEqual(await listIds(user, 'isPublished=true'), [idInFolder]);
    assert.deepEqual(await listIds(user, 'isPublished=false'), [idAtRoot]);
  });

  it('returns poster, last run, location and role with include=card', async () => {
    const user = await test.createUser();
    const team = (await user.request<{ id: string }>('POST', '/teams', { name: 'Studio' })).body.id;
    const folder = (await user.request<{ id: string }>('POST', '/folders', { name: 'F', teamId: team })).body
      .id;
    const { id } = await createWorkflow(user);
    await putWorkflow(user, id, { folderId: folder });
    const run = await insertRun(user, id, 'RUNNING');
    await insertOutput(user, id, 'old.png', 'image/png', 1000);
    const poster = await insertOutput(user, id, 'new.png', 'image/png');
    const viewer = await test.createUser();
    await joinTeam(user, team, viewer, 'VIEWER');
    const [listItem] = (await list(user, '')).body;
    assert.ok(listItem !== undefined && !('poster' in listItem) && !('lastExecution' in listItem));
    const [card] = (await list(user, 'include=card')).body;
    assert.ok(card);
    assert.deepEqual(
      [card.poster, card.lastExecution?.id, card.lastExecution?.status, card.teamId, card.folderId],
      [poster, run, 'RUNNING', team, folder],
    );
    assert.deepEqual([card.isOwner, card.canEdit, card.userRole], [true, true, 'OWNER']);
    const [viewersCard] = (await list(viewer, `teamId=${team}&include=card`)).body;
    assert.deepEqual(
      [viewersCard?.poster, viewersCard?.isOwner, viewersCard?.canEdit, viewersCard?.userRole],
      [poster, false, false, 'VIEWER'],
    );
    const { id: newWorkflowId } = await createWorkflow(user);
    const cards = (await list(user, 'include=card&limit=1')).body;
    assert.deepEqual([cards[0]?.id, cards[0]?.poster, cards[0]?.lastExecution], [newWorkflowId, null, null]);
  });
});

describe('POST /workflows/{id}/restore', () => {
  it('restores active and disabled workflows', async () => {
    const user = await test.createUser();
    for (const isActive of [true, false]) {
      const { id } = await createWorkflow(user, { isActive });
      await user.request('DELETE', `/workflows/${id}`);
      const restoration = await user.request<Workflow>('POST', `/workflows/${id}/restore`);
      assert.deepEqual(
        [restoration.status, restoration.body.id, restoration.body.isActive],
        [200, id, isActive],
      );
      assert.equal((await readWorkflow(user, id)).isActive, isActive);
      const repeatedRequest = await user.request<Workflow>('POST', `/workflows/${id}/restore`);
      assert.deepEqual(
        [repeatedRequest.status, repeatedRequest.body.updatedAt],
        [200, restoration.body.updatedAt],
      );
      assert.match(repeatedRequest.headers.etag ?? '', /^"/);
    }
  });

  it('is allowed for a day to users who may delete the workflow', async () => {
    const [user, editor] = await test.createUsers(2);
    const { id } = await createWorkflow(user);
    await user.request('PUT', `/workflows/${id}/permissions`, { userId: editor.userId, role: 'EDIT' });
    await user.request('DELETE', `/workflows/${id}`);
    const restore = (user: Pick<ApiUser, 'request'>, workflowId = id) =>
      user.request('POST', `/workflows/${workflowId}/restore`);
    assertRefused(await restore(editor), 403, 'forbidden');
    assertRefused(await restore(test.anonymous), 401, 'unauthorized');
    assertRefused(await restore(await test.withScopes(user, ['workflows:read'])), 401, 'insufficient_scope');
    assertRefused(await restore(user, 'wf_none'), 404, 'not_found');
    nowMs += 86_460_000;
    assertRefused(await restore(user), 404, 'not_found');
    nowMs -= 86_460_000;
    assert.equal((await restore(user)).status, 200);
  });
});

describe('GET /templates', () => {
  interface Template {
    readonly workflowId: string;
    readonly credits: number | null;
    readonly creditsExact: boolean;
    readonly preview: { readonly url: string; readonly contentType: string } | null;
  }
  const findTemplate = async (user: Pick<ApiUser, 'request'>, id: string): Promise<Template | undefined> =>
    (await user.request<{ data: Template[] }>('GET', '/templates?limit=200')).body.data.find(
      ({ workflowId }) => workflowId === id,
    );
  const publish = (user: ApiUser, id: string, settings: object = {}) =>
    user.request('POST', `/workflows/${id}/publish`, {
      isPublished: true,
      settings: { isTemplate: true, ...settings },
    });

  it('returns the price of a run of the published version', async () => {
    const user = await test.createUser();
    const { id: paid } = await createWorkflow(user, modelGraph());
    const { id: free } = await createWorkflow(user);
    for (const id of [paid, free]) await publish(user, id);
    const readPrices = async () =>
      Promise.all([paid, free].map(async id => (await findTemplate(test.anonymous, id))?.credits));
    assert.deepEqual(await readPrices(), [PRICE, 0]);
    await putWorkflow(user, paid, {
      nodes: [node('m', MODEL, { prompt: 'a' }), node('n', MODEL, { prompt: 'b' })],
      edges: [],
    });
    assert.deepEqual(await readPrices(), [PRICE, 0]);
    await publish(user, paid);
    assert.deepEqual(await readPrices(), [2 * PRICE, 0]);
  });

  it('returns a preview video if showResults is true', async () => {
    const user = await test.createUser();
    const { id } = await createWorkflow(user);
    await publish(user, id);
    const url = await insertOutput(user, id, 'clip.mp4', 'video/mp4');
    assert.equal((await findTemplate(test.anonymous, id))?.preview, null);
    assert.deepEqual((await findTemplate(user, id))?.preview, { url, contentType: 'video/mp4' });
    await publish(user, id, { showResults: true });
    assert.deepEqual((await findTemplate(test.anonymous, id))?.preview, { url, contentType: 'video/mp4' });
  });
});
