// Tests the fal provider with a double of its queue.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createFalProvider, type FalCall } from '../../src/providers/fal.ts';
import { Attachment } from '../../src/providers/provider.ts';
import { waitUntil } from '../support/processes.ts';
import type { Reply } from '../support/providers/double.ts';
import { type FalDouble, startFal } from '../support/providers/fal.ts';
import { FAST_PACE, makeHost, runToEnd, type TestHost } from '../support/providers/host.ts';
import { testContract } from './provider-contract.ts';

const FILE = Buffer.from('a picture');
const CALL: FalCall = { model: 'fal-ai/flux-1/dev', input: { prompt: 'a fox' } };

async function start(): Promise<FalDouble> {
  const double = await startFal(FILE);
  double.result = { status: 200, body: { images: [{ url: `${double.url}/files/a.png` }], seed: 7 } };
  return double;
}

testContract('fal', {
  start,
  connect: createFalProvider,
  key: 'fal-key',
  call: CALL,
  submission: /^POST \/fal-ai\/flux-1\/dev$/,
  check: ({ files }) => assert.deepEqual(files, [FILE]),
  tasks: {
    poll: /^GET .*\/status$/,
    cancel: /^PUT .*\/cancel$/,
    delay: double => {
      (double as FalDouble).polls = 1e9;
    },
  },
  download: /^GET \/files/,
});

