// Tests the storage quota of an account: which files count, which uploads are refused, and how storage is freed.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { advanceBatch } from '../../../src/automation/batches/advance-batch.ts';
import { deleteExpired } from '../../../src/store/retention/old-rows.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
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
      batches: { storageBytes: 100_000 },
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

const readStorage = async (user: ApiUser): Promise<Storage> =>
  (await user.request<{ storage: Storage }>('GET', '/me')).body.storage;

const dataUrl = () => `data:image/png;base64,${image.toString('base64')}`;
const upload = (user: ApiUser) =>
  user.request<{ mediaId: string } & Refusal>('POST', '/media/upload', { dataUrl: dataUrl() });
const createUpload = (user: ApiUser, bytes = image.length) =>
  user.request<{ mediaId: string; uploadUrl: string; headers: Record<string, string> } & Refusal>(
    'POST',
    '/media/upload-url',
    { contentType: 'image/png', bytes, filename: 'a.png' },
  );
const complete = (user: ApiUser, mediaId: string) =>
  user.request<Refusal>('POST', '/media/upload-url/complete', { mediaId });

const put = async (createdUpload: { uploadUrl: string; headers: Record<string, string> }, body: Buffer) => {
  const url = createdUpload.uploadUrl.replace(/^https?:\/\/[^/]+/, origin);
  const response = await fetch(url, {
    method: 'PUT',
    headers: createdUpload.headers,
    body: new Uint8Array(body),
  });
  assert.equal(response.status, 200, await response.text());
};

