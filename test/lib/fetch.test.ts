// Tests the guarded HTTP client with servers on this machine: blocked addresses, redirects, limits and failures.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { FetchError, FetchErrorCode } from '../../src/lib/fetch/error.ts';
import {
  createGuardedFetch,
  type GuardedFetch,
  type OutboundRequest,
  parseOutboundUrl,
} from '../../src/lib/fetch.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

const COMPRESSORS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  // The client knows no combinations, and returns the body as it is.
  'gzip, br': bytes => bytes,
};

const PATHS: Record<string, Handler> = {
  '/hello': (_, res) => res.end('hello'),
  '/echo': async (req, res) => {
    res.setHeader('content-type', 'application/json');
    res.setHeader('set-cookie', ['a=1', 'b=2']);
    res.end(
      JSON.stringify({ method: req.method, headers: req.headers, body: (await buffer(req)).toString() }),
    );
  },
  '/teapot': (_, res) => res.writeHead(418).end('short and stout'),
  '/declared': (req, res) => {
    res.writeHead(200, { 'content-length': 1_000_000 });
    req.method === 'HEAD' ? res.end() : res.write('x');
  },
  '/endless': (_, res) => {
    const fillBuffer = () => {
      while (res.write(Buffer.alloc(65_536)));
    };
    res.on('drain', fillBuffer);
    fillBuffer();
  },
  '/compressed': (req, res) => {
    const coding = new URL(req.url ?? '', 'http://x').searchParams.get('coding') ?? '';
    res.setHeader('content-encoding', coding);
    res.end(req.method === 'HEAD' ? undefined : COMPRESSORS[coding]?.(Buffer.from('hello')));
  },
  '/damaged': (_, res) => res.writeHead(418, { 'content-encoding': 'gzip' }).end('not compressed'),
  '/bomb': (_, res) =>
    res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
  '/stalled': (_, res) => void res.write('begun'),
  '/silent': () => undefined,
  '/cut': (_, res) => {
    res.writeHead(200, { 'content-length': 100 }).write('part', () => res.destroy());
  },
  '/reset': req => req.socket.destroy(),
  '/loop': (_, res) => res.writeHead(302, { location: '/loop' }).end(),
  '/noisy-loop': (_, res) => void res.writeHead(302, { location: '/loop', 'content-length': 9e9 }).write('x'),
  '/count': (req, res) => {
    const remaining = Number(new URL(req.url ?? '', 'http://x').searchParams.get('n'));
    res.writeHead(302, { location: remaining > 1 ? `/count?n=${remaining - 1}` : '/hello' }).end();
  },
  '/to': (req, res) => {
    const { searchParams } = new URL(req.url ?? '', 'http://x');
    res
      .writeHead(Number(searchParams.get('status') ?? 302), { location: searchParams.get('location') ?? '' })
      .end();
  },
};

let requests: string[] = [];
const server = createServer((req, res) => {
  requests.push(req.url ?? '');
  const handler = PATHS[new URL(req.url ?? '', 'http://x').pathname];
  handler === undefined ? res.writeHead(404).end() : handler(req, res);
});
let port = 0;
let client: GuardedFetch;
let unrestrictedClient: GuardedFetch;
const LIMITS: OutboundRequest = { timeoutMs: 5000, maxBytes: 100_000 };
const ADDRESSES_BY_NAME: Record<string, string[]> = {
  'hub.test': ['127.0.0.1'],
  'inside.test': ['10.0.0.7'],
  'mixed.test': ['93.184.216.34', '127.0.0.1'],
};
let rebindings = 0;