describe('fal', () => {
  let double: FalDouble;
  let host: TestHost;
  beforeEach(async () => {
    double = await start();
    host = makeHost(double.url);
  });
  afterEach(async () => {
    await host.close();
    await double.close();
  });
  const run = (call = CALL) =>
    runToEnd({ ...createFalProvider({ baseUrl: double.url, key: 'fal-key' }), pace: FAST_PACE }, call, host);

  it('polls the paths of the response below the configured base URL', async () => {
    await run();
    const paths = double.requests.map(({ method, path }) => `${method} ${path}`);
    assert.equal(paths[1], 'GET /fal-ai/flux-1/requests/req-1/status');
    assert.equal(paths.at(-2), 'GET /fal-ai/flux-1/requests/req-1');
    assert.equal(paths.at(-1), 'GET /files/a.png');
    assert.equal(host.storedTasks.at(-1)?.id, 'req-1');
  });

  it('does not send its key with downloads', async () => {
    await run();
    const files = double.requests.filter(({ path }) => path.startsWith('/files'));
    assert.deepEqual(
      files.map(({ headers }) => headers.authorization),
      [undefined],
    );
  });

  it('sends small attachments as data URIs', async () => {
    const picture = new Attachment(Buffer.from('abc'), 'image/png', 'a.png');
    await run({ ...CALL, input: { image_url: picture, image_urls: [picture] } });
    const uri = 'data:image/png;base64,YWJj';
    assert.deepEqual(double.requests[0]?.json, { image_url: uri, image_urls: [uri] });
  });

  it('uploads files over 256 KB without sending the key', async () => {
    const largeFile = new Attachment(Buffer.alloc(300_000, 7), 'image/png', 'a.png');
    await run({ ...CALL, input: { image_urls: [largeFile], mask: { url: largeFile } } });
    const submission = double.requests.find(({ path }) => path === '/fal-ai/flux-1/dev');
    const urls = [0, 1].map(index => `${double.url}/stored/${index}-a.png`);
    assert.deepEqual(submission?.json, { image_urls: [urls[0]], mask: { url: urls[1] } });
    assert.deepEqual(
      [...double.uploads.values()].map(({ bytes, key }) => [bytes.length, key]),
      [
        [300_000, undefined],
        [300_000, undefined],
      ],
    );
  });

  it('retries uploads and submits once', async () => {
    double.failResponses(/^POST \/storage/, 'reset');
    double.failRequests(/^PUT \/signed/, { status: 500 }, 2);
    await run({ ...CALL, input: { a: new Attachment(Buffer.alloc(300_000), 'image/png', 'a.png') } });
    assert.deepEqual(double.accepted, ['req-1']);
  });

  it('reports the units that fal bills', async () => {
    double.result = { ...double.result, headers: { 'x-fal-billable-units': '2.5' } };
    assert.deepEqual((await run()).usage, { billable_units: 2.5 });
    double.result = { ...double.result, headers: { 'x-fal-billable-units': '-2' } };
    assert.equal((await run()).usage, undefined);
  });

  it('reports the seed that the model used', async () => {
    assert.equal((await run()).seed, 7);
    double.result = { status: 200, body: { images: [], seed: '7' } };
    assert.equal((await run()).seed, undefined);
  });

  it('reports a request that was cancelled at fal', async () => {
    const body = { detail: 'Request was cancelled', error_type: 'client_cancelled' };
    double.result = { status: 499, headers: { 'x-fal-error-type': 'client_cancelled' }, body };
    await assert.rejects(run(), { code: 'provider_cancelled' });
  });

  it('reports the error of a request with the status COMPLETED', async () => {
    const results: readonly (readonly [Reply, string, RegExp])[] = [
      [
        {
          status: 422,
          body: { detail: [{ loc: ['body', 'prompt'], msg: 'too long', type: 'value_error' }] },
        },
        'provider_invalid_input',
        /rejected the input: prompt: too long/,
      ],
      [
        { status: 422, body: { detail: [{ loc: ['body'], msg: 'no', type: 'content_policy_violation' }] } },
        'provider_content_policy',
        /no/,
      ],
      [{ status: 500, body: { detail: 'the model broke' } }, 'provider_failed', /the model broke/],
      [
        { status: 503, headers: { 'x-fal-error-type': 'runner_disconnected' }, body: { detail: 'gone' } },
        'provider_unavailable',
        /gone/,
      ],
      [
        { status: 504, headers: { 'x-fal-error-type': 'startup_timeout' }, body: { detail: 'cold' } },
        'provider_timeout',
        /cold/,
      ],
      [
        { status: 200, body: { images: [], has_nsfw_concepts: [true] } },
        'provider_content_policy',
        /safety checker/,
      ],
    ];
    for (const [result, code, message] of results) {
      double.result = result;
      await assert.rejects(run(), { code, message });
    }
    assert.equal(double.accepted.length, results.length);
  });

  it('retries to fetch a result after 502', async () => {
    double.failRequests(/^GET .*\/requests\/[^/]+$/, { status: 502 }, 2);
    assert.deepEqual((await run()).files, [FILE]);
  });

  it('reports an expired result', async () => {
    double.result = { status: 404, body: { detail: 'not found' } };
    await assert.rejects(run(), { code: 'provider_lost', message: /an hour/ });
    double.polls = 0;
    double.failRequests(/^GET .*\/status$/, { status: 404 });
    await assert.rejects(run(), { code: 'provider_lost' });
  });

  it('distinguishes an empty balance from a wrong key', async () => {
    double.failRequests(/^POST/, {
      status: 403,
      body: { detail: 'User is locked. Reason: Exhausted balance.' },
    });
    await assert.rejects(run(), { code: 'provider_insufficient_funds' });
    double.failRequests(/^POST/, { status: 403, body: { detail: 'Forbidden' } });
    await assert.rejects(run(), { code: 'provider_auth' });
  });

  it('ends as cancelled even if fal has already finished', async () => {
    double.failRequests(/^PUT/, { status: 400, body: { status: 'ALREADY_COMPLETED' } });
    double.polls = 1e9;
    const stop = new AbortController();
    const hostWithSignal = { ...host, signal: stop.signal };
    const provider = { ...createFalProvider({ baseUrl: double.url, key: 'fal-key' }), pace: FAST_PACE };
    const running = runToEnd(provider, CALL, hostWithSignal);
    await waitUntil('a request to the double', () => double.count(/status$/) > 0);
    stop.abort('timeout');
    await assert.rejects(running, reason => reason === 'timeout');
  });

  it('rejects a response without a request id', async () => {
    double.failResponses(/^POST/, { status: 200, body: { request_id: '../../admin' } });
    await assert.rejects(run(), { code: 'provider_outcome_unknown' });
  });
});
