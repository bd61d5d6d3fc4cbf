// Sends hostile input to every route of the OpenAPI document. Every request gets an error body, never a 500, and stores
// nothing. By day, each route gets every fifth input, and each input goes to every fifth route.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { InjectOptions } from 'fastify';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { isNightly } from '../../support/tier.ts';
import { assertRefused, createWorkflow, node, PAIR } from '../../support/workflows.ts';

const TOO_DEEP = 100_000;
const SAMPLING = isNightly ? 1 : 5;
const LIMIT_BYTES = 4_194_304;

let test: TestApp;
let user: ApiUser;
let url: string;
/** Ids of the user's resources, by the first segment of the path. */
const ownIds: Record<string, string> = {};

before(async () => {
  test = await createTestApp();
  user = await test.createUser();
  url = await test.app.listen({ port: 0, host: '127.0.0.1' });
  ownIds.workflows = (await createWorkflow(user)).id;
  ownIds.templates = 'no-such-slug';
  ownIds.executions = (
    await user.request<{ executionId: string }>('POST', `/workflows/${ownIds.workflows}/execute`, {})
  ).body.executionId;
  // The event stream of a canceled run ends.
  await user.request('POST', `/executions/${ownIds.executions}/cancel`);
  for (const noun of ['folders', 'teams']) {
    const { body } = await user.request<{ id: string }>('POST', `/${noun}`, { name: noun });
    ownIds[noun] = body.id;
  }
  ownIds.keys = 'key_00000000000000000000000000';
});
after(() => test.close());

interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
}

interface Operation {
  readonly security?: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

/** Returns the routes that accept a key, except those with a body that is not JSON. */
function listRoutes(): Route[] {
  const { paths = {} } = test.app.swagger() as { paths?: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security = [], requestBody }]) => {
        const types = Object.keys(requestBody?.content ?? {});
        return (
          path.startsWith('/api/') &&
          security.some(credential => 'apiKey' in credential) &&
          types.every(type => type === 'application/json')
        );
      })
      .map(([method]) => ({ method: method.toUpperCase() as Route['method'], path })),
  );
}

/** Returns the routes that get the input with this index. */
const sample = (candidates: readonly Route[], inputIndex: number): readonly Route[] =>
  candidates.filter((_, index) => (index + inputIndex) % SAMPLING === 0);

const fillParameters = (path: string, id: string): string => path.replaceAll(/\{\w+\}/g, id);
const fillOwnIds = (path: string): string =>
  path.replace(/\{id\}/, ownIds[path.split('/')[3] ?? ''] ?? 'x').replaceAll(/\{\w+\}/g, '1');

/** Counts the rows of all tables except those of rate limits. */
async function countRows(): Promise<number> {
  const { rows } = await test.deps.db.query<{ count: number }>(
    `select sum((xpath('/row/c/text()', query_to_xml(format('select count(*) as c from %I', table_name), false, true, '')))[1]::text::int)::bigint as count
     from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'rate_windows'`,
  );
  return rows[0]?.count ?? 0;
}

async function sendRequest(route: Route, options: InjectOptions): Promise<number> {
  const response = await test.app.inject({
    method: route.method,
    ...options,
    headers: { authorization: `Bearer ${user.key}`, ...options.headers },
  });
  const request = `${route.method} ${String(options.url).slice(0, 120)}: ${response.statusCode} ${response.body.slice(0, 200)}`;
  assert.ok(response.statusCode < 500, request);
  if (response.statusCode >= 400) {
    const body = response.json();
    assert.match(body.error, /\S\.$/, request);
    assert.match(body.code, /^[a-z_]+$/, request);
    assert.equal(body.requestId, response.headers['x-request-id'], request);
  }
  return response.statusCode;
}

const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const toGraphWithValue = (value: string): string =>
  `{"name":"x","edges":[],"nodes":[{"id":"a","type":"basedNode","position":{"x":0,"y":0},"data":{"label":"a","category":"input","nodeType":"input:text","config":{"value":${value}}}}]}`;

