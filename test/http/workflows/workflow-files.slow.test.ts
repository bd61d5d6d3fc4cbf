// Tests exported workflows: a file includes its media, and any account of any service can import the file.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { receiveFile, recordFile } from '../../../src/services/media/receive-file.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { mp4, type Uploaded, uploadPicture } from '../../support/media/files.ts';
import { assertRefused, createWorkflow, node, readWorkflow, type Workflow } from '../../support/workflows.ts';

interface Media {
  readonly mediaId: string;
  readonly url: string;
  readonly name: string;
  readonly sha256: string;
  readonly data?: string;
}
interface File extends Omit<Workflow, 'media'> {
  readonly media: readonly Media[];
}

const MB = 1_048_576;

let here: TestApp;
let otherApp: TestApp;
let owner: ApiUser;
let otherUser: ApiUser;
let otherAppUser: ApiUser;
let origin: string;

before(async () => {
  here = await createTestApp();
  otherApp = await createTestApp({
    env: { BASE_URL: 'https://there.test', ALLOW_PRIVATE_NETWORK: 'true' },
  });
  [owner, otherUser, otherAppUser] = [
    await here.createUser(),
    await here.createUser(),
    await otherApp.createUser(),
  ];
  await here.app.listen({ port: 0, host: '127.0.0.1' });
  origin = `http://127.0.0.1:${(here.app.server.address() as AddressInfo).port}`;
});
after(async () => {
  await here.close();
  await otherApp.close();
});

const exportWorkflow = async (user: ApiUser, id: string): Promise<File> => {
  const { status, body } = await user.request<File>('GET', `/workflows/${id}/export`);
  assert.equal(status, 200, body.error);
  return body;
};
const importFile = (user: ApiUser, file: object) => user.request<Workflow>('POST', '/workflows/import', file);
const countMedia = async (user: ApiUser): Promise<number> =>
  (await user.request<{ data: object[] }>('GET', '/media?limit=200')).body.data.length;
const listConfigs = ({ nodes }: Pick<Workflow, 'nodes'>) =>
  nodes.map(({ data }) => data.config as Record<string, unknown>);
const fetchBytes = async (app: TestApp, url: string): Promise<Buffer> =>
  (await app.app.inject(new URL(url).pathname)).rawPayload;

/** Creates a graph that refers to a file by id, by URL, and inside a longer text. */
const createGraphWith = ({ mediaId, url }: Pick<Uploaded, 'mediaId' | 'url'>) => ({
  nodes: [
    node('a', 'input:image', { mediaId }),
    node('b', 'input:image', { url }, { position: { x: 0, y: 400 } }),
    node('c', 'input:text', { value: `see ${url} and ${mediaId}` }, { position: { x: 0, y: 800 } }),
  ],
  edges: [],
});

/** Stores a video that exceeds the size limit of one upload request, and returns its id. */
async function addVideo(user: ApiUser, bytes: number): Promise<string> {
  const { signal } = new AbortController();
  const incoming = {
    source: mp4(bytes),
    declaredContentType: 'video/mp4',
    name: 'clip.mp4',
    maxBytes: () => bytes,
  };
  const file = await receiveFile(here.deps, incoming, signal);
  const workspace = `user:${user.userId}`;
  await recordFile(here.deps, file, {
    userId: user.userId,
    workspace,
    origin: 'upload',
    executionId: null,
  });
  return file.id;
}

