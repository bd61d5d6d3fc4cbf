// Tests over a raw socket that every response has the request id and the rate limit headers.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import {
  listenLocally,
  openSocket,
  type RawResponse,
  readResponses,
  requestHead,
  sendRaw,
} from '../../support/http/raw-http.ts';
import { createWorkflow } from '../../support/workflows.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let test: TestApp;
let user: ApiUser;
let port: number;
before(async () => {
  test = await createTestApp();
  user = await test.createUser();
  port = await listenLocally(test.app);
});
after(() => test.close());

function assertStandardHeaders({ status, headers, body }: RawResponse): void {
  assert.match(headers['x-request-id'] ?? '', UUID);
  assert.ok(Number(headers['x-ratelimit-limit']) > 0, 'X-RateLimit-Limit');
  assert.ok(Number(headers['x-ratelimit-remaining']) >= 0, 'X-RateLimit-Remaining');
  // The window may have ended while the response was on its way.
  assert.ok(Number(headers['x-ratelimit-reset']) > Date.now() / 1000 - 10, 'X-RateLimit-Reset');
  if (status < 400 || body === '') return;
  const { error, code, requestId } = JSON.parse(body) as Record<string, string>;
  assert.match(error ?? '', /\.$/);
  assert.match(code ?? '', /^[a-z_]+$/);
  assert.equal(requestId, headers['x-request-id']);
}