/** Bodies that no route accepts. The status is undefined if it differs between routes. */
const INVALID_BODIES: Readonly<Record<string, readonly [body: string | Buffer, status?: number]>> = {
  'an open brace': ['{', 400],
  'a trailing comma': ['{"name":"x",}', 400],
  NaN: ['{"name":NaN}', 400],
  'bytes that are not UTF-8': [Buffer.from([0x22, 0xff, 0xfe, 0x22]), 400],
  'UTF-16': [Buffer.from('\ufeff{"name":"x"}', 'utf16le'), 400],
  'a raw NUL': ['{"name":"a\0b"}', 400],
  'an escaped NUL': ['{"name":"a\\u0000b","inputs":{"x":"\\u0000"}}', 400],
  'an escaped NUL in a name': ['{"a\\u0000b":1}', 400],
  'half of a surrogate pair': ['{"name":"\\ud800","metadata":{"x":"\\udfff"}}', 400],
  'a prototype': ['{"__proto__":{"isAdmin":true}}', 400],
  '__proto__ in escapes': ['{"\\u005f_proto__":{"isAdmin":true}}', 400],
  'constructor.prototype': ['{"constructor":{"prototype":{"isAdmin":true}}}', 400],
  'open brackets without end': ['['.repeat(TOO_DEEP), 400],
  'brackets within brackets': [nest(TOO_DEEP), 400],
  'objects within objects': [`${'{"a":'.repeat(TOO_DEEP)}1${'}'.repeat(TOO_DEEP)}`, 400],
  'depth in the graph': [toGraphWithValue(nest(TOO_DEEP)), 400],
  'depth just under the bound': [
    `{"name":"x","inputs":${nest(250)},"metadata":${nest(250)},"nodes":${nest(250)}}`,
  ],
  'no value': ['null'],
  'a number': ['17'],
  'a string': ['"x"'],
  'an array': ['[1,2,3]'],
  'members of the wrong kind': [
    '{"name":{},"nodes":17,"edges":"x","id":[],"inputs":[1],"metadata":3,"webhook":[],"role":1,"email":{},"scopes":"x","linkPermission":7,"teamId":{}}',
  ],
  'numbers past every range': [
    '{"name":1e400,"dailyCreditBudget":1e308,"userId":9007199254740993,"limit":-1e400,"teamId":-0}',
  ],
};

