// Tests `graphwright models` with a double of fal: each command applies all of its changes or none, in every process.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createOpenApi, VIDEO_INPUT } from '../nodes/models/published.ts';
import { type RunCommand, spawnCommand, spawnFirst } from '../support/command-line.ts';
import { waitUntil } from '../support/processes.ts';
import { type FalDouble, startFal } from '../support/providers/fal.ts';
import { BIN, cleanEnv, KEY, startTestService, type TestService } from '../support/service.ts';
import { isNightly } from '../support/tier.ts';

const folder = mkdtempSync(join(tmpdir(), 'graphwright-models-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const row = (endpoint: string, properties: object = VIDEO_INPUT) => ({
  endpoint_id: endpoint,
  metadata: { display_name: endpoint.toUpperCase(), category: 'text-to-video', status: 'active' },
  openapi: createOpenApi(endpoint, properties as typeof VIDEO_INPUT),
});
const ENDPOINTS = ['fal-ai/x1', 'fal-ai/x2', 'fal-ai/x3'];

describe('graphwright models', () => {
  let fal: FalDouble;
  let service: TestService;
  let otherService: Awaited<ReturnType<TestService['startAnother']>>;
  before(async () => {
    fal = await startFal(Buffer.from('x'));
    const env = { FAL_KEY: 'fal-key', FAL_BASE_URL: fal.url };
    service = await startTestService(env);
    otherService = await service.startAnother({ ROLE: 'api' });
  });
  after(async () => {
    await otherService.close();
    await service.close();
    await fal.close();
  });
  const toPrice = (endpoint: string) => ({
    endpoint_id: endpoint,
    unit_price: 0.1,
    unit: 'seconds',
    currency: 'USD',
  });
  beforeEach(() => {
    fal.clearFaults();
    fal.models = ENDPOINTS.map(endpoint => row(endpoint));
    fal.prices = ENDPOINTS.map(toPrice);
  });

  const toSettings = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    DATA_DIR: folder,
    FAL_KEY: 'fal-key',
    FAL_BASE_URL: fal.url,
    DATABASE_URL: service.databaseUrl,
    ...more,
  });
  const graphwright = (
    args: readonly string[],
    more: NodeJS.ProcessEnv = {},
    runCommand: RunCommand = spawnFirst,
  ) => runCommand(['models', ...args], toSettings(more));
  const listNodeTypes = async (client: Pick<TestService, 'request'>): Promise<readonly string[]> => {
    const { body } = await client.request<{ nodes: readonly { nodeType: string }[] }>('GET', '/nodes');
    return body.nodes.map(({ nodeType }) => nodeType);
  };
  const waitForModel = async (nodeType: string, isShown: boolean) => {
    for (const client of [service, otherService])
      await waitUntil(
        `${nodeType} to be ${isShown ? 'listed' : 'hidden'}`,
        async () => (await listNodeTypes(client)).includes(nodeType) === isShown,
      );
  };

  it('searches and shows models that fal lists', async () => {
    const { out } = await graphwright(['search', 'x']);
    assert.match(out, /fal-ai\/x1\s+FAL-AI\/X1/);
    const details = await graphwright(['show', 'fal', 'fal-ai/x1']);
    assert.match(details.out, /video:fal_x1 .*→ video/);
    assert.match(details.out, /price: 0\.1 USD a seconds/);
  });

  it('adds a model to every process without a restart', async () => {
    const { code, out } = await graphwright(['add', 'fal', 'fal-ai/x1', 'fal-ai/x2'], {}, spawnCommand);
    assert.deepEqual([code, /\+ video:fal_x1/.test(out)], [0, true]);
    await waitForModel('video:fal_x1', true);
    await waitForModel('video:fal_x2', true);
  });

  it('adds no model if one of the models cannot be fetched', async () => {
    for (const endpoint of ['fal-ai/nobody', '../../etc/passwd']) {
      const { code, err } = await graphwright(['add', 'fal', 'fal-ai/x3', endpoint]);
      assert.equal(code, 1);
      assert.match(err, /does not list/);
    }
    assert.equal((await listNodeTypes(service)).includes('video:fal_x3'), false);
  });

  it('adds models through a running service', async () => {
    const env = {
      DATABASE_URL: 'postgres://nobody',
      GRAPHWRIGHT_URL: service.url,
      GRAPHWRIGHT_API_KEY: KEY,
    };
    assert.equal((await graphwright(['add', 'fal', 'fal-ai/x3'], env)).code, 0);
    await waitForModel('video:fal_x3', true);
    const { status } = await service.withKey('sk-unknown').request('GET', '/admin/models');
    assert.equal(status, 401);
  });

  it('shows changes with --dry-run without applying them', async () => {
    fal.models = [
      row('fal-ai/x1', { ...VIDEO_INPUT, style: { type: 'string' } }),
      row('fal-ai/x2'),
      row('fal-ai/x3'),
    ];
    // This fal does not list the shipped models, so all of them would be removed, which is more than a fifth.
    const dry = await graphwright(['add', 'fal', 'fal-ai/x1', '--dry-run']);
    assert.match(dry.out, /~ video:fal_x1[\s\S]*accepts the new field style/);
    assert.match((await graphwright(['add', 'fal', 'fal-ai/x1', '--dry-run'])).out, /new field style/);
    await graphwright(['add', 'fal', 'fal-ai/x1']);
    assert.equal((await graphwright(['add', 'fal', 'fal-ai/x1'])).out, '');
  });

  it('asks for confirmation before more than a fifth of the models changes', async () => {
    const { code, err } = await graphwright(['sync']);
    assert.equal(code, 2);
    assert.match(err, /More than a fifth/);
    assert.equal((await graphwright(['check'])).code, 1);
    assert.ok((await listNodeTypes(service)).includes('generate:fal_flux_dev'));
  });

  it('refuses a list of models that is HTML, truncated, or too large', async () => {
    const invalidBodies = [
      Buffer.from('<html>busy</html>'),
      Buffer.from('{"models": [{"endpoint_id": "fal-ai/x'),
    ];
    for (const body of invalidBodies) {
      fal.failResponses(/^GET \/v1\/models/, { status: 200, body });
      const { code, err } = await graphwright(['add', 'fal', 'fal-ai/x1']);
      assert.equal(code, 1);
      assert.match(err, /not JSON/);
    }
    fal.failResponses(/^GET \/v1\/models/, { status: 200, body: Buffer.alloc(50_000_000, 0x20) });
    assert.match((await graphwright(['search'])).err, /more data than is accepted/);
  });

  it('rejects the second of two concurrent changes with 409', async () => {
    const { body } = await service.request<{ revision: string; models: readonly object[] }>(
      'GET',
      '/admin/models',
    );
    const write = () =>
      service.request('POST', '/admin/models', { revision: body.revision, models: body.models });
    const statuses = (await Promise.all([write(), write()])).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 409]);
  });

  it('changes no model if one of the models is invalid', async () => {
    const { body } = await service.request<{ revision: string; models: readonly object[] }>(
      'GET',
      '/admin/models',
    );
    const [first] = body.models;
    const models = [
      { ...first, label: 'Changed' },
      { ...first, price: { unit: 'second', usd: -1 } },
    ];
    const refusal = await service.request<{ issues: readonly { path: string }[] }>('POST', '/admin/models', {
      revision: body.revision,
      models,
    });
    assert.deepEqual([refusal.status, refusal.body.issues[0]?.path], [400, '/models/1/price/usd']);
    const { body: current } = await service.request<{ revision: string }>('GET', '/admin/models');
    assert.equal(current.revision, body.revision);
  });

  const countModels = async (pattern: RegExp): Promise<number> => {
    const { body } = await service.request<{ models: readonly { nodeType: string }[] }>(
      'GET',
      '/admin/models',
    );
    return body.models.filter(({ nodeType }) => pattern.test(nodeType)).length;
  };

  it('adds all models or none if the command is killed', async () => {
    const endpoints = Array.from({ length: 60 }, (_, index) => `fal-ai/k${index}`);
    fal.models = endpoints.map(endpoint => row(endpoint));
    fal.prices = endpoints.map(toPrice);
    // The prices are the last request before the models are written.
    for (const delayMs of isNightly ? [0, 15, 30, 60, 120, 240] : [15]) {
      const priceRequestsBefore = fal.count(/pricing/);
      const child = spawn(process.execPath, [BIN, 'models', 'add', 'fal', ...endpoints], {
        env: { ...cleanEnv(), ...toSettings() },
        stdio: 'ignore',
      });
      const exit = once(child, 'exit');
      await waitUntil(
        'the prices to be requested',
        async () => fal.count(/pricing/) >= priceRequestsBefore + 2,
      );
      setTimeout(() => child.kill('SIGKILL'), delayMs);
      await exit;
      const count = await countModels(/^video:fal_k\d/);
      assert.ok(count === 0 || count === endpoints.length, String(count));
    }
  });

  it('applies all changes or none of each concurrent command', async () => {
    const parts = (isNightly ? ['a', 'b', 'c', 'd'] : ['a', 'b']).map(name =>
      Array.from({ length: 10 }, (_, index) => `fal-ai/${name}${index}`),
    );
    fal.models = parts.flat().map(endpoint => row(endpoint));
    const results = await Promise.all(
      parts.map(part => graphwright(['add', 'fal', ...part], {}, spawnCommand)),
    );
    assert.ok(results.some(({ code }) => code === 0));
    for (const [index, { code, err }] of results.entries()) {
      const count = await countModels(new RegExp(`^video:fal_${'abcd'[index]}\\d$`));
      assert.equal(count, code === 0 ? 10 : 0);
      if (code !== 0) assert.match(err, /models changed after you read them/);
    }
  });

  it('hides a removed model and marks it as deprecated', async () => {
    assert.equal((await graphwright(['remove', 'video:fal_x2'])).code, 0);
    await waitForModel('video:fal_x2', false);
    const { body } = await service.request<{ nodes: readonly { nodeType: string; deprecated?: true }[] }>(
      'GET',
      '/nodes?includeHidden=1',
    );
    assert.equal(body.nodes.find(({ nodeType }) => nodeType === 'video:fal_x2')?.deprecated, true);
    assert.equal((await graphwright(['remove', 'utility:math'])).code, 1);
  });

  it('restores a removed model only when it is added again', async () => {
    const { out } = await graphwright(['sync', '--dry-run']);
    assert.doesNotMatch(out, /video:fal_x2/);
    const addition = await graphwright(['add', 'fal', 'fal-ai/x2']);
    assert.match(addition.out, /~ video:fal_x2[\s\S]*is listed again/);
    await waitForModel('video:fal_x2', true);
  });

  it('changes nothing if fal lists no models or rejects the request', async () => {
    fal.models = [];
    for (const args of [['sync', '--yes'], ['check']]) {
      const { code, out, err } = await graphwright(args);
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, /listed none of the \d+ requested models, so nothing was changed/);
    }
    fal.failRequests(/^GET \/v1\/models/, { status: 401, body: { detail: 'no' } });
    assert.match((await graphwright(['sync', '--yes'])).err, /status 401; check its key/);
    fal.clearFaults();
    assert.ok((await listNodeTypes(service)).includes('generate:fal_flux_dev'));
    const plan = await service.request<{ code: string; error: string }>('POST', '/admin/models/plan', {
      provider: 'fal',
    });
    assert.deepEqual([plan.status, plan.body.code], [400, 'fetch_failed']);
    assert.match(plan.body.error, /nothing was changed/);
  });

  it('writes models to MODELS_FILE if it is set', async () => {
    const MODELS_FILE = join(folder, 'models.json');
    assert.equal((await graphwright(['add', 'fal', 'fal-ai/x1'], { MODELS_FILE })).code, 0);
    const { models } = JSON.parse(readFileSync(MODELS_FILE, 'utf8'));
    assert.deepEqual(
      models.map(({ nodeType }: { nodeType: string }) => nodeType),
      ['video:fal_x1'],
    );
  });
});

