// Tests that two processes on one database share authorizations and revocations.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PASSWORD, readLinkToken } from '../../support/accounts/people.ts';
import {
  CookieBrowser,
  connect,
  createOAuthClient,
  ORIGIN,
  type Send,
  sendOverNetwork,
} from '../../support/oauth/clients.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let first: TestService;
let second: Awaited<ReturnType<TestService['startAnother']>>;
before(async () => {
  first = await startTestService();
  second = await first.startAnother({ ROLE: 'api' });
});
after(async () => {
  await second.close();
  await first.close();
});

/** Returns a function that sends requests to the processes alternately, as a load balancer does. */
function createBalancedSend(): Send {
  let count = 0;
  return (method, url, request) =>
    sendOverNetwork(method, url.replace(ORIGIN, count++ % 2 === 0 ? first.url : second.url), request);
}

async function signIn(): Promise<string> {
  const invited = await first.request<{ inviteUrl: string }>('POST', '/admin/users', {
    email: 'ana@example.com',
    name: 'Ana',
    plan: 'self_hosted',
    invite: true,
  });
  const { headers } = await first.request('POST', '/auth/accept-invite', {
    token: readLinkToken(invited.body.inviteUrl),
    password: PASSWORD,
  });
  return (headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
}

async function ping(url: string, token: string): Promise<number> {
  const { status } = await sendOverNetwork('POST', `${url}/mcp`, {
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  return status;
}

describe('two processes on one database', () => {
  it('share an authorization and both reject its token after the revocation', async () => {
    const send = createBalancedSend();
    const cookie = await signIn();
    const client = createOAuthClient(send);
    const tokens = await connect(client, new CookieBrowser(send, { cookie }));
    for (const { url } of [first, second]) assert.equal(await ping(url, tokens.access_token), 200);
    const refreshes = await Promise.all(
      Array.from({ length: 5 }, () => client.refresh(tokens.clientId, tokens.refresh_token)),
    );
    assert.deepEqual(
      refreshes.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    const page = { headers: { cookie, 'sec-fetch-site': 'same-origin' } };
    const { text } = await send('GET', `${ORIGIN}/api/v1/connections`, page);
    const { id } = JSON.parse(text).data[0];
    const deletion = await send('DELETE', `${ORIGIN}/api/v1/connections/${id}`, page);
    assert.equal(deletion.status, 200, deletion.text);
    const deletedMs = performance.now();
    await waitUntil('both processes to reject the token', async () => {
      const statuses = await Promise.all([first, second].map(({ url }) => ping(url, tokens.access_token)));
      return statuses.every(status => status === 401);
    });
    assert.ok(performance.now() - deletedMs < 20_000, `${performance.now() - deletedMs} ms`);
  });
});