describe('invalid request bodies', () => {
  for (const [index, [name, [payload, status]]] of Object.entries(INVALID_BODIES).entries()) {
    it(`with ${name} are rejected`, async () => {
      const rows = await countRows();
      const writeRoutes = listRoutes().filter(({ method }) => method !== 'GET');
      for (const route of sample(writeRoutes, index)) {
        const actualStatus = await sendRequest(route, {
          url: fillOwnIds(route.path),
          payload,
          headers: { 'content-type': 'application/json' },
        });
        if (status !== undefined) assert.equal(actualStatus, status, `${route.method} ${route.path}`);
        // DELETE ignores valid JSON, because it needs no body.
        else if (route.method !== 'DELETE' && actualStatus < 300)
          assert.match(
            route.path,
            /\/(cancel|lint|heartbeat|restore|sign-out|backup|reset-second-factor|scim-token)$/,
          );
      }
      assert.equal(Object.hasOwn(Object.prototype, 'isAdmin'), false);
      if (status !== undefined) assert.equal(await countRows(), rows);
    });
  }

  it('of other content types or with compression are rejected by every route', async () => {
    const rows = await countRows();
    for (const route of listRoutes().filter(({ method }) => method !== 'GET')) {
      for (const headers of [
        { 'content-type': 'text/plain' },
        { 'content-type': 'application/x-www-form-urlencoded' },
        { 'content-type': ';;;' },
        { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      ]) {
        const status = await sendRequest(route, {
          url: fillOwnIds(route.path),
          payload: '{"name":"x"}',
          headers,
        });
        assert.equal(status, 415, `${route.method} ${route.path} ${JSON.stringify(headers)}`);
      }
    }
    assert.equal(await countRows(), rows);
  });

  it('are rejected with the position of the JSON error', async () => {
    const response = await test.app.inject({
      method: 'POST',
      url: '/api/v1/workflows',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      payload: '{"a":1,}',
    });
    assert.equal(response.json().code, 'invalid_json');
    assert.match(response.json().error, /position 7/);
  });

  it('do not include bodies with a byte order mark or repeated properties', async () => {
    const text = JSON.stringify({ ...PAIR, name: 'last' }).replace('{', '{"name":"first",');
    const response = await test.app.inject({
      method: 'POST',
      url: '/api/v1/workflows',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json; charset=utf-8' },
      payload: `\ufeff${text}`,
    });
    assert.equal(response.statusCode, 201, response.body);
    assert.equal(response.json().name, 'last');
  });
});

describe('limits of the body structure', () => {
  // Lint rejects all these bodies because of their properties, but checks their shape first.
  const lint = async (body: string): Promise<{ status: number; code?: string; error?: string }> => {
    const response = await fetch(`${url}/api/v1/workflows/lint`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body,
    });
    return { status: response.status, ...((await response.json()) as object) };
  };
  const createArrays = (count: number): string => `{"a":[${Array.from({ length: count - 2 }, () => '[]')}]}`;
  const createObjects = (count: number): string => `{"a":[${Array.from({ length: count - 2 }, () => '{}')}]}`;
  const createProperties = (count: number): string =>
    `{"a":{${Array.from({ length: count }, (_, index) => `"${index}":${index}`)}}}`;
  const createNested = (levels: number): string =>
    `{"a":${'['.repeat(levels - 1)}"${'x'.repeat(512)}"${']'.repeat(levels - 1)}}`;

  for (const [name, max, createBody, fault] of [
    ['arrays', 400_000, createArrays, 'has more than 400000 objects and arrays'],
    ['objects', 400_000, createObjects, 'has more than 400000 objects and arrays'],
    ['properties of one object', 50_000, createProperties, 'has an object with more than 50000 properties'],
    ['levels of nesting', 256, createNested, 'is nested more than 256 levels deep'],
  ] as const)
    it(`allow at most ${max} ${name}`, async () => {
      const { status, code, error } = await lint(createBody(max + 1));
      assert.deepEqual([status, code, error], [400, 'invalid_request', `The body ${fault}.`]);
      assert.doesNotMatch((await lint(createBody(max))).error ?? '', /^The body (?:has|is nested)/);
    });

  it('ignore brackets in strings and count properties per object', async () => {
    const text = JSON.stringify({ a: '[{:"\\'.repeat(100_000) });
    assert.doesNotMatch((await lint(text)).error ?? '', /^The body (?:has|is nested)/);
    const twoObjects = `{"a":[${createProperties(30_000)},${createProperties(30_000)}]}`;
    assert.doesNotMatch((await lint(twoObjects)).error ?? '', /^The body (?:has|is nested)/);
  });
});

describe('limits of the body size', () => {
  /** Returns a workflow whose body has this many bytes. */
  const createWorkflowOfSize = (bytes: number): string => {
    const body = (value: string): string =>
      JSON.stringify({ name: 'big', edges: [], nodes: [node('a', 'input:text', { value })] });
    return body('x'.repeat(bytes - body('').length));
  };
  const send = (body: string | ReadableStream): Promise<Response> =>
    fetch(`${url}/api/v1/workflows`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body,
      // A stream has no known length and is sent in chunks.
      duplex: 'half',
    } as RequestInit);

  it('allow 4 MB', async () => {
    const response = await send(createWorkflowOfSize(LIMIT_BYTES));
    assert.equal(response.status, 201, await response.text());
    const chunkedResponse = await send(new Blob([createWorkflowOfSize(LIMIT_BYTES)]).stream());
    assert.equal(chunkedResponse.status, 201, await chunkedResponse.text());
  });

  it('reject more than 4 MB with or without Content-Length', async () => {
    const rows = await countRows();
    for (const body of [
      createWorkflowOfSize(LIMIT_BYTES + 1),
      new Blob([createWorkflowOfSize(LIMIT_BYTES + 1)]).stream(),
    ]) {
      const response = await send(body);
      assert.equal(response.status, 413);
      assert.equal(((await response.json()) as { code: string }).code, 'payload_too_large');
    }
    assert.equal(await countRows(), rows);
  });

  it('reject a body of 32 MB', async () => {
    const response = await send('x'.repeat(8 * LIMIT_BYTES));
    assert.equal(response.status, 413);
  });
});

