// Tests the data of workflow pages: search, filters, cards with poster and last run, restored workflows and prices.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
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

const list = (caller: Caller, query: string) => caller.request<Card[]>('GET', `/workflows?${query}`);
const listIds = async (caller: Caller, query: string): Promise<string[]> =>
  (await list(caller, query)).body.map(({ id }) => id);

/** Inserts a run into the table, because no worker runs in this process. */
async function insertRun(caller: Caller, workflowId: string, status: string, ageMs = 0): Promise<string> {
  const id = newId('execution', nowMs - ageMs);
  await test.deps.db.query(
    `insert into executions (id, workflow_id, workflow_version, user_id, workspace, status, trigger, request,
       nodes_total, created_at, finished_at)
     values ($1, $2, 1, $3::int, 'user:' || $3::int, $4, 'api', '{}', 1, $5, $5)`,
    [id, workflowId, caller.userId, status, new Date(nowMs - ageMs)],
  );
  return id;
}

async function insertOutput(
  caller: Caller,
  workflowId: string,
  name: string,
  contentType: string,
  ageMs = 0,
): Promise<string> {
  const id = newId('media', nowMs - ageMs);
  await test.deps.db.query(
    `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, origin, workflow_id)
     values ($1, $2::int, 'user:' || $2::int, $3, $4, 1, '', 'output', $5)`,
    [id, caller.userId, name, contentType, workflowId],
  );
  return `${test.deps.settings.CDN_URL}/${id}/${name}`;
}

describe('GET /workflows', () => {
  it('searches name, description and tags', async () => {
    const caller = await test.createCaller();
    const { id: fox } = await createWorkflow(caller, { name: 'A red FOX' });
    const { id: hen } = await createWorkflow(caller, { name: 'Hen', description: 'without the fox' });
    const { id: sly } = await createWorkflow(caller, { name: '100%_\\', tags: ['foxes', 'animal'] });
    assert.deepEqual(await listIds(caller, 'query=fOx'), [sly, hen, fox]);
    assert.deepEqual(await listIds(caller, `query=${encodeURIComponent('%_\\')}`), [sly]);
    assert.deepEqual(await listIds(caller, `query=${encodeURIComponent("' or 1=1 --")}`), []);
    assert.deepEqual(await listIds(caller, 'tag=animal'), [sly]);
    assert.deepEqual(await listIds(caller, 'tag=anim'), []);
    for (const query of [
      'query=',
      `query=${'x'.repeat(201)}`,
      'tag=',
      'status=DONE',
      'include=all',
      'isPublished=1',
    ])
      assertRefused(await list(caller, query), 400, 'invalid_request');
  });

  it('filters by folder, publication and status of the last run', async () => {
    const caller = await test.createCaller();
    const folder = (await caller.request<{ id: string }>('POST', '/folders', { name: 'Drafts' })).body.id;
    const { id: idInFolder } = await createWorkflow(caller, { folderId: folder });
    const { id: idAtRoot } = await createWorkflow(caller);
    assert.deepEqual(await listIds(caller, `folderId=${folder}`), [idInFolder]);
    assert.deepEqual(await listIds(caller, 'folderId=root'), [idAtRoot]);
    assert.deepEqual(await listIds(caller, 'folderId=fld_none'), []);
    await insertRun(caller, idAtRoot, 'COMPLETED', 5000);
    await insertRun(caller, idAtRoot, 'FAILED');
    assert.deepEqual(await listIds(caller, 'status=FAILED'), [idAtRoot]);
    assert.deepEqual(await listIds(caller, 'status=COMPLETED'), []);
    assert.deepEqual(await listIds(caller, 'status=NONE'), [idInFolder]);
    await caller.request('POST', `/workflows/${idInFolder}/publish`, { isPublished: true });
    assert.deepEqual(await listIds(caller, 'isPublished=true'), [idInFolder]);
    assert.deepEqual(await listIds(caller, 'isPublished=false'), [idAtRoot]);
  });

  it('returns poster, last run, location and role with include=card', async () => {
    const caller = await test.createCaller();
    const team = (await caller.request<{ id: string }>('POST', '/teams', { name: 'Studio' })).body.id;
    const folder = (await caller.request<{ id: string }>('POST', '/folders', { name: 'F', teamId: team }))
      .body.id;
    const { id } = await createWorkflow(caller);
    await putWorkflow(caller, id, { folderId: folder });
    const run = await insertRun(caller, id, 'RUNNING');
    await insertOutput(caller, id, 'old.png', 'image/png', 1000);
    const poster = await insertOutput(caller, id, 'new.png', 'image/png');
    const viewer = await test.createCaller();
    await joinTeam(caller, team, viewer, 'VIEWER');
    const [listItem] = (await list(caller, '')).body;
    assert.ok(listItem !== undefined && !('poster' in listItem) && !('lastExecution' in listItem));
    const [card] = (await list(caller, 'include=card')).body;
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
    const { id: newWorkflowId } = await createWorkflow(caller);
    const cards = (await list(caller, 'include=card&limit=1')).body;
    assert.deepEqual([cards[0]?.id, cards[0]?.poster, cards[0]?.lastExecution], [newWorkflowId, null, null]);
  });
});

