// Tests the uses of a media file: workflows, publications and executions that the caller may read.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { joinTeam } from '../../support/accounts/people.ts';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import { uploadPicture } from '../../support/media/files.ts';
import { assertRefused, createWorkflow, node } from '../../support/workflows.ts';

let test: TestApp;
let owner: Caller;
let editor: Caller;
let otherUser: Caller;
let teamId: string;
before(async () => {
  test = await createTestApp();
  [owner, editor, otherUser] = await test.createCallers(3);
  teamId = String((await owner.request('POST', '/teams', { name: 'T' })).body.id);
  await joinTeam(owner, teamId, editor, 'EDITOR');
});
after(() => test.close());

const activate = (caller: Caller, id: string | null) =>
  caller.request('PUT', '/me/workspace', { teamId: id });

describe('the uses of a file', () => {
  interface Use {
    readonly kind: string;
    readonly workflow: { readonly id: string };
    readonly nodes: readonly { readonly id: string; readonly label: string }[];
    readonly isLinked: boolean;
    readonly isTemplate: boolean;
    readonly slug: string | null;
    readonly executionId: string | null;
    readonly isMaker: boolean;
  }
  const listUses = async (caller: Caller, id: string, query = '') =>
    (await caller.request<{ data: Use[]; nextCursor: string | null }>('GET', `/media/${id}/uses${query}`))
      .body;
  const withNode = (config: Readonly<Record<string, unknown>>) => ({
    nodes: [node('a', 'input:image', config)],
    edges: [],
  });

  it('are workflows with their nodes, then publications, then executions, by page', async () => {
    const { mediaId, url } = await uploadPicture(owner);
    const linked = await createWorkflow(owner, { name: 'Linked', mediaId });
    await setTimeout(5);
    const named = await createWorkflow(owner, { name: 'Named', ...withNode({ url }) });
    const published = { isPublished: true, slug: 'of-a-file', settings: { isTemplate: true } };
    await owner.request('POST', `/workflows/${named.id}/publish`, published);
    await setTimeout(5);
    const oldWorkflow = await createWorkflow(owner, { name: 'Old', ...withNode({ mediaId }) });
    await owner.request('PUT', `/workflows/${oldWorkflow.id}`, withNode({}));
    const { data } = await listUses(owner, mediaId);
    assert.deepEqual(
      data.map(({ kind, workflow, nodes, isLinked, slug, isTemplate }) => ({
        use: [kind, workflow.id],
        nodes: nodes.map(({ id }) => id),
        details: [isLinked, slug, isTemplate],
      })),
      [
        { use: ['workflow', named.id], nodes: ['a'], details: [false, null, false] },
        { use: ['workflow', linked.id], nodes: [], details: [true, null, false] },
        { use: ['publication', named.id], nodes: ['a'], details: [false, 'of-a-file', true] },
      ],
    );
    const paged: Use[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await listUses(owner, mediaId, `?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
      paged.push(...page.data);
      cursor = page.nextCursor;
    }
    assert.deepEqual(paged, data);
  });

  it('include the execution that created the file, and executions that reused it', async () => {
    const { id } = await createWorkflow(owner, withNode({}));
    const ids = [];
    for (let i = 0; i < 2; i++)
      ids.push((await owner.request('POST', `/workflows/${id}/run`, {})).body.executionId as string);
    const [creatorId = '', reuserId = ''] = ids;
    const { mediaId } = await uploadPicture(owner);
    const { db } = test.deps;
    await db.query(`update media set origin = 'output', execution_id = $2 where id = $1`, [
      mediaId,
      creatorId,
    ]);
    await db.query('insert into media_reuses (media_id, execution_id) values ($1, $2)', [mediaId, reuserId]);
    const { data } = await listUses(owner, mediaId);
    assert.deepEqual(
      data.map(({ executionId, isMaker }) => [executionId, isMaker]),
      [
        [reuserId, false],
        [creatorId, true],
      ],
    );
  });

  it('are limited to what the caller may read', async () => {
    await activate(owner, teamId);
    const { mediaId } = await uploadPicture(owner);
    await activate(owner, null);
    const ownWorkflow = await createWorkflow(owner, { name: 'Own', ...withNode({ mediaId }) });
    await createWorkflow(otherUser, { name: 'Of other user', ...withNode({ mediaId }) });
    const listWorkflows = async (caller: Caller) =>
      (await listUses(caller, mediaId)).data.map(({ workflow }) => workflow.id);
    assert.deepEqual(await listWorkflows(owner), [ownWorkflow.id]);
    assert.deepEqual(await listWorkflows(editor), []);
    await owner.request('PUT', `/workflows/${ownWorkflow.id}/permissions`, {
      userId: editor.userId,
      role: 'VIEW',
    });
    assert.deepEqual(await listWorkflows(editor), [ownWorkflow.id]);
    await owner.request('POST', `/workflows/${ownWorkflow.id}/run`, {});
    const { rows } = await test.deps.db.query<{ id: string }>(
      'select id from executions where workflow_id = $1',
      [ownWorkflow.id],
    );
    await test.deps.db.query('update media set execution_id = $2 where id = $1', [mediaId, rows[0]?.id]);
    assert.deepEqual(await listWorkflows(editor), [ownWorkflow.id], 'A viewer sees no executions.');
    assert.deepEqual(await listWorkflows(owner), [ownWorkflow.id, ownWorkflow.id]);
    assertRefused(await otherUser.request('GET', `/media/${mediaId}/uses`), 403, 'forbidden');
    assertRefused(await owner.request('GET', '/media/med_x/uses'), 404, 'not_found');
  });
});
