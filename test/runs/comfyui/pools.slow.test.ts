// Tests calls to pools of ComfyUI servers: which server gets a call, how many calls a server has, and what becomes of calls
// whose server dies.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { type Client, mapStates } from '../../support/client.ts';
import { plainImage } from '../../support/media/pixels.ts';
import { waitUntil } from '../../support/processes.ts';
import {
  type ComfyServer,
  type ComfyServerOptions,
  startComfyServer,
} from '../../support/providers/comfy-server.ts';
import { SECRETS_KEY, startTestService, type TestService } from '../../support/service.ts';
import { node } from '../../support/workflows.ts';

let service: TestService;
let user: Client;
let image: Buffer;
let doubles: ComfyServer[] = [];
let poolCount = 0;
let pool = '';

before(async () => {
  image = await plainImage(8, 8, '#336699');
  service = await startTestService({
    SECRETS_KEY,
    ALLOW_PRIVATE_NETWORK: 'true',
    MAX_CONCURRENT_RUNS: '1000',
  });
  user = service;
});
after(() => service.close());
beforeEach(() => {
  pool = `pool ${poolCount++}`;
});
afterEach(async () => {
  for (const double of doubles) await double.close();
  doubles = [];
});

interface Server {
  readonly id: string;
  readonly double: ComfyServer;
}

/** Starts a double and stores its credential in the pool of the test. Resolves when its types are known. */
async function addServer(options: ComfyServerOptions = {}, body: object = {}): Promise<Server> {
  const double = await startComfyServer(image, options);
  doubles.push(double);
  const created = await user.request<{ id: string }>('POST', '/credentials', {
    kind: 'comfyui',
    name: `server ${doubles.length}`,
    owner: 'workspace',
    values: { baseUrl: double.url },
    pool,
    ...body,
  });
  assert.equal(created.status, 201);
  const { id } = created.body;
  await waitForState(id, ({ nodeTypes }) => nodeTypes > 0);
  return { id, double };
}

interface State {
  readonly status: string;
  readonly nodeTypes: number;
}

const waitForState = (id: string, condition: (state: State) => boolean): Promise<void> =>
  waitUntil(`the state of ${id}`, async () => {
    const { body } = await user.request<{ server: State }>('GET', `/credentials/${id}`);
    return condition(body.server);
  });

interface GraphOptions {
  readonly types?: readonly string[];
  readonly ckpt?: string;
}

let seed = 0;

/** Returns a ComfyUI node whose result is not cached. */
const graphNode = (id: string, { types = [], ckpt = 'a.safetensors' }: GraphOptions = {}) =>
  node(id, 'comfyui:workflow', {
    graph: {
      1: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: ckpt, seed: seed++ } },
      9: { class_type: 'SaveImage', inputs: { images: ['1', 0] } },
      ...Object.fromEntries(types.map((type, index) => [20 + index, { class_type: type, inputs: {} }])),
    },
    outputs: [{ id: 'image', label: 'Image', type: 'IMAGE', node: '9' }],
  });

async function createWorkflow(count = 1, options: GraphOptions = {}): Promise<string> {
  const nodes = Array.from({ length: count }, (_, index) => graphNode(`c${index}`, options));
  const id = await user.createWorkflow({ nodes, edges: [] });
  const { status } = await user.request('PUT', `/workflows/${id}/credentials`, { comfyui: `pool:${pool}` });
  assert.equal(status, 200);
  return id;
}

interface PoolState {
  readonly attempts?: readonly {
    readonly credentialId: string;
    readonly server: string;
    readonly startedAt: string;
    readonly error: string | null;
  }[];
}

const MODEL_TYPES = {
  CheckpointLoaderSimple: { ckpt_name: ['a.safetensors', 'b.safetensors'] },
  SaveImage: {},
};

describe('a pool of ComfyUI servers', () => {
  it('shares calls between its servers, and none has more than it may', async () => {
    const servers = [
      await addServer({ runMs: 1000 }),
      await addServer({ runMs: 1000 }, { maxConcurrent: 2 }),
    ];
    const record = await user.waitForStatus(await user.startRun(await createWorkflow(6)));
    assert.equal(record.status, 'COMPLETED', JSON.stringify(record));
    const [first, second] = servers.map(({ double }) => double);
    assert.equal((first?.submitted.length ?? 0) + (second?.submitted.length ?? 0), 6);
    assert.equal(first?.maxQueued, 1);
    assert.equal(second?.maxQueued, 2);
  });

  it('gives a graph to the server that has its node types and files', async () => {
    const plain = await addServer();
    const full = await addServer({ types: { ...MODEL_TYPES, Special: {} } });
    for (const options of [{ types: ['Special'] }, { ckpt: 'b.safetensors' }]) {
      const record = await user.waitForStatus(await user.startRun(await createWorkflow(1, options)));
      assert.equal(record.status, 'COMPLETED', JSON.stringify(record));
    }
    assert.deepEqual([plain.double.submitted.length, full.double.submitted.length], [0, 2]);
  });

  it('gives a draining server no calls', async () => {
    const draining = await addServer();
    const other = await addServer();
    await user.request('PATCH', `/credentials/${draining.id}`, { isDraining: true });
    assert.equal(
      (await user.waitForStatus(await user.startRun(await createWorkflow(4)))).status,
      'COMPLETED',
    );
    assert.deepEqual([draining.double.submitted.length, other.double.submitted.length], [0, 4]);
  });

  it('keeps calls in the queue until a server is up', async () => {
    const server = await addServer();
    await server.double.kill();
    await waitForState(server.id, ({ status }) => status === 'down');
    const id = await user.startRun(await createWorkflow());
    await waitUntil('the call to wait', async () => {
      const { rows } = await service.db.query(
        'select from calls where execution_id = $1 and slot_at is null',
        [id],
      );
      return rows.length === 1;
    });
    await server.double.reconnect();
    assert.equal((await user.waitForStatus(id)).status, 'COMPLETED');
  });
});

