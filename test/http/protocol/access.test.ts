// Tests that every route declares its access and checks credentials before the body.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { type Access, getKeyScope, isKeyOnly } from '../../../src/http/access.ts';
import { SCOPES, type Scope } from '../../../src/services/accounts/actor.ts';
import { createPerson } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { listenLocally, requestHead, sendRaw } from '../../support/http/raw-http.ts';
import { listRoutes, type Route } from '../../support/http/routes.ts';
import { PAIR } from '../../support/workflows.ts';

let test: TestApp;
let user: ApiUser;
let port: number;
let routes: readonly Route[];
before(async () => {
  test = await createTestApp({ env: { CONTENT_WEBHOOK_SECRET: 'content-secret-0123456789' } });
  user = await test.createUser();
  port = await listenLocally(test.app);
  routes = await listRoutes(test.app);
});
after(() => test.close());

/** Returns the path with unknown ids as parameters. */
const toUrl = ({ path }: Route): string => path.replaceAll(/:\w+/g, '1');
const findScope = (access: Access): Scope | undefined =>
  SCOPES.find(scope => scope === (isKeyOnly(access) ? getKeyScope(access) : access));
const requiresCredential = (access: Access): boolean =>
  findScope(access) !== undefined || access === 'signed-in' || access === 'session';
/** Returns a request with an invalid JSON body. A response with 400 shows that the user passed the access check. */
const createInvalidBody = (method: string) =>
  method === 'GET' || method === 'DELETE'
    ? {}
    : { payload: '{"broken', headers: { 'content-type': 'application/json' } };

describe('a route', () => {
  it('without a declared access cannot be registered', async () => {
    assert.ok(routes.length > 150, String(routes.length));
    const otherTest = await createTestApp();
    assert.throws(() => otherTest.app.get('/unlisted', () => 'open'), /GET \/unlisted has no access/);
    await otherTest.close();
  });
});

describe('an anonymous client', () => {
  it('gets 401 before the body is parsed', async () => {
    for (const route of routes.filter(({ access }) => requiresCredential(access))) {
      const { name, method, access } = route;
      const response = await test.app.inject({ method, url: toUrl(route), ...createInvalidBody(method) });
      assert.deepEqual(
        [response.statusCode, response.json().code],
        [401, 'unauthorized'],
        `${name} (${access})`,
      );
      assert.equal(response.headers['www-authenticate'], 'Bearer', name);
      assert.ok(response.headers['x-ratelimit-limit'], name);
    }
  });

  it('gets 401 from the content webhook before the body is parsed', async () => {
    for (const method of ['POST', 'PUT'] as const) {
      const response = await test.app.inject({
        method,
        url: '/api/content/webhook',
        ...createInvalidBody(method),
      });
      assert.deepEqual([response.statusCode, response.json().code], [401, 'unauthorized']);
    }
  });

  it('gets 401 before the query is checked', async () => {
    for (const path of ['/executions?status=zzz', '/workflows?limit=0', '/credits?cursor=%00'])
      assert.equal((await test.anonymous.request('GET', path)).status, 401, path);
  });
});

describe('an API key', () => {
  /** Sends a request to each route that requires a scope, with a key that has the scopes of `selectScopes`. */
  async function checkScopedRoutes(
    selectScopes: (scope: Scope) => readonly Scope[],
    check: (name: string, scope: Scope, response: LightMyRequestResponse, hasBody: boolean) => void,
  ): Promise<void> {
    const keys: Partial<Record<Scope, string>> = {};
    for (const route of routes) {
      const scope = findScope(route.access);
      if (scope === undefined) continue;
      keys[scope] ??= (await test.withScopes(user, selectScopes(scope))).key;
      const key = keys[scope];
      const { headers = {}, ...body } = createInvalidBody(route.method);
      const response = await test.app.inject({
        method: route.method,
        url: toUrl(route),
        headers: { ...headers, authorization: `Bearer ${key}` },
        ...body,
      });
      check(route.name, scope, response, body.payload !== undefined);
    }
  }

  it('gets 401 insufficient_scope from every route with another scope', () =>
    checkScopedRoutes(
      requiredScope =>
        SCOPES.filter(
          scope =>
            scope !== requiredScope && !(requiredScope === 'workflows:read' && scope === 'workflows:execute'),
        ),
      (name, scope, response) => {
        assert.deepEqual([response.statusCode, response.json().code], [401, 'insufficient_scope'], name);
        const expected = `Bearer error="insufficient_scope", scope="${scope}"`;
        assert.equal(response.headers['www-authenticate'], expected, name);
      },
    ));

  it('is accepted with only the scope of the route', () =>
    checkScopedRoutes(
      requiredScope => [requiredScope],
      (name, _scope, response, hasBody) => {
        assert.notEqual(response.statusCode, 401, `${name}: ${response.body}`);
        // A table may be JSON. Its problems are in the response.
        const expectedStatus = name === 'POST /api/v1/tables' ? 201 : 400;
        if (hasBody) assert.equal(response.statusCode, expectedStatus, `${name}: ${response.body}`);
      },
    ));
});

