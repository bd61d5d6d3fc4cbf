// Tests named servers over HTTP: storing and testing them, and what the catalog then shows.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CatalogEntry } from '../../../src/graph/catalog.ts';
import { type ApiUser, createTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import type { Double } from '../../support/providers/double.ts';
import { UNREACHABLE_URL } from '../../support/providers/host.ts';
import { type ServerKind, startServer } from '../../support/providers/servers.ts';
import { assertRefused, node } from '../../support/workflows.ts';

interface Server {
  readonly id: string;
  readonly server: string | null;
  readonly serves: readonly string[] | null;
  readonly isDefault: boolean;
  readonly source: string;
}

interface Test {
  readonly ok: boolean;
  readonly serves?: readonly string[];
  readonly models?: readonly string[];
  readonly error?: string;
}

const KINDS = ['ollama', 'lmStudio', 'sdServer', 'kokoro', 'speaches', 'whisperServer', 'localAi'] as const;
const CHAT = 'text:openai_chat';
const SPEECH = 'utility:speech';

const servers = new Map<ServerKind, Double>();
let test: TestApp;
let admin: ApiUser;

before(async () => {
  for (const kind of KINDS) servers.set(kind, await startServer(kind));
  test = await createTestApp({
    env: { OPENAI_SERVERS: `ollama=${getUrl('ollama')},remote=https://api.example.com/v1` },
  });
  admin = await test.createUser();
});
after(async () => {
  await test.close();
  await Promise.all([...servers.values()].map(server => server.close()));
});

const getUrl = (kind: ServerKind): string => `${servers.get(kind)?.url}/v1`;
const store = (user: ApiUser, overrides: object = {}): Promise<TestResponse<Server>> =>
  user.request<Server>('POST', '/credentials', {
    kind: 'openai',
    name: 'A server',
    owner: 'workspace',
    values: { baseUrl: 'https://models.example.com/v1' },
    server: 'models',
    ...overrides,
  });
const storeForAll = (server: string, overrides: object = {}): Promise<TestResponse<Server>> =>
  store(admin, { owner: 'instance', server, ...overrides });
const testValues = async (baseUrl: string): Promise<Test> => {
  const body = { kind: 'openai', server: 'x', owner: 'instance', values: { baseUrl } };
  return (await (await test.createUser()).request<Test>('POST', '/credentials/test', body)).body;
};
const findEntry = async (user: Pick<ApiUser, 'request'>, nodeType: string): Promise<CatalogEntry> => {
  const { body } = await user.request<{ nodes: CatalogEntry[] }>('GET', '/nodes?includeHidden=true');
  return body.nodes.find(entry => entry.nodeType === nodeType) as CatalogEntry;
};
const listChoices = async (user: ApiUser, nodeType: string): Promise<readonly string[] | undefined> =>
  (await findEntry(user, nodeType)).inputs.find(({ id }) => id === 'server')?.enum;

describe('a named server', () => {
  it('is stored with its name, and is no default', async () => {
    const { status, body } = await store(admin);
    assert.deepEqual(
      [status, body.server, body.serves, body.isDefault, body.source],
      [201, 'models', null, false, 'stored'],
    );
    const first = await store(admin, { server: undefined, values: { apiKey: 'sk-first' } });
    assert.equal(first.body.isDefault, true);
  });

  it('has a name that is unique for its owner', async () => {
    const [user, other] = [await test.createUser(), await test.createUser()];
    assert.equal((await store(user)).status, 201);
    assertRefused(await store(user), 409, 'conflict');
    assert.equal((await store(other)).status, 201);
    assert.equal((await storeForAll('shared')).status, 201);
    assertRefused(await storeForAll('shared'), 409, 'conflict');
    // The environment belongs to the instance.
    assertRefused(await storeForAll('ollama'), 409, 'conflict');
    const { body } = await store(user, { server: 'again' });
    await user.request('DELETE', `/credentials/${body.id}`);
    assert.equal((await store(user, { server: 'again' })).status, 201);
  });

  it('needs a valid name, and the kind openai', async () => {
    for (const server of ['', 'Ollama', 'a b', 'x'.repeat(33), 'ä', null])
      assert.equal((await store(admin, { server })).status, 400, String(server));
    assert.equal((await store(admin, { kind: 'fal', values: { apiKey: 'k' }, server: 'fal' })).status, 400);
    assert.equal((await store(admin, { server: 'serves', serves: ['video'] })).status, 400);
  });

  it('of a workspace must have a public address', async () => {
    for (const baseUrl of [
      'http://127.0.0.1:1/v1',
      'http://[::1]/v1',
      'http://ollama:11434/v1',
      'http://a.internal/v1',
    ])
      assert.equal((await store(admin, { server: 'private', values: { baseUrl } })).status, 400, baseUrl);
    const { body } = await store(admin, { server: 'public' });
    const change = { values: { baseUrl: 'http://10.0.0.1/v1' } };
    assert.equal((await admin.request('PATCH', `/credentials/${body.id}`, change)).status, 400);
    const values = { kind: 'openai', server: 'x', values: { baseUrl: 'http://127.0.0.1:1/v1' } };
    assert.equal((await admin.request('POST', '/credentials/test', values)).status, 400);
  });

  it('of the environment is listed for administrators, and cannot be changed', async () => {
    const { body } = await admin.request<{ data: Server[] }>('GET', '/credentials?owner=instance');
    const listed = body.data.filter(({ source }) => source === 'environment');
    assert.deepEqual(
      listed.map(({ server, serves, isDefault }) => [server, serves, isDefault]),
      [
        ['ollama', null, false],
        ['remote', null, false],
      ],
    );
    const path = `/credentials/${listed[0]?.id}`;
    assert.equal((await admin.request('GET', path)).status, 200);
    assertRefused(await admin.request('PATCH', path, { name: 'Mine' }), 403, 'forbidden');
    const tested = await admin.request<Test>('POST', `${path}/test`);
    assert.deepEqual([tested.body.ok, tested.body.serves], [true, ['chat', 'images', 'embeddings']]);
  });

  it('changes what it serves, which new values make unknown', async () => {
    const { body } = await store(admin, { server: 'changing', serves: ['chat', 'chat'] });
    assert.deepEqual(body.serves, ['chat']);
    const change = async (values: object) =>
      (await admin.request<Server>('PATCH', `/credentials/${body.id}`, values)).body.serves;
    assert.deepEqual(await change({ name: 'Renamed' }), ['chat']);
    assert.deepEqual(await change({ serves: ['speech'] }), ['speech']);
    assert.deepEqual(await change({ values: { baseUrl: 'https://new.example.com/v1' } }), null);
    assert.deepEqual(await change({ serves: [] }), []);
    assert.deepEqual(await change({ serves: null }), null);
  });
});

describe('a test of a server', () => {
  const EXPECTED: Readonly<
    Record<(typeof KINDS)[number], readonly [serves: readonly string[], models: readonly string[]]>
  > = {
    ollama: [
      ['chat', 'images', 'embeddings'],
      ['llama3.2:latest', 'nomic-embed-text:latest'],
    ],
    lmStudio: [['chat', 'embeddings'], ['google/gemma-4-e4b']],
    sdServer: [['images'], ['sd-cpp-local']],
    kokoro: [['speech'], ['tts-1', 'tts-1-hd', 'kokoro']],
    speaches: [['transcriptions'], ['Systran/faster-whisper-small']],
    whisperServer: [['transcriptions'], []],
    localAi: [['images'], ['stablediffusion']],
  };
  for (const kind of KINDS)
    it(`finds what it serves, and generates nothing (${kind})`, async () => {
      const { ok, serves, models } = await testValues(getUrl(kind));
      assert.deepEqual([ok, serves, models], [true, ...EXPECTED[kind]]);
      for (const { method, body, headers } of servers.get(kind)?.requests ?? []) {
        assert.equal(headers.authorization, undefined);
        if (method === 'POST' && headers['content-type'] === 'application/json')
          assert.equal(body.toString(), '{}');
      }
    });

  it('is stored with the credential', async () => {
    const { body } = await storeForAll('voice', { values: { baseUrl: getUrl('kokoro') } });
    await admin.request('POST', `/credentials/${body.id}/test`);
    const read = await admin.request<Server & { status: string }>('GET', `/credentials/${body.id}`);
    assert.deepEqual([read.body.serves, read.body.status], [['speech'], 'ok']);
  });

  it('fails with a sentence if there is no server, or another one', async () => {
    const { ok, error, serves } = await testValues(UNREACHABLE_URL);
    assert.deepEqual([ok, error, serves], [false, '127.0.0.1 could not be connected to.', undefined]);
    const wrong = await testValues(servers.get('lmStudio')?.url ?? '');
    assert.equal(
      wrong.error,
      'The address does not respond like OpenAI. Most servers need /v1 at the end of the address.',
    );
    const website = await testValues(`${servers.get('whisperServer')?.url}/website`);
    assert.equal(website.ok, false);
  });

  it('is not stopped by a long list of models, and reads no other values', async () => {
    const data = [...Array(2000).keys()].map(id => ({ id: `model-${id}` }));
    const reply = { status: 200, body: { data: [{ id: 7 }, null, { id: 'x'.repeat(1000) }, ...data] } };
    servers.get('kokoro')?.failRequests(/models/, reply);
    const { models } = await testValues(getUrl('kokoro'));
    assert.equal(models?.length, 498);
    assert.equal(models?.[0]?.length, 200);
  });
});

describe('the catalog', () => {
  it('lists the servers that serve a node, and those that were not tested', async () => {
    const user = await test.createUser();
    await store(user, { server: 'mine', serves: ['chat'] });
    await store(user, { server: 'voice-only', serves: ['speech'] });
    const chat = await listChoices(user, CHAT);
    assert.ok(['mine', 'ollama', 'remote'].every(name => chat?.includes(name)));
    assert.equal(chat?.includes('voice-only'), false);
    assert.ok((await listChoices(user, SPEECH))?.includes('voice-only'));
    const other = await listChoices(await test.createUser(), CHAT);
    assert.equal(other?.includes('mine'), false);
  });

  it('shows a node as available with only a server', async () => {
    const { isAvailable, hidden } = await findEntry(await test.createUser(), CHAT);
    assert.deepEqual([isAvailable, hidden], [undefined, undefined]);
  });

  it('lists no server without one', async () => {
    const plain = await createTestApp();
    const entry = await findEntry(await plain.createUser(), CHAT);
    await plain.close();
    assert.equal(entry.inputs.find(({ id }) => id === 'server')?.enum, undefined);
    assert.equal(entry.isAvailable, false);
  });
});

describe('saving a graph', () => {
  it('warns about an unknown server, and not about one that is set up', async () => {
    const user = await test.createUser();
    await store(user, { server: 'mine' });
    const warn = async (server: string): Promise<readonly string[]> => {
      const graph = { nodes: [node('n', CHAT, { prompt: 'Hi', server })], edges: [] };
      const { body } = await user.request<{ issues: { code: string; message: string }[] }>(
        'POST',
        '/workflows/lint',
        graph,
      );
      return body.issues
        .filter(({ code }) => code === 'provider_not_configured')
        .map(({ message }) => message);
    };
    assert.deepEqual(await warn('nobody'), [
      'The server “nobody” is not set up. Add it in the settings, or choose another one.',
    ]);
    assert.deepEqual([await warn('mine'), await warn('ollama')], [[], []]);
  });
});
