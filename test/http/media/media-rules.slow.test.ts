// Tests which media types can be uploaded, who may link a file to a workflow, and that expired uploads are
// deleted.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startWorker } from '../../../src/jobs/worker.ts';
import { WorkerSlots } from '../../../src/runs/slots/worker-slots.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { uploadPicture } from '../../support/media/files.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { findFreePort } from '../../support/network/free-port.ts';
import { waitUntil } from '../../support/processes.ts';
import { assertRefused, node, type Workflow } from '../../support/workflows.ts';
import type { CreatedUpload } from './media-presigned.ts';

const HOUR_MS = 3_600_000;

let test: TestApp;
let user: ApiUser;
let now: number;
before(async () => {
  now = Math.floor(Date.now() / 1000) * 1000;
  const port = await findFreePort();
  test = await createTestApp({ env: { BASE_URL: `http://127.0.0.1:${port}` }, now: () => now });
  await test.app.listen({ host: '127.0.0.1', port });
  user = await test.createUser();
});
after(() => test.close());

const createUpload = (contentType: string, bytes: number) =>
  user.request<CreatedUpload>('POST', '/media/upload-url', { contentType, bytes, filename: 'A file' });
const completeUpload = (mediaId: string) => user.request('POST', '/media/upload-url/complete', { mediaId });

describe('POST /media/upload-url', () => {
  const TYPES = [
    ...['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif'],
    ...['video/mp4', 'video/webm', 'video/quicktime'],
    ...['audio/mpeg', 'audio/wav', 'audio/mp4'],
  ];
  for (const contentType of TYPES)
    it(`returns a link for ${contentType} that is valid for 15 minutes`, async () => {
      const { status, body } = await createUpload(contentType, 1234);
      assert.equal(status, 200, body.error);
      assert.deepEqual([body.method, body.contentType, body.bytes], ['PUT', contentType, 1234]);
      assert.deepEqual([body.headers['Content-Type'], body.headers['Content-Length']], [contentType, '1234']);
      assert.equal(typeof body.headers['Cache-Control'], 'string');
      assert.equal(Date.parse(body.expiresAt) - now, 900_000);
      assert.ok(body.url.startsWith(`${test.deps.settings.CDN_URL}/${body.mediaId}/`));
    });

  it('returns 401 insufficient_scope without workflows:write', async () => {
    const reader = await test.withScopes(user, ['workflows:read', 'workflows:execute']);
    for (const path of ['/media/upload-url', '/media/upload-url/complete'])
      assertRefused(await reader.request('POST', path, {}), 401, 'insufficient_scope');
  });
});

describe('incomplete uploads', () => {
  it('are deleted after a day with or without a file', async () => {
    const bytes = await noiseImage(8, 8, 'png');
    const createdUpload = (await createUpload('image/png', bytes.length)).body;
    const sentUpload = (await createUpload('image/png', bytes.length)).body;
    const put = { method: 'PUT', headers: sentUpload.headers, body: new Uint8Array(bytes) };
    assert.equal((await fetch(sentUpload.uploadUrl, put)).status, 200);
    const picture = await uploadPicture(user);
    const listIds = async () => {
      const { body } = await user.request<{ data: { mediaId: string }[] }>('GET', '/media');
      return body.data.map(({ mediaId }) => mediaId);
    };
    assert.deepEqual(await listIds(), [picture.mediaId]);
    now += 26 * HOUR_MS;
    const worker = await startWorker(test.deps, new WorkerSlots(4, Date.now));
    try {
      await test.deps.db.query(`select graphile_worker.add_job('sweep_media', '{}')`);
      await waitUntil(
        'the uploads to be deleted',
        async () => (await test.deps.db.query('select from media_uploads')).rowCount === 0,
      );
    } finally {
      await worker.stop(1000);
    }
    for (const { mediaId, url } of [createdUpload, sentUpload]) {
      assertRefused(await completeUpload(mediaId), 404, 'upload_not_found');
      assert.equal((await fetch(url)).status, 404);
      assertRefused(await user.request('GET', `/media/${mediaId}`), 404, 'not_found');
    }
    assert.deepEqual(await listIds(), [picture.mediaId]);
    assert.equal((await fetch(picture.url)).status, 200);
  });
});

describe('mediaId of a new workflow', () => {
  const ROLES = {
    owner: 201,
    editor: 201,
    viewer: 201,
    formerEditor: 403,
    guest: 403,
    stranger: 403,
  } as const;
  type Role = keyof typeof ROLES;
  let people: Readonly<Record<Role, ApiUser>>;
  let teamMediaId: string;
  let formerEditorMediaId: string;

  before(async () => {
    const [owner, editor, viewer, formerEditor, guest, otherUser] = await Promise.all(
      Object.keys(ROLES).map(() => test.createUser()),
    );
    assert.ok(owner && editor && viewer && formerEditor && guest && otherUser);
    people = { owner, editor, viewer, formerEditor, guest, stranger: otherUser };
    const teamId = String((await owner.request('POST', '/teams', { name: 'T' })).body.id);
    for (const [member, role] of [
      [editor, 'EDITOR'],
      [viewer, 'VIEWER'],
      [formerEditor, 'EDITOR'],
    ] as const)
      await joinTeam(owner, teamId, member, role);
    for (const member of [owner, formerEditor]) await member.request('PUT', '/me/workspace', { teamId });
    teamMediaId = (await uploadPicture(owner)).mediaId;
    formerEditorMediaId = (await uploadPicture(formerEditor)).mediaId;
    await owner.request('DELETE', `/teams/${teamId}/members/${formerEditor.userId}`);
    // As an editor of this workflow, the guest may still not use the media of the workflow.
    const workflow = await createWithMedia(owner, teamMediaId);
    await owner.request('PUT', `/workflows/${workflow.body.id}/permissions`, {
      userId: guest.userId,
      role: 'EDIT',
    });
  });

  const createWithMedia = (user: ApiUser, mediaId: string) =>
    user.request<Workflow>('POST', '/workflows', {
      name: 'W',
      nodes: [node('a', 'input:text')],
      edges: [],
      mediaId,
    });
  const countWorkflows = async (user: ApiUser) =>
    (await user.request<readonly object[]>('GET', '/workflows')).body.length;

  for (const [role, status] of Object.entries(ROLES) as [Role, number][])
    it(`${status === 201 ? 'accepts' : 'refuses'} media of the team from ${role}`, async () => {
      const countBefore = await countWorkflows(people[role]);
      const response = await createWithMedia(people[role], teamMediaId);
      assert.equal(response.status, status, response.body.error);
      if (status === 403) assertRefused(response, 403, 'forbidden');
      else assert.equal(response.body.media?.mediaId, teamMediaId);
      assert.equal(await countWorkflows(people[role]), countBefore + (status === 201 ? 1 : 0));
    });

  it('refuses media of the team from the uploader who left the team', async () => {
    assert.equal((await createWithMedia(people.editor, formerEditorMediaId)).status, 201);
    for (const user of [people.formerEditor, people.stranger])
      assertRefused(await createWithMedia(user, formerEditorMediaId), 403, 'forbidden');
  });
});
