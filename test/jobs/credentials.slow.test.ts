// Tests credentials when a worker dies and when requests hang or are rate-limited, and searches all stored data and
// output for the values of credentials.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Client, createClient } from '../support/client.ts';
import { spawnCommand } from '../support/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';
import { type FalDouble, startImageFal } from '../support/providers/fal.ts';
import {
  SECRETS_KEY,
  type ServiceChild,
  spawnService,
  startLocalService,
  toDatabaseUrl,
} from '../support/service.ts';
import { isNightly } from '../support/tier.ts';
import { edge, node } from '../support/workflows.ts';

/** Each round stores, uses and deletes a credential. */
const ROUNDS = isNightly ? 12 : 3;
const OPERATIONS_PER_ROUND = 17;
const KEY_A = 'workspace-secret-a-1111';
const KEY_B = 'workspace-secret-b-2222';
/** Models with different paths at the test double, so that a fault can apply to only one of them. */
const [FLUX, SEEDREAM] = ['generate:fal_flux_dev', 'generate:fal_seedream'] as const;
const SEEDREAM_SUBMISSION = /^POST \/.*seedream/;

const graph = (nodeType: string, prompt: string) => ({
  nodes: [node('m', nodeType, { prompt }), node('end', 'output:preview')],
  edges: [edge('m.image > end.input')],
});
const storeCredential = async (client: Client, apiKey: string, more: object = {}): Promise<string> => {
  const input = { kind: 'fal', name: 'Studio key', owner: 'workspace', values: { apiKey }, ...more };
  const { status, body } = await client.request<{ id: string }>('POST', '/credentials', input);
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
};

