// Tests media over HTTP: creating uploads within limits, listing, deleting, and permissions.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { storeMedia } from '../../../src/services/media/media.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { assertRateRefusal } from '../../support/http/rate-refusal.ts';
import { uploadPicture } from '../../support/media/files.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { assertRefused, createWorkflow, node } from '../../support/workflows.ts';

const MB = 1_048_576;

let test: TestApp;
let owner: ApiUser;
let editor: ApiUser;
let viewer: ApiUser;
let otherUser: ApiUser;
let teamId: string;
// A whole second, so that the time until the reset of a limit is a whole number of seconds.
let now: number;

before(async () => {
  now = Math.floor(Date.now() / 1000) * 1000;
  test = await createTestApp({ now: () => now });
  [owner, editor, viewer, otherUser] = await test.createUsers(4);
  teamId = String((await owner.request('POST', '/teams', { name: 'T' })).body.id);
  await joinTeam(owner, teamId, editor, 'EDITOR');
  await joinTeam(owner, teamId, viewer, 'VIEWER');
});
after(() => test.close());

interface MediaItem {
  readonly mediaId: string;
  readonly url: string;
  readonly name: string;
  readonly teamId: string | null;
  readonly createdAt: string;
  readonly contentType: string;
}

interface MediaList {
  readonly data: readonly MediaItem[];
  readonly nextCursor: string | null;
}

const createUpload = (user: ApiUser, body: object) => user.request('POST', '/media/upload-url', body);
const toVideoUpload = (bytes: number) => ({ contentType: 'video/mp4', bytes, filename: 'v.mp4' });
const setWorkspace = (user: ApiUser, teamId: string | null) =>
  user.request('PUT', '/me/workspace', { teamId });

