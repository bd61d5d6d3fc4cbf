// Tests collections, favorites, names, filters, archives and deletions of media.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Collection, DeletedMedia, MediaItem } from '../../../sdk/src/schemas.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { KEY, startTestService, type TestService } from '../../support/service.ts';
import { at, edge, node } from '../../support/workflows.ts';

type Request = Pick<TestService, 'request'>;

describe('the media library', () => {
  let service: TestService;
  let viewer: Request;
  let outsider: Request;
  let ids: string[];
  before(async () => {
    service = await startTestService();
    const team = await service.request('POST', '/teams', { name: 'Studio' });
    const teamId = String(team.body.id);
    const email = 'viewer@example.com';
    viewer = await service.createUser({ email, keyScopes: SCOPES });
    outsider = await service.createUser({ email: 'outsider@example.com', keyScopes: SCOPES });
    const invitation = await service.request('POST', `/teams/${teamId}/members`, { email, role: 'VIEWER' });
    await viewer.request('POST', `/invitations/${invitation.body.id}/accept`);
    for (const caller of [service, viewer]) await caller.request('PUT', '/me/workspace', { teamId });
    ids = [];
    for (const name of ['cat.png', 'cat.png', 'Cat.png']) ids.push(await upload(name));
    const id = await service.createWorkflow({
      name: 'Harbour',
      nodes: [
        node('words', 'input:text', { value: 'a red boat' }),
        node('picture', 'generate:sandbox', { width: 64, height: 64 }, at(400, 0)),
      ],
      edges: [edge('words.text > picture.prompt')],
    });
    const folder = await service.request('POST', '/folders', { name: 'F', teamId });
    await service.request('PUT', `/workflows/${id}`, { folderId: folder.body.id });
    const run = await service.runWorkflow(id);
    assert.equal(run.status, 'COMPLETED', JSON.stringify(run.error));
  });
  after(() => service?.close());

  async function upload(name: string): Promise<string> {
    const form = new FormData();
    form.set('file', new Blob([Uint8Array.from(await noiseImage(8, 8, 'png'))], { type: 'image/png' }), name);
    const response = await fetch(`${service.url}/api/v1/media/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}` },
      body: form,
    });
    return ((await response.json()) as { mediaId: string }).mediaId;
  }

  const list = async (query: string, caller: Request = service) => {
    const { status, body } = await caller.request<{ data: MediaItem[] }>('GET', `/media?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  const listIds = async (query: string, caller?: Request) =>
    (await list(query, caller)).map(({ mediaId }) => mediaId).sort();
  const create = async (name: string, mediaIds?: readonly string[]) => {
    const { status, body } = await service.request<Collection>('POST', '/collections', { name, mediaIds });
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  };

  it('groups files in collections without copying them', async () => {
    const [first = '', second = ''] = ids;
    const collection = await create('Best', [first]);
    assert.equal(collection.mediaCount, 1);
    assert.ok(collection.coverUrl?.includes(first));
    const path = `/collections/${collection.id}`;
    const changed = await service.request<Collection>('PATCH', path, {
      name: 'Better',
      addMediaIds: [first, second],
    });
    assert.deepEqual([changed.body.name, changed.body.mediaCount], ['Better', 2]);
    assert.deepEqual(await listIds(`collectionId=${collection.id}`), [first, second].sort());
    const containing = await service.request<{ data: Collection[] }>('GET', `/collections?mediaId=${second}`);
    assert.deepEqual(
      containing.body.data.map(({ name }) => name),
      ['Better'],
    );
    await service.request('PATCH', path, { removeMediaIds: [first] });
    assert.deepEqual(await listIds(`collectionId=${collection.id}`), [second]);
    assert.equal((await service.request('DELETE', path)).status, 200);
    assert.equal((await service.request('GET', path)).status, 404);
    assert.equal((await list('')).length, 3);
  });

  it('lets members read collections, and only editors change them', async () => {
    const collection = await create('Shared', ids);
    const path = `/collections/${collection.id}`;
    assert.equal((await viewer.request('GET', path)).status, 200);
    assert.equal((await viewer.request('PATCH', path, { name: 'Mine' })).status, 403);
    assert.equal((await viewer.request('DELETE', path)).status, 403);
    assert.equal((await viewer.request('POST', '/collections', { name: 'Mine' })).status, 403);
    assert.equal((await outsider.request('GET', path)).status, 403);
    assert.deepEqual(await listIds(`collectionId=${collection.id}`, outsider), []);
    const foreign = await outsider.request('POST', '/collections', { name: 'Stolen', mediaIds: ids });
    assert.equal(foreign.status, 404);
    const download = await outsider.request('GET', `/media/download?collectionId=${collection.id}`);
    assert.equal(download.status, 403);
    await service.request('DELETE', path);
  });

  it('keeps the favorites of each user', async () => {
    const [first = '', second = ''] = ids;
    const mark = { mediaIds: [first, second], isFavorite: true };
    assert.equal((await viewer.request('PATCH', '/media', mark)).status, 200);
    assert.deepEqual(await listIds('favorite=true', viewer), [first, second].sort());
    assert.deepEqual(await listIds('favorite=true'), []);
    const changed = await viewer.request<MediaItem>('PATCH', `/media/${first}`, { isFavorite: false });
    assert.equal(changed.body.isFavorite, false);
    assert.deepEqual(await listIds('favorite=true', viewer), [second]);
    assert.equal((await outsider.request('PATCH', '/media', mark)).status, 404);
  });

  it('renames a file without changing its URL, and finds it by both names', async () => {
    const [id = ''] = ids;
    const before = await service.request<MediaItem>('GET', `/media/${id}`);
    const after = await service.request<MediaItem>('PATCH', `/media/${id}`, { name: 'Sleeping tiger' });
    assert.equal(after.body.name, 'Sleeping tiger');
    assert.equal(after.body.url, before.body.url);
    assert.deepEqual(await listIds('q=tiger+sleep'), [id]);
    assert.ok((await listIds('q=cat')).includes(id));
    assert.equal((await viewer.request('PATCH', `/media/${id}`, { name: 'x' })).status, 403);
  });

  it('filters by model, person and time, and searches models and workflows', async () => {
    const [result] = await list('origin=output');
    assert.equal(result?.model?.nodeType, 'generate:sandbox');
    const resultIds = [result?.mediaId];
    assert.deepEqual(await listIds('origin=all&model=generate:sandbox'), resultIds);
    assert.deepEqual(await listIds('origin=all&model=generate:other'), []);
    assert.deepEqual(await listIds(`origin=output&userId=${result?.userId}`), resultIds);
    assert.deepEqual(await listIds('origin=output&userId=999'), []);
    assert.deepEqual(await listIds('origin=output&createdAfter=2020-01-01'), resultIds);
    assert.deepEqual(await listIds('origin=output&createdBefore=2020-01-01'), []);
    const word = result?.model?.label.split(' ')[0];
    assert.deepEqual(await listIds(`origin=all&q=harbour+${word}+boat`), resultIds);
    assert.deepEqual(await listIds('origin=all&q=%22red+boat%22'), resultIds);
    assert.deepEqual(await listIds('origin=all&q=%22boat+red%22'), []);
  });

  it('downloads files as an archive with distinct names', async () => {
    const collection = await create('Löwe', ids);
    for (const query of [`mediaIds=${ids.join(',')}`, `collectionId=${collection.id}`]) {
      const response = await fetch(`${service.url}/api/v1/media/download?${query}`, {
        headers: { authorization: `Bearer ${KEY}` },
      });
      assert.equal(response.status, 200);
      if (query.startsWith('collection'))
        assert.ok(response.headers.get('content-disposition')?.includes('L%C3%B6we.zip'));
      const names = listArchive(Buffer.from(await response.arrayBuffer()));
      assert.deepEqual(names.map(name => name.toLowerCase()).sort(), [
        'cat-2.png',
        'cat.png',
        'sleeping-tiger.png',
      ]);
    }
    for (const query of [
      '',
      `mediaIds=${ids[0]}&collectionId=${collection.id}`,
      `mediaIds=${'med_1,'.repeat(201)}`,
    ])
      assert.notEqual((await service.request('GET', `/media/download?${query}`)).status, 200, query);
  });

  it('deletes several files and says which remain', async () => {
    const [first = '', second = '', third = ''] = ids;
    await service.createWorkflow({ nodes: [node('in', 'input:image', { mediaId: third })], edges: [] });
    const mediaIds = [first, second, third, 'med_unknown'];
    const { status, body } = await service.request<DeletedMedia>('POST', '/media/delete', { mediaIds });
    assert.equal(status, 200);
    assert.deepEqual(body.deleted, [first, second]);
    assert.deepEqual(
      body.failed.map(({ mediaId, code }) => [mediaId, code]),
      [
        [third, 'media_in_use'],
        ['med_unknown', 'not_found'],
      ],
    );
    assert.equal(
      (await viewer.request<DeletedMedia>('POST', '/media/delete', { mediaIds })).body.deleted.length,
      0,
    );
  });
});

/** Returns the names in the central directory of a ZIP archive. */
function listArchive(bytes: Buffer): readonly string[] {
  const names: string[] = [];
  let offset = bytes.indexOf(CENTRAL_HEADER);
  while (bytes.indexOf(CENTRAL_HEADER, offset) === offset && offset >= 0) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map(at => bytes.readUInt16LE(offset + at));
    names.push(bytes.toString('utf8', offset + 46, offset + 46 + (nameLength ?? 0)));
    offset += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return names;
}

const CENTRAL_HEADER = Buffer.from('PK\x01\x02', 'latin1');
const SCOPES = ['workflows:read', 'workflows:write', 'account:admin'];
