// Runs the API in this process on a new database, without a worker. Tests inject requests instead of opening sockets.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EditorFiles } from '../../src/bundle/editor-files.ts';
import type { HttpDeps, Server } from '../../src/http/deps.ts';
import { createServer, type Mounts } from '../../src/http/server.ts';
import { createLogger } from '../../src/lib/log.ts';
import { type PlanLimits, readSettings } from '../../src/lib/settings.ts';
import { divideTiming, TIMING, type Timing } from '../../src/lib/timing.ts';
import type { McpMount } from '../../src/mcp/handler.ts';
import { createMcpMount } from '../../src/mcp/mount.ts';
import { createOAuthMount } from '../../src/mcp/oauth/mount.ts';
import { createNodeTypes } from '../../src/nodes/catalog.ts';
import type { RunDeps } from '../../src/runs/deps.ts';
import { QUEUE_ONLY } from '../../src/runs/execute/dispatch.ts';
import { createDeps, listMediaOrigins } from '../../src/service.ts';
import { SCOPES, type Scope } from '../../src/services/accounts/actor.ts';
import { storeKey } from '../../src/services/accounts/keys.ts';
import { openDb } from '../../src/store/db.ts';
import { insertUser } from '../../src/store/users.ts';
import { createTestDatabase } from './database.ts';
import { openSharedEditor } from './editor-bundle.ts';
import { watchResponses } from './http/conformance.ts';
import { shared } from './shared.ts';
import { TIMING_DIVISOR } from './timing.ts';

/** A response with a JSON body. `body` is undefined if the response had none. */
export interface TestResponse<B = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: B & { readonly error?: string; readonly code?: string };
}

/** A user with a key. Paths are relative to `/api/v1`, or URLs from a response. */
export interface ApiUser {
  readonly userId: number;
  readonly email: string;
  readonly key: string;
  request<B = Record<string, unknown>>(
    method: Method,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<TestResponse<B>>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface TestApp {
  readonly app: Server;
  readonly deps: HttpDeps;
  readonly mounts: Mounts;
  /** Sends requests without a key. */
  readonly anonymous: Pick<ApiUser, 'request'>;
  /** Creates a user, by default with every scope and practically no rate limit. */
  createUser(options?: { readonly scopes?: readonly Scope[]; readonly plan?: string }): Promise<ApiUser>;
  /** Creates this number of users with the defaults of `createUser`. */
  createUsers<N extends number>(count: N): Promise<ApiUsers<N>>;
  /** Creates another key of the same user, with only these scopes. */
  withScopes(user: ApiUser, scopes: readonly Scope[]): Promise<ApiUser>;
  close(): Promise<void>;
}

type ApiUsers<N extends number, R extends ApiUser[] = []> = R['length'] extends N
  ? R
  : ApiUsers<N, [...R, ApiUser]>;

let userCount = 0;

export interface TestAppOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** The clock for keys and limits. */
  readonly now?: () => number;
  /** Durations that replace those of TIMING_DIVISOR. */
  readonly timing?: Partial<Timing>;
  /** Limits by plan, which replace those from the settings. Limits that a plan omits are practically unlimited. */
  readonly plans?: Readonly<Record<string, Partial<PlanLimits>>>;
  /** Creates the handler of `/mcp`. If absent, the service's own handler is used. */
  readonly createMcp?: (deps: RunDeps) => McpMount;
  /** The files of the web application. If absent, those that the process shares. */
  readonly editor?: EditorFiles;
}

const SILENT = createLogger('silent');

/** Call this function in `before`, and `close` in `after`. */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { db, connection, drop } = await createTestDatabase();
  // As in production, runs use a second pool, whose query plans are pinned to indexes.
  const runDb = openDb({
    connection,
    maxConnections: 4,
    plans: 'pinned',
    onError: err => process.emitWarning(err),
  });
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-app-'));
  const editor = options.editor ?? (await openSharedEditor());
  const runDeps = await createAppDeps({ db, runDb }, folder, options);
  const deps = { ...runDeps, editor, mediaOrigins: listMediaOrigins(runDeps) };
  const mcp = (options.createMcp ?? createMcpMount)(deps);
  const mounts = { mcp: mcp.serve, oauth: createOAuthMount(deps) };
  const app = await createServer(deps, mounts);
  const conformance = watchResponses(app);
  const addKey = async (userId: number, email: string, scopes: readonly Scope[]): Promise<ApiUser> => {
    const key = `sk-test-${userId}-${userCount++}-${Math.random()}`;
    await storeKey(db, { userId, name: 'test', scopes, expiresAt: null, key });
    return { userId, email, key, request: createRequest(app, key) };
  };
  const createUser: TestApp['createUser'] = async ({ scopes = SCOPES, plan = 'self_hosted' } = {}) => {
    const email = `person-${userCount++}@example.com`;
    const userId = await insertUser(db, {
      email,
      name: email.split('@')[0] ?? '',
      plan,
      isAuthor: false,
      isAdmin: scopes.includes('instance:admin'),
    });
    return addKey(userId, email, scopes);
  };
  return {
    app,
    deps,
    mounts,
    anonymous: { request: createRequest(app) },
    createUser,
    createUsers: async <N extends number>(count: N) => {
      const users: ApiUser[] = [];
      while (users.length < count) users.push(await createUser());
      return users as ApiUsers<N>;
    },
    withScopes: ({ userId, email }, scopes) => addKey(userId, email, scopes),
    close: async () => {
      await mcp.close();
      await app.close();
      await deps.fetch.close();
      await deps.providerFetch.close();
      await runDb.close();
      await drop();
      await rm(folder, { recursive: true, force: true });
      assert.deepEqual(conformance.violations, [], 'responses that violate the OpenAPI document');
    },
  };
}