async function upload(user: ApiUser, format: 'png' | 'webp' = 'png'): Promise<MediaItem> {
  const bytes = await noiseImage(4, 4, format);
  const dataUrl = `data:image/${format};base64,${bytes.toString('base64')}`;
  const { body, status } = await user.request<MediaItem>('POST', '/media/upload', { dataUrl });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function uploadWav(user: ApiUser): Promise<MediaItem> {
  const head = Buffer.from(
    '524946462400000057415645666d74201000000001000100401f0000803e0000020010006461746100000000',
    'hex',
  );
  const dataUrl = `data:audio/wav;base64,${head.toString('base64')}`;
  return (await user.request<MediaItem>('POST', '/media/upload', { dataUrl })).body;
}

const list = async (user: ApiUser, query = ''): Promise<MediaList> =>
  (await user.request<MediaList>('GET', `/media${query}`)).body;

describe('POST /media/upload-url', () => {
  it('refuses more bytes than the limit of the type', async () => {
    for (const [contentType, maxBytes] of [
      ['image/png', 25 * MB],
      ['audio/mpeg', 25 * MB],
      ['video/mp4', 100 * MB],
    ] as const) {
      assert.equal((await createUpload(owner, { contentType, bytes: maxBytes, filename: 'a' })).status, 200);
      const tooLarge = await createUpload(owner, { contentType, bytes: maxBytes + 1, filename: 'a' });
      assertRefused(tooLarge, 413, 'file_too_large');
    }
  });

  it('refuses unsupported types, including SVG', async () => {
    for (const contentType of ['image/svg+xml', 'text/html', 'application/octet-stream', '', 'image/tiff']) {
      assertRefused(
        await createUpload(owner, { contentType, bytes: 5, filename: 'a' }),
        415,
        'unsupported_type',
      );
    }
  });

  it('returns 400 invalid_bytes unless bytes is a positive integer', async () => {
    for (const bytes of [undefined, 0, -1, 1.5, '5', null, 1e300]) {
      assertRefused(
        await createUpload(owner, { contentType: 'image/png', bytes, filename: 'a' }),
        400,
        'invalid_bytes',
      );
    }
    assertRefused(await createUpload(owner, { contentType: 'image/png', bytes: 5 }), 400, 'invalid_request');
    assertRefused(
      await createUpload(owner, { contentType: 'image/png', bytes: 5, filename: 'a', x: 1 }),
      400,
      'invalid_request',
    );
  });

  it('allows 10 GB per account in a rolling hour', async () => {
    const user = await test.createUser();
    const startedAt = now;
    for (let index = 0; index < 102; index++) {
      now += 1000;
      assert.equal((await createUpload(user, toVideoUpload(100 * MB))).status, 200);
    }
    assert.equal((await createUpload(user, toVideoUpload(40 * MB))).status, 200);
    const response = await createUpload(user, toVideoUpload(1));
    assertRateRefusal(response, { code: 'upload_budget_exceeded', limit: 10 * 1_073_741_824, nowMs: now });
    // The first upload was created 101 s ago.
    assert.equal(response.headers['retry-after'], String(3600 - 101));
    assert.equal((await createUpload(owner, toVideoUpload(1))).status, 200);
    now += (3600 - 101) * 1000;
    assert.equal((await createUpload(user, toVideoUpload(100 * MB))).status, 200);
    assertRefused(await createUpload(user, toVideoUpload(100 * MB)), 429, 'upload_budget_exceeded');
    now = startedAt;
  });

  it('returns 429 upload_busy if another upload of the account takes longer than a second', async () => {
    const user = await test.createUser();
    const release = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const lock = test.deps.db.transaction(async tx => {
      await tx.query(`select pg_advisory_xact_lock(hashtextextended('media_uploads:' || $1::int, 0))`, [
        user.userId,
      ]);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const busy = await createUpload(user, toVideoUpload(5));
    assertRateRefusal(busy, { code: 'upload_busy', limit: 1, nowMs: now });
    assert.equal(busy.headers['retry-after'], '1');
    assert.equal((await createUpload(owner, toVideoUpload(5))).status, 200);
    const delayedResponse = createUpload(user, toVideoUpload(5));
    release.resolve();
    await lock;
    assert.equal((await delayedResponse).status, 200);
  });
});

describe('POST /media/upload-url/complete', () => {
  const complete = (mediaId: unknown) => owner.request('POST', '/media/upload-url/complete', { mediaId });

  it('refuses ids of unknown uploads and of uploads without a file', async () => {
    for (const mediaId of ['', 'x', 'med_', 'wf_01kadj3vc8aaaaaaaaaaaaaaaa', '../x', 7, null, undefined])
      assertRefused(await complete(mediaId), 400, 'invalid_media_id');
    const { body: uploadWithoutFile } = await createUpload(owner, toVideoUpload(5));
    for (const mediaId of [`med_${'0'.repeat(26)}`, uploadWithoutFile.mediaId])
      assertRefused(await complete(mediaId), 404, 'upload_not_found');
  });
});

describe('GET /media', () => {
  it('pages through the media of the active workspace, newest first', async () => {
    const user = await test.createUser();
    const items: MediaItem[] = [];
    for (const uploadFile of [upload, upload, uploadWav, upload]) {
      now += 5;
      items.unshift(await uploadFile(user));
    }
    const wholeList = await list(user);
    assert.deepEqual(
      wholeList.data.map(({ mediaId }) => mediaId),
      items.map(({ mediaId }) => mediaId),
    );
    assert.equal(wholeList.nextCursor, null);
    const [first] = wholeList.data;
    assert.deepEqual(Object.keys(first ?? {}).sort(), [
      'bytes',
      'contentType',
      'createdAt',
      'duration',
      'executionId',
      'height',
      'isFavorite',
      'mediaId',
      'model',
      'name',
      'origin',
      'posterUrl',
      'prompt',
      'seed',
      'teamId',
      'url',
      'userId',
      'userName',
      'width',
      'workflow',
    ]);
    assert.deepEqual([first?.name, first?.teamId], ['file.png', null]);
    const page = await list(user, '?limit=3');
    const lastPage = await list(user, `?limit=3&cursor=${page.nextCursor}`);
    assert.deepEqual([...page.data, ...lastPage.data], wholeList.data);
    assert.equal(lastPage.nextCursor, null);
    assert.deepEqual(
      (await list(user, '?type=audio')).data.map(({ contentType }) => contentType),
      ['audio/wav'],
    );
    assert.equal((await list(user, '?type=image')).data.length, 3);
    assert.deepEqual((await list(user, '?type=video')).data, []);
    for (const query of ['?type=text', '?limit=0', '?limit=201', '?cursor=x']) {
      assertRefused(await user.request('GET', `/media${query}`), 400, 'invalid_request');
    }
  });

  it('lists uploads unless another origin is requested', async () => {
    const user = await test.createUser();
    const { mediaId: uploadId } = await upload(user);
    const source = await noiseImage(4, 4, 'png');
    const storeOutput = async (executionId: string | null): Promise<string> => {
      now += 1;
      const owner = { userId: user.userId, workspace: `user:${user.userId}`, executionId };
      const file = { source, contentType: 'image/png', name: 'made' };
      return (await storeMedia(test.deps, owner, file, AbortSignal.timeout(10_000))).mediaId;
    };
    const [first, second, preview] = [
      await storeOutput('ex_1'),
      await storeOutput('ex_2'),
      await storeOutput(null),
    ];
    const listIds = async (query: string) => (await list(user, query)).data.map(({ mediaId }) => mediaId);
    assert.deepEqual(await listIds(''), [uploadId]);
    assert.deepEqual(await listIds('?origin=upload'), [uploadId]);
    assert.deepEqual(await listIds('?origin=output'), [second, first]);
    assert.deepEqual(await listIds('?origin=preview'), [preview]);
    assert.deepEqual(await listIds('?origin=output&type=video'), []);
    const page = await list(user, '?origin=output&limit=1');
    assert.deepEqual(await listIds(`?origin=output&limit=1&cursor=${page.nextCursor}`), [first]);
    assert.deepEqual(await listIds('?origin=input'), []);
    assertRefused(await user.request('GET', '/media?origin=unknown'), 400, 'invalid_request');
  });

  it('lists media of a team to all members', async () => {
    await setWorkspace(owner, teamId);
    const teamFile = await upload(owner);
    for (const user of [editor, viewer]) {
      await setWorkspace(user, teamId);
      const { data } = await list(user);
      assert.deepEqual(
        data.map(({ mediaId, teamId: team }) => [mediaId, team]),
        [[teamFile.mediaId, teamId]],
      );
    }
    assertRefused(await viewer.request('POST', '/media/upload', { dataUrl: 'data:,x' }), 403, 'forbidden');
    assertRefused(await createUpload(viewer, toVideoUpload(5)), 403, 'forbidden');
    assert.deepEqual((await list(otherUser)).data, []);
    await setWorkspace(owner, null);
    assert.equal(
      (await list(owner)).data.some(({ mediaId }) => mediaId === teamFile.mediaId),
      false,
    );
  });
});

describe('GET /media/{id}', () => {
  const get = (user: Pick<ApiUser, 'request'>, mediaId: string) =>
    user.request<MediaItem>('GET', `/media/${mediaId}`);

  it('returns the list item only to members of the workspace', async () => {
    await setWorkspace(owner, teamId);
    const { mediaId } = await uploadPicture(owner);
    const { body: list } = await owner.request<{ data: readonly MediaItem[] }>('GET', '/media');
    const listItem = list.data.find(item => item.mediaId === mediaId);
    await setWorkspace(owner, null);
    for (const user of [owner, editor, viewer]) {
      const { status, body } = await get(user, mediaId);
      assert.deepEqual([status, body], [200, listItem]);
    }
    assert.equal(listItem?.teamId, teamId);
    assertRefused(await get(otherUser, mediaId), 403, 'forbidden');
    assertRefused(await get(test.anonymous, mediaId), 401, 'unauthorized');
    assertRefused(
      await get(await test.withScopes(owner, ['workflows:read']), mediaId),
      401,
      'insufficient_scope',
    );
  });

  it('returns 404 for an unknown file', async () => {
    for (const id of [`med_${'0'.repeat(26)}`, 'med_x', 'wf_1'])
      assertRefused(await get(owner, id), 404, 'not_found');
  });
});

describe('DELETE /media/{id}', () => {
  const remove = (user: ApiUser, id: string, query = '') =>
    user.request<{ success?: boolean; workflows?: unknown }>('DELETE', `/media/${id}${query}`);

  it('is allowed only for editors of the workspace', async () => {
    const file = await upload(owner);
    assertRefused(await remove(otherUser, file.mediaId), 403, 'forbidden');
    assert.deepEqual((await remove(owner, file.mediaId)).body, { success: true });
    assertRefused(await remove(owner, file.mediaId), 404, 'not_found');
    assertRefused(await remove(owner, 'nonsense'), 404, 'not_found');
    await setWorkspace(owner, teamId);
    const teamFile = await upload(owner);
    await setWorkspace(owner, null);
    assertRefused(await remove(viewer, teamFile.mediaId), 403, 'forbidden');
    assert.equal((await remove(editor, teamFile.mediaId)).status, 200);
  });

  it('returns 409 media_in_use with the workflows that use the file', async () => {
    const { mediaId, url } = await upload(owner);
    const linkedWorkflow = await createWorkflow(owner, { name: 'Linked', mediaId });
    now += 5;
    const workflowWithId = await createWorkflow(owner, {
      name: 'Using id',
      nodes: [node('a', 'input:image', { mediaId })],
      edges: [],
    });
    now += 5;
    const workflowWithUrl = await createWorkflow(owner, {
      name: 'Using URL',
      nodes: [node('a', 'input:image', { url })],
      edges: [],
    });
    const otherUsersWorkflow = await createWorkflow(otherUser, {
      name: 'Of other user',
      nodes: [node('a', 'input:image', { url })],
      edges: [],
    });
    const response = await remove(owner, mediaId);
    const { error } = assertRefused(response, 409, 'media_in_use');
    assert.match(error, /Linked .*Using id .*Using URL /);
    assert.equal(error.includes(otherUsersWorkflow.id), false);
    assert.deepEqual(
      response.body.workflows,
      [linkedWorkflow, workflowWithId, workflowWithUrl].map(({ id, name }) => ({ id, name })),
    );
    await owner.request('DELETE', `/workflows/${linkedWorkflow.id}`);
    await owner.request('PUT', `/workflows/${workflowWithId.id}`, { nodes: [node('a', 'input:image', {})] });
    await owner.request('PUT', `/workflows/${workflowWithUrl.id}`, { nodes: [node('a', 'input:image', {})] });
    assert.equal((await remove(owner, mediaId)).status, 200);
  });

  it('returns 409 media_in_use if a published version uses the file, unless force=true', async () => {
    const { mediaId } = await upload(owner);
    const { id } = await createWorkflow(owner, { nodes: [node('a', 'input:image', { mediaId })], edges: [] });
    const publication = await owner.request('POST', `/workflows/${id}/publish`, {
      isPublished: true,
      slug: 'with-media',
    });
    assert.equal(publication.status, 200);
    await owner.request('PUT', `/workflows/${id}`, { nodes: [node('a', 'input:image', {})] });
    assertRefused(await remove(owner, mediaId), 409, 'media_in_use');
    assert.equal((await remove(owner, mediaId, '?force=true')).status, 200);
  });
});

describe('every media route', () => {
  it('requires workflows:write', async () => {
    const reader = await test.withScopes(owner, ['workflows:execute', 'account:admin', 'instance:admin']);
    const id = `med_${'0'.repeat(26)}`;
    for (const [method, path, body] of [
      ['GET', '/media', undefined],
      ['GET', `/media/${id}/uses`, undefined],
      ['DELETE', `/media/${id}`, undefined],
      ['POST', '/media/upload', { dataUrl: 'data:,x' }],
      ['POST', '/media/upload-url', toVideoUpload(5)],
      ['POST', '/media/upload-url/complete', { mediaId: id }],
    ] as const) {
      assertRefused(await reader.request(method, path, body), 401, 'insufficient_scope');
      assertRefused(await test.anonymous.request(method, path, body), 401, 'unauthorized');
    }
  });
});

describe('GET /openapi.json', () => {
  it('documents inline uploads as JSON and as multipart/form-data', async () => {
    const document = (await test.app.inject({ url: '/openapi.json' })).json();
    const { content } = document.paths['/api/v1/media/upload'].post.requestBody;
    assert.deepEqual(Object.keys(content).sort(), ['application/json', 'multipart/form-data']);
  });
});
