// Tests client metadata documents over HTTPS, from a server that is slow, redirects, or sends too much.
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

let oauth: OAuthApp;
let server: Server;
let fetch: GuardedFetch;
let port: number;
/** The requested paths. */
let requestedPaths: string[] = [];

type Handler = (res: ServerResponse, own: string) => void;

const createDocument = (own: string, more: object = {}): string =>
  JSON.stringify({
    client_id: own,
    client_name: 'Hosted agent',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    ...more,
  });

const ANSWERS: Readonly<Record<string, Handler>> = {
  '/good.json': (res, own) => res.end(createDocument(own)),
  '/moved.json': res => res.writeHead(302, { location: '/good.json' }).end(),
  '/mismatched.json': (res, own) => res.end(createDocument(`${own}.bak`)),
  '/large.json': (res, own) => res.end(createDocument(own, { client_uri: 'x'.repeat(1_000_000) })),
  '/slow.json': (res, own) => {
    const drip = setInterval(() => res.write(' '), 200);
    res.write(createDocument(own));
    res.on('close', () => clearInterval(drip));
  },
};

const answerNone: Handler = res => res.writeHead(404).end();

before(async () => {
  oauth = await createOAuthApp();
  const certificate = makeCertificate(['agent.test', 'inside.test']);
  setDefaultCACertificates([...getCACertificates('default'), certificate.cert]);
  server = createServer(certificate, ({ url = '', headers: { host = '' } }: IncomingMessage, res) => {
    requestedPaths.push(url);
    (ANSWERS[url] ?? answerNone)(res, `https://${host}${url}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  fetch = createGuardedFetch({
    allowPrivate: false,
    // Resolves names like public hosts; the certificate does not cover the second name.
    trustedUrls: [`https://agent.test:${port}`, `https://other.test:${port}`],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  Object.assign(oauth.test.deps, { fetch: { ...fetch, close: () => fetch.close() } });
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

describe('a document over https', () => {
  it('lets its client ask for authorization', async () => {
    const page = await open('/good.json');
    assert.equal(page.status, 200, page.html);
    assert.match(page.html, /Hosted agent/);
  });

  for (const path of ['/moved.json', '/mismatched.json', '/large.json', '/none.json'] as const)
    it(`at ${path} is refused, and requested once`, async () => {
      const page = await open(path);
      assert.equal(page.status, 400, page.html);
      assert.deepEqual(requestedPaths, [path]);
    });

  it('that never ends is given up after five seconds', async () => {
    const began = performance.now();
    const page = await open('/slow.json');
    assert.equal(page.status, 400, page.html);
    const seconds = (performance.now() - began) / 1000;
    assert.ok(seconds > 4 && seconds < 9.5, `${seconds} s`);
  });

  it('is not requested if the certificate belongs to another host, or the address is private', async () => {
    for (const host of ['other.test', 'inside.test']) {
      const page = await open('/good.json', host);
      assert.equal(page.status, 400, host);
    }
    assert.deepEqual(requestedPaths, []);
  });
});
