// Tests media in graphs: lint and runs report missing media, and runs copy media of other workspaces.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { startWorker } from '../../../src/jobs/worker.ts';
import { createGuardedFetch } from '../../../src/lib/fetch.ts';
import { newId } from '../../../src/lib/ids.ts';
import { WorkerSlots } from '../../../src/runs/slots/worker-slots.ts';
import { resolveMedia } from '../../../src/services/media/media.ts';
import { uploadInline } from '../../../src/services/media/upload-media.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { mp4, uploadPicture } from '../../support/media/files.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { createWorkflow, edge, node, putWorkflow } from '../../support/workflows.ts';

const { signal } = new AbortController();

let test: TestApp;
let owner: ApiUser;
let otherUser: ApiUser;

before(async () => {
  test = await createTestApp();
  [owner, otherUser] = await test.createUsers(2);
});
after(() => test.close());

const toGraph = (config: Record<string, unknown>) => ({
  nodes: [node('a', 'input:image', config), node('b', 'output:preview', {}, { position: { x: 500, y: 0 } })],
  edges: [edge('a.image > b.input')],
});

const createRun = (user: ApiUser) => ({
  userId: user.userId,
  workspace: `user:${user.userId}`,
  executionId: newId('execution'),
});

describe('lint of workflows with media', () => {
  const missingId = `med_${'0'.repeat(26)}`;
  const warning = `a: Media ${missingId} does not exist. Upload it again, or choose another file.`;

  it('warns about missing media with each write', async () => {
    for (const config of [
      { mediaId: missingId },
      { url: `${test.deps.settings.CDN_URL}/${missingId}/a.png` },
    ]) {
      const created = await createWorkflow(owner, toGraph(config));
      assert.equal(created.meta.warnings[0], warning);
      assert.deepEqual(
        created.meta.issues.map(({ code, nodeId }) => [code, nodeId]),
        [['missing_media', 'a']],
      );
    }
    const complete = await createWorkflow(owner, toGraph({ mediaId: (await uploadPicture(owner)).mediaId }));
    assert.deepEqual(complete.meta.issues, []);
    const change = await putWorkflow(owner, complete.id, toGraph({ mediaId: missingId }));
    assert.ok(change.body.meta.warnings.includes(warning));
  });

  it('distinguishes an incomplete upload from missing media', async () => {
    const file = { contentType: 'image/png', bytes: 100, filename: 'a.png' };
    const incompleteUpload = await owner.request<{ mediaId: string }>('POST', '/media/upload-url', file);
    const { mediaId } = incompleteUpload.body;
    const created = await createWorkflow(owner, toGraph({ mediaId }));
    const expected = `The upload of media ${mediaId} is not complete: send its bytes, then complete it (POST /api/v1/media/upload-url/complete, or the tool add_media with mediaId alone).`;
    assert.equal(created.meta.warnings[0], `a: ${expected}`);
    await assert.rejects(resolveMedia(test.deps, createRun(owner), { mediaId }, 'image', signal), {
      code: 'upload_not_found',
      message: expected,
    });
  });

  it('warns about missing media at the lint routes', async () => {
    const expected = [['missing_media', 'a']];
    const toCodes = (issues: unknown): unknown =>
      (issues as { code: string; nodeId: string }[]).map(({ code, nodeId }) => [code, nodeId]);
    const lint = await owner.request('POST', '/workflows/lint', toGraph({ mediaId: missingId }));
    assert.deepEqual([lint.body.ok, toCodes(lint.body.issues)], [true, expected]);
    const { mediaId } = await uploadPicture(owner);
    const { id } = await createWorkflow(owner, toGraph({ mediaId }));
    const lintBefore = await owner.request('POST', `/workflows/${id}/lint`, {});
    assert.deepEqual(toCodes(lintBefore.body.issues), []);
    await owner.request('DELETE', `/media/${mediaId}?force=true`);
    const lintAfter = await owner.request('POST', `/workflows/${id}/lint`, {});
    assert.deepEqual(toCodes(lintAfter.body.issues), expected);
  });
});

