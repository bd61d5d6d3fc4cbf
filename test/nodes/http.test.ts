// Tests the HTTP request node: what it sends through the guarded client, and how it reads the response.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { encrypt } from '../../src/lib/crypto.ts';
import type { NodeContext, NodeFetchInit } from '../../src/nodes/define.ts';
import { createRunSecrets } from '../../src/services/workflows/resolve-secrets.ts';
import { makeContext, runNode } from '../support/engine/node-context.ts';
import { jsonValue } from '../support/engine/values.ts';

interface SentRequest extends NodeFetchInit {
  readonly url: string;
}

function createContextWithResponse(status: number, body: string | Uint8Array, contentType = 'text/plain') {
  const sentRequests: SentRequest[] = [];
  const ctx = makeContext({
    fetch: async (url, init) => {
      sentRequests.push({ url, ...init });
      return { status, headers: { 'content-type': contentType }, body: Buffer.from(body) };
    },
  });
  return { ctx, sentRequests };
}

const url = 'https://example.com/x';

describe('utility:http_request', () => {
  it('sends method, headers and body with limits for size and time', async () => {
    const { ctx, sentRequests } = createContextWithResponse(201, 'made');
    const values = { url, body: '{"a":1}', method: 'POST', headers: { 'X-Key': 'k' }, timeoutMs: 500 };
    assert.deepEqual(await runNode('utility:http_request', values, ctx), {
      text: 'made',
      json: undefined,
      status: 201,
    });
    assert.deepEqual(sentRequests, [
      {
        url,
        method: 'POST',
        headers: { 'X-Key': 'k' },
        body: '{"a":1}',
        timeoutMs: 500,
        maxBytes: 1_048_576,
      },
    ]);
  });

  it('warns that a body is not sent with GET or HEAD', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { ctx, sentRequests } = createContextWithResponse(200, '');
      const warnings: string[] = [];
      const task = { ...ctx.task, warn: (sentence: string) => void warnings.push(sentence) };
      await runNode('utility:http_request', { url, body: 'x', method }, { ...ctx, task });
      assert.equal(sentRequests[0]?.body, undefined);
      assert.deepEqual(warnings, [
        `The body was not sent, because a ${method} request has none. Choose another method.`,
      ]);
    }
  });

  it('parses the body as JSON if the response declares JSON', async () => {
    // It looks like a tagged value and must remain plain external JSON.
    const json = { type: 'IMAGE', media: { mediaId: 'med_of_somebody_else' } };
    const wellFormed = createContextWithResponse(
      200,
      JSON.stringify(json),
      'application/problem+json; charset=utf-8',
    );
    assert.deepEqual((await runNode('utility:http_request', { url }, wellFormed.ctx)).json, jsonValue(json));
    for (const body of ['{"a":', '['.repeat(10_000) + ']'.repeat(10_000)]) {
      const malformed = createContextWithResponse(200, body, 'application/json');
      assert.equal((await runNode('utility:http_request', { url }, malformed.ctx)).json, undefined);
    }
  });

  it('decodes the body by its byte order mark or the charset that it declares', async () => {
    const decode = async (body: Uint8Array, contentType: string) => {
      const { ctx } = createContextWithResponse(200, body, contentType);
      return runNode('utility:http_request', { url }, ctx);
    };
    const bytes = (hex: string) => Buffer.from(hex, 'hex');
    assert.equal((await decode(bytes('5072e96e6f6d'), 'text/plain; charset=ISO-8859-1')).text, 'Prénom');
    assert.equal((await decode(bytes('cff0e8e2e5f2'), 'text/plain; charset=windows-1251')).text, 'Привет');
    assert.equal((await decode(bytes('c4e3bac3'), 'text/html;charset="gbk"')).text, '你好');
    assert.equal((await decode(bytes('93fa967b'), 'text/html; charset=Shift_JIS')).text, '日本');
    assert.equal((await decode(bytes('fffe6100'), 'text/plain; charset=utf-8')).text, 'a');
    assert.equal((await decode(bytes('c3a4'), 'text/plain; charset=x-unknown')).text, 'ä');
    const { json } = await decode(bytes('efbbbf7b2261223a317d'), 'application/json');
    assert.deepEqual(json, jsonValue({ a: 1 }));
  });

  it('keeps the digits of numbers in JSON', async () => {
    const text = '{"id":7615917337495251231}';
    const { ctx } = createContextWithResponse(200, text, 'application/json');
    const { json } = await runNode('utility:http_request', { url }, ctx);
    assert.equal((json as { exactText?: string }).exactText, text);
  });

  it('fails on status 400 and above unless onError is "pass on"', async () => {
    const { ctx } = createContextWithResponse(404, 'gone');
    await assert.rejects(runNode('utility:http_request', { url }, ctx), {
      code: 'http_error',
      message: /example\.com responded with status 404/,
    });
    assert.deepEqual(await runNode('utility:http_request', { url, onError: 'pass on' }, ctx), {
      text: 'gone',
      json: undefined,
      status: 404,
    });
  });

  it('refuses reserved and malformed headers', async () => {
    const { ctx, sentRequests } = createContextWithResponse(200, '');
    const invalidHeaders = [
      { Host: 'a' },
      { 'content-length': '1' },
      { 'X-A': 'b\r\nX-C: d' },
      { 'a b': 'c' },
      { 'X-A': 5 },
      ['x'],
      'x',
    ];
    for (const headers of invalidHeaders) {
      await assert.rejects(runNode('utility:http_request', { url, headers }, ctx), {
        code: 'invalid_headers',
      });
    }
    assert.deepEqual(sentRequests, []);
  });
});