const acceptsSession = (access: Access): boolean =>
  !['public', 'agent', 'content-secret', 'scim'].includes(access) && !isKeyOnly(access);

describe('a session of an administrator', () => {
  it('is accepted by every route except those for other credentials', async () => {
    const { cookie } = await createPerson(test, user, { isAdmin: true });
    for (const route of routes) {
      const { name, method, access } = route;
      const url = toUrl(route);
      // Skips routes that end the session, and the stream of notices, which does not end.
      if (url.startsWith('/api/v1/auth/') || url === '/api/v1/notices/events') continue;
      const { headers = {}, ...body } = createInvalidBody(method);
      const requestHeaders = { ...headers, cookie, 'sec-fetch-site': 'same-origin' };
      const response = await test.app.inject({ method, url, headers: requestHeaders, ...body });
      const isRejected =
        isKeyOnly(access) || access === 'agent' || access === 'content-secret' || access === 'scim';
      assert.equal(response.statusCode === 401, isRejected, `${name}: ${response.statusCode}`);
    }
  });

  it('is rejected for cross-site requests by every route except GET', async () => {
    const { cookie } = await createPerson(test, user, { isAdmin: true });
    for (const route of routes) {
      const { name, method, access } = route;
      const url = toUrl(route);
      if (method === 'GET' || !acceptsSession(access)) continue;
      const { headers = {}, ...body } = createInvalidBody(method);
      const requestHeaders = { ...headers, cookie, 'sec-fetch-site': 'cross-site' };
      const response = await test.app.inject({ method, url, headers: requestHeaders, ...body });
      assert.equal(response.statusCode, 403, name);
      // Routes of forms send a page.
      if (response.headers['content-type'] !== 'text/html; charset=utf-8')
        assert.equal(response.json().code, 'cross_site_request', name);
    }
  });
});

describe('an invalid API key', () => {
  it('gets 401 from every route that is not public', async () => {
    for (const route of routes) {
      const { name, method, access } = route;
      const url = toUrl(route);
      if (access === 'public') continue;
      const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-wrong' };
      const { payload } = createInvalidBody(method);
      const response = await test.app.inject({
        method,
        url,
        headers,
        ...(payload && { payload }),
      });
      assert.equal(response.statusCode, 401, name);
    }
  });

  it('is ignored if no route matches', async () => {
    const headers = { authorization: 'Basic wrong' };
    assert.equal((await test.app.inject({ url: '/api/v1/nothing', headers })).statusCode, 404);
    for (const url of ['/api/content/webhook', '/api/v1/webhooks/test']) {
      const response = await test.app.inject({ url, headers });
      assert.equal(response.statusCode, 405);
      assert.match(String(response.headers.allow), /POST/);
    }
  });
});

