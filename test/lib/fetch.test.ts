// Tests the guarded client with real servers on this machine: address tricks, redirects, limits, failures.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import type { FetchError, FetchErrorCode } from '../../src/lib/fetch/error.ts';
import {
  createGuardedFetch,
  type GuardedFetch,
  type OutboundRequest,
  parseOutboundUrl,
} from '../../src/lib/fetch.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

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
    const pour = () => {
      while (res.write(Buffer.alloc(65_536)));
    };
    res.on('drain', pour);
    pour();
  },
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
const BOUNDS: OutboundRequest = { timeoutMs: 5000, maxBytes: 100_000 };
const names: Record<string, string[]> = {
  'hub.test': ['127.0.0.1'],
  'inside.test': ['10.0.0.7'],
  'mixed.test': ['93.184.216.34', '127.0.0.1'],
};
let rebindings = 0;

const resolve = async (hostname: string) => {
  if (hostname === 'rebind.test')
    return [{ address: rebindings++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
  const addresses = names[hostname];
  if (addresses === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  return addresses.map(address => ({ address, family: 4 }));
};

before(async () => {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
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

const hub = (path: string): string => `http://hub.test:${port}${path}`;
const redirectTo = (location: string, status = 302): string =>
  hub(`/to?status=${status}&location=${encodeURIComponent(location)}`);

// A header contains only ASCII. The URL parser also accepts a percent-encoded host.
const encodeHost = (host: string): string => host.replace(/[^!-~]/gu, encodeURIComponent);

async function assertRefused(
  promise: Promise<unknown>,
  code: FetchErrorCode,
  maybeSent: boolean,
): Promise<FetchError> {
  const error = await promise.then(
    () => assert.fail('the request was answered'),
    (err: FetchError) => err,
  );
  assert.deepEqual([error.name, error.code, error.maybeSent], ['FetchError', code, maybeSent], error.message);
  return error;
}

test('a response has status, joined headers, address and body', async () => {
  const response = await client.fetch(hub('/echo'), {
    ...BOUNDS,
    method: 'POST',
    headers: { 'X-Thing': 'ä'.normalize() },
    body: 'gr\u00fcn',
  });
  assert.equal(response.status, 200);
  assert.equal(response.url, hub('/echo'));
  assert.equal(response.headers['set-cookie'], 'a=1, b=2');
  const echo = JSON.parse(response.body.toString());
  assert.deepEqual([echo.method, echo.body, echo.headers['user-agent']], ['POST', 'grün', 'Graphwright']);
  assert.equal((await client.fetch(hub('/teapot'), BOUNDS)).status, 418);
  assert.equal(
    (await client.fetch(hub('/declared'), { ...BOUNDS, method: 'HEAD', maxBytes: 10 })).body.length,
    0,
  );
});

const TRICKS = [
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
for (const host of TRICKS) {
  test(`${host} is refused before anything is sent, directly and after a redirect`, async () => {
    names.localhost = ['127.0.0.1'];
    await assertRefused(client.fetch(`http://${host}:${port}/hello`, BOUNDS), 'blocked_address', false);
    await assertRefused(
      client.fetch(redirectTo(`http://${encodeHost(host)}:${port}/hello`), BOUNDS),
      'blocked_address',
      true,
    );
    assert.equal(requests.filter(path => path === '/hello').length, 0);
  });
}

test('a name is refused if any of its addresses is private, at every connection', async () => {
  await assertRefused(client.fetch('http://inside.test/', BOUNDS), 'blocked_address', false);
  await assertRefused(client.fetch('http://mixed.test/', BOUNDS), 'blocked_address', false);
  await assertRefused(
    client.fetch(redirectTo(`http://inside.test:${port}/hello`), BOUNDS),
    'blocked_address',
    true,
  );
});

test('a name is resolved once per connection, and the socket uses the checked address', async () => {
  rebindings = 0;
  assert.equal(
    (await unrestrictedClient.fetch(`http://rebind.test:${port}/hello`, BOUNDS)).body.toString(),
    'hello',
  );
  assert.equal(rebindings, 1);
});

test('a trusted origin is trusted only on its own port and scheme', async () => {
  assert.equal((await client.fetch(hub('/hello'), BOUNDS)).status, 200);
  await assertRefused(client.fetch(`http://hub.test:${port + 1}/`, BOUNDS), 'blocked_address', false);
  await assertRefused(client.fetch(`https://hub.test:${port}/`, BOUNDS), 'blocked_address', false);
});

test('webhooks may reach this machine by its local names, not by others and not after a redirect', async () => {
  const allowed = { ...BOUNDS, allowLoopback: true };
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
  await assertRefused(client.fetch(`http://hooks.localhost:${port}/hello`, BOUNDS), 'dns_failed', false);
});

test('addresses other than plain http and https are refused', async () => {
  const addresses = [
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
  for (const address of addresses) {
    assert.throws(() => parseOutboundUrl(address), { code: 'bad_url' }, address);
    await assertRefused(client.fetch(address, BOUNDS), 'bad_url', false);
  }
  for (const location of [
    'file:///etc/passwd',
    'ftp://hub.test/',
    'http://u:p@hub.test/',
    'http://[',
    '//u@hub.test/',
  ]) {
    await assertRefused(client.fetch(redirectTo(location), BOUNDS), 'bad_url', true);
  }
});

test('headers that belong to the connection, or contain a line break, are refused', async () => {
  for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'connection', 'upgrade', 'expect']) {
    await assertRefused(
      client.fetch(hub('/hello'), { ...BOUNDS, headers: { [name]: '1' } }),
      'bad_header',
      false,
    );
  }
  await assertRefused(
    client.fetch(hub('/hello'), { ...BOUNDS, headers: { 'x-a': 'b\r\nhost: c' } }),
    'bad_header',
    false,
  );
  await assertRefused(
    client.fetch(hub('/hello'), { ...BOUNDS, headers: { 'x a': 'b' } }),
    'bad_header',
    false,
  );
  assert.deepEqual(requests, []);
});

test('redirects are followed up to a limit, or not at all', async () => {
  const followed = await client.fetch(hub('/count?n=5'), BOUNDS);
  assert.deepEqual([followed.body.toString(), followed.url], ['hello', hub('/hello')]);
  await assertRefused(client.fetch(hub('/count?n=6'), BOUNDS), 'too_many_redirects', true);
  await assertRefused(client.fetch(hub('/loop'), BOUNDS), 'too_many_redirects', true);
  await assertRefused(client.fetch(hub('/noisy-loop'), BOUNDS), 'too_many_redirects', true);
  const redirectResponse = await client.fetch(hub('/loop'), { ...BOUNDS, maxRedirects: 0 });
  assert.deepEqual([redirectResponse.status, redirectResponse.headers.location], [302, '/loop']);
});

test('a redirect to another origin loses every header that may be a credential', async () => {
  const headers = { Authorization: 'Bearer x', Cookie: 'a=b', 'xi-api-key': 'k', Accept: 'image/png' };
  const otherUser = `http://localhost:${port}/echo`;
  names.localhost = ['127.0.0.1'];
  const otherOriginHeaders = JSON.parse(
    (await unrestrictedClient.fetch(redirectTo(otherUser), { ...BOUNDS, headers })).body.toString(),
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
    (await unrestrictedClient.fetch(redirectTo('/echo'), { ...BOUNDS, headers })).body.toString(),
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
  test(`after ${status} a POST is repeated as ${method}`, async () => {
    const request = {
      ...BOUNDS,
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

test('a redirect to another host is followed without headers that must not leave, and not with a body', async () => {
  const headers = { accept: 'text/secret', authorization: 'Bearer secret', 'content-type': 'text/secret' };
  const requestedUrls: string[] = [];
  const keepsRequestOnRedirect = (next: URL): boolean => {
    requestedUrls.push(next.href);
    return false;
  };
  const redirect = (status: number) => redirectTo('/echo', status);
  const request = { ...BOUNDS, headers, keepsRequestOnRedirect };
  const response = await client.fetch(redirect(302), { ...request, method: 'POST', body: 'secret' });
  assert.ok(!response.body.toString().includes('secret'), response.body.toString());
  assert.deepEqual(requestedUrls, [hub('/echo')]);
  assert.ok(!(await client.fetch(redirect(307), request)).body.toString().includes('secret'));
  await assertRefused(
    client.fetch(redirect(307), { ...request, method: 'POST', body: 'secret' }),
    'redirect_refused',
    true,
  );
});

test('a response is closed without its body, however long or late that is', async () => {
  for (const path of ['/endless', '/stalled']) {
    const closed = once(server, 'request').then(([, res]) => once(res as ServerResponse, 'close'));
    const response = await client.stream(hub(path), { timeoutMs: 60_000, maxBytes: 10 });
    response.close();
    await closed;
  }
});

test('a streamed body is sent with its length, and not to the target of a redirect', async () => {
  const request = { ...BOUNDS, method: 'PUT' } as const;
  const sized = () => ({ stream: Readable.from([Buffer.from('in '), Buffer.from('pieces')]), bytes: 9 });
  const echo = JSON.parse((await client.fetch(hub('/echo'), { ...request, body: sized() })).body.toString());
  assert.deepEqual([echo.body, echo.headers['content-length']], ['in pieces', '9']);
  assert.equal((await client.fetch(redirectTo('/echo', 307), { ...request, body: sized() })).status, 307);
  await assertRefused(
    client.fetch(hub('/silent'), { ...request, body: { ...sized(), bytes: 10 } }),
    'connection_lost',
    true,
  );
});

test('a body over the limit is refused, declared or streamed', async () => {
  await assertRefused(client.fetch(hub('/declared'), BOUNDS), 'too_large', true);
  await assertRefused(client.fetch(hub('/endless'), { ...BOUNDS, maxBytes: 5_000_000 }), 'too_large', true);
  assert.equal((await client.fetch(hub('/hello'), { ...BOUNDS, maxBytes: 5 })).body.length, 5);
  await assertRefused(client.fetch(hub('/hello'), { ...BOUNDS, maxBytes: 4 }), 'too_large', true);
});

test('a timeout before or within the response ends at the deadline', async () => {
  await assertRefused(client.fetch(hub('/silent'), { ...BOUNDS, timeoutMs: 200 }), 'timeout', true);
  await assertRefused(client.fetch(hub('/stalled'), { ...BOUNDS, timeoutMs: 200 }), 'timeout', true);
});

test('a broken connection says that the request may have been sent, a failed one that it was not', async () => {
  await assertRefused(
    client.fetch(hub('/reset'), { ...BOUNDS, method: 'POST', body: 'x' }),
    'connection_lost',
    true,
  );
  await assertRefused(client.fetch(hub('/cut'), BOUNDS), 'connection_lost', true);
  await assertRefused(client.fetch('http://nowhere.test/', BOUNDS), 'dns_failed', false);
  const closed = createTcpServer().listen(0, '127.0.0.1');
  await new Promise(done => closed.once('listening', done));
  const { port: unusedPort } = closed.address() as AddressInfo;
  await new Promise(done => closed.close(done));
  await assertRefused(
    unrestrictedClient.fetch(`http://127.0.0.1:${unusedPort}/`, BOUNDS),
    'connect_failed',
    false,
  );
});

test('a TLS handshake that fails sends nothing', async () => {
  await assertRefused(
    unrestrictedClient.fetch(`https://127.0.0.1:${port}/`, { ...BOUNDS, method: 'POST', body: 'x' }),
    'connect_failed',
    false,
  );
});

test('the caller may abort at any time', async () => {
  await assertRefused(
    client.fetch(hub('/hello'), { ...BOUNDS, signal: AbortSignal.abort() }),
    'aborted',
    false,
  );
  const abort = new AbortController();
  const waiting = client.fetch(hub('/stalled'), { ...BOUNDS, signal: abort.signal });
  setTimeout(() => abort.abort(), 50);
  await assertRefused(waiting, 'aborted', true);
});

test('a streamed body arrives in chunks, and need not be read to its end', async () => {
  const { body, status } = await client.stream(hub('/endless'), { ...BOUNDS, maxBytes: 1e9 });
  assert.equal(status, 200);
  for await (const chunk of body) {
    assert.ok(chunk.length > 0);
    break;
  }
  const { body: stalled } = await client.stream(hub('/stalled'), { ...BOUNDS, timeoutMs: 200 });
  await assertRefused(buffer(stalled), 'timeout', true);
  await client.stream(hub('/stalled'), { ...BOUNDS, timeoutMs: 100 });
  await new Promise(done => setTimeout(done, 200));
});

test('connections are reused', async () => {
  const ports = new Set<number | undefined>();
  const recordPort = (req: IncomingMessage): unknown => ports.add(req.socket.remotePort);
  server.on('request', recordPort);
  for (let i = 0; i < 5; i++) await unrestrictedClient.fetch(`http://127.0.0.1:${port}/hello`, BOUNDS);
  server.off('request', recordPort);
  assert.ok(ports.size < 5);
});

test('an error names the host and not the path', async () => {
  const { message } = await assertRefused(
    client.fetch('http://inside.test/secret?token=1', BOUNDS),
    'blocked_address',
    false,
  );
  assert.equal(message, 'inside.test is at an address that this service may not reach.');
});
