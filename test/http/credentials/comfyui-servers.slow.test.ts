// Tests ComfyUI servers over HTTP: pools and limits of credentials, and what the service reports about a server.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Client } from '../../support/client.ts';
import { plainImage } from '../../support/media/pixels.ts';
import { waitUntil } from '../../support/processes.ts';
import { type ComfyServer, startComfyServer } from '../../support/providers/comfy-server.ts';
import { SECRETS_KEY, startTestService, type TestService } from '../../support/service.ts';
import { node } from '../../support/workflows.ts';

interface Credential {
  readonly id: string;
  readonly pool?: string;
  readonly maxConcurrent?: number;
  readonly isDraining?: boolean;
  readonly server: {
    readonly status: string;
    readonly checkedAt: string | null;
    readonly version: string | null;
    readonly devices: readonly unknown[];
    readonly running: number;
    readonly waiting: number;
    readonly nodeTypes: number;
    readonly error: string | null;
  };
}

let service: TestService;
let user: Client;
const doubles: ComfyServer[] = [];

const startDouble = async (options = {}): Promise<ComfyServer> => {
  const double = await startComfyServer(await plainImage(8, 8, '#336699'), options);
  doubles.push(double);
  return double;
};

before(async () => {
  const [first, second] = [await startDouble(), await startDouble()];
  service = await startTestService({
    SECRETS_KEY,
    ALLOW_PRIVATE_NETWORK: 'true',
    COMFYUI_URL: `${first.url}, ${second.url}/`,
  });
  user = service;
});
after(async () => {
  await service.close();
  for (const double of doubles) await double.close();
});

const store = (body: object) =>
  user.request<Credential & { code?: string }>('POST', '/credentials', {
    kind: 'comfyui',
    name: 'GPU',
    owner: 'workspace',
    ...body,
  });
const read = async (id: string): Promise<Credential> =>
  (await user.request<Credential>('GET', `/credentials/${id}`)).body;
const waitFor = async (id: string, condition: (credential: Credential) => boolean): Promise<Credential> => {
  let credential = await read(id);
  await waitUntil(`the state of ${id}`, async () => {
    credential = await read(id);
    return condition(credential);
  });
  return credential;
};

describe('a credential of a ComfyUI server', () => {
  it('has a pool, a limit and the state of the server', async () => {
    const double = await startDouble();
    const { status, body } = await store({ values: { baseUrl: double.url, partnerKey: 'comfy-key' } });
    assert.equal(status, 201);
    assert.deepEqual([body.pool, body.maxConcurrent, body.isDraining], ['default', 1, false]);
    const { server } = await waitFor(body.id, each => each.server.nodeTypes > 0);
    const { checkedAt, ...rest } = server;
    assert.match(checkedAt ?? '', /^\d{4}-/);
    assert.deepEqual(rest, {
      status: 'up',
      version: '0.12.1',
      devices: [{ name: 'cuda:0 Test', vramTotal: 24_000_000_000, vramFree: 12_000_000_000 }],
      running: 0,
      waiting: 0,
      nodeTypes: 2,
      error: null,
    });
  });

  it('can be changed', async () => {
    const double = await startDouble();
    const { body } = await store({ values: { baseUrl: double.url }, pool: 'video', maxConcurrent: 64 });
    assert.deepEqual([body.pool, body.maxConcurrent], ['video', 64]);
    const changed = await user.request<Credential>('PATCH', `/credentials/${body.id}`, {
      pool: 'images',
      maxConcurrent: 2,
      isDraining: true,
    });
    assert.equal(changed.status, 200);
    assert.deepEqual(
      [changed.body.pool, changed.body.maxConcurrent, changed.body.isDraining],
      ['images', 2, true],
    );
  });

  it('refuses values outside of its limits, and its fields for other kinds', async () => {
    const values = { baseUrl: 'http://127.0.0.1:1' };
    const bad = [
      { values, pool: '' },
      { values, pool: '  ' },
      { values, pool: 'x'.repeat(65) },
      { values, maxConcurrent: 0 },
      { values, maxConcurrent: 65 },
      { values, maxConcurrent: 1.5 },
      { values: { ...values, partnerKey: 'a\nb' } },
      { kind: 'fal', values: { apiKey: 'key' }, pool: 'default' },
      { kind: 'fal', values: { apiKey: 'key' }, maxConcurrent: 2 },
      { kind: 'fal', values: { apiKey: 'key', partnerKey: 'key' } },
    ];
    for (const body of bad) assert.equal((await store(body)).status, 400, JSON.stringify(body));
  });

  it('is down once its server has not answered for the time, and up again later', async () => {
    const double = await startDouble();
    const { body } = await store({ values: { baseUrl: double.url } });
    await waitFor(body.id, ({ server }) => server.status === 'up');
    await double.kill();
    const { server } = await waitFor(body.id, each => each.server.status === 'down');
    assert.match(server.error ?? '', /could not be connected to/);
    await double.reconnect();
    const again = await waitFor(body.id, each => each.server.status === 'up');
    assert.equal(again.server.error, null);
  });

  it('says why its node types are not known if their list has 200 MB, and the server stays up', async () => {
    const double = await startDouble();
    double.mode = 'large';
    const { body } = await store({ values: { baseUrl: double.url } });
    const { server } = await waitFor(body.id, each => each.server.error !== null);
    assert.deepEqual([server.status, server.nodeTypes], ['up', 0]);
    assert.match(server.error ?? '', /^The server’s list of node types is larger than 64 MB\.$/);
  });

  it('is checked although other servers of its owner hang', async () => {
    const hanging = await Promise.all([startDouble(), startDouble(), startDouble()]);
    for (const double of hanging) {
      double.mode = 'hang';
      await store({ values: { baseUrl: double.url } });
    }
    const double = await startDouble();
    const { body } = await store({ values: { baseUrl: double.url } });
    await waitFor(body.id, ({ server }) => server.status === 'up');
    for (const each of hanging) each.mode = 'normal';
  });
});

describe('COMFYUI_URL', () => {
  it('may list several servers', async () => {
    const list = async () =>
      (await user.request<{ data: readonly Credential[] }>('GET', '/credentials?owner=instance&kind=comfyui'))
        .body.data;
    await waitUntil('both servers to be up', async () =>
      (await list()).every(({ server }) => server.status === 'up'),
    );
    const servers = await list();
    assert.equal(servers.length, 2);
    assert.equal(servers[0]?.id, 'cred_environment_comfyui');
    assert.deepEqual(
      servers.map(({ pool }) => pool),
      ['default', 'default'],
    );
    assert.equal((await read(servers[1]?.id ?? '')).id, servers[1]?.id);
  });
});

describe('PUT /workflows/:id/credentials', () => {
  it('takes a pool of the workspace or of the instance', async () => {
    const double = await startDouble();
    await store({ values: { baseUrl: double.url }, pool: 'video' });
    await store({ values: { baseUrl: double.url }, pool: 'shared', owner: 'instance' });
    const workflow = await user.createWorkflow({
      nodes: [node('t', 'input:text', { text: 'a' })],
      edges: [],
    });
    const choose = (comfyui: string | null) =>
      user.request<{ comfyui: string | null }>('PUT', `/workflows/${workflow}/credentials`, { comfyui });
    for (const choice of ['pool:video', 'pool:shared', 'pool:default', null]) {
      const { status, body } = await choose(choice);
      assert.deepEqual([status, body.comfyui], [200, choice]);
    }
    for (const choice of ['pool:none', 'pool:', 'video'])
      assert.equal((await choose(choice)).status, 400, choice);
  });
});
