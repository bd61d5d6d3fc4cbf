// Tests that a secret without hosts is sent only in runs that its creator starts by hand, from nodes that the creator
// wrote.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTrigger } from '../automation/triggers/support.ts';
import type { Execution, TestUser } from '../support/client.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const SECRET_VALUE = 'swordfish-5b1d70aa';
const HEADERS = { authorization: '{{secrets.TOKEN}}' };

let service: TestService;
let editor: TestUser;
let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
  receiver.answer(res => res.writeHead(200).end('answered'));
  service = await startTestService({ ALLOW_PRIVATE_NETWORK: 'true' });
  editor = await service.createUser();
});
after(async () => {
  await service.close();
  await receiver.close();
});

/** Builds a request to the path whose URL comes from the node `address`. */
const buildGraph = (path: string, headers: object = HEADERS) => ({
  nodes: [
    node('address', 'input:text', { value: `${receiver.url}${path}` }),
    node('call', 'utility:http_request', { headers }),
  ],
  edges: [edge('address.text > call.url')],
});

/** Stores a workflow of the creator with a secret, which the editor may edit. */
async function createShared(): Promise<string> {
  const id = await service.createWorkflow({ ...buildGraph('/own'), secrets: { TOKEN: SECRET_VALUE } });
  const share = await service.request('PUT', `/workflows/${id}/permissions`, {
    email: editor.email,
    role: 'EDIT',
  });
  assert.equal(share.status, 200, JSON.stringify(share.body));
  return id;
}

async function save(user: Pick<TestUser, 'request'>, id: string, graph: object): Promise<void> {
  const { status, body } = await user.request('PUT', `/workflows/${id}`, graph);
  assert.equal(status, 200, JSON.stringify(body));
}

const listSent = (path: string): readonly (string | undefined)[] =>
  receiver.received.filter(request => request.path === path).map(({ headers }) => headers.authorization);

const describeEnd = ({ status, error }: Execution) => [status, error?.code, error?.nodeId];
const WARNING =
  "The secret TOKEN has no hosts, so it is not sent in these runs. The workflow's creator can add the hosts that may receive it.";
interface Warned {
  readonly meta?: { readonly warnings: readonly string[] };
}
const REFUSED = ['FAILED', 'secret_not_allowed', 'call'];