describe('a secret in an HTTP request', () => {
  const VALUE = 'tok-0123456789';
  /** Creates the context of a run whose secret TOK may be sent to api.example.com only. */
  const createContextWithSecret = async (body = '', connectedPorts: readonly string[] = []) => {
    const secretsKey = randomBytes(32);
    const encryptedSecrets = encrypt(
      secretsKey,
      JSON.stringify({ TOK: { value: VALUE, hosts: ['api.example.com'] } }),
    );
    const tx = {
      query: async <R>() => ({ rows: [{ secrets: encryptedSecrets, user_id: 1 } as R], rowCount: 1 }),
    };
    const secrets = await createRunSecrets({ secretsKey }, tx, {
      run: { id: 'e', workflow_id: 'w', workflow_version: 1, user_id: 2 },
      version: { mentionsSecrets: true },
      plan: { nodes: [] },
    });
    assert.ok(secrets);
    const valueFor = (name: string, url: URL): string => secrets.valueFor(name, url, 'n');
    const { ctx, sentRequests } = createContextWithResponse(200, body, 'application/json');
    return {
      ctx: { ...ctx, secrets: { ...secrets, valueFor, connectedPorts: new Set(connectedPorts) } },
      sentRequests,
    };
  };
  const run = (values: object, ctx: NodeContext) => runNode('utility:http_request', { ...values }, ctx);
  const ALLOWED_ORIGIN = 'https://api.example.com';

  it('is inserted into the path, the query, headers and the body', async () => {
    const { ctx, sentRequests } = await createContextWithSecret();
    const headers = { authorization: 'Bearer {{secrets.TOK}}' };
    const url = `${ALLOWED_ORIGIN}/{{secrets.TOK}}?key={{ secrets.TOK }}`;
    await run({ url, method: 'POST', headers, body: 'k={{secrets.TOK}}' }, ctx);
    const [{ url: address, headers: sentHeaders, body, keepsRequestOnRedirect } = { url: '' }] = sentRequests;
    assert.deepEqual(
      [address, sentHeaders, body],
      [`${ALLOWED_ORIGIN}/${VALUE}?key=${VALUE}`, { authorization: `Bearer ${VALUE}` }, `k=${VALUE}`],
    );
    assert.deepEqual(
      [
        keepsRequestOnRedirect?.(new URL(`${ALLOWED_ORIGIN}/next`)),
        keepsRequestOnRedirect?.(new URL('https://evil.example/')),
      ],
      [true, false],
    );
  });

  it('is never inserted into scheme, host name, port or user info', async () => {
    const addresses = [
      'https://{{secrets.TOK}}.invalid/',
      'https://{{secrets.TOK}}/',
      '{{secrets.TOK}}',
      '{{secrets.TOK}}://api.example.com/',
      'https://{{secrets.TOK}}@api.example.com/',
      'https://user:{{secrets.TOK}}@api.example.com/',
      'https://api.example.com:{{secrets.TOK}}/',
      'https://api.example.com{{secrets.TOK}}',
      'https:\\\\{{secrets.TOK}}\\x',
      'https://api.example.com.{{ secrets.TOK }}/',
    ];
    for (const url of addresses) {
      const { ctx, sentRequests } = await createContextWithSecret();
      await assert.rejects(run({ url }, ctx), { code: 'secret_in_host' }, url);
      assert.deepEqual(sentRequests, []);
    }
  });

  it('is sent only to its hosts and inserted only into the config', async () => {
    const { ctx, sentRequests } = await createContextWithSecret('', ['url', 'body']);
    const headers = { authorization: '{{secrets.TOK}}' };
    await assert.rejects(run({ url: 'https://evil.example/', headers }, ctx), {
      code: 'secret_not_allowed',
      message: /evil\.example/,
    });
    assert.deepEqual(sentRequests, []);
    const connected = await createContextWithSecret('', ['url', 'body']);
    await run(
      { url: `${ALLOWED_ORIGIN}/{{secrets.TOK}}`, method: 'POST', headers, body: '{{secrets.TOK}}' },
      connected.ctx,
    );
    const [{ url, body, headers: sentHeaders } = { url: '' }] = connected.sentRequests;
    assert.deepEqual([url, body], [`${ALLOWED_ORIGIN}/{{secrets.TOK}}`, '{{secrets.TOK}}']);
    assert.deepEqual(sentHeaders, { authorization: VALUE });
  });

  it('is removed from the response', async () => {
    const { ctx } = await createContextWithSecret(JSON.stringify({ echo: `Bearer ${VALUE}` }));
    const headers = { authorization: 'Bearer {{secrets.TOK}}' };
    const { text, json } = await run({ url: `${ALLOWED_ORIGIN}/`, headers }, ctx);
    assert.equal(text, '{"echo":"Bearer …"}');
    assert.deepEqual(json, jsonValue({ echo: 'Bearer …' }));
  });
});