const INVALID_IDS = [
  'wf_00000000000000000000000000',
  'ex_00000000000000000000000000',
  'med_00000000000000000000000000',
  'wf_',
  'WF_00000000000000000000000000',
  '0',
  '-1',
  '1e999',
  '99999999999999999999',
  '2147483648',
  'null',
  'undefined',
  'constructor',
  '__proto__',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '%00',
  '%0d%0aX-Injected:%201',
  "'%3b%20drop%20table%20users--",
  '%F0%9F%92%A9',
  '%u0041',
  '%',
  'a'.repeat(200),
  'a'.repeat(201),
];

describe('ids in paths', () => {
  it('are rejected if they are unknown, malformed or of another kind', async () => {
    const rows = await countRows();
    const routes = listRoutes().filter(({ path }) => path.includes('{'));
    for (const [index, id] of INVALID_IDS.entries()) {
      for (const route of sample(routes, index)) {
        const status = await sendRequest(route, {
          url: fillParameters(route.path, id),
          ...(route.method === 'GET' ? {} : { payload: {} }),
        });
        assert.ok(status >= 400, `${route.method} ${route.path} ${id}: ${status}`);
      }
    }
    assert.equal(await countRows(), rows);
  });

  it('are rejected by every route if they belong to another user', async () => {
    const otherUser = await test.createUser();
    const rows = await countRows();
    for (const route of listRoutes().filter(({ path }) => path.includes('{id}'))) {
      const status = await sendRequest(route, {
        url: fillOwnIds(route.path),
        headers: { authorization: `Bearer ${otherUser.key}` },
        ...(route.method === 'GET' ? {} : { payload: { name: 'mine', ...PAIR, linkPermission: 'VIEW' } }),
      });
      assert.ok([400, 403, 404].includes(status), `${route.method} ${route.path}: ${status}`);
    }
    assert.equal(await countRows(), rows);
  });
});

const WORKFLOW_EVENTS = '/api/v1/workflows/{id}/events';
const NOTICE_EVENTS = '/api/v1/notices/events';
const INVALID_QUERIES = [
  'limit[]=1',
  'limit[a]=1',
  'limit=1&limit=2',
  'limit=',
  'limit=0',
  'limit=-1',
  'limit=1.5',
  'limit=1e9',
  'limit=NaN',
  'limit=0x10',
  'limit=%00',
  'cursor=%00',
  'cursor=x&cursor=y',
  'cursor=%F0%9F%92%A9',
  `cursor=${'A'.repeat(201)}`,
  'cursor=Li4vLi4v',
  'cursor=%ff',
  '__proto__=1&constructor=2&toString=3',
  'isActive=maybe',
  'teamId=%00',
  'mediaId=1&mediaId=2',
  'status=%00',
  'status[]=RUNNING',
  'category=x&category=y',
  '%',
  '=&&=',
  '?',
  '%00',
];

describe('query strings', () => {
  it('never cause a response with 500', async () => {
    // Skips the streams of the user's notices and workflow, which do not end.
    const routes = listRoutes().filter(({ method, path }) => method === 'GET' && path !== NOTICE_EVENTS);
    for (const [index, query] of INVALID_QUERIES.entries()) {
      for (const route of sample(routes, index)) {
        const url =
          route.path === WORKFLOW_EVENTS ? '/api/v1/workflows/wf_none/events' : fillOwnIds(route.path);
        await sendRequest(route, { url: `${url}?${query}` });
      }
    }
  });

  it('are rejected with the name of a repeated or invalid parameter', async () => {
    for (const query of [
      'limit=1&limit=2',
      'limit=0',
      'limit=1001',
      'limit=1.5',
      'limit=x',
      'cursor=x&cursor=y',
    ]) {
      const response = await user.request('GET', `/workflows?${query}`);
      const { error } = assertRefused(response, 400, 'invalid_request');
      assert.match(error, new RegExp(query.split('=')[0] ?? ''));
    }
  });
});