describe('POST /workflows/{id}/restore', () => {
  it('restores active and disabled workflows', async () => {
    const caller = await test.createCaller();
    for (const isActive of [true, false]) {
      const { id } = await createWorkflow(caller, { isActive });
      await caller.request('DELETE', `/workflows/${id}`);
      const restoration = await caller.request<Workflow>('POST', `/workflows/${id}/restore`);
      assert.deepEqual(
        [restoration.status, restoration.body.id, restoration.body.isActive],
        [200, id, isActive],
      );
      assert.equal((await readWorkflow(caller, id)).isActive, isActive);
      const repeatedRequest = await caller.request<Workflow>('POST', `/workflows/${id}/restore`);
      assert.deepEqual(
        [repeatedRequest.status, repeatedRequest.body.updatedAt],
        [200, restoration.body.updatedAt],
      );
      assert.match(repeatedRequest.headers.etag ?? '', /^"/);
    }
  });

  it('is allowed for a day to users who may delete the workflow', async () => {
    const [caller, editor] = await test.createCallers(2);
    const { id } = await createWorkflow(caller);
    await caller.request('PUT', `/workflows/${id}/permissions`, { userId: editor.userId, role: 'EDIT' });
    await caller.request('DELETE', `/workflows/${id}`);
    const restore = (user: Pick<Caller, 'request'>, workflowId = id) =>
      user.request('POST', `/workflows/${workflowId}/restore`);
    assertRefused(await restore(editor), 403, 'forbidden');
    assertRefused(await restore(test.anonymous), 401, 'unauthorized');
    assertRefused(
      await restore(await test.withScopes(caller, ['workflows:read'])),
      401,
      'insufficient_scope',
    );
    assertRefused(await restore(caller, 'wf_none'), 404, 'not_found');
    nowMs += 86_460_000;
    assertRefused(await restore(caller), 404, 'not_found');
    nowMs -= 86_460_000;
    assert.equal((await restore(caller)).status, 200);
  });
});

describe('GET /templates', () => {
  interface Template {
    readonly workflowId: string;
    readonly credits: number | null;
    readonly creditsExact: boolean;
    readonly preview: { readonly url: string; readonly contentType: string } | null;
  }
  const findTemplate = async (caller: Pick<Caller, 'request'>, id: string): Promise<Template | undefined> =>
    (await caller.request<{ data: Template[] }>('GET', '/templates?limit=200')).body.data.find(
      ({ workflowId }) => workflowId === id,
    );
  const publish = (caller: Caller, id: string, settings: object = {}) =>
    caller.request('POST', `/workflows/${id}/publish`, {
      isPublished: true,
      settings: { isTemplate: true, ...settings },
    });

  it('returns the price of a run of the published version', async () => {
    const caller = await test.createCaller();
    const { id: paid } = await createWorkflow(caller, modelGraph());
    const { id: free } = await createWorkflow(caller);
    for (const id of [paid, free]) await publish(caller, id);
    const readPrices = async () =>
      Promise.all([paid, free].map(async id => (await findTemplate(test.anonymous, id))?.credits));
    assert.deepEqual(await readPrices(), [PRICE, 0]);
    await putWorkflow(caller, paid, {
      nodes: [node('m', MODEL, { prompt: 'a' }), node('n', MODEL, { prompt: 'b' })],
      edges: [],
    });
    assert.deepEqual(await readPrices(), [PRICE, 0]);
    await publish(caller, paid);
    assert.deepEqual(await readPrices(), [2 * PRICE, 0]);
  });

  it('returns a preview video if showResults is true', async () => {
    const caller = await test.createCaller();
    const { id } = await createWorkflow(caller);
    await publish(caller, id);
    const url = await insertOutput(caller, id, 'clip.mp4', 'video/mp4');
    assert.equal((await findTemplate(test.anonymous, id))?.preview, null);
    assert.deepEqual((await findTemplate(caller, id))?.preview, { url, contentType: 'video/mp4' });
    await publish(caller, id, { showResults: true });
    assert.deepEqual((await findTemplate(test.anonymous, id))?.preview, { url, contentType: 'video/mp4' });
  });
});
