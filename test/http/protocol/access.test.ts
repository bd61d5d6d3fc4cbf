// Tests that every route declares its access and refuses requests by it before reading the body.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { type Access, getKeyScope, isKeyOnly } from '../../../src/http/access.ts';
import { SCOPES, type Scope } from '../../../src/services/accounts/actor.ts';
import { createPerson } from '../../support/accounts/people.ts';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import { listenLocally, requestHead, sendRaw } from '../../support/http/raw-http.ts';
import { listRoutes, type Route } from '../../support/http/routes.ts';
import { PAIR } from '../../support/workflows.ts';

let test: TestApp;
let caller: Caller;
let port: number;
let routes: readonly Route[];
before(async () => {
  test = await createTestApp({ env: { CONTENT_WEBHOOK_SECRET: 'content-secret-0123456789' } });
  caller = await test.createCaller();
  port = await listenLocally(test.app);
  routes = await listRoutes(test.app);
});
after(() => test.close());

/** The path with ids of nothing as parameters. */
const toUrl = ({ path }: Route): string => path.replaceAll(/:\w+/g, '1');
const scopeFor = (access: Access): Scope | undefined =>
  SCOPES.find(scope => scope === (isKeyOnly(access) ? getKeyScope(access) : access));
const takesCredential = (access: Access): boolean =>
  scopeFor(access) !== undefined || access === 'signed-in' || access === 'session';
/** Sends an invalid JSON body with each method but GET: a caller that is refused for the body was admitted. */
const broken = (method: string) =>
  method === 'GET' || method === 'DELETE'
    ? {}
    : { payload: '{"broken', headers: { 'content-type': 'application/json' } };

describe('a route', () => {
  it('declares its access, or prevents the start', async () => {
    assert.ok(routes.length > 150, String(routes.length));
    const another = await createTestApp();
    assert.throws(() => another.app.get('/unlisted', () => 'open'), /GET \/unlisted has no access/);
    await another.close();
  });
});

describe('an anonymous caller', () => {
  it('gets 401 before the body is checked', async () => {
    for (const route of routes.filter(({ access }) => takesCredential(access))) {
      const { name, method, access } = route;
      const response = await test.app.inject({ method, url: toUrl(route), ...broken(method) });
      assert.deepEqual(
        [response.statusCode, response.json().code],
        [401, 'unauthorized'],
        `${name} (${access})`,
      );
      assert.equal(response.headers['www-authenticate'], 'Bearer', name);
      assert.ok(response.headers['x-ratelimit-limit'], name);
    }
  });

  it('gets 401 from the content webhook', async () => {
    for (const method of ['POST', 'PUT'] as const) {
      const response = await test.app.inject({ method, url: '/api/content/webhook', ...broken(method) });
      assert.deepEqual([response.statusCode, response.json().code], [401, 'unauthorized']);
    }
  });

  it('gets 401 even for an invalid query', async () => {
    for (const path of ['/executions?status=zzz', '/workflows?limit=0', '/credits?cursor=%00'])
      assert.equal((await test.anonymous.request('GET', path)).status, 401, path);
  });
});

describe('an API key', () => {
  /** Sends each route that requires a scope a request with a key of these scopes. */
  async function eachScoped(
    scopesFor: (scope: Scope) => readonly Scope[],
    check: (name: string, scope: Scope, response: LightMyRequestResponse, hasBody: boolean) => void,
  ): Promise<void> {
    for (const route of routes) {
      const scope = scopeFor(route.access);
      if (scope === undefined) continue;
      const { key } = await test.withScopes(caller, scopesFor(scope));
      const { headers = {}, ...body } = broken(route.method);
      const sent = { ...headers, authorization: `Bearer ${key}` };
      const response = await test.app.inject({
        method: route.method,
        url: toUrl(route),
        headers: sent,
        ...body,
      });
      check(route.name, scope, response, body.payload !== undefined);
    }
  }

  it('without the scope gets 401 insufficient_scope', () =>
    eachScoped(
      required =>
        SCOPES.filter(
          scope => scope !== required && !(required === 'workflows:read' && scope === 'workflows:execute'),
        ),
      (name, scope, response) => {
        assert.deepEqual([response.statusCode, response.json().code], [401, 'insufficient_scope'], name);
        const expected = `Bearer error="insufficient_scope", scope="${scope}"`;
        assert.equal(response.headers['www-authenticate'], expected, name);
      },
    ));

  it('with only the scope is admitted', () =>
    eachScoped(
      required => [required],
      (name, _scope, response, hasBody) => {
        assert.notEqual(response.statusCode, 401, `${name}: ${response.body}`);
        if (hasBody) assert.equal(response.statusCode, 400, `${name}: ${response.body}`);
      },
    ));
});

const takesSession = (access: Access): boolean =>
  !['public', 'agent', 'content-secret'].includes(access) && !isKeyOnly(access);