const resolve = async (hostname: string) => {
  if (hostname === 'rebind.test')
    return [{ address: rebindings++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
  const addresses = ADDRESSES_BY_NAME[hostname];
  if (addresses === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  return addresses.map(address => ({ address, family: 4 }));
};

before(async () => {
  await new Promise<void>(resolveListening => server.listen(0, '127.0.0.1', resolveListening));
  port = (server.address() as AddressInfo).port;
  client = createGuardedFetch({
    allowPrivate: false,
    trustedUrls: [`http://hub.test:${port}/api`],
    resolve,
  });
  unrestrictedClient = createGuardedFetch({ allowPrivate: true, trustedUrls: [], resolve });
});
beforeEach(() => {
  requests = [];
});
after(async () => {
  await Promise.all([client.close(), unrestrictedClient.close()]);
  server.closeAllConnections();
  server.close();
});

const toHubUrl = (path: string): string => `http://hub.test:${port}${path}`;
const redirectTo = (location: string, status = 302): string =>
  toHubUrl(`/to?status=${status}&location=${encodeURIComponent(location)}`);

// A header contains only ASCII. The URL parser also accepts a percent-encoded host.
const encodeHost = (host: string): string => host.replace(/[^!-~]/gu, encodeURIComponent);

async function assertRefused(
  promise: Promise<unknown>,
  code: FetchErrorCode,
  maybeSent: boolean,
): Promise<FetchError> {
  const error = await promise.then(
    () => assert.fail('the request succeeded'),
    (err: FetchError) => err,
  );
  assert.deepEqual([error.name, error.code, error.maybeSent], ['FetchError', code, maybeSent], error.message);
  return error;
}

test('a response has its status, headers, URL and body', async () => {
  const response = await client.fetch(toHubUrl('/echo'), {
    ...LIMITS,
    method: 'POST',
    headers: { 'X-Thing': 'ä'.normalize() },
    body: 'gr\u00fcn',
  });
  assert.equal(response.status, 200);
  assert.equal(response.url, toHubUrl('/echo'));
  assert.equal(response.headers['set-cookie'], 'a=1, b=2');
  const echo = JSON.parse(response.body.toString());
  assert.deepEqual([echo.method, echo.body, echo.headers['user-agent']], ['POST', 'grün', 'Graphwright']);
  assert.equal((await client.fetch(toHubUrl('/teapot'), LIMITS)).status, 418);
  assert.equal(
    (await client.fetch(toHubUrl('/declared'), { ...LIMITS, method: 'HEAD', maxBytes: 10 })).body.length,
    0,
  );
});

const BLOCKED_HOSTS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '①②⑦.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '192.168.0.1',
  '172.16.0.1',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.0.192',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2001:0:53aa::1]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  'localhost',
];
for (const host of BLOCKED_HOSTS) {
  test(`${host} is blocked, directly and after a redirect`, async () => {
    ADDRESSES_BY_NAME.localhost = ['127.0.0.1'];
    await assertRefused(client.fetch(`http://${host}:${port}/hello`, LIMITS), 'blocked_address', false);
    await assertRefused(
      client.fetch(redirectTo(`http://${encodeHost(host)}:${port}/hello`), LIMITS),
      'blocked_address',
      true,
    );
    assert.equal(requests.filter(path => path === '/hello').length, 0);
  });
}

test('a name is blocked if any of its addresses is private', async () => {
  await assertRefused(client.fetch('http://inside.test/', LIMITS), 'blocked_address', false);
  await assertRefused(client.fetch('http://mixed.test/', LIMITS), 'blocked_address', false);
  await assertRefused(
    client.fetch(redirectTo(`http://inside.test:${port}/hello`), LIMITS),
    'blocked_address',
    true,
  );
});

test('a connection uses the address that was checked', async () => {
  rebindings = 0;
  assert.equal(
    (await unrestrictedClient.fetch(`http://rebind.test:${port}/hello`, LIMITS)).body.toString(),
    'hello',
  );
  assert.equal(rebindings, 1);
});

test('a trusted origin is trusted only with its port and scheme', async () => {
  assert.equal((await client.fetch(toHubUrl('/hello'), LIMITS)).status, 200);
  await assertRefused(client.fetch(`http://hub.test:${port + 1}/`, LIMITS), 'blocked_address', false);
  await assertRefused(client.fetch(`https://hub.test:${port}/`, LIMITS), 'blocked_address', false);
});

test('allowLoopback allows the local names of this machine, except after a redirect', async () => {
  const allowed = { ...LIMITS, allowLoopback: true };
  for (const host of ['localhost', '127.0.0.1', 'hooks.localhost']) {
    assert.equal((await client.fetch(`http://${host}:${port}/hello`, allowed)).status, 200, host);
  }
  for (const host of ['127.0.0.2', '[::1]', '10.0.0.1', 'inside.test']) {
    await assertRefused(client.fetch(`http://${host}:${port}/hello`, allowed), 'blocked_address', false);
  }
  await assertRefused(
    client.fetch(redirectTo(`http://localhost:${port}/hello`), allowed),
    'blocked_address',
    true,
  );
  await assertRefused(client.fetch(`http://hooks.localhost:${port}/hello`, LIMITS), 'dns_failed', false);
});

test('URLs with another scheme or with credentials are refused', async () => {
  const invalidUrls = [
    '',
    'hub.test',
    'ftp://hub.test/',
    'file:///etc/passwd',
    'data:,x',
    'javascript:1',
    'gopher://hub.test',
    'http://',
    'http://u:p@hub.test/',
    'http://u@hub.test/',
    `http://hub.test/${'x'.repeat(8192)}`,
  ];
  for (const url of invalidUrls) {
    assert.throws(() => parseOutboundUrl(url), { code: 'bad_url' }, url);
    await assertRefused(client.fetch(url, LIMITS), 'bad_url', false);
  }
  for (const location of [
    'file:///etc/passwd',
    'ftp://hub.test/',
    'http://u:p@hub.test/',
    'http://[',
    '//u@hub.test/',
  ]) {
    await assertRefused(client.fetch(redirectTo(location), LIMITS), 'bad_url', true);
  }
});

test('headers of the connection and malformed headers are refused', async () => {
  for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'connection', 'upgrade', 'expect']) {
    await assertRefused(
      client.fetch(toHubUrl('/hello'), { ...LIMITS, headers: { [name]: '1' } }),
      'bad_header',
      false,
    );
  }
  await assertRefused(
    client.fetch(toHubUrl('/hello'), { ...LIMITS, headers: { 'x-a': 'b\r\nhost: c' } }),
    'bad_header',
    false,
  );
  await assertRefused(
    client.fetch(toHubUrl('/hello'), { ...LIMITS, headers: { 'x a': 'b' } }),
    'bad_header',
    false,
  );
  assert.deepEqual(requests, []);
});

