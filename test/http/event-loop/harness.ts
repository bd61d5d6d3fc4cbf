// Starts a service and a process that sends it the largest requests as a user of the smallest plan and as a visitor.
// Measures the service: its event loop, its memory, the size of its answers, and what it stores.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { readSettings } from '../../../src/lib/settings.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';
import { SCOPES } from '../../../src/services/accounts/actor.ts';
import { PASSWORD, readLinkToken } from '../../support/accounts/people.ts';
import type { BodySchema } from '../../support/http/random-body.ts';
import { KEY, startTestService, type TestService } from '../../support/service.ts';
import { shared } from '../../support/shared.ts';
import { STORABLE_GRAPHS } from './graphs.ts';
import { type ConfiguredNode, NODES } from './nodes.ts';
import type { ProbeResult, ProberSetup } from './prober.ts';
import { CONTENT_SECRET, FEW_NODES, type Route } from './routes.ts';
import { createScimFixtures } from './scim-probes.ts';

/**
 * The service promises that /healthz responds within 200 ms. The test measures the processor time of this thread, which
 * other processes hardly affect. The limit leaves time for the garbage collector.
 */
const LIMIT_MS = 400;
/** On slow machines, the limit is this multiple of the time to parse `REFERENCE_JSON`. */
const MAX_REFERENCES = 10;
const REFERENCE_JSON = JSON.stringify(
  Array.from({ length: 100_000 }, (_, index) => ({ id: index, name: `item ${index}` })),
);
/** Other processes can slow this thread, so a probe fails only if every attempt exceeds the limit. */
const MAX_ATTEMPTS = 3;
/**
 * The limit of the response time of /healthz, to detect an event loop that waits without computing. It is high, because
 * this process may wait seconds for a processor on a busy machine.
 */
const HEALTH_LIMIT_MS = 30_000;
/** By how much the memory of this process may grow during a probe. Garbage of earlier probes may be collected in between. */
const MAX_GROWTH_BYTES = 600_000_000;
/** The limit of an answer, with the headers and names around its values. */
const MAX_ANSWER_BYTES = 17_000_000;
/** Files that are streamed, of any size. */
const DOWNLOADS = ['GET /api/v1/admin/backup/file'];
/** An account may store this many times what it sends, because of indexes, versions and copies. */
const MAX_STORED_FACTOR = 8;
const MIN_STORED_BYTES = 32_000_000;
/** Probes send more requests than a plan allows in a minute. Its other limits stay. */
const UNLIMITED_RATES = {
  requestsPerMinute: 1_000_000,
  executionsPerMinute: 1_000_000,
  executionsPerDay: null,
};
/** How often the memory is measured. */
const MEMORY_INTERVAL_MS = 20;
/** Types of ports for which the probes have values. */
const SUPPORTED_TYPES = new Set(['TEXT', 'NUMBER', 'JSON', 'LIST', 'ANY']);

export const catalog = createNodeCatalog(readSettings({ SANDBOX_MODELS: 'true' }));
/** The configurations in NODES with the ports of the configured nodes. */
export const CONFIGURED_NODES: readonly ConfiguredNode[] = Object.entries(NODES).flatMap(
  ([nodeType, configs]) =>
    configs.map((config): ConfiguredNode => {
      const { inputs } = catalog.ports(nodeType, config as never);
      const ports = inputs.filter(({ isPort, type }) => isPort && SUPPORTED_TYPES.has(type));
      return { nodeType, config, ports: ports.map(({ id, type }) => [id, type] as const) };
    }),
);

