// Tests the media library: uploads and results in one list, with the prompt, workflow and poster of each result.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { MediaItem } from '../../../sdk/src/schemas.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { KEY, ownAddressSettings, startTestService, type TestService } from '../../support/service.ts';
import { at, edge, node } from '../../support/workflows.ts';

type Request = Pick<TestService, 'request'>;

describe('GET /media', () => {
  let service: TestService;
  let viewer: Request;
  before(async () => {
    service = await startTestService(await ownAddressSettings());
    const team = await service.request('POST', '/teams', { name: 'Studio' });
    const teamId = String(team.body.id);
    const email = 'viewer@example.com';
    viewer = await service.createUser({ email, keyScopes: SCOPES });
    const invitation = await service.request('POST', `/teams/${teamId}/members`, { email, role: 'VIEWER' });
    const { status } = await viewer.request('POST', `/invitations/${invitation.body.id}/accept`);
    assert.equal(status, 200);
    for (const caller of [service, viewer]) await caller.request('PUT', '/me/workspace', { teamId });
    const bytes = await noiseImage(8, 8, 'png');
    const dataUrl = `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`;
    await service.request('POST', '/media/upload', { dataUrl });
    const folder = await service.request('POST', '/folders', { name: 'F', teamId });
    const id = await service.createWorkflow({
      name: 'Harbour at 50%',
      nodes: [
        node('words', 'input:text', { value: 'a red boat' }),
        node('picture', 'generate:sandbox', { width: 64, height: 64 }, at(400, 0)),
        node('clip', 'video:sandbox', { prompt: 'waves {{secrets.KEY}}', duration: 1 }, at(400, 300)),
      ],
      edges: [edge('words.text > picture.prompt')],
    });
    await service.request('PUT', `/workflows/${id}`, { folderId: folder.body.id });
    const run = await service.runWorkflow(id);
    assert.equal(run.status, 'COMPLETED', JSON.stringify(run.error));
  });
  after(() => service?.close());

  const list = async (query: string, caller: Request = service) => {
    const { status, body } = await caller.request<{ data: MediaItem[] }>('GET', `/media?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  const listNames = async (query: string, caller?: Request) =>
    (await list(query, caller)).map(({ contentType }) => contentType.split('/')[0]).sort();

  it('lists uploads and results with the prompt and workflow of each result', async () => {
    const items = await list('origin=all');
    assert.deepEqual(items.map(({ contentType }) => contentType).sort(), [
      'image/png',
      'image/png',
      'video/mp4',
    ]);
    const find = (origin: string, type: string) =>
      items.find(item => item.origin === origin && item.contentType === type);
    const picture = find('output', 'image/png');
    assert.equal(picture?.prompt, 'a red boat');
    assert.equal(picture?.workflow?.name, 'Harbour at 50%');
    assert.match(picture?.executionId ?? '', /^ex_/);
    const clip = find('output', 'video/mp4');
    assert.equal(clip?.prompt, 'waves {{secrets.KEY}}');
    const poster = await fetch(clip?.posterUrl ?? '');
    assert.equal(poster.headers.get('content-type'), 'image/jpeg');
    const upload = find('upload', 'image/png');
    assert.deepEqual([upload?.prompt, upload?.workflow, upload?.executionId], [null, null, null]);
    assert.deepEqual(await listNames(''), ['image']);
  });

  it('searches file names, prompts and workflow names without wildcards', async () => {
    assert.deepEqual(await listNames('origin=all&q=RED+boat'), ['image']);
    assert.deepEqual(await listNames('origin=all&q=harbour'), ['image', 'video']);
    assert.deepEqual(await listNames('origin=all&q=at+50%25'), ['image', 'video']);
    assert.deepEqual(await listNames('origin=all&q=%25boat'), []);
    assert.deepEqual(await listNames('origin=all&q=harbour&type=video'), ['video']);
  });

  it('hides prompts from users who may not read the runs', async () => {
    const items = await list('origin=all', viewer);
    assert.deepEqual(
      items.map(({ prompt }) => prompt),
      [null, null, null],
    );
    assert.deepEqual(await listNames('origin=all&q=boat', viewer), []);
    const [item] = items.filter(({ workflow }) => workflow !== null);
    const response = await viewer.request<MediaItem>('GET', `/media/${item?.mediaId}`);
    assert.equal(response.body.prompt, null);
    assert.equal(response.body.workflow?.name, 'Harbour at 50%');
  });

  it('DELETE /media/{id} also deletes the poster of a video', async () => {
    const [clip] = await list('origin=all&type=video');
    const { status } = await service.request('DELETE', `/media/${clip?.mediaId}?force=true`);
    assert.equal(status, 200);
    assert.equal((await fetch(clip?.posterUrl ?? '')).status, 404);
    assert.deepEqual(await listNames('origin=all'), ['image', 'image']);
  });

  it('keeps names in any language, in URLs, downloads and the search', async () => {
    const form = new FormData();
    const bytes = Uint8Array.from(await noiseImage(8, 8, 'png'));
    form.set('file', new Blob([bytes], { type: 'image/png' }), '劳动合同 Cafe\u0301.png');
    const upload = await fetch(`${service.url}/api/v1/media/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}` },
      body: form,
    });
    const { url } = (await upload.json()) as { url: string };
    const file = await fetch(url);
    assert.equal(file.status, 200, url);
    const name = '劳动合同-Café.png';
    assert.ok(
      file.headers.get('content-disposition')?.includes(`filename*=UTF-8''${encodeURIComponent(name)}`),
    );
    for (const text of ['劳动', 'cafe\u0301', 'café']) {
      const found = await list(`q=${encodeURIComponent(text)}`);
      assert.deepEqual(
        found.map(item => item.name),
        [name],
        text,
      );
    }
  });
});

const SCOPES = ['workflows:read', 'workflows:write', 'account:admin'];
