// Tests that members who leave a team lose access to everything in the team, including what they created.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startWorker, type Worker } from '../../../src/jobs/worker.ts';
import { WorkerSlots } from '../../../src/runs/slots/worker-slots.ts';
import { insertMember } from '../../../src/store/teams.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { type Uploaded, uploadPicture } from '../../support/media/files.ts';
import { createWorkflow, DELAYED, PAIR, putWorkflow, readWorkflow } from '../../support/workflows.ts';

interface Item {
  readonly id: string;
}

let test: TestApp;
let worker: Worker;
let owner: ApiUser;
let member: ApiUser;
let teamId: string;
/** The workflow with a secret and a run that the former member created in the team. */
let workflowId: string;
let executionId: string;
let picture: Uploaded;

before(async () => {
  test = await openTestApp();
  const { settings, now } = test.deps;
  worker = await startWorker(test.deps, new WorkerSlots(settings.WORKER_CONCURRENCY, now));
  [owner, member] = await test.createUsers(2);
});
after(async () => {
  await worker.stop(0);
  await test.close();
});

const getMembershipPath = (): string => `/teams/${teamId}/members/${member.userId}`;
const requestOk = async (user: ApiUser, ...request: Parameters<ApiUser['request']>) => {
  const response = await user.request(...request);
  assert.ok(response.status < 300, `${request[0]} ${request[1]}: ${response.status} ${response.body?.error}`);
  return response.body;
};

beforeEach(async () => {
  teamId = String((await requestOk(owner, 'POST', '/teams', { name: 'T' })).id);
  await insertMember(test.deps.db, teamId, member.userId, 'EDITOR');
  await requestOk(member, 'PUT', '/me/workspace', { teamId });
  picture = await uploadPicture(member);
  const folder = await requestOk(member, 'POST', '/folders', { name: 'F', teamId });
  ({ id: workflowId } = await createWorkflow(member, {
    ...DELAYED,
    mediaId: picture.mediaId,
    secrets: { TOKEN: 'the maker’s' },
  }));
  await putWorkflow(member, workflowId, { folderId: folder.id });
  executionId = String((await requestOk(member, 'POST', `/workflows/${workflowId}/run`, {})).executionId);
});

const getPaths = (): readonly string[] => [
  `/workflows/${workflowId}`,
  `/workflows/${workflowId}/executions`,
  `/executions/${executionId}`,
  `/executions/${executionId}/workflow`,
  `/executions/${executionId}/deliveries`,
  `/media/${picture.mediaId}`,
];