describe('the order of checks', () => {
  const plans = {
    anonymous: { requestsPerMinute: 3, executionsPerMinute: 3, executionsPerDay: 0 },
    small: { requestsPerMinute: 3, executionsPerMinute: 3, executionsPerDay: 3 },
  };
  const INVALID_WORKFLOW = { nodes: 7 };

  it('is the key, the scope, the rate limit and the body', async () => {
    // The clock stands still, so that all requests count in the same window.
    const nowMs = Date.now();
    const limitedApp = await createTestApp({ plans, now: () => nowMs });
    const fullCaller = await limitedApp.createUser({ plan: 'small' });
    const readOnlyCaller = await limitedApp.withScopes(fullCaller, ['workflows:read']);
    const fetchStatus = async (user: Pick<ApiUser, 'request'>): Promise<number> =>
      (await user.request('POST', '/workflows', INVALID_WORKFLOW)).status;
    assert.equal(await fetchStatus(fullCaller), 400);
    assert.equal(await fetchStatus(readOnlyCaller), 401);
    assert.equal(await fetchStatus(fullCaller), 400);
    // Both keys count in the window of their user, which is used up now.
    assert.equal(await fetchStatus(fullCaller), 429);
    assert.equal(await fetchStatus(readOnlyCaller), 401);
    for (let count = 0; count < 5; count++) assert.equal(await fetchStatus(limitedApp.anonymous), 401);
    // The rejected requests have used up the limit of the address.
    assert.equal((await limitedApp.anonymous.request('GET', '/nodes')).status, 429);
    await limitedApp.close();
  });
});

/**
 * Sends a request with a body of this length until the response arrives. Returns the response and the number of bytes
 * sent.
 */
async function upload(path: string, length: number, authorization?: string) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    'content-type: application/json',
    `content-length: ${length}`,
    ...(authorization === undefined ? [] : [`authorization: ${authorization}`]),
  ];
  let responseText = '';
  const startedMs = Date.now();
  socket.setEncoding('utf8').on('data', (text: string) => {
    responseText += text;
  });
  socket.on('error', () => undefined);
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const connectionEnd = new Promise<void>(resolve => socket.once('end', resolve).once('close', resolve));
  const timer = setInterval(() => {
    if (socket.bytesWritten < length && socket.writable && !socket.writableNeedDrain)
      socket.write(Buffer.alloc(65_536, 32));
  }, 5);
  await connectionEnd;
  clearInterval(timer);
  socket.destroy();
  return { responseText, sentBytes: socket.bytesWritten, ms: Date.now() - startedMs };
}

describe('a rejected body', () => {
  it('gets a response and a closed connection before most of the body has arrived', async () => {
    const rejections = [
      ['/api/v1/workflows', 60_000_000, undefined, 401],
      ['/api/v1/workflows', 60_000_000, `Bearer ${user.key}`, 413],
      ['/api/v1/media/upload', 60_000_000, `Bearer ${user.key}`, 413],
      ['/api/v1/nothing', 60_000_000, undefined, 404],
      ['/api/content/webhook', 60_000_000, undefined, 401],
    ] as const;
    for (const [path, length, authorization, status] of rejections) {
      const { responseText, sentBytes, ms } = await upload(path, length, authorization);
      assert.match(responseText, new RegExp(`^HTTP/1\\.1 ${status} `), `${path}: ${responseText}`);
      assert.match(responseText, /^connection: close\r$/im);
      assert.match(responseText, /"requestId":"[^"]+"\}$/);
      assert.ok(sentBytes < length / 2, `${path}: ${sentBytes} of ${length}`);
      assert.ok(ms < 20_000, `${path}: ${ms} ms`);
    }
  });

  it('keeps the connection open if the body is small', async () => {
    const socket = connect({ port, host: '127.0.0.1' });
    const post = 'POST /api/v1/workflows HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
    socket.write(`${post}content-length: 2\r\n\r\n{}`);
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 401', 'HTTP/1.1 200']);
  });
});

describe('Expect: 100-continue', () => {
  const BODY = JSON.stringify({ name: 'W', ...PAIR });
  const sendRequest = (authorization: string) =>
    sendRaw(
      port,
      requestHead('POST', '/api/v1/workflows', {
        expect: '100-continue',
        authorization,
        'content-type': 'application/json',
        'content-length': String(BODY.length),
      }),
      BODY,
    );

  it('gets 100 Continue for an accepted key', async () => {
    const responses = await sendRequest(`Bearer ${user.key}`);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [100, 201],
    );
  });

  it('gets 401 without 100 Continue for a rejected key', async () => {
    const responses = await sendRequest('Bearer sk-unknown');
    assert.deepEqual(
      responses.map(({ status, headers }) => [status, headers.connection]),
      [[401, 'close']],
    );
  });
});
