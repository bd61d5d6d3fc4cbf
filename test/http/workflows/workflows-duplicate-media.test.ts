// Tests that duplicating a workflow copies exactly the media that the copy needs to the new owner.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startWorker, type Worker } from '../../../src/jobs/worker.ts';
import { WorkerSlots } from '../../../src/runs/worker-slots.ts';
import { type Caller, createTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import { type Uploaded, uploadPicture } from '../../support/media/files.ts';
import { createWorkflow, edge, node, putWorkflow, type Workflow } from '../../support/workflows.ts';

let test: TestApp;
let worker: Worker;
let owner: Caller;
let otherUser: Caller;

before(async () => {
  test = await createTestApp();
  worker = await startWorker(test.deps, new WorkerSlots(4, Date.now));
  [owner, otherUser] = await test.createCallers(2);
});
after(async () => {
  await worker.stop(1000);
  await test.close();
});

const toGraph = (config: Record<string, unknown>) => ({
  nodes: [node('a', 'input:image', config), node('b', 'output:preview', {}, { position: { x: 500, y: 0 } })],
  edges: [edge('a.image > b.input')],
});

/** Published as a template that anyone may duplicate. */
async function publish(caller: Caller, graph: Record<string, unknown>): Promise<string> {
  const { id } = await createWorkflow(caller, graph);
  const settings = { isTemplate: true, allowDuplicate: true };
  const { status } = await caller.request('POST', `/workflows/${id}/publish`, {
    isPublished: true,
    settings,
  });
  assert.equal(status, 200);
  return id;
}

const duplicate = (caller: Caller, id: string, body?: object): Promise<TestResponse<Workflow>> =>
  caller.request<Workflow>('POST', `/workflows/${id}/duplicate`, body);
const getConfig = ({ nodes }: Pick<Workflow, 'nodes'>) =>
  nodes.find(({ id }) => id === 'a')?.data.config as Record<string, unknown>;
const listed = async (caller: Caller): Promise<readonly Uploaded[]> =>
  (await caller.request<{ data: Uploaded[] }>('GET', '/media?limit=200')).body.data;
const bytesAt = async (url: string): Promise<Buffer> =>
  (await test.app.inject(new URL(url).pathname)).rawPayload;
const countFiles = async (): Promise<number> =>
  (
    await readdir(join(test.deps.settings.DATA_DIR, 'media'), { recursive: true, withFileTypes: true })
  ).filter(entry => entry.isFile()).length;

async function run(caller: Caller, id: string): Promise<string> {
  const { body } = await caller.request<{ status: string }>(
    'POST',
    `/workflows/${id}/execute`,
    {},
    {
      prefer: 'wait=20',
    },
  );
  return body.status;
}

describe("a copy of another account's workflow", () => {
  it('has its own copies of the pictures, by id and by URL, and runs after the original is deleted', async () => {
    for (const named of ['mediaId', 'url'] as const) {
      const copier = await test.createCaller();
      const picture = await uploadPicture(owner, 5);
      const source = await publish(owner, toGraph({ [named]: picture[named] }));
      const { status, body } = await duplicate(copier, source);
      assert.equal(status, 201, body.error);
      assert.deepEqual(body.meta.warnings, []);
      const [own, ...others] = await listed(copier);
      assert.ok(own !== undefined);
      assert.deepEqual([own.width, own.contentType, own.bytes, others], [5, 'image/png', picture.bytes, []]);
      assert.notEqual(own.mediaId, picture.mediaId);
      assert.equal(getConfig(body)[named], own[named]);
      assert.deepEqual(await bytesAt(own.url), await bytesAt(picture.url));
      assert.equal((await owner.request('DELETE', `/media/${picture.mediaId}?force=true`)).status, 200);
      assert.equal(await run(copier, body.id), 'COMPLETED');
    }
  });

  it('does not copy files that its owner can already use', async () => {
    const { mediaId } = await uploadPicture(owner);
    const { id } = await createWorkflow(owner, toGraph({ mediaId }));
    const before = await countFiles();
    const { body } = await duplicate(owner, id);
    assert.equal(getConfig(body).mediaId, mediaId);
    assert.equal(await countFiles(), before);
  });

  it("does not copy files that the workflow's own workspace cannot read", async () => {
    const victim = await test.createCaller();
    const { mediaId } = await uploadPicture(victim);
    const source = await publish(owner, toGraph({ mediaId }));
    const copier = await test.createCaller();
    const { body } = await duplicate(copier, source);
    assert.equal(getConfig(body).mediaId, mediaId);
    assert.deepEqual(await listed(copier), []);
    assert.equal(await run(copier, body.id), 'FAILED');
  });

  it("does not copy a member's personal files out of a team workflow", async () => {
    const { body: team } = await owner.request<{ id: string }>('POST', '/teams', { name: 'T' });
    const { body: folder } = await owner.request<{ id: string }>('POST', '/folders', {
      name: 'F',
      teamId: team.id,
    });
    const { mediaId } = await uploadPicture(owner);
    const source = await publish(owner, toGraph({ mediaId }));
    assert.equal((await putWorkflow(owner, source, { folderId: folder.id })).status, 200);
    const copier = await test.createCaller();
    assert.equal(getConfig((await duplicate(copier, source)).body).mediaId, mediaId);
    assert.deepEqual(await listed(copier), []);
  });

  it('copies only files named by the version that the reader sees', async () => {
    const [shown, later] = [await uploadPicture(owner, 6), await uploadPicture(owner, 7)];
    const source = await publish(owner, toGraph({ mediaId: shown.mediaId }));
    await putWorkflow(owner, source, toGraph({ mediaId: later.mediaId }));
    const copier = await test.createCaller();
    await duplicate(copier, source);
    assert.deepEqual(
      (await listed(copier)).map(({ width }) => width),
      [6],
    );
    const hidden = await uploadPicture(owner, 8);
    const redacted = await publish(owner, toGraph({ mediaId: shown.mediaId, apiToken: hidden.mediaId }));
    const otherUser = await test.createCaller();
    await duplicate(otherUser, redacted);
    assert.deepEqual(
      (await listed(otherUser)).map(({ width }) => width),
      [6],
    );
  });

  it('stores no file if it is refused', async () => {
    const source = await publish(owner, toGraph({ mediaId: (await uploadPicture(owner)).mediaId }));
    const before = await countFiles();
    const folderId = `fld_${'0'.repeat(26)}`;
    assert.equal((await duplicate(otherUser, source, { folderId })).status, 404);
    assert.equal(await countFiles(), before);
    assert.deepEqual(await listed(otherUser), []);
  });

  it('warns of a picture whose file is missing', async () => {
    const { mediaId } = await uploadPicture(owner);
    const source = await publish(owner, toGraph({ mediaId }));
    await owner.request('DELETE', `/media/${mediaId}?force=true`);
    const { status, body } = await duplicate(otherUser, source);
    assert.equal(status, 201);
    assert.match(body.meta.warnings.join('\n'), new RegExp(`Media ${mediaId} does not exist`));
  });
});