describe('a former member of a team', () => {
  it('can neither read nor list resources they created in the team', async () => {
    const batches = `/workflows/${workflowId}/batches`;
    const batchId = String((await requestOk(member, 'POST', batches, { rows: [{ inputs: {} }] })).batchId);
    const paths = [...getPaths(), `/batches/${batchId}`];
    for (const path of paths) await requestOk(member, 'GET', path);
    await requestOk(owner, 'DELETE', getMembershipPath());
    for (const path of paths) assert.equal((await member.request('GET', path)).status, 403, path);
    for (const [path, id] of [
      ['/batches', batchId],
      ['/workflows', workflowId],
      ['/executions', executionId],
      [`/executions?status=QUEUED`, executionId],
      ['/media', picture.mediaId],
    ] as const) {
      const { body } = await member.request<readonly Item[] | { readonly data: readonly Item[] }>(
        'GET',
        path,
      );
      const data = 'data' in body ? body.data : (body as readonly Item[]);
      assert.deepEqual(
        data.filter(item => item.id === id),
        [],
        path,
      );
    }
    await insertMember(test.deps.db, teamId, member.userId, 'VIEWER');
    for (const path of paths) await requestOk(member, 'GET', path);
    const { body } = await member.request<readonly Item[]>('GET', '/workflows');
    assert.ok(body.some(item => item.id === workflowId));
    const { body: list } = await member.request<{ readonly data: readonly Item[] }>('GET', '/batches');
    assert.ok(list.data.some(item => item.id === batchId));
  });

  it('cannot control runs they started in the team', async () => {
    await requestOk(owner, 'DELETE', getMembershipPath());
    const requests = [
      ['GET', `/executions/${executionId}/events`],
      ['POST', `/executions/${executionId}/cancel`],
      ['POST', `/executions/${executionId}/resume`],
      ['DELETE', `/executions/${executionId}`],
    ] as const;
    for (const [method, path] of requests)
      assert.equal(
        (await member.request(method, path, method === 'POST' ? {} : undefined)).status,
        403,
        path,
      );
    await requestOk(owner, 'POST', `/executions/${executionId}/cancel`);
  });

  it('cannot use media they uploaded to the team', async () => {
    const { id } = await createWorkflow(member, PAIR);
    await requestOk(member, 'POST', '/workflows', { id, name: 'W', ...PAIR, mediaId: picture.mediaId });
    await requestOk(owner, 'DELETE', getMembershipPath());
    const workflowWithMedia = { name: 'W', ...PAIR, mediaId: picture.mediaId };
    assert.equal((await member.request('POST', '/workflows', workflowWithMedia)).status, 403);
    assert.equal((await member.request('DELETE', `/media/${picture.mediaId}?force=true`)).status, 403);
    await requestOk(owner, 'GET', `/media/${picture.mediaId}`);
  });

  it('cannot complete an upload they started in the team', async () => {
    const upload = await requestOk(member, 'POST', '/media/upload-url', {
      contentType: 'image/png',
      bytes: 4,
      filename: 'a.png',
    });
    const { pathname, search } = new URL(String(upload.uploadUrl));
    const headers = upload.headers as Record<string, string>;
    const uploadResponse = await test.app.inject({
      method: 'PUT',
      url: pathname + search,
      headers,
      payload: 'fake',
    });
    assert.equal(uploadResponse.statusCode, 200);
    await requestOk(owner, 'DELETE', getMembershipPath());
    const { status } = await member.request('POST', '/media/upload-url/complete', {
      mediaId: upload.mediaId,
    });
    assert.equal(status, 404);
  });

  it('loses earlier shares and cannot move workflows out of the team', async () => {
    const sharedWorkflow = await createWorkflow(owner, PAIR);
    const folder = await requestOk(owner, 'POST', '/folders', { name: 'G', teamId });
    await putWorkflow(owner, sharedWorkflow.id, { folderId: folder.id });
    await requestOk(owner, 'PUT', `/workflows/${sharedWorkflow.id}/permissions`, {
      userId: member.userId,
      role: 'OWNER',
    });
    await requestOk(owner, 'DELETE', getMembershipPath());
    assert.equal((await member.request('GET', `/workflows/${sharedWorkflow.id}`)).status, 403);
    // A creator who left can be given access again like any other user.
    await requestOk(owner, 'PUT', `/workflows/${workflowId}/permissions`, {
      userId: member.userId,
      role: 'OWNER',
    });
    const ownFolder = await requestOk(member, 'POST', '/folders', { name: 'mine', teamId: null });
    const { isOwner, userRole } = await readWorkflow(member, workflowId);
    assert.deepEqual([isOwner, userRole], [false, 'OWNER']);
    assert.equal((await putWorkflow(member, workflowId, { folderId: ownFolder.id })).status, 403);
  });
});

describe('secrets of a workflow whose creator left the team', () => {
  const readSecrets = async (user: ApiUser) => (await readWorkflow(user, workflowId)).secrets;
  const putSecrets = async (user: ApiUser, secrets: object | null) =>
    (await putWorkflow(user, workflowId, { secrets })).body.meta.warnings;

  it('are hidden until an owner of the team replaces them', async () => {
    assert.deepEqual(await putSecrets(owner, { TOKEN: 'other' }), [
      'Ignored: secrets. Only the creator of the workflow may set them.',
    ]);
    await requestOk(owner, 'DELETE', getMembershipPath());
    await requestOk(owner, 'PUT', `/workflows/${workflowId}/permissions`, {
      userId: member.userId,
      role: 'OWNER',
    });
    assert.deepEqual([await readSecrets(member), await readSecrets(owner)], [null, null]);
    assert.equal((await putSecrets(member, { TOKEN: 'mine again' })).length, 1);
    // GET returns null for the secrets, so a PUT of null must not delete the secrets.
    assert.deepEqual(await putSecrets(owner, null), []);
    await insertMember(test.deps.db, teamId, member.userId, 'VIEWER');
    assert.deepEqual(await readSecrets(member), { TOKEN: 'the maker’s' });
    await requestOk(owner, 'DELETE', getMembershipPath());
    assert.deepEqual(await putSecrets(owner, { TOKEN: 'of the team' }), []);
    await insertMember(test.deps.db, teamId, member.userId, 'VIEWER');
    assert.deepEqual(await readSecrets(member), { TOKEN: 'of the team' });
  });
});