export interface Harness {
  readonly routes: readonly Route[];
  /** Runs the probe with this name and returns the distinct response statuses. Throws if the event loop was blocked. */
  probe(name: string, t: TestContext): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Starts a harness with all graphs, which the files of this folder share. */
export const startHarness = shared(() => startHarnessWith(Object.keys(STORABLE_GRAPHS)));

/** Stores only the graphs with these names. */
export async function startHarnessWith(graphNames: readonly string[]): Promise<Harness> {
  const plansFolder = await mkdtemp(join(tmpdir(), 'graphwright-plans-'));
  const plansFile = join(plansFolder, 'plans.json');
  await writeFile(plansFile, JSON.stringify({ free: UNLIMITED_RATES, anonymous: UNLIMITED_RATES }));
  const env = {
    LOG_LEVEL: 'error',
    SANDBOX_MODELS: 'true',
    CONTENT_WEBHOOK_SECRET: CONTENT_SECRET,
    PLANS_FILE: plansFile,
  };
  const service = await startTestService(env);
  const prober = fork(join(import.meta.dirname, 'prober.ts'), { serialization: 'advanced' });
  const receive = async <T>(): Promise<T> => ((await once(prober, 'message')) as [T])[0];
  const close = async (): Promise<void> => {
    prober.kill();
    await service.close();
    await rm(plansFolder, { recursive: true });
  };
  const { routes, schemas } = await readDocument(service);
  // Open streams would keep the process from ending.
  const fixtures = await createFixtures(service, graphNames).catch(async err => {
    await close();
    throw err;
  });
  prober.send({ fixtures, nodes: CONFIGURED_NODES, routes, schemas } satisfies ProberSetup);
  assert.equal(await receive(), 'ready');
  return {
    routes,
    probe: async (name, t) => {
      const measure = async () => {
        prober.send(name);
        assert.equal(await receive(), 'ready');
        return measureLongestTurn(() => receive<ProbeResult>());
      };
      const sizeBefore = await readDatabaseSize(service);
      let measurement = await measure();
      for (let attempt = 1; attempt < MAX_ATTEMPTS && isTooLong(measurement.longestMs); attempt++)
        measurement = await measure();
      const { result, longestMs, growthBytes } = measurement;
      const statuses = [...new Set(result.statuses)];
      const storedBytes = (await readDatabaseSize(service)) - sizeBefore;
      const [growth, answer, stored] = [growthBytes, result.maxAnswerBytes, storedBytes].map(toMegabytes);
      t.diagnostic(
        `${Math.round(longestMs)} ms, status ${statuses}, memory +${growth} MB, answer ${answer} MB, stored ${stored} MB`,
      );
      assert.equal(result.error, undefined);
      assert.ok(!statuses.some(status => status >= 500), `${statuses}`);
      assert.ok(!isTooLong(longestMs), `${Math.round(longestMs)} ms without a turn of the event loop`);
      assert.ok(
        result.healthMs < HEALTH_LIMIT_MS,
        `${Math.round(result.healthMs)} ms until /healthz responded`,
      );
      assert.ok(growthBytes < MAX_GROWTH_BYTES, `${growth} MB more memory`);
      const isDownload = DOWNLOADS.some(route => name.startsWith(route));
      assert.ok(isDownload || result.maxAnswerBytes < MAX_ANSWER_BYTES, `an answer of ${answer} MB`);
      const maxStored = MIN_STORED_BYTES + MAX_ATTEMPTS * MAX_STORED_FACTOR * result.sentBytes;
      assert.ok(storedBytes < maxStored, `${stored} MB stored for ${toMegabytes(result.sentBytes)} MB`);
      return statuses;
    },
    close,
  };
}

/**
 * Creates the caller, an author with the smallest plan. Stores and shares the caller's graphs, and starts a run with much
 * output.
 */
async function createFixtures(
  service: TestService,
  graphNames: readonly string[],
): Promise<ProberSetup['fixtures']> {
  const { userId, key, ...client } = await service.createUser({
    plan: 'free',
    keyScopes: SCOPES.filter(scope => scope !== 'instance:admin'),
  });
  const storedIds: Record<string, string> = {};
  for (const name of graphNames) {
    const { body, status } = await client.request('POST', '/workflows', {
      name: 'w',
      ...STORABLE_GRAPHS[name]?.(),
    });
    assert.equal(status, 201, `${name}: ${JSON.stringify(body).slice(0, 300)}`);
    storedIds[name] = String(body.id);
    const sharing = await client.request('POST', `/workflows/${body.id}/visibility`, {
      linkPermission: 'DUPLICATE',
    });
    assert.equal(sharing.status, 200, name);
  }
  const { id: fewNodesId } = (await client.request('POST', '/workflows', { name: 'w', ...FEW_NODES })).body;
  storedIds['few nodes'] = String(fewNodesId);
  const others = await Promise.all(Array.from({ length: 10 }, () => service.createUser({ plan: 'free' })));
  for (const { userId: otherId } of others)
    await service.db.query(
      `insert into workflow_permissions (workflow_id, user_id, role) values ($1, $2, 'EDIT')`,
      [fewNodesId, otherId],
    );
  const author = await service.request('PATCH', `/admin/users/${userId}`, { isAuthor: true });
  assert.equal(author.status, 200);
  const { body: run } = await client.request<{ executionId: string }>(
    'POST',
    `/workflows/${storedIds['many objects']}/run`,
    {},
  );
  const manyKeys = others.map(other => other.key);
  return {
    url: service.url,
    key,
    adminKey: KEY,
    sessionCookie: await createSession(service),
    scim: await createScimFixtures(service),
    manyKeys,
    storedIds,
    executionId: run.executionId,
  };
}

/** Signs an account in and returns its cookie. */
async function createSession(service: TestService): Promise<string> {
  const user = { email: 'session@example.com', name: 'Session', invite: true };
  const { body } = await service.request<{ inviteUrl: string }>('POST', '/admin/users', user);
  const { headers } = await service.request('POST', '/auth/accept-invite', {
    token: readLinkToken(body.inviteUrl),
    password: PASSWORD,
  });
  return (headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
}

interface Parameter {
  readonly $ref?: string;
  readonly in?: string;
  readonly name?: string;
  readonly schema?: BodySchema;
}
interface Operation {
  /** The ways to authenticate. An empty one means that no key is needed. */
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: BodySchema }>> };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, BodySchema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

/** Returns the routes of the OpenAPI document and its named schemas. */
async function readDocument({ url }: TestService): Promise<Pick<ProberSetup, 'routes' | 'schemas'>> {
  const response = await fetch(`${url}/openapi.json`);
  const { paths, components } = (await response.json()) as Document;
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody, security = [] }]): Route => {
      const queryNames = parameters
        .map(item => components.parameters?.[item.$ref?.split('/').at(-1) ?? ''] ?? item)
        .filter(({ in: location, schema }) => location === 'query' && schema?.type === 'string')
        .map(({ name }) => name ?? '');
      const content = requestBody?.content ?? {};
      const schema = content['application/json']?.schema;
      const body = components.schemas[schema?.$ref?.split('/').at(-1) ?? ''] ?? schema;
      const isOpen = security.length === 0 || security.some(way => Object.keys(way).length === 0);
      const needsSession = security.length > 0 && security.every(way => Object.keys(way)[0] === 'session');
      return {
        method: method.toUpperCase(),
        path,
        queryNames,
        accepts: Object.keys(content),
        body,
        isOpen,
        needsSession,
      };
    }),
  );
  return { routes, schemas: components.schemas };
}

