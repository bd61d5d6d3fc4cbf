// Tests that the most verbose log contains the ids of requests and runs but no secrets.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { modelNode } from '../support/credits/paid.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { plainImage } from '../support/media/pixels.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import { type FalDouble, startFal } from '../support/providers/fal.ts';
import { KEY, SECRETS_KEY, type ServiceChild, spawnService, toDatabaseUrl } from '../support/service.ts';

const PASSWORD = 'correct horse battery staple 77';
const WEBHOOK_SECRET = 'whsec-that-nobody-reads';
const OTHER_SECRETS = { contentSecret: 'content-webhook-secret-3', wrongKey: 'sk-a-key-that-is-wrong-0001' };

interface Line {
  readonly msg: string;
  readonly requestId?: string;
  readonly executionId?: string;
}

let database: TestDatabase;
let folder: string;
let fal: FalDouble;
let receiver: Receiver;
let service: ServiceChild;
const secrets: string[] = [
  KEY,
  PASSWORD,
  WEBHOOK_SECRET,
  ...Object.values(OTHER_SECRETS),
  'fal-key',
  SECRETS_KEY,
];
before(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'graphwright-logs-'));
  [fal, receiver] = [await startFal(await plainImage(8, 8, '#336699')), await startReceiver()];
  service = await spawnService(folder, {
    DATABASE_URL: toDatabaseUrl(database.connection),
    LOG_LEVEL: 'trace',
    ALLOW_PRIVATE_NETWORK: 'true',
    FAL_KEY: 'fal-key',
    FAL_BASE_URL: fal.url,
    CONTENT_WEBHOOK_SECRET: OTHER_SECRETS.contentSecret,
  });
});
after(async () => {
  await service.end('SIGTERM');
  await Promise.all([fal.close(), receiver.close()]);
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the JSON lines of the output, without lines for administrators such as the setup link. */
const readJsonLines = (): readonly string[] =>
  service
    .output()
    .split('\n')
    .filter(line => line.startsWith('{'));
const readLines = (): readonly Line[] => readJsonLines().map(line => JSON.parse(line) as Line);

it('the log contains the ids of requests and runs but no secrets', async () => {
  const signIn = (password: string) =>
    fetch(`${service.url}/api/v1/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ann@example.com', password }),
    });
  // Errors are logged with the most details.
  await signIn(PASSWORD);
  await fetch(`${service.url}/api/v1/me`, { headers: { authorization: `Bearer ${OTHER_SECRETS.wrongKey}` } });
  await fetch(`${service.url}/api/v1/workflows?token=${WEBHOOK_SECRET}`, {
    headers: { cookie: `session=${WEBHOOK_SECRET}` },
  });
  await fetch(`${service.url}/hooks/fal/${WEBHOOK_SECRET}`, { method: 'POST' });
  await fetch(`${service.url}/api/content/webhook`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OTHER_SECRETS.contentSecret}`, 'content-type': 'application/json' },
    body: '{',
  });
  const createdKey = await service.request<{ key: string }>('POST', '/keys', {
    name: 'ci',
    scopes: ['workflows:read'],
  });
  assert.ok(createdKey.status < 300, JSON.stringify(createdKey.body));
  secrets.push(createdKey.body.key);
  fal.result = { status: 500, body: { detail: 'broken' } };
  receiver.answer(res => res.writeHead(500).end());
  const id = await service.createWorkflow({ nodes: [modelNode('m')], edges: [] });
  const run = await service.runWorkflow(id, { webhook: { url: receiver.url, secret: WEBHOOK_SECRET } });
  assert.equal(run.status, 'FAILED');
  await waitUntil('the delivery', () => receiver.received.length > 0);
  const requestId = 'log-test-request-1';
  await service.request('GET', `/workflows/${id}`, undefined, { 'x-request-id': requestId });
  await waitUntil('the line of the request', () => readLines().some(line => line.requestId === requestId));
  await waitUntil('the line of the run', () => readLines().some(line => line.executionId === run.id));
  const log = readJsonLines().join('\n');
  assert.ok(log.length > 2000);
  for (const secret of secrets) assert.ok(!log.includes(secret), `${secret} is in the log`);
  const requests = readLines().filter(({ msg }) => msg === 'request');
  assert.ok(requests.every(line => typeof line.requestId === 'string'));
});
