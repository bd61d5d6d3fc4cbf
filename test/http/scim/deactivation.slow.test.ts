// Tests that a deactivation by SCIM ends everything that an account has open, also in another process, without waiting for caches.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { PASSWORD, readLinkToken, SAME_ORIGIN_HEADERS } from '../../support/accounts/people.ts';
import { openStream } from '../../support/http/sse.ts';
import {
  CookieBrowser,
  connect,
  createOAuthClient,
  ORIGIN,
  sendOverNetwork,
} from '../../support/oauth/clients.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { DELAYED } from '../../support/workflows.ts';
import { patchOf } from './scim-client.ts';

const EMAIL = 'ana@corp.example';
/** Longer than the test, so that only a notification can end anything. */
const TIMING = { credentialCacheMs: 3_600_000, accessCheckMs: 3_600_000 };

let first: TestService;
let second: Awaited<ReturnType<TestService['startAnother']>>;
before(async () => {
  first = await startTestService({ OIDC_ALLOWED_DOMAINS: 'corp.example' }, TIMING);
  second = await first.startAnother({ ROLE: 'api' });
});
after(async () => {
  await second.close();
  await first.close();
});

async function signIn(): Promise<{ readonly userId: number; readonly cookie: string }> {
  const invited = await first.request<{ userId: number; inviteUrl: string }>('POST', '/admin/users', {
    email: EMAIL,
    name: 'Ana',
    plan: 'self_hosted',
    invite: true,
  });
  const { headers } = await first.request('POST', '/auth/accept-invite', {
    token: readLinkToken(invited.body.inviteUrl),
    password: PASSWORD,
  });
  return { userId: invited.body.userId, cookie: (headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '' };
}

const post = (url: string, headers: Record<string, string>, body: object) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });

it('ends sessions, keys, tokens, streams and calls of agents in every process', async () => {
  const { userId, cookie } = await signIn();
  const browser = { cookie, ...SAME_ORIGIN_HEADERS };
  const readJson = async <B>(response: Response): Promise<B> => {
    assert.ok(response.ok, `${response.status} ${response.url}`);
    return (await response.json()) as B;
  };
  const { key } = await readJson<{ key: string }>(
    await post(`${second.url}/api/v1/keys`, browser, {
      name: 'k',
      scopes: ['workflows:read', 'workflows:execute'],
    }),
  );
  const { id: workflowId } = await readJson<{ id: string }>(
    await post(`${second.url}/api/v1/workflows`, browser, { name: 'W', ...DELAYED }),
  );
  const { executionId } = await readJson<{ executionId: string }>(
    await post(`${second.url}/api/v1/workflows/${workflowId}/execute`, browser, {}),
  );
  const send: typeof sendOverNetwork = (method, url, request) =>
    sendOverNetwork(method, url.replace(ORIGIN, second.url), request);
  const { access_token: token } = await connect(createOAuthClient(send), new CookieBrowser(send, { cookie }));
  const callAgent = (authorization: string, message: object) =>
    post(
      `${second.url}/mcp`,
      { authorization: `Bearer ${authorization}` },
      { jsonrpc: '2.0', id: 1, ...message },
    );
  const credentials: readonly (() => Promise<Response>)[] = [
    () => fetch(`${second.url}/api/v1/me`, { headers: { cookie } }),
    () => fetch(`${second.url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } }),
    () => callAgent(key, { method: 'ping' }),
    () => callAgent(token, { method: 'ping' }),
  ];
  for (const request of credentials) assert.equal((await request()).status, 200);

  const streams = await Promise.all(
    [`/executions/${executionId}/events`, `/workflows/${workflowId}/events`, '/notices/events'].flatMap(
      path => [
        openStream(`${second.url}/api/v1${path}`, { cookie }),
        ...(path === '/notices/events'
          ? []
          : [openStream(`${second.url}/api/v1${path}`, { authorization: `Bearer ${key}` })]),
      ],
    ),
  );
  await waitUntil('the streams to begin', () => streams.every(({ events }) => events.length > 0));
  const wait = {
    method: 'tools/call',
    params: { name: 'get_execution', arguments: { executionId, waitSeconds: 240 } },
  };
  const calls = [key, token].map(async credential => {
    const response = await callAgent(credential, wait);
    await response.text();
  });
  const ends = calls.map(call =>
    call.then(
      () => 'answered',
      () => 'cut off',
    ),
  );

  const created = await first.request<{ token: string }>('POST', '/admin/scim-token');
  const scim = { authorization: `Bearer ${created.body.token}` };
  const linked = await post(`${first.url}/scim/v2/Users`, scim, { userName: EMAIL });
  assert.equal(linked.status, 201);
  const open = new Set(streams);
  for (const stream of streams) void stream.closed.then(() => open.delete(stream));
  const patched = await fetch(`${first.url}/scim/v2/Users/${userId}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/scim+json', ...scim },
    body: JSON.stringify(patchOf({ op: 'Replace', path: 'active', value: 'False' })),
  });
  assert.equal(patched.status, 200);

  await waitUntil('the streams to end', () => open.size === 0);
  assert.deepEqual(await Promise.all(ends), ['cut off', 'cut off']);
  for (const [index, request] of credentials.entries())
    await waitUntil(`credential ${index} to be refused`, async () => (await request()).status === 401);
});
