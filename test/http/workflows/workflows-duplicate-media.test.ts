// Tests which media are copied when a user duplicates a workflow.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startWorker, type Worker } from '../../../src/jobs/worker.ts';
import { WorkerSlots } from '../../../src/runs/slots/worker-slots.ts';
import { type ApiUser, openTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import { type Uploaded, uploadPicture } from '../../support/media/files.ts';
import { createWorkflow, edge, node, putWorkflow, type Workflow } from '../../support/workflows.ts';

let test: TestApp;
let worker: Worker;
let owner: ApiUser;
let otherUser: ApiUser;

before(async () => {
  test = await openTestApp();
  worker = await startWorker(test.deps, new WorkerSlots(4, Date.now));
  [owner, otherUser] = await test.createUsers(2);
});
after(async () => {
  await worker.stop(1000);
  await test.close();
});

const toGraph = (config: Record<string, unknown>) => ({
  nodes: [node('a', 'input:image', config), node('b', 'output:preview', {}, { position: { x: 500, y: 0 } })],
  edges: [edge('a.image > b.input')],
});

/** Creates a workflow and publishes it as a template that anyone may duplicate. */
async function publish(user: ApiUser, graph: Record<string, unknown>): Promise<string> {
  const { id } = await createWorkflow(user, graph);
  const settings = { isTemplate: true, allowDuplicate: true };
  const { status } = await user.request('POST', `/workflows/${id}/publish`, {
    isPublished: true,
    settings,
  });
  assert.equal(status, 200);
  return id;
}

const duplicate = (user: ApiUser, id: string, body?: object): Promise<TestResponse<Workflow>> =>
  user.request<Workflow>('POST', `/workflows/${id}/duplicate`, body);
const getConfig = ({ nodes }: Pick<Workflow, 'nodes'>) =>
  nodes.find(({ id }) => id === 'a')?.data.config as Record<string, unknown>;
const listMedia = async (user: ApiUser): Promise<readonly Uploaded[]> =>
  (await user.request<{ data: Uploaded[] }>('GET', '/media?limit=200')).body.data;
const fetchBytes = async (url: string): Promise<Buffer> =>
  (await test.app.inject(new URL(url).pathname)).rawPayload;
const countFiles = async (): Promise<number> =>
  (
    await readdir(join(test.deps.settings.DATA_DIR, 'media'), { recursive: true, withFileTypes: true })
  ).filter(entry => entry.isFile()).length;

async function run(user: ApiUser, id: string): Promise<string> {
  const { body } = await user.request<{ status: string }>(
    'POST',
    `/workflows/${id}/execute`,
    {},
    {
      prefer: 'wait=60',
    },
  );
  return body.status;
}

describe('POST /workflows/{id}/duplicate', () => {
  it('copies media of another account', async () => {
    for (const reference of ['mediaId', 'url'] as const) {
      const copier = await test.createUser();
      const picture = await uploadPicture(owner, 5);
      const source = await publish(owner, toGraph({ [reference]: picture[reference] }));
      const { status, body } = await duplicate(copier, source);
      assert.equal(status, 201, body.error);
      assert.deepEqual(body.meta.warnings, []);
      const [copy, ...otherMedia] = await listMedia(copier);
      assert.ok(copy !== undefined);
      assert.deepEqual(
        [copy.width, copy.contentType, copy.bytes, otherMedia],
        [5, 'image/png', picture.bytes, []],
      );
      assert.notEqual(copy.mediaId, picture.mediaId);
      assert.equal(getConfig(body)[reference], copy[reference]);
      assert.deepEqual(await fetchBytes(copy.url), await fetchBytes(picture.url));
      assert.equal((await owner.request('DELETE', `/media/${picture.mediaId}?force=true`)).status, 200);
      assert.equal(await run(copier, body.id), 'COMPLETED');
    }
  });

  it('does not copy media that the user can already use', async () => {
    const { mediaId } = await uploadPicture(owner);
    const { id } = await createWorkflow(owner, toGraph({ mediaId }));
    const countBefore = await countFiles();
    const { body } = await duplicate(owner, id);
    assert.equal(getConfig(body).mediaId, mediaId);
    assert.equal(await countFiles(), countBefore);
  });

  it('does not copy media that the workspace of the original cannot read', async () => {
    const victim = await test.createUser();
    const { mediaId } = await uploadPicture(victim);
    const source = await publish(owner, toGraph({ mediaId }));
    const copier = await test.createUser();
    const { body } = await duplicate(copier, source);
    assert.equal(getConfig(body).mediaId, mediaId);
    assert.deepEqual(await listMedia(copier), []);
    assert.equal(await run(copier, body.id), 'FAILED');
  });

  it('does not copy personal media of a member from a team workflow', async () => {
    const { body: team } = await owner.request<{ id: string }>('POST', '/teams', { name: 'T' });
    const { body: folder } = await owner.request<{ id: string }>('POST', '/folders', {
      name: 'F',
      teamId: team.id,
    });
    const { mediaId } = await uploadPicture(owner);
    const source = await publish(owner, toGraph({ mediaId }));
    assert.equal((await putWorkflow(owner, source, { folderId: folder.id })).status, 200);
    const copier = await test.createUser();
    assert.equal(getConfig((await duplicate(copier, source)).body).mediaId, mediaId);
    assert.deepEqual(await listMedia(copier), []);
  });

  it('copies only media of the version and fields that the user can read', async () => {
    const [publishedPicture, laterPicture] = [await uploadPicture(owner, 6), await uploadPicture(owner, 7)];
    const source = await publish(owner, toGraph({ mediaId: publishedPicture.mediaId }));
    await putWorkflow(owner, source, toGraph({ mediaId: laterPicture.mediaId }));
    const copier = await test.createUser();
    await duplicate(copier, source);
    assert.deepEqual(
      (await listMedia(copier)).map(({ width }) => width),
      [6],
    );
    const hiddenPicture = await uploadPicture(owner, 8);
    const redactedSource = await publish(
      owner,
      toGraph({ mediaId: publishedPicture.mediaId, apiToken: hiddenPicture.mediaId }),
    );
    const otherUser = await test.createUser();
    await duplicate(otherUser, redactedSource);
    assert.deepEqual(
      (await listMedia(otherUser)).map(({ width }) => width),
      [6],
    );
  });

  it('copies no media if the request is refused', async () => {
    const source = await publish(owner, toGraph({ mediaId: (await uploadPicture(owner)).mediaId }));
    const countBefore = await countFiles();
    const folderId = `fld_${'0'.repeat(26)}`;
    assert.equal((await duplicate(otherUser, source, { folderId })).status, 404);
    assert.equal(await countFiles(), countBefore);
    assert.deepEqual(await listMedia(otherUser), []);
  });

  it('warns about missing media', async () => {
    const { mediaId } = await uploadPicture(owner);
    const source = await publish(owner, toGraph({ mediaId }));
    await owner.request('DELETE', `/media/${mediaId}?force=true`);
    const { status, body } = await duplicate(otherUser, source);
    assert.equal(status, 201);
    assert.match(body.meta.warnings.join('\n'), new RegExp(`Media ${mediaId} does not exist`));
  });
});