describe('a ComfyUI server that dies', () => {
  it('loses its calls to another server, which the node state says', async () => {
    const dying = await addServer({ runMs: 3_600_000 });
    const id = await user.startRun(await createWorkflow());
    await waitUntil('the submission', () => dying.double.submitted.length === 1);
    const other = await addServer();
    await dying.double.kill();
    const record = await user.waitForStatus(id);
    assert.equal(record.status, 'COMPLETED', JSON.stringify(record));
    const { attempts = [] } = mapStates(record).c0 as PoolState;
    assert.deepEqual(
      attempts.map(({ credentialId, server }) => [credentialId, server]),
      [
        [dying.id, 'server 1'],
        [other.id, 'server 2'],
      ],
    );
    assert.match(attempts[0]?.error ?? '', /could not be connected to/);
    assert.equal(attempts[1]?.error, null);
    assert.ok((attempts[0]?.startedAt ?? '') < (attempts[1]?.startedAt ?? ''));
  });

  it('cancels calls that moved away when it returns', async () => {
    const away = await addServer({ runMs: 3_600_000 });
    const id = await user.startRun(await createWorkflow());
    await waitUntil('the submission', () => away.double.submitted.length === 1);
    await addServer();
    await away.double.disconnect();
    assert.equal((await user.waitForStatus(id)).status, 'COMPLETED');
    await away.double.reconnect();
    await waitUntil('the cancellation', () => away.double.canceled.length === 1);
    assert.deepEqual(away.double.canceled, away.double.submitted);
  });

  it('ends a call with a node that bills, because the outcome is unknown', async () => {
    const types = { ...MODEL_TYPES, Partner: {} };
    const dying = await addServer({ runMs: 3_600_000, types, partnerTypes: ['Partner'] });
    const id = await user.startRun(await createWorkflow(1, { types: ['Partner'] }));
    await waitUntil('the submission', () => dying.double.submitted.length === 1);
    const other = await addServer({ types, partnerTypes: ['Partner'] });
    await dying.double.kill();
    const record = await user.waitForStatus(id);
    assert.equal(record.status, 'FAILED');
    assert.equal(record.error?.code, 'provider_outcome_unknown');
    assert.equal(other.double.submitted.length, 0);
  });
});

describe('a graph that no server of the pool can run', () => {
  const start = async (workflow: string) =>
    user.request<{ code: string; error: string; missing?: unknown }>(
      'POST',
      `/workflows/${workflow}/run`,
      {},
    );

  it('is refused before anything starts, with what each server lacks', async () => {
    const first = await addServer();
    const second = await addServer({ types: { ...MODEL_TYPES, Other: {} } });
    await user.request('PATCH', `/credentials/${second.id}`, { isDraining: true });
    const workflow = await createWorkflow(1, { types: ['Special'], ckpt: 'b.safetensors' });
    const { status, body } = await start(workflow);
    assert.deepEqual([status, body.code], [400, 'comfyui_missing']);
    assert.deepEqual(body.missing, [
      { credentialId: first.id, server: 'server 1', nodeTypes: ['Special'], files: ['b.safetensors'] },
      { credentialId: second.id, server: 'server 2', nodeTypes: ['Special'], files: [] },
    ]);
    assert.match(
      body.error,
      /server 1 lacks the node type Special and the file b\.safetensors; server 2 lacks/,
    );
    const lint = await user.request<{ issues: { severity: string; code: string; message: string }[] }>(
      'POST',
      `/workflows/${workflow}/lint`,
      {},
    );
    assert.equal(lint.status, 200, JSON.stringify(lint.body));
    const issue = lint.body.issues.find(({ code }) => code === 'comfyui_missing');
    assert.deepEqual([issue?.severity, issue?.message], ['warning', body.error]);
  });

  it('waits if the only server that can run it is down', async () => {
    await addServer();
    const full = await addServer({ types: { ...MODEL_TYPES, Special: {} } });
    await full.double.kill();
    await waitForState(full.id, ({ status }) => status === 'down');
    const { status } = await start(await createWorkflow(1, { types: ['Special'] }));
    assert.equal(status, 202);
  });
});