function isTooLong(ms: number): boolean {
  if (ms < LIMIT_MS) return false;
  const startUsage = process.threadCpuUsage();
  JSON.parse(REFERENCE_JSON);
  return ms >= MAX_REFERENCES * getElapsedMs(startUsage);
}

/** Returns the processor time of this thread since the measurement. */
function getElapsedMs(startUsage: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(startUsage);
  return (user + system) / 1000;
}

const toMegabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;

async function readDatabaseSize({ db }: TestService): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>(
    'select pg_database_size(current_database())::float8 as bytes',
  );
  return rows[0]?.bytes ?? 0;
}

/** Returns the longest time that this thread computed between two turns of its event loop, and how its memory grew. */
async function measureLongestTurn<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly longestMs: number; readonly growthBytes: number }> {
  let lastUsage = process.threadCpuUsage();
  let longestMs = 0;
  const startBytes = process.memoryUsage.rss();
  let maxBytes = startBytes;
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, getElapsedMs(lastUsage));
    lastUsage = process.threadCpuUsage();
  }, 1);
  const memoryTimer = setInterval(() => {
    maxBytes = Math.max(maxBytes, process.memoryUsage.rss());
  }, MEMORY_INTERVAL_MS);
  try {
    return { result: await work(), longestMs, growthBytes: maxBytes - startBytes };
  } finally {
    clearInterval(timer);
    clearInterval(memoryTimer);
  }
}