describe('media in runs', () => {
  it('are not copied if they belong to the workspace of the run', async () => {
    const { mediaId, url } = await uploadPicture(owner);
    for (const source of [{ mediaId }, { url }]) {
      assert.equal(
        (await resolveMedia(test.deps, createRun(owner), source, 'image', signal)).mediaId,
        mediaId,
      );
    }
  });

  it('are copied from other workspaces only by URL', async () => {
    const { mediaId, url } = await uploadPicture(owner);
    const copy = await resolveMedia(test.deps, createRun(otherUser), { url }, 'image', signal);
    assert.notEqual(copy.mediaId, mediaId);
    assert.deepEqual([copy.width, copy.contentType], [4, 'image/png']);
    const list = await otherUser.request<{ data: unknown[] }>('GET', '/media');
    assert.deepEqual(list.body.data, []);
    await assert.rejects(resolveMedia(test.deps, createRun(otherUser), { mediaId }, 'image', signal), {
      code: 'not_found',
      message: `Media ${mediaId} was not found in this workspace.`,
    });
  });

  it('make the run fail at the node that uses missing media', async () => {
    const worker = await startWorker(test.deps, new WorkerSlots(4, Date.now));
    try {
      const { id } = await createWorkflow(owner, toGraph({ mediaId: `med_${'0'.repeat(26)}` }));
      const run = await owner.request<{ status: string; error: Record<string, unknown> }>(
        'POST',
        `/workflows/${id}/execute`,
        {},
        { prefer: 'wait=60' },
      );
      assert.equal(run.body.status, 'FAILED');
      const { code, nodeId, message } = run.body.error;
      assert.deepEqual([code, nodeId], ['not_found', 'a']);
      assert.match(String(message), /^Media med_0+ was not found in this workspace\.$/);
    } finally {
      await worker.stop(1000);
    }
  });

  it('are rejected if they are deleted or of another kind', async () => {
    const { mediaId, url } = await uploadPicture(owner);
    await assert.rejects(resolveMedia(test.deps, createRun(owner), { mediaId }, 'video', signal), {
      code: 'unsupported_type',
    });
    await owner.request('DELETE', `/media/${mediaId}`);
    for (const source of [{ mediaId }, { url }, { mediaId: '../x' }]) {
      await assert.rejects(resolveMedia(test.deps, createRun(owner), source, 'image', signal), {
        code: 'not_found',
      });
    }
  });
});

describe('uploadInline of a URL', () => {
  const MB = 1_048_576;
  let origin: string;
  const server = createServer((req, res) => {
    const [, kind = '', size = '0'] = (req.url ?? '').split('/');
    if (kind === 'redirect') return res.writeHead(302, { location: '/png/0/Bild%20eins.png?x=1' }).end();
    if (kind === 'missing') return res.writeHead(404).end();
    if (kind === 'long-error') return res.writeHead(404, { 'content-length': 26 * MB }).write('x');
    if (kind === 'stalled-error') return res.writeHead(500).flushHeaders();
    if (kind === 'html') return res.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
    if (kind === 'png')
      return void noiseImage(5, 6, 'png').then(bytes =>
        res.writeHead(200, { 'content-type': 'image/png' }).end(bytes),
      );
    const file = size === '0' ? Buffer.alloc(0) : mp4(Number(size));
    return res.writeHead(200, { 'content-type': 'video/mp4', 'transfer-encoding': 'chunked' }).end(file);
  });

  // The test server has a private address, which this client allows.
  const uploadUrl = (path: string) => {
    const actor = {
      kind: 'user',
      userId: owner.userId,
      credential: { kind: 'key', id: 'key' },
      scopes: new Set(['workflows:write'] as const),
      accountPlan: 'free',
    } as const;
    const fetch = createGuardedFetch({ allowPrivate: false, trustedUrls: [origin] });
    return uploadInline({ ...test.deps, fetch }, actor, { url: origin + path }, signal).finally(() =>
      fetch.close(),
    );
  };

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  it('follows redirects and names the file after the last URL', async () => {
    const { url, width, height } = await uploadUrl('/redirect');
    assert.match(url, /\/Bild-eins\.png$/);
    assert.deepEqual([width, height], [5, 6]);
  });

  it('accepts at most 25 MB', async () => {
    assert.equal((await uploadUrl(`/mp4/${25 * MB}/a.mp4`)).bytes, 25 * MB);
    await assert.rejects(uploadUrl(`/mp4/${25 * MB + 1}/a.mp4`), { code: 'file_too_large' });
  });

  it('rejects with the error of the other server', async () => {
    await assert.rejects(uploadUrl('/missing'), {
      code: 'fetch_failed',
      message: /responded with status 404/,
    });
    await assert.rejects(uploadUrl('/long-error'), {
      code: 'fetch_failed',
      message: /responded with status 404/,
    });
    await assert.rejects(uploadUrl('/stalled-error'), {
      code: 'fetch_failed',
      message: /responded with status 500/,
    });
    await assert.rejects(uploadUrl('/html'), { code: 'unsupported_type' });
    await assert.rejects(uploadUrl('/mp4/0'), { code: 'empty_file' });
  });
});
