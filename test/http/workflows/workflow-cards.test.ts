// Workflow features for pages: search and filters, cards with poster and last run, undo of a deletion, prices.
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

const list = (by: Caller, query: string) => by.request<Card[]>('GET', `/workflows?${query}`);
const idsOf = async (by: Caller, query: string): Promise<string[]> =>
  (await list(by, query)).body.map(({ id }) => id);

/** Inserts a run into the table, because no worker runs in this process. */
async function insertRun(by: Caller, workflowId: string, status: string, ageMs = 0): Promise<string> {
  const id = newId('execution', nowMs - ageMs);
  await test.deps.db.query(
    `insert into executions (id, workflow_id, workflow_version, user_id, workspace, status, trigger, request,
       nodes_total, created_at, finished_at)
     values ($1, $2, 1, $3::int, 'user:' || $3::int, $4, 'api', '{}', 1, $5, $5)`,
    [id, workflowId, by.userId, status, new Date(nowMs - ageMs)],
  );
  return id;
}

async function insertOutput(
  by: Caller,
  workflowId: string,
  name: string,
  contentType: string,
  ageMs = 0,
): Promise<string> {
  const id = newId('media', nowMs - ageMs);
  await test.deps.db.query(
    `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, origin, workflow_id)
     values ($1, $2::int, 'user:' || $2::int, $3, $4, 1, '', 'output', $5)`,
    [id, by.userId, name, contentType, workflowId],
  );
  return `${test.deps.settings.CDN_URL}/${id}/${name}`;
}

describe('GET /workflows', () => {
  it('searches name, description and tags, ignoring case and special characters', async () => {
    const by = await test.createCaller();
    const { id: fox } = await createWorkflow(by, { name: 'A red FOX' });
    const { id: hen } = await createWorkflow(by, { name: 'Hen', description: 'without the fox' });
    const { id: sly } = await createWorkflow(by, { name: '100%_\\', tags: ['foxes', 'animal'] });
    assert.deepEqual(await idsOf(by, 'query=fOx'), [sly, hen, fox]);
    assert.deepEqual(await idsOf(by, `query=${encodeURIComponent('%_\\')}`), [sly]);
    assert.deepEqual(await idsOf(by, `query=${encodeURIComponent("' or 1=1 --")}`), []);
    assert.deepEqual(await idsOf(by, 'tag=animal'), [sly]);
    assert.deepEqual(await idsOf(by, 'tag=anim'), []);
    for (const bad of [
      'query=',
      `query=${'x'.repeat(201)}`,
      'tag=',
      'status=DONE',
      'include=all',
      'isPublished=1',
    ])
      assertRefused(await list(by, bad), 400, 'invalid_request');
  });

  it('filters by folder, publication and status of the last run', async () => {
    const by = await test.createCaller();
    const folder = (await by.request<{ id: string }>('POST', '/folders', { name: 'Drafts' })).body.id;
    const { id: inside } = await createWorkflow(by, { folderId: folder });
    const { id: outside } = await createWorkflow(by);
    assert.deepEqual(await idsOf(by, `folderId=${folder}`), [inside]);
    assert.deepEqual(await idsOf(by, 'folderId=root'), [outside]);
    assert.deepEqual(await idsOf(by, 'folderId=fld_none'), []);
    await insertRun(by, outside, 'COMPLETED', 5000);
    await insertRun(by, outside, 'FAILED');
    assert.deepEqual(await idsOf(by, 'status=FAILED'), [outside]);
    assert.deepEqual(await idsOf(by, 'status=COMPLETED'), []);
    assert.deepEqual(await idsOf(by, 'status=NONE'), [inside]);
    await by.request('POST', `/workflows/${inside}/publish`, { isPublished: true });
    assert.deepEqual(await idsOf(by, 'isPublished=true'), [inside]);
    assert.deepEqual(await idsOf(by, 'isPublished=false'), [outside]);
  });

  it('returns poster, last run, location and role on cards only', async () => {
    const by = await test.createCaller();
    const team = (await by.request<{ id: string }>('POST', '/teams', { name: 'Studio' })).body.id;
    const folder = (await by.request<{ id: string }>('POST', '/folders', { name: 'F', teamId: team })).body
      .id;
    const { id } = await createWorkflow(by);
    await putWorkflow(by, id, { folderId: folder });
    const run = await insertRun(by, id, 'RUNNING');
    await insertOutput(by, id, 'old.png', 'image/png', 1000);
    const poster = await insertOutput(by, id, 'new.png', 'image/png');
    const viewer = await test.createCaller();
    await joinTeam(by, team, viewer, 'VIEWER');
    const [line] = (await list(by, '')).body;
    assert.ok(line !== undefined && !('poster' in line) && !('lastExecution' in line));
    const [card] = (await list(by, 'include=card')).body;
    assert.ok(card);
    assert.deepEqual(
      [card.poster, card.lastExecution?.id, card.lastExecution?.status, card.teamId, card.folderId],
      [poster, run, 'RUNNING', team, folder],
    );
    assert.deepEqual([card.isOwner, card.canEdit, card.userRole], [true, true, 'OWNER']);
    const [theirs] = (await list(viewer, `teamId=${team}&include=card`)).body;
    assert.deepEqual(
      [theirs?.poster, theirs?.isOwner, theirs?.canEdit, theirs?.userRole],
      [poster, false, false, 'VIEWER'],
    );
    const { id: fresh } = await createWorkflow(by);
    const cards = (await list(by, 'include=card&limit=1')).body;
    assert.deepEqual([cards[0]?.id, cards[0]?.poster, cards[0]?.lastExecution], [fresh, null, null]);
  });
});