describe('GET /workflows/{id}/export', () => {
  it('contains the bytes of the media in the graph', async () => {
    const picture = await uploadPicture(owner);
    const { id } = await createWorkflow(owner, createGraphWith(picture));
    const { media } = await exportWorkflow(owner, id);
    const [item, ...otherItems] = media;
    assert.deepEqual([item?.mediaId, item?.url, otherItems], [picture.mediaId, picture.url, []]);
    assert.deepEqual(Buffer.from(item?.data ?? '', 'base64'), await fetchBytes(here, picture.url));
    assert.deepEqual((await exportWorkflow(owner, (await createWorkflow(owner)).id)).media, []);
  });

  it('contains up to 25 MB of media bytes', async () => {
    const ids = [
      await addVideo(owner, 20 * MB),
      await addVideo(owner, 6 * MB),
      await addVideo(owner, 5 * MB),
    ];
    const nodes = ids.map((mediaId, index) =>
      node(`n${index}`, 'input:video', { mediaId }, { position: { x: 0, y: index * 400 } }),
    );
    const { id } = await createWorkflow(owner, { nodes, edges: [] });
    const { media } = await exportWorkflow(owner, id);
    assert.deepEqual(
      media.map(({ mediaId, data }) => [mediaId, Buffer.byteLength(data ?? '', 'base64')]),
      [
        [ids[0], 20 * MB],
        [ids[1], 0],
        [ids[2], 5 * MB],
      ],
    );
    const reachableMedia = JSON.parse(JSON.stringify(media).replaceAll(here.deps.settings.BASE_URL, origin));
    const { status, body } = await importFile(otherAppUser, {
      name: 'V',
      nodes,
      edges: [],
      media: reachableMedia,
    });
    assert.equal(status, 201, body.error);
    assert.deepEqual(body.meta.warnings, []);
    const { data } = (
      await otherAppUser.request<{ data: { bytes: number; contentType: string }[] }>('GET', '/media')
    ).body;
    assert.deepEqual(data.map(({ bytes, contentType }) => [bytes / MB, contentType]).toSorted(), [
      [20, 'video/mp4'],
      [5, 'video/mp4'],
      [6, 'video/mp4'],
    ]);
  });

  it('contains no media of another user', async () => {
    const { mediaId } = await uploadPicture(owner);
    const { id } = await createWorkflow(otherUser, {
      nodes: [node('a', 'input:image', { mediaId })],
      edges: [],
    });
    assert.deepEqual((await exportWorkflow(otherUser, id)).media, []);
  });

  it('contains media for readers who may duplicate the workflow', async () => {
    const { mediaId } = await uploadPicture(owner);
    const { id } = await createWorkflow(owner, { nodes: [node('a', 'input:image', { mediaId })], edges: [] });
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'DUPLICATE' });
    assert.deepEqual(
      (await exportWorkflow(otherUser, id)).media.map(item => item.mediaId),
      [mediaId],
    );
  });
});

