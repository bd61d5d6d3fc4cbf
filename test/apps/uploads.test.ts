// Tests the sweep that deletes visitors' files after a day, and rows that a crash left without a file.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { sweepAppUploads } from '../../src/apps/uploads.ts';
import { newId } from '../../src/lib/ids.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { plainImage } from '../support/media/pixels.ts';
import { createWorkflow, edge, node } from '../support/workflows.ts';

const GRAPH = {
  nodes: [node('picture', 'input:image'), node('out', 'output:preview')],
  edges: [edge('picture.image > out.input')],
};
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let nowMs = Date.now();
let test: TestApp;
before(async () => {
  test = await createTestApp({ now: () => nowMs });
  const owner = await test.createUser();
  const { id } = await createWorkflow(owner, GRAPH);
  const app = {
    slug: 'frame',
    title: 'Frame',
    inputs: [{ nodeId: 'picture' }],
    outputs: ['out'],
    audience: 'signed_in',
  };
  assert.equal((await owner.request('PUT', `/workflows/${id}/app`, app)).status, 200);
});
after(() => test.close());

const setAge = async (mediaId: string, ageMs: number): Promise<void> => {
  await test.deps.db.query('update app_uploads set created_at = $2 where media_id = $1', [
    mediaId,
    new Date(nowMs - ageMs),
  ]);
};
const countUploads = async (): Promise<number> =>
  (await test.deps.db.query<{ count: string }>('select count(*) from app_uploads')).rows.map(row =>
    Number(row.count),
  )[0] ?? 0;

it("sweepAppUploads deletes visitors' files after a day", async () => {
  const visitor = await test.createUser();
  const upload = async (): Promise<{ mediaId: string; url: string }> => {
    const form = new FormData();
    form.append(
      'file',
      new Blob([new Uint8Array(await plainImage(4, 4, '#336699'))], { type: 'image/png' }),
      'a.png',
    );
    const request = new Request('http://localhost', { method: 'POST', body: form });
    const { statusCode, body } = await test.app.inject({
      method: 'POST',
      url: '/api/v1/apps/frame/media',
      headers: {
        authorization: `Bearer ${visitor.key}`,
        'content-type': request.headers.get('content-type') ?? '',
      },
      payload: Buffer.from(await request.arrayBuffer()),
    });
    assert.equal(statusCode, 200, body);
    return JSON.parse(body);
  };
  const [oldFile, recentFile] = [await upload(), await upload()];
  await setAge(oldFile.mediaId, DAY_MS + 1000);
  await setAge(recentFile.mediaId, DAY_MS - HOUR_MS);
  const read = async ({ url }: { url: string }) =>
    (await test.app.inject({ method: 'GET', url: new URL(url).pathname })).statusCode;
  const run = async ({ mediaId }: { mediaId: string }) =>
    (await visitor.request('POST', '/apps/frame/run', { inputs: { input_1: { mediaId } } })).status;
  const expired = [404, 400];
  assert.deepEqual([await read(oldFile), await run(oldFile)], expired, 'before the sweep');
  await sweepAppUploads(test.deps, new AbortController().signal);
  assert.deepEqual([await read(oldFile), await run(oldFile)], expired);
  assert.deepEqual([await read(recentFile), await run(recentFile)], [200, 202]);
  assert.equal(await countUploads(), 1);
});

it('sweepAppUploads deletes several batches of rows without a file', async () => {
  const ids = Array.from({ length: 250 }, () => newId('media'));
  await test.deps.db.query(
    `insert into app_uploads (app_id, media_id, created_at) select 'app_gone', id, $2 from unnest($1::text[]) as id`,
    [ids, new Date(nowMs - 2 * DAY_MS)],
  );
  await assert.rejects(sweepAppUploads(test.deps, AbortSignal.abort()), { name: 'AbortError' });
  assert.equal(await countUploads(), 251);
  await sweepAppUploads(test.deps, new AbortController().signal);
  assert.equal(await countUploads(), 1);
  nowMs += 2 * DAY_MS;
  await sweepAppUploads(test.deps, new AbortController().signal);
  assert.equal(await countUploads(), 0);
});
