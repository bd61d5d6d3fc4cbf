// Tests client metadata documents that are fetched over HTTPS from servers that redirect, are slow, or send too much.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createGuardedFetch, type GuardedFetch } from '../../../src/lib/fetch.ts';
import { makeCertificate } from '../../support/network/certificate.ts';
import { createOAuthApp, type OAuthApp } from '../../support/oauth/app.ts';
import { buildAuthorizeUrl, makePkce } from '../../support/oauth/clients.ts';

const REDIRECT = 'https://agent.test/callback';
/** Replaces the time limit of a response that does not end, so that the test does not wait for the limit. */
const SLOW_TIMEOUT_MS = 500;

let oauth: OAuthApp;
let server: Server;
let fetch: GuardedFetch;
let port: number;
let requestedPaths: string[] = [];
/** The time limit of the last request. */
let timeoutMs: number | undefined;

type Handler = (res: ServerResponse, documentUrl: string) => void;

const createDocument = (clientId: string, properties: object = {}): string =>
  JSON.stringify({
    client_id: clientId,
    client_name: 'Hosted agent',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    ...properties,
  });

const HANDLERS: Readonly<Record<string, Handler>> = {
  '/good.json': (res, url) => res.end(createDocument(url)),
  '/moved.json': res => res.writeHead(302, { location: '/good.json' }).end(),
  '/mismatched.json': (res, url) => res.end(createDocument(`${url}.bak`)),
  '/large.json': (res, url) => res.end(createDocument(url, { client_uri: 'x'.repeat(1_000_000) })),
  '/slow.json': (res, url) => {
    const interval = setInterval(() => res.write(' '), 200);
    res.write(createDocument(url));
    res.on('close', () => clearInterval(interval));
  },
};

const sendNotFound: Handler = res => res.writeHead(404).end();

before(async () => {
  oauth = await createOAuthApp();
  const certificate = makeCertificate(['agent.test', 'inside.test']);
  setDefaultCACertificates([...getCACertificates('default'), certificate.cert]);
  server = createServer(certificate, ({ url = '', headers: { host = '' } }: IncomingMessage, res) => {
    requestedPaths.push(url);
    (HANDLERS[url] ?? sendNotFound)(res, `https://${host}${url}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  fetch = createGuardedFetch({
    allowPrivate: false,
    // Both names may resolve to a private address. The certificate does not cover the second name.
    trustedUrls: [`https://agent.test:${port}`, `https://other.test:${port}`],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const fetchDocument: GuardedFetch['fetch'] = (url, options) => {
    timeoutMs = options.timeoutMs;
    const isSlow = String(url).endsWith('/slow.json');
    return fetch.fetch(url, isSlow ? { ...options, timeoutMs: SLOW_TIMEOUT_MS } : options);
  };
  Object.assign(oauth.test.deps, { fetch: { ...fetch, fetch: fetchDocument, close: () => fetch.close() } });
});
beforeEach(() => {
  requestedPaths = [];
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await oauth.test.close();
});

const open = (path: string, host = 'agent.test') =>
  oauth.newBrowser().open(
    buildAuthorizeUrl({
      client_id: `https://${host}:${port}${path}`,
      redirect_uri: REDIRECT,
      code_challenge: makePkce().challenge,
    }),
  );

describe('a client metadata document', () => {
  it('identifies the client that requests authorization', async () => {
    const page = await open('/good.json');
    assert.equal(page.status, 200, page.html);
    assert.match(page.html, /Hosted agent/);
  });

  for (const path of ['/moved.json', '/mismatched.json', '/large.json', '/none.json'] as const)
    it(`is rejected after one request to ${path}`, async () => {
      const page = await open(path);
      assert.equal(page.status, 400, page.html);
      assert.deepEqual(requestedPaths, [path]);
    });

  it('is rejected after five seconds if the response does not end', async () => {
    const page = await open('/slow.json');
    assert.equal(page.status, 400, page.html);
    assert.deepEqual([requestedPaths, timeoutMs], [['/slow.json'], 5000]);
  });

  it('is not requested from a private address or a host without a valid certificate', async () => {
    for (const host of ['other.test', 'inside.test']) {
      const page = await open('/good.json', host);
      assert.equal(page.status, 400, host);
    }
    assert.deepEqual(requestedPaths, []);
  });
});
