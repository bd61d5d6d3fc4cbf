// Tests the storage quota of an account: which files count, which uploads are refused, and how storage is freed.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { edge, node } from '../../support/workflows.ts';

let test: TestApp;
let origin: string;
let image: Buffer;

before(async () => {
  image = await noiseImage(40, 30, 'png');
  test = await createTestApp({
    plans: {
      tiny: { storageBytes: 3 * image.length },
      full: { storageBytes: 0 },
      open: { storageBytes: null },
    },
  });
  origin = await test.app.listen({ host: '127.0.0.1', port: 0 });
});
after(() => test.close());

interface Storage {
  readonly usedBytes: number;
  readonly limitBytes: number | null;
}

interface Refusal {
  readonly code: string;
  readonly error: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly requiredBytes: number;
}

const readStorage = async (caller: Caller): Promise<Storage> =>
  (await caller.request<{ storage: Storage }>('GET', '/me')).body.storage;

const dataUrl = () => `data:image/png;base64,${image.toString('base64')}`;
const upload = (caller: Caller) =>
  caller.request<{ mediaId: string } & Refusal>('POST', '/media/upload', { dataUrl: dataUrl() });
const createUpload = (caller: Caller, bytes = image.length) =>
  caller.request<{ mediaId: string; uploadUrl: string; headers: Record<string, string> } & Refusal>(
    'POST',
    '/media/upload-url',
    { contentType: 'image/png', bytes, filename: 'a.png' },
  );
const complete = (caller: Caller, mediaId: string) =>
  caller.request<Refusal>('POST', '/media/upload-url/complete', { mediaId });

const put = async (createdUpload: { uploadUrl: string; headers: Record<string, string> }, body: Buffer) => {
  const url = createdUpload.uploadUrl.replace(/^https?:\/\/[^/]+/, origin);
  const response = await fetch(url, {
    method: 'PUT',
    headers: createdUpload.headers,
    body: new Uint8Array(body),
  });
  assert.equal(response.status, 200, await response.text());
};

const toWorkflow = (mediaId: string) => ({
  name: 'With a picture',
  nodes: [node('i', 'input:image', { mediaId }), node('end', 'output:preview')],
  edges: [edge('i.image > end.input')],
});

/** Returns the number of files in storage that have no row in the database. */
const countOrphans = async (): Promise<number> =>
  (await test.deps.db.query('select from media_strays')).rowCount;