test('a compressed body is decompressed, within the limit of the body', async () => {
  for (const coding of Object.keys(COMPRESSORS)) {
    const url = toHubUrl(`/compressed?${new URLSearchParams({ coding })}`);
    assert.equal((await client.fetch(url, LIMITS)).body.toString(), 'hello', coding);
    assert.equal((await client.fetch(url, { ...LIMITS, method: 'HEAD' })).body.length, 0, coding);
  }
  await assertRefused(client.fetch(toHubUrl('/bomb'), LIMITS), 'too_large', true);
  await assertRefused(client.fetch(toHubUrl('/damaged'), LIMITS), 'damaged_body', true);
});

test('redirects are followed up to maxRedirects', async () => {
  const response = await client.fetch(toHubUrl('/count?n=5'), LIMITS);
  assert.deepEqual([response.body.toString(), response.url], ['hello', toHubUrl('/hello')]);
  await assertRefused(client.fetch(toHubUrl('/count?n=6'), LIMITS), 'too_many_redirects', true);
  await assertRefused(client.fetch(toHubUrl('/loop'), LIMITS), 'too_many_redirects', true);
  await assertRefused(client.fetch(toHubUrl('/noisy-loop'), LIMITS), 'too_many_redirects', true);
  const redirectResponse = await client.fetch(toHubUrl('/loop'), { ...LIMITS, maxRedirects: 0 });
  assert.deepEqual([redirectResponse.status, redirectResponse.headers.location], [302, '/loop']);
});

