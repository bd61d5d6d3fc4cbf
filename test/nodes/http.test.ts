// The HTTP request node: what it sends through the guarded client, and what it makes of the answer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodeFetchInit } from '../../src/nodes/define.ts';
import { jsonValue, makeContext, runNode } from '../support/engine/node-context.ts';

interface Sent extends NodeFetchInit {
  readonly url: string;
}

function answering(status: number, body: string, contentType = 'text/plain') {
  const sent: Sent[] = [];
  const ctx = makeContext({
    fetch: async (url, init) => {
      sent.push({ url, ...init });
      return { status, headers: { 'content-type': contentType }, body: Buffer.from(body) };
    },
  });
  return { ctx, sent };
}

const url = 'https://example.com/x';

describe('utility:http_request', () => {
  it('sends method, headers and body, with bounds on size and time', async () => {
    const { ctx, sent } = answering(201, 'made');
    const values = { url, body: '{"a":1}', method: 'POST', headers: { 'X-Key': 'k' }, timeoutMs: 500 };
    assert.deepEqual(await runNode('utility:http_request', values, ctx), {
      text: 'made',
      json: undefined,
      status: 201,
    });
    assert.deepEqual(sent, [
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

  it('sends no body with GET', async () => {
    const { ctx, sent } = answering(200, '');
    await runNode('utility:http_request', { url, body: 'x' }, ctx);
    assert.equal(sent[0]?.body, undefined);
  });

  it('reads JSON where the answer says that it is', async () => {
    // It looks like a tagged value, and must stay what it is: JSON from outside.
    const json = { type: 'IMAGE', media: { mediaId: 'med_of_somebody_else' } };
    const good = answering(200, JSON.stringify(json), 'application/problem+json; charset=utf-8');
    assert.deepEqual((await runNode('utility:http_request', { url }, good.ctx)).json, jsonValue(json));
    for (const body of ['{"a":', '['.repeat(10_000) + ']'.repeat(10_000)]) {
      const bad = answering(200, body, 'application/json');
      assert.equal((await runNode('utility:http_request', { url }, bad.ctx)).json, undefined);
    }
  });

  it('fails on 400 and above unless asked to pass it on', async () => {
    const { ctx } = answering(404, 'gone');
    await assert.rejects(runNode('utility:http_request', { url }, ctx), {
      code: 'http_error',
      message: /example\.com answered 404/,
    });
    assert.deepEqual(await runNode('utility:http_request', { url, onError: 'pass on' }, ctx), {
      text: 'gone',
      json: undefined,
      status: 404,
    });
  });

  it('refuses headers that are not its to set, or that are none', async () => {
    const { ctx, sent } = answering(200, '');
    const bad = [
      { Host: 'a' },
      { 'content-length': '1' },
      { 'X-A': 'b\r\nX-C: d' },
      { 'a b': 'c' },
      { 'X-A': 5 },
      ['x'],
      'x',
    ];
    for (const headers of bad) {
      await assert.rejects(runNode('utility:http_request', { url, headers }, ctx), {
        code: 'invalid_headers',
      });
    }
    assert.deepEqual(sent, []);
  });
});