describe('storage quota of an account', () => {
  it('counts uploaded files and created uploads', async () => {
    const [size, caller] = [image.length, await test.createCaller({ plan: 'tiny' })];
    assert.deepEqual(await readStorage(caller), { usedBytes: 0, limitBytes: 3 * size });
    const first = await upload(caller);
    assert.equal((await readStorage(caller)).usedBytes, size);
    const createdUpload = await createUpload(caller);
    assert.equal((await readStorage(caller)).usedBytes, 2 * size, 'A created upload counts.');
    await put(createdUpload.body, image);
    assert.equal((await complete(caller, createdUpload.body.mediaId)).status, 200);
    assert.equal((await complete(caller, createdUpload.body.mediaId)).status, 200);
    assert.equal(
      (await readStorage(caller)).usedBytes,
      2 * size,
      'The file of a completed upload counts once.',
    );
    const invalidUpload = await createUpload(caller);
    await put(invalidUpload.body, Buffer.alloc(size, 'x'));
    assert.equal((await complete(caller, invalidUpload.body.mediaId)).body.code, 'unreadable_image');
    assert.equal((await readStorage(caller)).usedBytes, 2 * size, 'A refused file does not count.');
    for (const { mediaId } of [first.body, createdUpload.body])
      assert.equal((await caller.request('DELETE', `/media/${mediaId}`)).status, 200);
    assert.equal((await readStorage(caller)).usedBytes, 0);
    const unlimitedCaller = await test.createCaller({ plan: 'open' });
    assert.equal((await readStorage(unlimitedCaller)).limitBytes, null);
  });

  it('refuses a file that does not fit with 413 storage_quota_exceeded', async () => {
    const [size, caller] = [image.length, await test.createCaller({ plan: 'tiny' })];
    const lastUpload = [await upload(caller), await upload(caller), await upload(caller)].at(-1);
    assert.equal(lastUpload?.status, 200);
    const orphansBefore = await countOrphans();
    const { status, body } = await upload(caller);
    assert.equal(status, 413);
    assert.deepEqual(
      [body.code, body.usedBytes, body.limitBytes],
      ['storage_quota_exceeded', 3 * size, 3 * size],
    );
    assert.match(
      body.error,
      /^Your storage is full: [^,]+ are in use\. Delete .* DELETE \/api\/v1\/media\/\{id\}/,
    );
    assert.equal(await countOrphans(), orphansBefore, 'The refused file was deleted.');
    assert.equal((await caller.request('DELETE', `/media/${lastUpload?.body.mediaId}`)).status, 200);
    const tooLarge = await createUpload(caller, size + 1);
    assert.deepEqual([tooLarge.status, tooLarge.body.requiredBytes], [413, size + 1]);
    assert.match(tooLarge.body.error, /, and this needs [\d.]+ (?:bytes|KiB) more\./);
    assert.equal((await createUpload(caller)).status, 200);
  });

  it('notifies the user once that more than 80 % is used', async () => {
    const caller = await test.createCaller({ plan: 'tiny' });
    const listNotices = async () =>
      (await caller.request<{ data: { kind: string }[] }>('GET', '/notices')).body.data.map(
        ({ kind }) => kind,
      );
    for (let count = 0; count < 2; count++) assert.equal((await upload(caller)).status, 200);
    assert.deepEqual(await listNotices(), []);
    const lastUpload = await upload(caller);
    assert.deepEqual(await listNotices(), ['storage_high']);
    await caller.request('DELETE', `/media/${lastUpload.body.mediaId}`);
    await upload(caller);
    assert.deepEqual(await listNotices(), ['storage_high'], 'The unread notice is not repeated.');
  });

  it('refuses every kind of upload if the storage is full', async () => {
    const [owner, caller] = [await test.createCaller(), await test.createCaller({ plan: 'full' })];
    const mediaId = (await upload(owner)).body.mediaId;
    const { id } = (await owner.request<{ id: string }>('POST', '/workflows', toWorkflow(mediaId))).body;
    const publication = { isPublished: true, settings: { isTemplate: true, allowDuplicate: true } };
    assert.equal((await owner.request('POST', `/workflows/${id}/publish`, publication)).status, 200);
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(image)], { type: 'image/png' }), 'a.png');
    const multipart = await fetch(`${origin}/api/v1/media/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}` },
      body: form,
    });
    const file = (await owner.request('GET', `/workflows/${id}/export`)).body;
    const refusals = [
      ['a form', (await multipart.json()) as Refusal],
      ['a data URL', (await upload(caller)).body],
      [
        'a URL',
        (await caller.request<Refusal>('POST', '/media/upload', { url: 'https://example.com/a.png' })).body,
      ],
      ['a presigned upload', (await createUpload(caller)).body],
      ['an import', (await caller.request<Refusal>('POST', '/workflows/import', file)).body],
      ['a copy', (await caller.request<Refusal>('POST', `/workflows/${id}/duplicate`)).body],
    ] as const;
    for (const [label, { code }] of refusals) assert.equal(code, 'storage_quota_exceeded', label);
    assert.equal((await readStorage(caller)).usedBytes, 0);
  });

  it('is not exceeded by concurrent uploads', async () => {
    const caller = await test.createCaller({ plan: 'tiny' });
    const uploads = Array.from({ length: 12 }, (_, index) =>
      index % 3 === 0 ? createUpload(caller) : upload(caller),
    );
    const statuses = (await Promise.all(uploads)).map(({ status }) => status);
    // A concurrent request that waits for more than a second is refused as busy.
    const acceptedStatuses = statuses.filter(status => status === 200);
    assert.equal(acceptedStatuses.length, 3, String(statuses));
    assert.deepEqual(await readStorage(caller), {
      usedBytes: 3 * image.length,
      limitBytes: 3 * image.length,
    });
  });

  it('follows a change of the plan', async () => {
    const caller = await test.createCaller({ plan: 'full' });
    assert.equal((await upload(caller)).status, 413);
    const change = await test.deps.db.query(`update users set plan = 'tiny' where id = $1`, [caller.userId]);
    assert.equal(change.rowCount, 1);
    assert.equal((await upload(caller)).status, 200);
  });

  it('allows files fetched by runs to be listed and deleted', async () => {
    const caller = await test.createCaller();
    const { mediaId } = (await upload(caller)).body;
    await test.deps.db.query(`update media set origin = 'input' where id = $1`, [mediaId]);
    const list = await caller.request<{ data: { mediaId: string }[] }>('GET', '/media?origin=input');
    assert.deepEqual(
      list.body.data.map(row => row.mediaId),
      [mediaId],
    );
    assert.equal((await caller.request('DELETE', `/media/${mediaId}`)).status, 200);
    assert.equal((await readStorage(caller)).usedBytes, 0);
  });
});