test('a redirect to another origin is followed without headers that may be credentials', async () => {
  const headers = { Authorization: 'Bearer x', Cookie: 'a=b', 'xi-api-key': 'k', Accept: 'image/png' };
  const otherOrigin = `http://localhost:${port}/echo`;
  ADDRESSES_BY_NAME.localhost = ['127.0.0.1'];
  const otherOriginHeaders = JSON.parse(
    (await unrestrictedClient.fetch(redirectTo(otherOrigin), { ...LIMITS, headers })).body.toString(),
  ).headers;
  assert.deepEqual(
    [
      otherOriginHeaders.authorization,
      otherOriginHeaders.cookie,
      otherOriginHeaders['xi-api-key'],
      otherOriginHeaders.accept,
    ],
    [undefined, undefined, undefined, 'image/png'],
  );
  const sameOriginHeaders = JSON.parse(
    (await unrestrictedClient.fetch(redirectTo('/echo'), { ...LIMITS, headers })).body.toString(),
  ).headers;
  assert.deepEqual(
    [sameOriginHeaders.authorization, sameOriginHeaders.cookie, sameOriginHeaders['xi-api-key']],
    ['Bearer x', 'a=b', 'k'],
  );
});

for (const [status, method] of [
  [301, 'GET'],
  [302, 'GET'],
  [303, 'GET'],
  [307, 'POST'],
  [308, 'POST'],
] as const) {
  test(`a POST request is repeated as ${method} after a ${status} response`, async () => {
    const request = {
      ...LIMITS,
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'body',
    } as const;
    const echo = JSON.parse((await client.fetch(redirectTo('/echo', status), request)).body.toString());
    assert.deepEqual(
      [echo.method, echo.body, echo.headers['content-type']],
      method === 'GET' ? ['GET', '', undefined] : ['POST', 'body', 'text/plain'],
    );
  });
}

test('a redirect is followed without headers and body if keepsRequestOnRedirect returns false', async () => {
  const headers = { accept: 'text/secret', authorization: 'Bearer secret', 'content-type': 'text/secret' };
  const requestedUrls: string[] = [];
  const keepsRequestOnRedirect = (next: URL): boolean => {
    requestedUrls.push(next.href);
    return false;
  };
  const redirect = (status: number) => redirectTo('/echo', status);
  const request = { ...LIMITS, headers, keepsRequestOnRedirect };
  const response = await client.fetch(redirect(302), { ...request, method: 'POST', body: 'secret' });
  assert.ok(!response.body.toString().includes('secret'), response.body.toString());
  assert.deepEqual(requestedUrls, [toHubUrl('/echo')]);
  assert.ok(!(await client.fetch(redirect(307), request)).body.toString().includes('secret'));
  await assertRefused(
    client.fetch(redirect(307), { ...request, method: 'POST', body: 'secret' }),
    'redirect_refused',
    true,
  );
});

test('a response can be closed before its body has arrived', async () => {
  for (const path of ['/endless', '/stalled']) {
    const closed = once(server, 'request').then(([, res]) => once(res as ServerResponse, 'close'));
    const response = await client.stream(toHubUrl(path), { timeoutMs: 60_000, maxBytes: 10 });
    response.close();
    await closed;
  }
});

test('a streamed request body is sent with its length and never repeated after a redirect', async () => {
  const request = { ...LIMITS, method: 'PUT' } as const;
  const createBody = () => ({ stream: Readable.from([Buffer.from('in '), Buffer.from('pieces')]), bytes: 9 });
  const echo = JSON.parse(
    (await client.fetch(toHubUrl('/echo'), { ...request, body: createBody() })).body.toString(),
  );
  assert.deepEqual([echo.body, echo.headers['content-length']], ['in pieces', '9']);
  assert.equal(
    (await client.fetch(redirectTo('/echo', 307), { ...request, body: createBody() })).status,
    307,
  );
  await assertRefused(
    client.fetch(toHubUrl('/silent'), { ...request, body: { ...createBody(), bytes: 10 } }),
    'connection_lost',
    true,
  );
});