describe('a session of an administrator', () => {
  it('is admitted by every route except those that require a key', async () => {
    const { cookie } = await createPerson(test, caller, { isAdmin: true });
    for (const route of routes) {
      const { name, method, access } = route;
      const url = toUrl(route);
      // These routes end the session, and the stream of notices does not end.
      if (url.startsWith('/api/v1/auth/') || url === '/api/v1/notices/events') continue;
      const { headers = {}, ...body } = broken(method);
      const sent = { ...headers, cookie, 'sec-fetch-site': 'same-origin' };
      const response = await test.app.inject({ method, url, headers: sent, ...body });
      const isRefused = isKeyOnly(access) || access === 'agent' || access === 'content-secret';
      assert.equal(response.statusCode === 401, isRefused, `${name}: ${response.statusCode}`);
    }
  });

  it('is refused by every route with side effects if the request may come from another site', async () => {
    const { cookie } = await createPerson(test, caller, { isAdmin: true });
    for (const route of routes) {
      const { name, method, access } = route;
      const url = toUrl(route);
      if (method === 'GET' || !takesSession(access)) continue;
      const { headers = {}, ...body } = broken(method);
      const sent = { ...headers, cookie, 'sec-fetch-site': 'cross-site' };
      const response = await test.app.inject({ method, url, headers: sent, ...body });
      assert.equal(response.statusCode, 403, name);
      // Forms of pages get a page.
      if (response.headers['content-type'] !== 'text/html; charset=utf-8')
        assert.equal(response.json().code, 'cross_site_request', name);
    }
  });
});

describe('an invalid key', () => {
  it('gets 401 from every route that reads the header', async () => {
    for (const route of routes) {
      const { name, method, access } = route;
      const url = toUrl(route);
      if (access === 'public') continue;
      const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-wrong' };
      const { payload } = broken(method);
      const response = await test.app.inject({
        method,
        url,
        headers,
        ...(payload && { payload }),
      });
      assert.equal(response.statusCode, 401, name);
    }
  });

  it('is ignored where no route matches: 404 and 405 are the same for everybody', async () => {
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
  const BAD = { nodes: 7 };

  it('is 401, then the scope, then 429, then the body', async () => {
    const nowMs = Date.now();
    // Within one minute.
    const limited = await createTestApp({ plans, now: () => nowMs });
    const small = await limited.createCaller({ plan: 'small' });
    const readOnly = await limited.withScopes(small, ['workflows:read']);
    const status = async (who: Pick<Caller, 'request'>): Promise<number> =>
      (await who.request('POST', '/workflows', BAD)).status;
    assert.equal(await status(small), 400);
    assert.equal(await status(readOnly), 401);
    assert.equal(await status(small), 400);
    // Both keys count in the same window of their user, which is used up.
    assert.equal(await status(small), 429);
    assert.equal(await status(readOnly), 401);
    for (let count = 0; count < 5; count++) assert.equal(await status(limited.anonymous), 401);
    // Admitted requests are counted too.
    assert.equal((await limited.anonymous.request('GET', '/nodes')).status, 429);
    await limited.close();
  });
});

/**
 * Sends headers that announce a body, then as much of it as the socket accepts. Returns the response and the number of
 * bytes sent.
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
  let received = '';
  let sent = 0;
  const began = Date.now();
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  socket.on('error', () => undefined);
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const ended = new Promise<void>(resolve => socket.once('end', resolve).once('close', resolve));
  const timer = setInterval(() => {
    if (sent < length && socket.writable && socket.write(Buffer.alloc(65_536, 32))) sent += 65_536;
  }, 5);
  await ended;
  clearInterval(timer);
  socket.destroy();
  return { received, sent, ms: Date.now() - began };
}

describe('a refused body', () => {
  it('of many megabytes gets a response before it has arrived, and the connection is closed', async () => {
    const refusals = [
      ['/api/v1/workflows', 3_000_000, undefined, 401],
      ['/api/v1/workflows', 60_000_000, `Bearer ${caller.key}`, 413],
      ['/api/v1/media/upload', 60_000_000, `Bearer ${caller.key}`, 413],
      ['/api/v1/nothing', 60_000_000, undefined, 404],
      ['/api/content/webhook', 60_000_000, undefined, 401],
    ] as const;
    for (const [path, length, authorization, status] of refusals) {
      const { received, sent, ms } = await upload(path, length, authorization);
      assert.match(received, new RegExp(`^HTTP/1\\.1 ${status} `), `${path}: ${received}`);
      assert.match(received, /^connection: close\r$/im);
      assert.match(received, /"requestId":"[^"]+"\}$/);
      assert.ok(sent < length / 2, `${path}: ${sent} of ${length}`);
      assert.ok(ms < 20_000, `${path}: ${ms} ms`);
    }
  });

  it('of a few bytes keeps the connection open for the next request', async () => {
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

  it('gets 100 Continue when the caller is admitted', async () => {
    const responses = await sendRequest(`Bearer ${caller.key}`);
    assert.deepEqual(
      responses.map(({ status }) => status),
      [100, 201],
    );
  });

  it('gets an error without 100 Continue, and the connection is closed, when the caller is refused', async () => {
    const [response, ...more] = await sendRequest('Bearer sk-unknown');
    assert.deepEqual([response?.status, response?.headers.connection, more], [401, 'close', []]);
  });
});