let folder: string;
let database: TestDatabase;
let fal: FalDouble;
const children: ServiceChild[] = [];
const getEnv = (): NodeJS.ProcessEnv => ({
  DATABASE_URL: toDatabaseUrl(database.connection),
  FAL_BASE_URL: fal.url,
  CREDENTIALS_BASE_URLS: 'instance',
});
const spawnChild = async (env: NodeJS.ProcessEnv = {}): Promise<ServiceChild> => {
  const child = await spawnService(folder, { ...getEnv(), ...env });
  children.push(child);
  return child;
};
const createUser = async (service: Client): Promise<string> =>
  (await service.createUser({ keyScopes: ['workflows:write', 'workflows:execute', 'account:admin'] })).key;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphwright-credentials-'));
  database = await createTestDatabase();
  fal = await startImageFal();
  fal.apiKeys = new Set([KEY_A, KEY_B]);
});
after(async () => {
  await fal.close();
  for (const child of children) await child.end('SIGKILL');
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('a credential that was replaced before a worker was killed', () => {
  it('keeps the old key until the calls that the key submitted have ended', async () => {
    fal.polls = 1e9;
    const victim = await spawnChild();
    const id = await storeCredential(victim, KEY_A);
    const completedRun = await victim.startRun(await victim.createWorkflow(graph(FLUX, 'a fox')));
    const cancelledRun = await victim.startRun(await victim.createWorkflow(graph(FLUX, 'an owl')));
    await waitUntil('a poll of both calls', () =>
      [1, 2].every(index => fal.count(new RegExp(`^GET .*/req-${index}/status$`)) > 0),
    );
    assert.equal(
      (await victim.request('PATCH', `/credentials/${id}`, { values: { apiKey: KEY_B } })).status,
      200,
    );
    await victim.end('SIGKILL');
    const requestsBefore = fal.requests.length;
    await database.db.query(
      `update credential_values set retired_at = now() - interval '1 hour' where retired_at is not null`,
    );
    const successor = await startLocalService(folder, getEnv());
    await database.db.query(`select graphile_worker.add_job('sweep_credentials', '{}')`);
    await successor.request('POST', `/executions/${cancelledRun}/cancel`);
    await waitUntil('the cancellation at fal', () => fal.cancelled.length > 0);
    fal.polls = 0;
    assert.equal((await successor.waitForStatus(completedRun)).status, 'COMPLETED');
    assert.equal((await successor.waitForStatus(cancelledRun)).status, 'CANCELLED');
    const callRequests = fal.requests.slice(requestsBefore).filter(({ path }) => path.includes('/requests/'));
    assert.ok(callRequests.some(({ method }) => method === 'PUT'));
    assert.ok(callRequests.every(({ headers }) => headers.authorization === `Key ${KEY_A}`));
    await waitUntil('the calls to end', async () => {
      const { rows } = await database.db.query('select from calls');
      return rows.length === 0;
    });
    await database.db.query(`select graphile_worker.add_job('sweep_credentials', '{}')`);
    await waitUntil('the old value to be deleted', async () => {
      const { rows } = await database.db.query('select from credential_values');
      return rows.length === 1;
    });
    await successor.request('DELETE', `/credentials/${id}?force=true`);
    await successor.close();
  });
});

describe('a credential whose requests hang or are rate-limited', () => {
  it('does not block runs with another credential of the same provider', async () => {
    fal.polls = 0;
    const service = await startLocalService(folder, getEnv());
    const [busyUser, otherUser] = [
      createClient(service.url, await createUser(service)),
      createClient(service.url, await createUser(service)),
    ];
    const [busyId] = [await storeCredential(busyUser, KEY_A), await storeCredential(otherUser, KEY_B)];
    /** Completes a run of the other user, and asserts that none of these runs has ended in the meantime. */
    const assertIndependent = async (prompt: string, stuckIds: readonly string[]): Promise<void> => {
      const workflow = await otherUser.createWorkflow(graph(FLUX, prompt));
      assert.equal((await otherUser.runWorkflow(workflow)).status, 'COMPLETED');
      const { rows } = await database.db.query(
        'select from executions where id = any ($1::text[]) and finished_at is null',
        [stuckIds],
      );
      assert.equal(rows.length, stuckIds.length);
    };
    // More submissions than one credential may make concurrently.
    fal.failRequests(SEEDREAM_SUBMISSION, 'hang', 1000);
    const workflow = await busyUser.createWorkflow(graph(SEEDREAM, 'a stuck fox'));
    const stuckRuns = await Promise.all(
      Array.from({ length: 80 }, () => busyUser.startRun(workflow, { useCache: false })),
    );
    await waitUntil('hanging submissions', () => fal.count(SEEDREAM_SUBMISSION) >= 60);
    await assertIndependent('a fox beside hanging requests', stuckRuns);
    fal.clearFaults();
    fal.failRequests(SEEDREAM_SUBMISSION, { status: 429, body: { detail: 'slow down' } }, 1e6);
    const limitedRun = await busyUser.startRun(
      await busyUser.createWorkflow(graph(SEEDREAM, 'a limited fox')),
    );
    await Promise.all(stuckRuns.map(id => busyUser.request('POST', `/executions/${id}/cancel`)));
    await waitUntil('the limit', async () => {
      const { rows } = await database.db.query<{ provider: string }>(
        'select provider from provider_limits where calls is not null',
      );
      return rows.length > 0 && rows.every(({ provider }) => provider === busyId);
    });
    await assertIndependent('a fox beside limited requests', [limitedRun]);
    await busyUser.request('POST', `/executions/${limitedRun}/cancel`);
    fal.clearFaults();
    await service.close();
  });
});

describe('the key of a credential', () => {
  it(`appears in no response, log, metric, table or file after ${ROUNDS * OPERATIONS_PER_ROUND} operations`, async () => {
    const secrets = ['leak-test-secret-one-5555', 'leak-test-secret-two-6666'] as const;
    fal.apiKeys = new Set([secrets[0]]);
    fal.polls = 0;
    const service = await spawnChild({ LOG_LEVEL: 'trace' });
    const user = createClient(service.url, await createUser(service));
    const responses: string[] = [];
    const request = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
      const response = await user.request<Record<string, unknown>>(method, path, body);
      responses.push(JSON.stringify([response.body, [...response.headers]]));
      return response.body;
    };
    const workflow = await user.createWorkflow(graph(FLUX, 'a fox'));
    for (let round = 0; round < ROUNDS; round++) {
      const apiKey = secrets[round % 2] ?? '';
      const values = { apiKey };
      await request('POST', '/credentials/test', { kind: 'fal', values });
      const { id } = await request('POST', '/credentials', {
        kind: 'fal',
        name: 'Key',
        owner: 'workspace',
        values,
      });
      await request('POST', '/credentials', { kind: 'fal', name: '', owner: 'workspace', values });
      await request('GET', '/credentials');
      await request('GET', `/credentials/${id}`);
      await request('POST', `/credentials/${id}/test`);
      await request('PATCH', `/credentials/${id}`, { values, isDefault: true });
      await request('PUT', `/workflows/${workflow}/credentials`, { fal: id as string });
      await request('POST', `/workflows/${workflow}/estimate`, {});
      // The provider quotes the key in an error.
      const quote = {
        status: 422,
        body: { detail: `bad request by ${apiKey}: ${Buffer.from(apiKey).toString('base64')}` },
      };
      if (round % 3 === 0) fal.failRequests(/^POST \/fal-ai/, quote);
      const { executionId } = await request('POST', `/workflows/${workflow}/run`, { useCache: false });
      await user.waitForStatus(String(executionId));
      fal.clearFaults();
      await request('GET', `/executions/${executionId}`);
      await request('GET', `/workflows/${workflow}`);
      await request('GET', `/workflows/${workflow}/export`);
      await request('GET', '/credits/spending');
      await request('GET', `/credentials/${id}/uses`);
      await request('DELETE', `/credentials/${id}`);
      await request('DELETE', `/credentials/${id}?force=true`);
    }
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    await service.end('SIGTERM');
    const backup = join(folder, 'backup.tar');
    const backupResult = await spawnCommand(['backup', backup], {
      DATABASE_URL: toDatabaseUrl(database.connection),
      DATA_DIR: folder,
      SECRETS_KEY,
    });
    assert.equal(backupResult.code, 0, backupResult.err);
    const { rows: tables } = await database.db.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname in ('public', 'graphile_worker')`,
    );
    const dumps = await Promise.all(
      tables.map(async ({ name }) => {
        const { rows } = await database.db.query<{ text: string }>(`select t::text as text from ${name} t`);
        return rows.map(({ text }) => text).join('\n');
      }),
    );
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const fileTexts = await Promise.all(
      files.filter(file => file.isFile()).map(file => readFile(join(file.parentPath, file.name), 'latin1')),
    );
    assert.equal(responses.length, ROUNDS * OPERATIONS_PER_ROUND);
    const outputs = {
      responses: responses.join('\n'),
      log: service.output(),
      metrics,
      database: dumps.join('\n'),
      files: fileTexts.join('\n'),
    };
    assert.ok(outputs.log.length > 1000);
    for (const secret of secrets)
      for (const form of [
        secret,
        Buffer.from(secret).toString('base64'),
        Buffer.from(secret).toString('hex'),
      ])
        for (const [output, text] of Object.entries(outputs)) assert.ok(!text.includes(form), output);
  });
});