const createJsonHead = (body: string, headers: Readonly<Record<string, string>> = {}): string =>
  requestHead('POST', '/api/v1/workflows', {
    authorization: `Bearer ${user.key}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  });
const createChunkedHead = (): string =>
  requestHead('POST', '/api/v1/workflows', {
    authorization: `Bearer ${user.key}`,
    'content-type': 'application/json',
    'transfer-encoding': 'chunked',
  });
const PREFLIGHT = { origin: 'https://example.com', 'access-control-request-method': 'PUT' };

/** Requests, and the status of their last response. */
const REQUESTS: Readonly<
  Record<string, readonly [status: number, createRequest: () => string | readonly string[]]>
> = {
  'a valid request': [200, () => requestHead('GET', '/healthz')],
  'HTTP/1.0': [200, () => 'GET /healthz HTTP/1.0\r\n\r\n'],
  HEAD: [200, () => requestHead('HEAD', '/api/v1/nodes')],
  'HEAD of an unknown path': [404, () => requestHead('HEAD', '/nothing')],
  'a preflight': [204, () => requestHead('OPTIONS', '/api/v1/workflows', PREFLIGHT)],
  'OPTIONS without preflight headers': [204, () => requestHead('OPTIONS', '/api/v1/workflows')],
  'OPTIONS of the server': [204, () => requestHead('OPTIONS', '*')],
  'a page of the reference': [200, () => requestHead('GET', '/docs/')],
  'the OpenAPI document': [200, () => requestHead('GET', '/openapi.json')],
  'an unsupported upgrade': [
    200,
    () => requestHead('GET', '/healthz', { connection: 'upgrade, close', upgrade: 'h2c' }),
  ],
  'a request without a key': [401, () => requestHead('GET', '/api/v1/workflows')],
  'a wrong key': [401, () => requestHead('GET', '/api/v1/workflows', { authorization: 'Bearer sk-wrong' })],
  'an unknown path': [404, () => requestHead('GET', '/nothing')],
  'an unknown media file': [404, () => requestHead('GET', '/cdn/med_x/y.png')],
  'a method that the path does not support': [405, () => requestHead('DELETE', '/api/v1/nodes')],
  'an unsupported method with a long path parameter': [
    405,
    () => requestHead('PURGE', `/api/v1/workflows/${'a'.repeat(300)}`),
  ],
  'an unusual method': [405, () => requestHead('PURGE', '/api/v1/nodes')],
  CONNECT: [405, () => 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n'],
  'an unknown method': [400, () => requestHead('FETCH', '/healthz')],
  'a URL with a broken escape': [400, () => requestHead('GET', '/api/v1/workflows/%zz')],
  'a URL that is not UTF-8': [400, () => requestHead('GET', '/api/v1/workflows/%ff')],
  'NUL in a URL': [
    400,
    () => requestHead('GET', '/api/v1/workflows/%00', { authorization: `Bearer ${user.key}` }),
  ],
  'a long part of a path': [414, () => requestHead('GET', `/api/v1/workflows/${'a'.repeat(1001)}`)],
  'a URL over 16 KB': [431, () => requestHead('GET', `/${'a'.repeat(20_000)}`)],
  'headers over 16 KB': [431, () => requestHead('GET', '/healthz', { cookie: 'a'.repeat(20_000) })],
  'another protocol': [400, () => 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
  'HTTP/2 without negotiation': [400, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'a request without Host': [400, () => 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n'],
  'an unknown Expect': [400, () => [createJsonHead('{}', { expect: 'miracles' }), '{}']],
  'Expect: 100-continue': [400, () => [createJsonHead('{}', { expect: '100-continue' }), '{}']],
  'invalid chunks': [400, () => [createChunkedHead(), 'zz\r\nhello\r\n']],
  'an invalid second chunk': [400, () => [`${createChunkedHead()}2\r\n{}\r\n`, 'zz\r\n']],
  'Content-Length with Transfer-Encoding': [
    400,
    () => [createJsonHead('{}', { 'transfer-encoding': 'chunked' }), '2\r\n{}\r\n0\r\n\r\n'],
  ],
  'a Content-Length that is not a number': [
    400,
    () => [createJsonHead('{}', { 'content-length': 'two' }), '{}'],
  ],
  'two Content-Lengths': [400, () => [createJsonHead('{}', { 'Content-length': '3' }), '{}']],
  'a body longer than its Content-Length': [
    400,
    () => [createJsonHead('{}', { connection: 'keep-alive' }), '{}{}{}'],
  ],
  'malformed JSON': [400, () => [createJsonHead('{"a":'), '{"a":']],
  'another content type': [415, () => [createJsonHead('{}', { 'content-type': 'text/plain' }), '{}']],
  'a compressed body': [415, () => [createJsonHead('{}', { 'content-encoding': 'gzip' }), '{}']],
};

describe('standard headers', () => {
  for (const [name, [status, createRequest]] of Object.entries(REQUESTS)) {
    it(`are in the response to ${name}`, async () => {
      const responses = await sendRaw(port, ...[createRequest()].flat());
      const finalResponses = responses.filter(response => response.status >= 200);
      assert.equal(finalResponses.at(-1)?.status, status, JSON.stringify(responses));
      for (const response of finalResponses) assertStandardHeaders(response);
    });
  }

  it('are in a response with 304', async () => {
    const [first] = await sendRaw(port, requestHead('GET', '/api/v1/nodes'));
    const [again] = await sendRaw(
      port,
      requestHead('GET', '/api/v1/nodes', { 'if-none-match': first?.headers.etag ?? '' }),
    );
    assert.equal(again?.status, 304);
    assertStandardHeaders(again);
  });

  it('are in the response to GET of an event stream', async () => {
    const workflow = await createWorkflow(user);
    const { body } = await user.request<{ executionId: string }>(
      'POST',
      `/workflows/${workflow.id}/execute`,
      {},
    );
    const socket = await openSocket(port);
    const authorization = `Bearer ${user.key}`;
    socket.write(requestHead('GET', `/api/v1/executions/${body.executionId}/events`, { authorization }));
    const chunk = await new Promise<Buffer>(resolve => socket.once('data', resolve));
    socket.destroy();
    const text = chunk.toString();
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
    for (const name of ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
      assert.match(text, new RegExp(`^${name}: \\S+\r$`, 'm'));
    assert.match(text, /^access-control-allow-origin: \*\r$/m);
  });

  it('are in the response to HEAD of an event stream', async () => {
    const { body } = await user.request<{ data: { id: string }[] }>('GET', '/executions');
    const authorization = `Bearer ${user.key}`;
    const [response] = await sendRaw(
      port,
      requestHead('HEAD', `/api/v1/executions/${body.data[0]?.id}/events`, { authorization }),
    );
    assert.equal(response?.status, 200);
    assertStandardHeaders(response);
  });

  it('include Allow in responses with 405', async () => {
    const [response] = await sendRaw(port, requestHead('POST', '/api/v1/nodes'));
    assert.equal(response?.headers.allow, 'GET, HEAD');
  });

  it("include the client's request id if the id is valid", async () => {
    for (const [requestId, isAccepted] of [
      ['trace-0001.a_B', true],
      ['short', false],
      ['has spaces in it', false],
      ['a'.repeat(129), false],
    ] as const) {
      const [response] = await sendRaw(port, requestHead('GET', '/healthz', { 'x-request-id': requestId }));
      assert.equal(response?.headers['x-request-id'] === requestId, isAccepted, requestId);
    }
  });
});

describe('a connection with several requests', () => {
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

  it('gets the responses in the order of the requests', async () => {
    const invalidWorkflow = `POST /api/v1/workflows HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${user.key}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`;
    const responses = await sendRaw(
      port,
      `${get('/readyz')}${invalidWorkflow}${get('/nothing')}garbage\r\n\r\n`,
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 400, 404, 400],
    );
    for (const response of responses) assertStandardHeaders(response);
    assert.equal(JSON.parse(responses[3]?.body ?? '').error, 'The request is not valid HTTP.');
  });

  it('gets 400 for invalid bytes after an earlier response', async () => {
    const socket = await openSocket(port);
    const responses = readResponses(socket);
    socket.write(get('/healthz'));
    await new Promise(resolve => socket.once('data', resolve));
    socket.write('garbage\r\n\r\n');
    assert.deepEqual(
      (await responses).map(({ status }) => status),
      [200, 400],
    );
  });

  it('gets 400 if the connection ends within a body', async () => {
    const socket = await openSocket(port);
    socket.write(createJsonHead('{}', { 'content-length': '100' }));
    socket.end('{"name":');
    const [response] = await readResponses(socket);
    assert.equal(response?.status, 400);
    assertStandardHeaders(response);
  });
});

describe('a slow request', () => {
  it('gets 408 if the headers do not arrive in time', async () => {
    test.app.server.headersTimeout = 200;
    const socket = await openSocket(port);
    socket.write('GET /healthz HTTP/1.1\r\nhost: ');
    const [response] = await readResponses(socket);
    test.app.server.headersTimeout = 30_000;
    assert.equal(response?.status, 408);
    assertStandardHeaders(response);
  });

  it('gets 408 if the body does not arrive in time', async () => {
    test.app.server.requestTimeout = 300;
    test.app.server.headersTimeout = 200;
    const responses = await sendRaw(port, createJsonHead('{}', { 'content-length': '100' }), '{');
    test.app.server.requestTimeout = 120_000;
    test.app.server.headersTimeout = 30_000;
    assert.equal(responses[0]?.status, 408);
    assertStandardHeaders(responses[0]);
  });
});
