// Tests the uses of a media file: workflows, publications and executions that the user may read.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { uploadPicture } from '../../support/media/files.ts';
import { assertRefused, createWorkflow, node } from '../../support/workflows.ts';

let test: TestApp;
let owner: ApiUser;
let editor: ApiUser;
let otherUser: ApiUser;
let teamId: string;
before(async () => {
  test = await openTestApp();
  [owner, editor, otherUser] = await test.createUsers(3);
  teamId = String((await owner.request('POST', '/teams', { name: 'T' })).body.id);
  await joinTeam(owner, teamId, editor, 'EDITOR');
});
after(() => test.close());

const setWorkspace = (user: ApiUser, id: string | null) =>
  user.request('PUT', '/me/workspace', { teamId: id });

describe('GET /media/{id}/uses', () => {
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
  const listUses = async (user: ApiUser, id: string, query = '') =>
    (await user.request<{ data: Use[]; nextCursor: string | null }>('GET', `/media/${id}/uses${query}`)).body;
  const createGraph = (config: Readonly<Record<string, unknown>>) => ({
    nodes: [node('a', 'input:image', config)],
    edges: [],
  });

  it('pages through workflows, then publications, then executions', async () => {
    const { mediaId, url } = await uploadPicture(owner);
    const linkedWorkflow = await createWorkflow(owner, { name: 'Linked', mediaId });
    await setTimeout(5);
    const referringWorkflow = await createWorkflow(owner, { name: 'Named', ...createGraph({ url }) });
    const publication = { isPublished: true, slug: 'of-a-file', settings: { isTemplate: true } };
    await owner.request('POST', `/workflows/${referringWorkflow.id}/publish`, publication);
    await setTimeout(5);
    const oldWorkflow = await createWorkflow(owner, { name: 'Old', ...createGraph({ mediaId }) });
    await owner.request('PUT', `/workflows/${oldWorkflow.id}`, createGraph({}));
    const { data } = await listUses(owner, mediaId);
    assert.deepEqual(
      data.map(({ kind, workflow, nodes, isLinked, slug, isTemplate }) => ({
        use: [kind, workflow.id],
        nodes: nodes.map(({ id }) => id),
        details: [isLinked, slug, isTemplate],
      })),
      [
        { use: ['workflow', referringWorkflow.id], nodes: ['a'], details: [false, null, false] },
        { use: ['workflow', linkedWorkflow.id], nodes: [], details: [true, null, false] },
        { use: ['publication', referringWorkflow.id], nodes: ['a'], details: [false, 'of-a-file', true] },
      ],
    );
    const pagedUses: Use[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await listUses(owner, mediaId, `?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
      pagedUses.push(...page.data);
      cursor = page.nextCursor;
    }
    assert.deepEqual(pagedUses, data);
  });

  it('lists the executions that created or reused the file', async () => {
    const { id } = await createWorkflow(owner, createGraph({}));
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

  it('lists only uses that the user may read', async () => {
    await setWorkspace(owner, teamId);
    const { mediaId } = await uploadPicture(owner);
    await setWorkspace(owner, null);
    const ownWorkflow = await createWorkflow(owner, { name: 'Own', ...createGraph({ mediaId }) });
    await createWorkflow(otherUser, { name: 'Of other user', ...createGraph({ mediaId }) });
    const listWorkflows = async (user: ApiUser) =>
      (await listUses(user, mediaId)).data.map(({ workflow }) => workflow.id);
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