test('a response body over maxBytes is refused', async () => {
  await assertRefused(client.fetch(toHubUrl('/declared'), LIMITS), 'too_large', true);
  await assertRefused(
    client.fetch(toHubUrl('/endless'), { ...LIMITS, maxBytes: 5_000_000 }),
    'too_large',
    true,
  );
  assert.equal((await client.fetch(toHubUrl('/hello'), { ...LIMITS, maxBytes: 5 })).body.length, 5);
  await assertRefused(client.fetch(toHubUrl('/hello'), { ...LIMITS, maxBytes: 4 }), 'too_large', true);
});

test('a request times out before or during the response', async () => {
  await assertRefused(client.fetch(toHubUrl('/silent'), { ...LIMITS, timeoutMs: 200 }), 'timeout', true);
  await assertRefused(client.fetch(toHubUrl('/stalled'), { ...LIMITS, timeoutMs: 200 }), 'timeout', true);
});

test('a connection error tells whether the request may have been sent', async () => {
  await assertRefused(
    client.fetch(toHubUrl('/reset'), { ...LIMITS, method: 'POST', body: 'x' }),
    'connection_lost',
    true,
  );
  await assertRefused(client.fetch(toHubUrl('/cut'), LIMITS), 'connection_lost', true);
  await assertRefused(client.fetch('http://nowhere.test/', LIMITS), 'dns_failed', false);
  const unusedServer = createTcpServer().listen(0, '127.0.0.1');
  await new Promise(done => unusedServer.once('listening', done));
  const { port: unusedPort } = unusedServer.address() as AddressInfo;
  await new Promise(done => unusedServer.close(done));
  await assertRefused(
    unrestrictedClient.fetch(`http://127.0.0.1:${unusedPort}/`, LIMITS),
    'connect_failed',
    false,
  );
});

test('a failed TLS handshake reports that nothing was sent', async () => {
  await assertRefused(
    unrestrictedClient.fetch(`https://127.0.0.1:${port}/`, { ...LIMITS, method: 'POST', body: 'x' }),
    'connect_failed',
    false,
  );
});

test('the caller can abort before and during a request', async () => {
  await assertRefused(
    client.fetch(toHubUrl('/hello'), { ...LIMITS, signal: AbortSignal.abort() }),
    'aborted',
    false,
  );
  const abort = new AbortController();
  const response = client.fetch(toHubUrl('/stalled'), { ...LIMITS, signal: abort.signal });
  setTimeout(() => abort.abort(), 50);
  await assertRefused(response, 'aborted', true);
});

test('a streamed response body need not be read to the end', async () => {
  const { body, status } = await client.stream(toHubUrl('/endless'), { ...LIMITS, maxBytes: 1e9 });
  assert.equal(status, 200);
  for await (const chunk of body) {
    assert.ok(chunk.length > 0);
    break;
  }
  const { body: stalledBody } = await client.stream(toHubUrl('/stalled'), { ...LIMITS, timeoutMs: 200 });
  await assertRefused(buffer(stalledBody), 'timeout', true);
  await client.stream(toHubUrl('/stalled'), { ...LIMITS, timeoutMs: 100 });
  await new Promise(done => setTimeout(done, 200));
});

test('connections are reused', async () => {
  const ports = new Set<number | undefined>();
  const recordPort = (req: IncomingMessage): unknown => ports.add(req.socket.remotePort);
  server.on('request', recordPort);
  for (let i = 0; i < 5; i++) await unrestrictedClient.fetch(`http://127.0.0.1:${port}/hello`, LIMITS);
  server.off('request', recordPort);
  assert.ok(ports.size < 5);
});

test('an error names the host without the path', async () => {
  const { message } = await assertRefused(
    client.fetch('http://inside.test/secret?token=1', LIMITS),
    'blocked_address',
    false,
  );
  assert.equal(message, 'inside.test is at an address that this service may not reach.');
});
