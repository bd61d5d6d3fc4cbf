// Tests that the owners of a team find in its audit log what happened to its batches, media, workflows and shares.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { AuditEvent, AuditEventPage } from '../../../sdk/src/schemas.ts';
import type { TestUser } from '../../support/client.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { node } from '../../support/workflows.ts';

const SCOPES = ['workflows:read', 'workflows:write', 'workflows:execute', 'account:admin'];

let service: TestService;
let owner: TestUser;
let teamId: string;
let workflowId: string;
before(async () => {
  service = await startTestService();
  owner = await service.createUser({ name: 'Olga', keyScopes: SCOPES });
  teamId = (await send<{ id: string }>('POST', '/teams', { name: 'Studio' })).id;
  await send('PUT', '/me/workspace', { teamId });
  const folder = await send<{ id: string }>('POST', '/folders', { name: 'F', teamId });
  workflowId = await owner.createWorkflow({
    nodes: [node('words', 'input:text', { value: 'x' })],
    edges: [],
  });
  await send('PUT', `/workflows/${workflowId}`, { folderId: folder.id });
});
after(() => service.close());

async function send<B = Record<string, unknown>>(method: string, path: string, body?: object): Promise<B> {
  const response = await owner.request<B>(method, path, body);
  assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
  return response.body;
}

/** Returns the entries of the team about the target, oldest first. */
async function listEntries(target: string): Promise<readonly AuditEvent[]> {
  const { data } = await send<AuditEventPage>('GET', `/teams/${teamId}/audit?target=${target}`);
  return data.toReversed();
}

const listActions = async (target: string): Promise<readonly string[]> =>
  (await listEntries(target)).map(({ action }) => action);

/** Reads the response to its end, without parsing it. */
async function download(path: string): Promise<void> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${owner.key}` },
  });
  assert.equal(response.status, 200, path);
  await response.arrayBuffer();
}

it('a batch that is exported and deleted', async () => {
  const { batchId: id } = await send<{ batchId: string }>('POST', `/workflows/${workflowId}/batches`, {
    rows: [{ inputs: { words: 'a' } }],
  });
  await waitUntil('the end of the batch', async () => {
    const { status } = await send<{ status: string }>('GET', `/batches/${id}`);
    return status === 'COMPLETED';
  });
  await download(`/batches/${id}/export?format=csv`);
  await send('DELETE', `/batches/${id}`);
  assert.deepEqual(await listActions(id), ['batch.exported', 'batch.deleted']);
});

it('files that are downloaded, also of a collection, and deleted', async () => {
  const dataUrl = `data:image/png;base64,${Buffer.from(await noiseImage(8, 8, 'png')).toString('base64')}`;
  const { mediaId } = await send<{ mediaId: string }>('POST', '/media/upload', { dataUrl });
  const collection = await send<{ id: string }>('POST', '/collections', {
    name: 'Boats',
    mediaIds: [mediaId],
  });
  const countExports = async (): Promise<number> => {
    const path = `/teams/${teamId}/audit?action=media.exported`;
    return (await send<AuditEventPage>('GET', path)).data.length;
  };
  await download(`/media/download?mediaIds=${mediaId}`);
  assert.equal(await countExports(), 1);
  await download(`/media/download?collectionId=${collection.id}`);
  assert.equal(await countExports(), 2);
  await send('DELETE', `/collections/${collection.id}`);
  await send('DELETE', `/media/${mediaId}`);
  assert.deepEqual(await listActions(collection.id), ['media.exported', 'collection.deleted']);
  assert.deepEqual(await listActions(mediaId), ['media.deleted']);
});

it('a workflow that is deleted and restored, by its owner and by an administrator', async () => {
  await send('DELETE', `/workflows/${workflowId}`);
  await send('POST', `/workflows/${workflowId}/restore`);
  await send('DELETE', `/workflows/${workflowId}`);
  const restored = await service.request('POST', `/admin/workflows/${workflowId}/restore`);
  assert.equal(restored.status, 200);
  const entries = await listEntries(workflowId);
  const [deleted, undone, again, byAdmin] = entries.slice(-4);
  assert.deepEqual(
    [deleted, undone, again, byAdmin].map(entry => [entry?.action, entry?.actor.userId === owner.userId]),
    [
      ['workflow.deleted', true],
      ['workflow.restored', true],
      ['workflow.deleted', true],
      ['workflow.restored', false],
    ],
  );
});

it('whom a workflow is shared with, by a name that is not stored', async () => {
  const sam = await service.createUser({ name: 'Samantha', keyScopes: SCOPES });
  const invitation = await send<{ id: string }>('POST', `/teams/${teamId}/members`, {
    email: sam.email,
    role: 'VIEWER',
  });
  await sam.request('POST', `/invitations/${invitation.id}/accept`);
  await send('PUT', `/workflows/${workflowId}/permissions`, { userId: sam.userId, role: 'EDIT' });
  await send('DELETE', `/workflows/${workflowId}/permissions/${sam.userId}`);
  await send('PUT', `/workflows/${workflowId}/permissions`, { email: 'guest@example.org', role: 'VIEW' });
  const summaries = async () => (await listEntries(workflowId)).slice(-3).map(({ summary }) => summary);
  const { name } = await send<{ name: string }>('GET', `/workflows/${workflowId}`);
  assert.deepEqual(await summaries(), [
    `Olga gave Samantha access to ${name} (Edit)`,
    `Olga ended the access of Samantha to ${name}`,
    `Olga gave guest@example.org access to ${name} (View)`,
  ]);
  const { rows } = await service.db.query<{ text: string }>('select e::text as text from audit_events e');
  assert.ok(rows.every(({ text }) => !text.includes('Samantha')));
  await service.request('DELETE', `/admin/users/${sam.userId}?transferTo=${owner.userId}`);
  assert.match((await summaries())[0] ?? '', /^Olga gave Deleted user access/);
});