/**
 * Returns the app of the process, which its test files share. Use it if the tests do not depend on what other users have,
 * nor change `deps`. Call `close` in `after` as for an own app.
 */
export const openTestApp: () => Promise<TestApp> = shared(createTestApp);

/** The limits that a plan of a test does not override. */
const UNLIMITED: PlanLimits = {
  requestsPerMinute: 60_000,
  executionsPerMinute: 60_000,
  executionsPerDay: null,
  storageBytes: null,
};

async function createAppDeps(
  { db, runDb }: Pick<RunDeps, 'db' | 'runDb'>,
  folder: string,
  { env = {}, now = Date.now, plans = {}, timing = {} }: TestAppOptions,
): Promise<RunDeps> {
  const baseSettings = readSettings({
    DATA_DIR: folder,
    SECRETS_KEY: '07'.repeat(32),
    TIMING_DIVISOR,
    ...env,
  });
  const anonymous = { ...baseSettings.plans.self_hosted, executionsPerDay: 0 } as PlanLimits;
  const planEntries = Object.entries(plans).map(
    ([name, limits]) => [name, { ...UNLIMITED, ...limits }] as const,
  );
  const settings = {
    ...baseSettings,
    plans: { ...baseSettings.plans, anonymous, ...Object.fromEntries(planEntries) },
  };
  const nodeTypes = createNodeTypes(settings);
  const deps = await createDeps({
    settings,
    timing: { ...divideTiming(TIMING, settings.TIMING_DIVISOR), ...timing },
    log: SILENT,
    tracer: undefined,
    now,
    db,
    runDb,
    placement: QUEUE_ONLY,
    nodeTypes,
  });
  // Other programs of this machine may listen on the usual ports.
  return { ...deps, localPorts: [] };
}

/** Returns the full path of a path relative to `/api/v1`, a full path, or a URL from a response. */
export function pathOf(path: string): string {
  const pathname = path.replace(/^https?:\/\/[^/]+/, '');
  return pathname.startsWith('/api/') ? pathname : `/api/v1${pathname}`;
}

function createRequest(app: Server, key?: string): ApiUser['request'] {
  return async <B>(
    method: Method,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse<B>> => {
    const response = await app.inject({
      method,
      url: pathOf(path),
      headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    return {
      status: response.statusCode,
      headers: joinHeaders(response.headers),
      body: (response.body === '' ? undefined : response.json()) as TestResponse<B>['body'],
    };
  };
}

/** Joins the values of a header that a response has several times, as fetch does. */
const joinHeaders = (headers: OutgoingHttpHeaders): TestResponse['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value?.toString(),
    ]),
  );