const TEXT_WORKFLOW = {
  name: 'W',
  nodes: [node('a', 'input:text'), node('n', 'input:number'), node('end', 'output:preview')],
  edges: [edge('a.text > end.input')],
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
    const [size, user] = [image.length, await test.createUser({ plan: 'tiny' })];
    assert.deepEqual(await readStorage(user), { usedBytes: 0, limitBytes: 3 * size });
    const first = await upload(user);
    assert.equal((await readStorage(user)).usedBytes, size);
    const createdUpload = await createUpload(user);
    assert.equal((await readStorage(user)).usedBytes, 2 * size, 'A created upload counts.');
    await put(createdUpload.body, image);
    assert.equal((await complete(user, createdUpload.body.mediaId)).status, 200);
    assert.equal((await complete(user, createdUpload.body.mediaId)).status, 200);
    assert.equal(
      (await readStorage(user)).usedBytes,
      2 * size,
      'The file of a completed upload counts once.',
    );
    const invalidUpload = await createUpload(user);
    await put(invalidUpload.body, Buffer.alloc(size, 'x'));
    assert.equal((await complete(user, invalidUpload.body.mediaId)).body.code, 'unreadable_image');
    assert.equal((await readStorage(user)).usedBytes, 2 * size, 'A refused file does not count.');
    for (const { mediaId } of [first.body, createdUpload.body])
      assert.equal((await user.request('DELETE', `/media/${mediaId}`)).status, 200);
    assert.equal((await readStorage(user)).usedBytes, 0);
    const unlimitedCaller = await test.createUser({ plan: 'open' });
    assert.equal((await readStorage(unlimitedCaller)).limitBytes, null);
  });

  it('refuses a file that does not fit with 413 storage_quota_exceeded', async () => {
    const [size, user] = [image.length, await test.createUser({ plan: 'tiny' })];
    const lastUpload = [await upload(user), await upload(user), await upload(user)].at(-1);
    assert.equal(lastUpload?.status, 200);
    const orphansBefore = await countOrphans();
    const { status, body } = await upload(user);
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
    assert.equal((await user.request('DELETE', `/media/${lastUpload?.body.mediaId}`)).status, 200);
    const tooLarge = await createUpload(user, size + 1);
    assert.deepEqual([tooLarge.status, tooLarge.body.requiredBytes], [413, size + 1]);
    assert.match(tooLarge.body.error, /, and this needs [\d.]+ (?:bytes|KiB) more\./);
    assert.equal((await createUpload(user)).status, 200);
  });

  it('notifies the user once that more than 80 % is used', async () => {
    const user = await test.createUser({ plan: 'tiny' });
    const listNotices = async () =>
      (await user.request<{ data: { kind: string }[] }>('GET', '/notices')).body.data.map(({ kind }) => kind);
    for (let count = 0; count < 2; count++) assert.equal((await upload(user)).status, 200);
    assert.deepEqual(await listNotices(), []);
    const lastUpload = await upload(user);
    assert.deepEqual(await listNotices(), ['storage_high']);
    await user.request('DELETE', `/media/${lastUpload.body.mediaId}`);
    await upload(user);
    assert.deepEqual(await listNotices(), ['storage_high'], 'The unread notice is not repeated.');
  });

  it('refuses every kind of upload if the storage is full', async () => {
    const [owner, user] = [await test.createUser(), await test.createUser({ plan: 'full' })];
    const mediaId = (await upload(owner)).body.mediaId;
    const { id } = (await owner.request<{ id: string }>('POST', '/workflows', toWorkflow(mediaId))).body;
    const publication = { isPublished: true, settings: { isTemplate: true, allowDuplicate: true } };
    assert.equal((await owner.request('POST', `/workflows/${id}/publish`, publication)).status, 200);
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(image)], { type: 'image/png' }), 'a.png');
    const multipart = await fetch(`${origin}/api/v1/media/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}` },
      body: form,
    });
    const file = (await owner.request('GET', `/workflows/${id}/export`)).body;
    const refusals = [
      ['a form', (await multipart.json()) as Refusal],
      ['a data URL', (await upload(user)).body],
      [
        'a URL',
        (await user.request<Refusal>('POST', '/media/upload', { url: 'https://example.com/a.png' })).body,
      ],
      ['a presigned upload', (await createUpload(user)).body],
      ['an import', (await user.request<Refusal>('POST', '/workflows/import', file)).body],
      ['a copy', (await user.request<Refusal>('POST', `/workflows/${id}/duplicate`)).body],
    ] as const;
    for (const [label, { code }] of refusals) assert.equal(code, 'storage_quota_exceeded', label);
    assert.equal((await readStorage(user)).usedBytes, 0);
  });

  it('is not exceeded by concurrent uploads', async () => {
    const user = await test.createUser({ plan: 'tiny' });
    // A concurrent request that waits for more than a second is refused as busy.
    const uploadUntilFree = async (index: number): Promise<number> => {
      const { status, body } = await (index % 3 === 0 ? createUpload(user) : upload(user));
      return body.code === 'upload_busy' ? uploadUntilFree(index) : status;
    };
    const statuses = await Promise.all(Array.from({ length: 12 }, (_, index) => uploadUntilFree(index)));
    const acceptedStatuses = statuses.filter(status => status === 200);
    assert.equal(acceptedStatuses.length, 3, String(statuses));
    assert.deepEqual(await readStorage(user), {
      usedBytes: 3 * image.length,
      limitBytes: 3 * image.length,
    });
  });

  it('counts batches, and is not exceeded by concurrent ones', async () => {
    const user = await test.createUser({ plan: 'batches' });
    const { id } = (await user.request<{ id: string }>('POST', '/workflows', TEXT_WORKFLOW)).body;
    const before = await readStorage(user);
    // The long value is stored once for all rows.
    const matrix = {
      inputs: { a: ['x'.repeat(40_000)], n: Array.from({ length: 9 }, (_, number) => number) },
    };
    const create = () =>
      user.request<{ batchId: string } & Refusal>('POST', `/workflows/${id}/batches`, {
        matrix,
        metadata: { note: 'é'.repeat(1000) },
      });
    const responses = await Promise.all([create(), create(), create(), create()]);
    const accepted = responses.filter(({ status }) => status === 202);
    const refused = responses.find(({ status }) => status !== 202);
    assert.deepEqual([accepted.length, refused?.status], [2, 413], JSON.stringify(responses));
    assert.equal(refused?.body.code, 'storage_quota_exceeded');
    assert.match(refused.body.error, /ended batches \(DELETE \/api\/v1\/batches\/\{id\}\)/);
    const { usedBytes } = await readStorage(user);
    assert.ok(usedBytes > 2 * 42_000 && usedBytes < 2 * 45_000, String(usedBytes));
    for (const { body } of accepted) {
      await user.request('POST', `/batches/${body.batchId}/stop`, {});
      await advanceBatch(test.deps, body.batchId);
      assert.equal((await user.request('DELETE', `/batches/${body.batchId}`)).status, 200);
    }
    assert.deepEqual(await readStorage(user), before);
    assert.equal((await create()).status, 202);
  });

  it('counts each version of a graph for its author', async () => {
    const [owner, editor] = [
      await test.createUser({ plan: 'open' }),
      await test.createUser({ plan: 'open' }),
    ];
    const { id } = (await owner.request<{ id: string }>('POST', '/workflows', TEXT_WORKFLOW)).body;
    const { usedBytes: first } = await readStorage(owner);
    assert.ok(first > 100);
    await owner.request('PUT', `/workflows/${id}/permissions`, { userId: editor.userId, role: 'EDIT' });
    const change = (user: ApiUser, value: string, query = '') =>
      user.request('PUT', `/workflows/${id}${query}`, {
        nodes: [node('a', 'input:text', { value })],
        edges: [],
      });
    assert.equal((await change(owner, 'x'.repeat(10_000))).status, 200);
    const { usedBytes: second } = await readStorage(owner);
    assert.ok(second - first > 10_000 && second - first < 10_500, String(second - first));
    assert.equal((await change(owner, 'x'.repeat(10_000))).status, 200);
    assert.equal((await readStorage(owner)).usedBytes, second, 'Nothing was stored.');
    assert.equal((await readStorage(editor)).usedBytes, 0);
  });

  it('lets graphs exceed the quota by 64 MB, so that no edit is lost', async () => {
    const user = await test.createUser({ plan: 'full' });
    const create = () => user.request<{ id: string } & Refusal>('POST', '/workflows', TEXT_WORKFLOW);
    const { status, body } = await create();
    assert.equal(status, 201);
    const change = (value: string) =>
      user.request<Refusal>('PUT', `/workflows/${body.id}`, {
        nodes: [node('a', 'input:text', { value })],
        edges: [],
      });
    const setUsage = (bytes: number) =>
      test.deps.db.query('update storage_usage set bytes = $2 where user_id = $1', [user.userId, bytes]);
    await setUsage(64 * 2 ** 20 - 1000);
    assert.equal((await change('small')).status, 200);
    await setUsage(64 * 2 ** 20 - 1000);
    for (const refused of [await change('x'.repeat(1000)), await change('x'.repeat(1000))]) {
      assert.deepEqual([refused.status, refused.body.code], [413, 'storage_quota_exceeded']);
      assert.match(refused.body.error, /DELETE .* workflows/);
    }
    await setUsage(64 * 2 ** 20);
    assert.equal((await create()).body.code, 'storage_quota_exceeded');
    // Nothing is stored, so nothing is refused.
    assert.equal((await change('small')).status, 200);
  });

  it('counts tables', async () => {
    const user = await test.createUser({ plan: 'batches' });
    const send = () =>
      test.app.inject({
        method: 'POST',
        url: '/api/v1/tables',
        headers: { authorization: `Bearer ${user.key}`, 'content-type': 'text/csv' },
        payload: `text\n${'x'.repeat(40_000)}\n`,
      });
    assert.equal((await send()).statusCode, 201);
    const { usedBytes } = await readStorage(user);
    assert.ok(usedBytes > 40_000 && usedBytes < 42_000, String(usedBytes));
    assert.equal((await send()).statusCode, 201);
    assert.equal((await send()).json<Refusal>().code, 'storage_quota_exceeded');
    await deleteExpired(test.deps.db, 'tables', new Date(Date.now() + 1000), 10);
    assert.equal((await readStorage(user)).usedBytes, 0);
  });

  it('follows a change of the plan', async () => {
    const user = await test.createUser({ plan: 'full' });
    assert.equal((await upload(user)).status, 413);
    const change = await test.deps.db.query(`update users set plan = 'tiny' where id = $1`, [user.userId]);
    assert.equal(change.rowCount, 1);
    assert.equal((await upload(user)).status, 200);
  });

  it('allows files fetched by runs to be listed and deleted', async () => {
    const user = await test.createUser();
    const { mediaId } = (await upload(user)).body;
    await test.deps.db.query(`update media set origin = 'input' where id = $1`, [mediaId]);
    const list = await user.request<{ data: { mediaId: string }[] }>('GET', '/media?origin=input');
    assert.deepEqual(
      list.body.data.map(row => row.mediaId),
      [mediaId],
    );
    assert.equal((await user.request('DELETE', `/media/${mediaId}`)).status, 200);
    assert.equal((await readStorage(user)).usedBytes, 0);
  });
});