describe('POST /workflows/{id}/restore', () => {
  it('undoes a deletion: the workflow is as it was, even if it was disabled', async () => {
    const by = await test.createCaller();
    for (const isActive of [true, false]) {
      const { id } = await createWorkflow(by, { isActive });
      await by.request('DELETE', `/workflows/${id}`);
      const restored = await by.request<Workflow>('POST', `/workflows/${id}/restore`);
      assert.deepEqual([restored.status, restored.body.id, restored.body.isActive], [200, id, isActive]);
      assert.equal((await readWorkflow(by, id)).isActive, isActive);
      const again = await by.request<Workflow>('POST', `/workflows/${id}/restore`);
      assert.deepEqual([again.status, again.body.updatedAt], [200, restored.body.updatedAt]);
      assert.match(again.headers.etag ?? '', /^"/);
    }
  });

  it('is for users who may delete, within a day', async () => {
    const [by, editor] = await test.createCallers(2);
    const { id } = await createWorkflow(by);
    await by.request('PUT', `/workflows/${id}/permissions`, { userId: editor.userId, role: 'EDIT' });
    await by.request('DELETE', `/workflows/${id}`);
    const restore = (who: Pick<Caller, 'request'>, of = id) =>
      who.request('POST', `/workflows/${of}/restore`);
    assertRefused(await restore(editor), 403, 'forbidden');
    assertRefused(await restore(test.anonymous), 401, 'unauthorized');
    assertRefused(await restore(await test.withScopes(by, ['workflows:read'])), 401, 'insufficient_scope');
    assertRefused(await restore(by, 'wf_none'), 404, 'not_found');
    nowMs += 86_460_000;
    assertRefused(await restore(by), 404, 'not_found');
    nowMs -= 86_460_000;
    assert.equal((await restore(by)).status, 200);
  });
});

describe('GET /templates', () => {
  interface Template {
    readonly workflowId: string;
    readonly credits: number | null;
    readonly creditsExact: boolean;
    readonly preview: { readonly url: string; readonly contentType: string } | null;
  }
  const templateOf = async (by: Pick<Caller, 'request'>, id: string): Promise<Template | undefined> =>
    (await by.request<{ data: Template[] }>('GET', '/templates?limit=200')).body.data.find(
      ({ workflowId }) => workflowId === id,
    );
  const publish = (by: Caller, id: string, settings: object = {}) =>
    by.request('POST', `/workflows/${id}/publish`, {
      isPublished: true,
      settings: { isTemplate: true, ...settings },
    });

  it('returns the price of a run of the published version', async () => {
    const by = await test.createCaller();
    const { id: paid } = await createWorkflow(by, modelGraph());
    const { id: free } = await createWorkflow(by);
    for (const id of [paid, free]) await publish(by, id);
    const prices = async () =>
      Promise.all([paid, free].map(async id => (await templateOf(test.anonymous, id))?.credits));
    assert.deepEqual(await prices(), [PRICE, 0]);
    await putWorkflow(by, paid, {
      nodes: [node('m', MODEL, { prompt: 'a' }), node('n', MODEL, { prompt: 'b' })],
      edges: [],
    });
    assert.deepEqual(await prices(), [PRICE, 0]);
    await publish(by, paid);
    assert.deepEqual(await prices(), [2 * PRICE, 0]);
  });

  it('returns a video of its runs if the publisher shows results', async () => {
    const by = await test.createCaller();
    const { id } = await createWorkflow(by);
    await publish(by, id);
    const url = await insertOutput(by, id, 'clip.mp4', 'video/mp4');
    assert.equal((await templateOf(test.anonymous, id))?.preview, null);
    assert.deepEqual((await templateOf(by, id))?.preview, { url, contentType: 'video/mp4' });
    await publish(by, id, { showResults: true });
    assert.deepEqual((await templateOf(test.anonymous, id))?.preview, { url, contentType: 'video/mp4' });
  });
});