describe('a secret without hosts', () => {
  it('is sent in a run by hand of its creator, and in a batch of its creator', async () => {
    const id = await createShared();
    const run = await service.runWorkflow(id);
    assert.equal(run.status, 'COMPLETED', JSON.stringify(run.error));
    const batch = await service.request<{ id: string }>('POST', `/workflows/${id}/batches`, {
      rows: [{ inputs: { address: `${receiver.url}/batch` } }],
    });
    assert.equal(batch.status, 202, JSON.stringify(batch.body));
    await waitUntil('the row to send its request', async () => listSent('/batch').length > 0);
    assert.deepEqual([...listSent('/own'), ...listSent('/batch')], [SECRET_VALUE, SECRET_VALUE]);
  });

  it('is not sent to where another user has changed the graph to send it', async () => {
    const id = await createShared();
    await save(editor, id, buildGraph('/stolen'));
    assert.deepEqual(describeEnd(await service.runWorkflow(id)), REFUSED);
    await save(service, id, buildGraph('/stolen', { ...HEADERS, 'x-note': 'by the creator' }));
    const run = await service.runWorkflow(id);
    assert.deepEqual(describeEnd(run), REFUSED, 'another user wrote the address, although not the node');
    assert.deepEqual(listSent('/stolen'), []);
    await save(service, id, buildGraph('/checked'));
    assert.equal((await service.runWorkflow(id)).status, 'COMPLETED');
    assert.deepEqual(listSent('/checked'), [SECRET_VALUE]);
  });

  it('is sent after another user has moved or renamed the node or restored the version', async () => {
    const id = await createShared();
    const { nodes, edges } = buildGraph('/moved');
    await save(service, id, { nodes, edges });
    const moved = nodes.map(item => ({
      ...item,
      position: { x: 900, y: 40 },
      data: { ...item.data, label: 'Renamed' },
    }));
    await save(editor, id, { nodes: moved, edges });
    assert.equal((await service.runWorkflow(id)).status, 'COMPLETED');
    await save(editor, id, buildGraph('/stolen'));
    const restore = await editor.request('POST', `/workflows/${id}/versions/2/restore`);
    assert.equal(restore.status, 200, JSON.stringify(restore.body));
    assert.equal((await service.runWorkflow(id)).status, 'COMPLETED');
    assert.deepEqual(listSent('/moved'), [SECRET_VALUE, SECRET_VALUE]);
  });

  it('is not sent after another user has restored a deleted version from the cache', async () => {
    const id = await createShared();
    await save(editor, id, buildGraph('/stolen'));
    await save(editor, id, buildGraph('/other'));
    await service.db.query('delete from workflow_media where workflow_id = $1 and version = 2', [id]);
    await service.db.query('delete from workflow_versions where workflow_id = $1 and version = 2', [id]);
    const restore = await editor.request('POST', `/workflows/${id}/versions/2/restore`);
    assert.equal(restore.status, 200, JSON.stringify(restore.body));
    assert.deepEqual(describeEnd(await service.runWorkflow(id)), REFUSED);
    assert.deepEqual(listSent('/stolen'), []);
  });

  it('is not sent in runs of a trigger or an app of its creator', async () => {
    const id = await createShared();
    const trigger = await createTrigger(service, id, { kind: 'hook', inputs: {} });
    assert.deepEqual(trigger.meta?.warnings, [WARNING]);
    const hook = await fetch(`${service.url}${new URL(trigger.url ?? '').pathname}`, { method: 'POST' });
    const { executionId } = (await hook.json()) as { executionId: string };
    const run = await service.waitForStatus(executionId);
    assert.deepEqual(describeEnd(run), REFUSED);
    const app = { slug: 'secret-app', title: 'App', inputs: [{ nodeId: 'address' }], outputs: ['call'] };
    const saved = await service.request<Warned>('PUT', `/workflows/${id}/app`, app);
    assert.deepEqual([saved.status, saved.body.meta?.warnings], [200, [WARNING]]);
    const schedule = { everySeconds: 3600, isActive: false };
    const scheduled = await service.request<Warned>('POST', `/workflows/${id}/schedules`, schedule);
    assert.deepEqual([scheduled.status, scheduled.body.meta?.warnings], [201, [WARNING]]);
    const started = await service.request('POST', '/apps/secret-app/run', {
      inputs: { input_1: `${receiver.url}/app` },
    });
    assert.equal(started.status, 202, JSON.stringify(started.body));
    const list = `/workflows/${id}/executions?status=FAILED`;
    await waitUntil('the run of the app to fail', async () => {
      const { body } = await service.request<{ data: readonly Execution[] }>('GET', list);
      return body.data.some(execution => execution.trigger === 'app');
    });
    assert.deepEqual(listSent('/app'), []);
    const secrets = { TOKEN: { value: SECRET_VALUE, hosts: ['example.com'] } };
    await save(service, id, { secrets });
    const { body } = await service.request<Warned>('GET', `/workflows/${id}/app`);
    assert.equal(body.meta, undefined, 'a secret with hosts needs no warning');
  });

  it('is not sent when its creator resumes the run of another user', async () => {
    const id = await createShared();
    const inputs = { address: `${receiver.url}/resumed` };
    const failed = await editor.runWorkflow(id, { inputs });
    assert.deepEqual(describeEnd(failed), REFUSED);
    const resume = await service.request<{ executionId: string }>(
      'POST',
      `/executions/${failed.id}/resume`,
      {},
    );
    const run = await service.waitForStatus(resume.body.executionId);
    assert.deepEqual(describeEnd(run), REFUSED);
    assert.equal((await service.runWorkflow(id, { inputs })).status, 'COMPLETED');
    assert.deepEqual(listSent('/resumed'), [SECRET_VALUE]);
  });

  it('is not sent from versions that another user may have written before authors were recorded', async () => {
    const id = await createShared();
    await save(editor, id, buildGraph('/before'));
    await save(service, id, buildGraph('/before', { ...HEADERS, 'x-note': 'by the creator' }));
    await service.db.query('update workflow_versions set nodes_by_others = null where workflow_id = $1', [
      id,
    ]);
    assert.deepEqual(describeEnd(await service.runWorkflow(id)), REFUSED);
    await save(service, id, buildGraph('/before', HEADERS));
    const run = await service.runWorkflow(id);
    assert.deepEqual(describeEnd(run), REFUSED, 'the address is as it was before');
    await save(service, id, buildGraph('/after', HEADERS));
    assert.equal((await service.runWorkflow(id)).status, 'COMPLETED');
    assert.deepEqual(listSent('/before'), []);
  });
});
