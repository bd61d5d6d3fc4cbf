// Tests the MCP endpoint over HTTP: access, error messages, and both protocol revisions.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createMcpMount } from '../../src/mcp/mount.ts';
import { type ApiUser, createTestApp, type TestApp } from '../support/app.ts';
import { node } from '../support/workflows.ts';

let test: TestApp;
let user: ApiUser;

before(async () => {
  test = await createTestApp({
    plans: { tight: { requestsPerMinute: 6, executionsPerMinute: 2, executionsPerDay: 100 } },
    now: () => NOW_MS,
    createMcp: deps => {
      const { serve, close } = createMcpMount(deps);
      return {
        serve: (req, res, call) =>
          'x-fails' in req.headers ? Promise.reject(new Error('broken')) : serve(req, res, call),
        close,
      };
    },
  });
  user = await test.createUser();
});
after(() => test.close());

/** The middle of a minute, so that all requests count in the same rate limit window. */
const NOW_MS = Math.floor(Date.now() / 60_000) * 60_000 + 30_000;
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };

interface SendOptions {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly url?: string;
}

function send(
  body: unknown,
  { key = user.key, headers = {}, method = 'POST', url = '/mcp' }: SendOptions = {},
) {
  return test.app.inject({
    method,
    url,
    headers: {
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(body === undefined ? {} : { payload: body as object }),
  });
}

/** Reads the message of a response, which is either JSON or the only event of a stream. */
function parseMessage(payload: string): {
  readonly result?: unknown;
  readonly error?: { readonly code: number };
} {
  const line = payload.startsWith('{')
    ? payload
    : payload.split('\n').find(item => item.startsWith('data: {'));
  return JSON.parse((line ?? '').replace(/^data: /, ''));
}

describe('POST /mcp', () => {
  it('serves the older protocol revision with and without a trailing slash', async () => {
    for (const url of ['/mcp', '/mcp/']) {
      const response = await send(PING, { url });
      assert.equal(response.statusCode, 200, response.payload);
      assert.deepEqual(parseMessage(response.payload).result, {});
    }
  });

  it('challenges a client without a bearer token to request all scopes', async () => {
    const response = await send(PING, { key: '' });
    assert.equal(response.statusCode, 401);
    const challenge = String(response.headers['www-authenticate']);
    assert.match(challenge, /^Bearer .*scope="workflows:read workflows:write workflows:execute"$/);
    assert.doesNotMatch(challenge, /error=/);
  });

  it('rejects unknown keys and tokens with 401', async () => {
    for (const key of ['sk-nobody-has-this-key', 'neither-key-nor-token']) {
      const response = await send(PING, { key });
      assert.equal(response.statusCode, 401);
      assert.match(String(response.headers['www-authenticate']), /error="invalid_token"/);
      assert.equal(response.json().code, 'invalid_api_key');
    }
  });

  it('rejects a session cookie with 401', async () => {
    const response = await send(PING, { key: '', headers: { cookie: 'session=anything' } });
    assert.equal(response.statusCode, 401);
  });

  it('rejects the Host or Origin of another site with 403', async () => {
    for (const headers of [
      { host: 'evil.example.com' },
      { origin: 'https://evil.example.com' },
      { origin: 'null' },
    ]) {
      const response = await send(PING, { headers: headers as Record<string, string> });
      assert.equal(response.statusCode, 403, JSON.stringify(headers));
      assert.equal(response.json().code, 'cross_site_request');
    }
    const sameOriginResponse = await send(PING, { headers: { origin: test.deps.settings.BASE_URL } });
    assert.equal(sameOriginResponse.statusCode, 200);
  });

  it('returns 405 for GET and DELETE', async () => {
    for (const method of ['GET', 'DELETE'] as const) {
      const response = await send(undefined, { method });
      assert.equal(response.statusCode, 405);
      assert.equal(response.headers.allow, 'POST');
    }
  });

  it('rejects a body of more than 1 MB with 413', async () => {
    const response = await send({ ...LIST, params: { filler: 'x'.repeat(1_100_000) } });
    assert.equal(response.statusCode, 413);
  });

  it('returns 500 if handling the request fails', async () => {
    const response = await send(PING, { headers: { 'x-fails': '1' } });
    assert.equal(response.statusCode, 500);
    assert.equal(parseMessage(response.payload).error?.code, -32603);
  });

  it('limits requests and runs by the plan of the user', async () => {
    const { key, request } = await test.createUser({ plan: 'tight' });
    const workflow = { name: 'Free', nodes: [node('a', 'input:text', { value: 'x' })], edges: [] };
    const { body } = await request<{ id: string }>('POST', '/workflows', workflow);
    const run = {
      ...LIST,
      method: 'tools/call',
      params: { name: 'run_workflow', arguments: { workflowId: body.id, waitSeconds: 0 } },
    };
    const codes: unknown[] = [];
    for (let n = 0; n < 3; n++) {
      const { result } = parseMessage((await send(run, { key })).payload);
      codes.push((result as { structuredContent: { code?: string } }).structuredContent.code);
    }
    assert.deepEqual(codes, [undefined, undefined, 'rate_limited']);
    const responses = [await send(PING, { key }), await send(PING, { key }), await send(PING, { key })];
    assert.deepEqual(
      responses.map(({ statusCode }) => statusCode),
      [200, 200, 429],
    );
    assert.ok(Number(responses[2]?.headers['retry-after']) > 0);
  });

  it('counts each message of a JSON-RPC batch as a request', async () => {
    const batch = (size: number) => Array.from({ length: size }, (_, n) => ({ ...PING, id: n + 1 }));
    const { key } = await test.createUser({ plan: 'tight' });
    const first = await send(batch(5), { key });
    assert.deepEqual([first.statusCode, first.headers['x-ratelimit-remaining']], [200, '1']);
    const second = await send(batch(2), { key });
    assert.deepEqual([second.statusCode, second.json().code], [429, 'rate_limited']);
    assert.equal((await send(PING, { key })).statusCode, 429);
  });

  it('counts each run that a JSON-RPC batch starts', async () => {
    const { key, request } = await test.createUser({ plan: 'tight' });
    const workflow = { name: 'Free', nodes: [node('a', 'input:text', { value: 'x' })], edges: [] };
    const { body } = await request<{ id: string }>('POST', '/workflows', workflow);
    const params = { name: 'run_workflow', arguments: { workflowId: body.id, waitSeconds: 0 } };
    const runs = [1, 2, 3, 4].map(id => ({ jsonrpc: '2.0', id, method: 'tools/call', params }));
    const { payload } = await send(runs, { key });
    assert.equal(payload.match(/"code":"rate_limited"/g)?.length, 2, payload);
  });

  it('returns 403 with the scopes of the key and the missing scope for a tool call', async () => {
    const writer = await test.withScopes(user, ['workflows:write']);
    const call = { ...LIST, method: 'tools/call', params: { name: 'find_nodes', arguments: {} } };
    const response = await send(call, { key: writer.key });
    assert.equal(response.statusCode, 403, response.payload);
    const challenge = String(response.headers['www-authenticate']);
    assert.match(challenge, /error="insufficient_scope"/);
    assert.match(challenge, /scope="workflows:read workflows:write"/);
  });

  it('offers the models for which the workspace has a credential', async () => {
    const owner = await test.createUser({ scopes: ['workflows:read', 'workflows:write', 'account:admin'] });
    const find = async (): Promise<readonly string[]> => {
      const params = { name: 'find_nodes', arguments: { query: 'seedream', limit: 50 } };
      const { payload } = await send({ ...LIST, method: 'tools/call', params }, { key: owner.key });
      const { result } = parseMessage(payload);
      const { nodes } = (result as { structuredContent: { nodes: { nodeType: string }[] } })
        .structuredContent;
      return nodes.map(({ nodeType }) => nodeType);
    };
    assert.ok(!(await find()).includes('generate:fal_seedream'));
    const values = { kind: 'fal', name: 'Our key', owner: 'workspace', values: { apiKey: 'fal-key-1234' } };
    assert.equal((await owner.request('POST', '/credentials', values)).status, 201);
    assert.ok((await find()).includes('generate:fal_seedream'));
  });
});