describe('POST /workflows/import', () => {
  it('stores the media of the file and changes the references', async () => {
    const picture = await uploadPicture(owner, 5);
    const file = await exportWorkflow(owner, (await createWorkflow(owner, createGraphWith(picture))).id);
    for (const [user, app] of [
      [otherUser, here],
      [otherAppUser, otherApp],
    ] as const) {
      const { status, body } = await importFile(user, file);
      assert.equal(status, 201, body.error);
      assert.deepEqual(body.meta.warnings, []);
      const [a, b, c] = listConfigs(await readWorkflow(user, body.id));
      const mediaId = String(a?.mediaId);
      assert.notEqual(mediaId, picture.mediaId);
      const importedMedia = await user.request<Uploaded>('GET', `/media/${mediaId}`);
      assert.deepEqual([importedMedia.body.width, importedMedia.body.contentType], [5, 'image/png']);
      assert.equal(b?.url, importedMedia.body.url);
      assert.ok(importedMedia.body.url.startsWith(`${app.deps.settings.CDN_URL}/`));
      assert.equal(c?.value, `see ${importedMedia.body.url} and ${mediaId}`);
      assert.deepEqual(await fetchBytes(app, importedMedia.body.url), await fetchBytes(here, picture.url));
    }
  });

  it('reuses media of the same account', async () => {
    const picture = await uploadPicture(owner);
    const file = await exportWorkflow(owner, (await createWorkflow(owner, createGraphWith(picture))).id);
    const countBefore = await countMedia(owner);
    const { body } = await importFile(owner, file);
    assert.deepEqual(listConfigs(body), listConfigs(file));
    assert.equal(await countMedia(owner), countBefore);
  });

  it('warns about media that cannot be downloaded', async () => {
    const mediaId = newId('media');
    const media = {
      mediaId,
      name: 'x.png',
      contentType: 'image/png',
      url: `${origin}/cdn/${mediaId}/x.png`,
      width: null,
      height: null,
      duration: null,
    };
    const { status, body } = await importFile(otherAppUser, {
      name: 'W',
      ...createGraphWith(media),
      media: [media],
    });
    assert.equal(status, 201, body.error);
    assert.match(
      body.meta.warnings.join('\n'),
      new RegExp(`The media ${mediaId} could not be fetched from .*status 404`),
    );
    assert.ok(body.meta.issues.some(({ code, nodeId }) => code === 'missing_media' && nodeId === 'a'));
    // This service does not allow private addresses.
    const otherResponse = await importFile(otherUser, {
      name: 'W',
      ...createGraphWith(media),
      media: [media],
    });
    assert.match(otherResponse.body.meta.warnings.join('\n'), /that this service may not reach/);
  });

  it('refuses invalid media without storing anything', async () => {
    const picture = await uploadPicture(owner);
    const file = await exportWorkflow(owner, (await createWorkflow(owner, createGraphWith(picture))).id);
    const [validMedia] = file.media as [Media];
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const mediaCount = await countMedia(otherUser);
    const countWorkflows = async () =>
      (await otherUser.request<object[]>('GET', '/workflows?limit=1000')).body.length;
    const workflowCount = await countWorkflows();
    const invalidChanges: readonly (readonly [object, number, string])[] = [
      [{ data: base64('no picture') }, 422, 'unreadable_image'],
      [{ data: '' }, 400, 'empty_file'],
      [{ data: 'no base64!' }, 400, 'invalid_request'],
      [{ data: base64('<svg><script/></svg>').slice(1) }, 400, 'invalid_request'],
      [{ url: 'file:///etc/passwd' }, 400, 'invalid_request'],
      [{ mediaId: 'med_x' }, 400, 'invalid_request'],
      [{ contentType: 'text/html', data: base64('<html></html>') }, 415, 'unsupported_type'],
    ];
    for (const [change, status, code] of invalidChanges) {
      const media = [validMedia, { ...validMedia, mediaId: newId('media'), ...change }];
      assertRefused(await importFile(otherUser, { ...file, media }), status, code);
    }
    const tooManyMedia = Array.from({ length: 201 }, () => validMedia);
    assertRefused(await importFile(otherUser, { ...file, media: tooManyMedia }), 400, 'invalid_request');
    assertRefused(await importFile(otherUser, { ...file, nodes: [] }), 400, 'invalid_graph');
    assert.deepEqual([await countMedia(otherUser), await countWorkflows()], [mediaCount, workflowCount]);
    const { rows } = await here.deps.db.query('select from media where user_id = $1', [otherUser.userId]);
    assert.equal(rows.length, mediaCount);
  });

  it('accepts at most 25 MB of media, 4 MB of graph and three large files concurrently', async () => {
    const data = mp4(13 * MB).toString('base64');
    const media = [newId('media'), newId('media')].map(mediaId => ({
      mediaId,
      url: 'https://elsewhere.test/x.mp4',
      name: 'x.mp4',
      contentType: 'video/mp4',
      width: null,
      height: null,
      duration: null,
      data,
    }));
    const graph = { name: 'B', nodes: [node('a', 'input:text', { value: 'x' })], edges: [] };
    assertRefused(await importFile(otherUser, { ...graph, media }), 413, 'file_too_large');
    const largeGraph = {
      name: 'B',
      nodes: [node('a', 'input:text', { value: 'x'.repeat(4 * MB) })],
      edges: [],
    };
    assertRefused(await importFile(otherUser, largeGraph), 413, 'payload_too_large');
    const openRequests = Array.from({ length: 3 }, () => {
      const headers = {
        authorization: `Bearer ${otherUser.key}`,
        'content-type': 'application/json',
        'content-length': 5 * MB,
      };
      const req = request(`${origin}/api/v1/workflows/import`, { method: 'POST', headers }).on(
        'error',
        () => undefined,
      );
      req.write('{');
      return req;
    });
    const headers = { authorization: `Bearer ${otherUser.key}`, 'content-type': 'application/json' };
    const send = async (value: string): Promise<Response> =>
      fetch(`${origin}/api/v1/workflows/import`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ ...graph, padding: value }),
      });
    let response = await send('x'.repeat(5 * MB));
    // The service refuses another large file once all three requests have arrived.
    for (let tries = 0; response.status !== 429 && tries < 50; tries++)
      response = await send('x'.repeat(5 * MB));
    assert.deepEqual([response.status, response.headers.get('retry-after') !== null], [429, true]);
    assert.equal((await send('x')).status, 201);
    for (const req of openRequests) req.destroy();
    for (let tries = 0; response.status === 429 && tries < 50; tries++)
      response = await send('x'.repeat(5 * MB));
    assert.equal(response.status, 201);
  });
});