describe('graphwright models without a key in the environment', () => {
  const API_KEY = 'stored-fal-key-1234';
  let fal: FalDouble;
  let service: TestService;
  before(async () => {
    fal = await startFal(Buffer.from('x'));
    fal.apiKeys = new Set([API_KEY]);
    fal.pageSize = 100;
    fal.models = ENDPOINTS.map(endpoint => row(endpoint));
    service = await startTestService({
      FAL_BASE_URL: fal.url,
      CREDENTIALS_BASE_URLS: 'instance',
      ROLE: 'api',
    });
  });
  after(async () => {
    await service.close();
    await fal.close();
  });
  const graphwright = (...args: readonly string[]) =>
    spawnFirst(['models', ...args], {
      DATA_DIR: folder,
      GRAPHWRIGHT_URL: service.url,
      GRAPHWRIGHT_API_KEY: KEY,
    });
  const storeCredential = async (owner: string): Promise<string> => {
    const input = { kind: 'fal', name: 'fal', owner, values: { apiKey: API_KEY } };
    const { status, body } = await service.request<{ id: string }>('POST', '/credentials', input);
    assert.equal(status, 201);
    return body.id;
  };

  it('uses the stored credential of the instance or workspace', async () => {
    assert.match((await graphwright('search', 'x')).err, /fal is not set up\. Add a key/);
    for (const owner of ['instance', 'workspace']) {
      const id = await storeCredential(owner);
      assert.match((await graphwright('search', 'x1')).out, /fal-ai\/x1\s+FAL-AI\/X1/);
      await service.request('DELETE', `/credentials/${id}`);
    }
  });

  it('adds, checks and syncs models through a running service', async () => {
    await storeCredential('instance');
    const refusal = await graphwright('add', 'fal', 'fal-ai/x1', 'fal-ai/nobody');
    assert.deepEqual([refusal.code, /does not list fal-ai\/nobody/.test(refusal.err)], [1, true]);
    const addition = await graphwright('add', 'fal', 'fal-ai/x1');
    assert.equal(addition.code, 0, addition.err);
    assert.match(addition.out, /\+ video:fal_x1/);
    fal.models = [row('fal-ai/x1', { ...VIDEO_INPUT, style: { type: 'string' } })];
    const check = await graphwright('check');
    assert.deepEqual([check.code, /accepts the new field style/.test(check.out)], [1, true]);
    const sync = await graphwright('sync', '--yes');
    assert.equal(sync.code, 0, sync.err);
    assert.doesNotMatch((await graphwright('check')).out, /video:fal_x1/);
    assert.match((await graphwright('show', 'fal', 'fal-ai/x1')).err, /fal is not configured/);
  });
});
