// Tests how servers on this machine are found: which answers count, that nothing is generated, and who may look.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { type Double, startDouble } from '../../support/providers/double.ts';
import { startServer } from '../../support/providers/servers.ts';
import { assertRefused } from '../../support/workflows.ts';

interface Found {
  readonly kind: string;
  readonly baseUrl: string;
  readonly name: string;
  readonly serves: readonly string[];
  readonly models: readonly string[];
  readonly isAdded: boolean;
}

let test: TestApp;
let admin: ApiUser;
let doubles: readonly Double[];
let comfy: Double;

before(async () => {
  comfy = await startDouble(({ path }) =>
    path === '/system_stats'
      ? { status: 200, body: { system: { comfyui_version: '0.3' }, devices: [] } }
      : { status: 404, body: {} },
  );
  const website = await startDouble(() => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: Buffer.from('<p>Hello</p>'),
  }));
  const files = await startDouble(() => ({ status: 404, body: { message: 'not found' } }));
  const text = await startDouble(() => ({
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: Buffer.from('ok'),
  }));
  doubles = [
    await startServer('ollama'),
    await startServer('sdServer'),
    await startServer('whisperServer'),
    comfy,
    website,
    files,
    text,
  ];
  test = await createTestApp({ env: { OPENAI_SERVERS: `chat=${doubles[0]?.url}/v1` } });
  const ports = doubles.map(({ url }) => Number(new URL(url).port));
  // Nothing listens on port 1.
  Object.assign(test.deps, { localPorts: [...ports, 1] });
  admin = await test.createUser();
});
after(async () => {
  await test.close();
  await Promise.all(doubles.map(double => double.close()));
});

const discover = async (): Promise<readonly Found[]> => {
  const { status, body } = await admin.request<{ data: Found[] }>('POST', '/credentials/discover');
  assert.equal(status, 200);
  return body.data;
};

describe('servers on this machine', () => {
  it('are found with what they serve, under names that are free', async () => {
    const [ollama, sd, whisper] = doubles.map(({ url }) => url);
    assert.deepEqual(await discover(), [
      {
        kind: 'openai',
        baseUrl: `${ollama}/v1`,
        name: 'chat-2',
        serves: ['chat', 'images', 'embeddings'],
        models: ['llama3.2:latest', 'nomic-embed-text:latest'],
        isAdded: true,
      },
      {
        kind: 'openai',
        baseUrl: `${sd}/v1`,
        name: 'sd',
        serves: ['images'],
        models: ['sd-cpp-local'],
        isAdded: false,
      },
      {
        kind: 'openai',
        baseUrl: `${whisper}/v1`,
        name: 'whisper',
        serves: ['transcriptions'],
        models: [],
        isAdded: false,
      },
      { kind: 'comfyui', baseUrl: comfy.url, name: 'comfyui', serves: [], models: [], isAdded: false },
    ]);
  });

  it('can be added as they were found', async () => {
    const found = (await discover()).find(({ name }) => name === 'sd');
    const { status } = await admin.request('POST', '/credentials', {
      kind: found?.kind,
      owner: 'instance',
      name: 'sd',
      server: found?.name,
      serves: found?.serves,
      values: { baseUrl: found?.baseUrl },
    });
    assert.equal(status, 201);
    const again = (await discover()).find(({ baseUrl }) => baseUrl === found?.baseUrl);
    assert.deepEqual([again?.name, again?.isAdded], ['sd-2', true]);
  });

  it('are looked for only by administrators', async () => {
    const user = await test.createUser({ scopes: ['workflows:read', 'account:admin'] });
    assertRefused(await user.request('POST', '/credentials/discover'), 401, 'insufficient_scope');
  });

  it('are not contacted by the catalog, a saved graph or an estimate', async () => {
    const count = (): number => doubles.reduce((sum, { requests }) => sum + requests.length, 0);
    const earlierCount = count();
    await admin.request('GET', '/nodes');
    await admin.request('GET', '/credentials?owner=instance');
    await admin.request('GET', '/admin/providers');
    assert.equal(count(), earlierCount);
  });
});
