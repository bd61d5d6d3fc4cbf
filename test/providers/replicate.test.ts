// Tests the Replicate provider with a double of its API.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Attachment } from '../../src/providers/provider.ts';
import { createReplicateProvider, type ReplicateCall } from '../../src/providers/replicate.ts';
import { FAST_PACE, makeHost, runToEnd, type TestHost } from '../support/providers/host.ts';
import { type ReplicateDouble, startReplicate } from '../support/providers/replicate.ts';
import { testContract } from './provider-contract.ts';

const FILE = Buffer.from('a picture');
const CALL: ReplicateCall = {
  model: 'black-forest-labs/flux-1.1-pro',
  input: { prompt: 'a fox' },
  expects: 'files',
};
const connect = ({ baseUrl, key }: { baseUrl: string; key: string }) =>
  createReplicateProvider({ baseUrl: `${baseUrl}/v1`, key });

async function start(): Promise<ReplicateDouble> {
  const double = await startReplicate(FILE);
  double.state.end = { status: 'succeeded', output: `${double.url}/delivery/a.webp` };
  return double;
}

testContract('Replicate', {
  start,
  connect,
  key: 'r8-key',
  call: CALL,
  submission: /^POST \/v1\/models\/.*\/predictions$/,
  check: ({ files }) => assert.deepEqual(files, [FILE]),
  tasks: {
    poll: /^GET \/v1\/predictions\/p1$/,
    cancel: /^POST .*\/cancel$/,
    delay: double => {
      (double as ReplicateDouble).state.polls = 1e9;
    },
  },
  download: /^GET \/delivery/,
});

describe('a cancellation', () => {
  const RAN = { predict_time: 2.5 };
  const cases: readonly (readonly [string, readonly (object | number)[], object])[] = [
    [
      'that stopped a started prediction is billed',
      [{ status: 'canceled', metrics: RAN }],
      { kind: 'billed', usage: RAN },
    ],
    [
      'that came after the end is billed',
      [{ status: 'succeeded', metrics: RAN }],
      { kind: 'billed', usage: RAN },
    ],
    ['of a waiting prediction is free', [{ status: 'canceled', metrics: {} }], { kind: 'cancelled' }],
    ['of a failed prediction is free', [{ status: 'failed', metrics: RAN }], { kind: 'cancelled' }],
    ['that is not confirmed stays open', [{ status: 'processing' }], { kind: 'running' }],
    ['of an unknown prediction is free', [404, 404], { kind: 'cancelled' }],
    [
      'that is refused is read from the prediction',
      [422, { status: 'succeeded', metrics: RAN }],
      { kind: 'billed', usage: RAN },
    ],
  ];
  for (const [name, responses, expected] of cases)
    it(name, () => {
      const provider = connect({ baseUrl: 'http://replicate.test', key: 'r8-key' });
      assert.ok(provider.tasks);
      const protocol = provider.tasks.cancel({ id: 'p1' });
      let step = protocol.next(undefined as never);
      for (const response of responses) {
        assert.equal(step.done, false);
        const [status, body] = typeof response === 'number' ? [response, {}] : [200, response];
        step = protocol.next({ status, headers: {}, body: Buffer.from(JSON.stringify(body)) });
      }
      assert.deepEqual([step.done, step.value], [true, expected]);
    });
});

describe('Replicate', () => {
  let double: ReplicateDouble;
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
    runToEnd({ ...connect({ baseUrl: double.url, key: 'r8-key' }), pace: FAST_PACE }, call, host);

  it('sends small attachments in the input and uploads large attachments', async () => {
    const small = new Attachment(Buffer.from('abc'), 'image/png', 'a.png');
    const large = new Attachment(Buffer.alloc(300_000), 'image/png', 'b.png');
    await run({ ...CALL, input: { small, large } });
    const [upload, create] = double.requests;
    assert.match(String(upload?.headers['content-type']), /^multipart\/form-data; boundary=/);
    assert.match(
      upload?.body.toString('latin1', 0, 300) ?? '',
      /name="content"; filename="b\.png"\r\ncontent-type: image\/png/,
    );
    assert.deepEqual(create?.json.input, {
      small: 'data:image/png;base64,YWJj',
      large: `${double.url}/v1/files/f1`,
    });
  });

  it('sends attachments in lists', async () => {
    const small = new Attachment(Buffer.from('abc'), 'image/png', 'a.png');
    await run({ ...CALL, input: { input_images: [small] } });
    assert.deepEqual(double.requests[0]?.json.input, { input_images: ['data:image/png;base64,YWJj'] });
  });

  it('runs a community model by its version', async () => {
    await run({
      ...CALL,
      model: 'owner/name:5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa',
    });
    assert.equal(double.requests[0]?.path, '/v1/predictions');
    assert.match(String(double.requests[0]?.json.version), /^5c7d/);
  });

  it('retries uploads and submits once', async () => {
    double.failResponses(/^POST \/v1\/files$/, 'reset', 2);
    double.failRequests(/^POST \/v1\/files$/, { status: 500 });
    const large = new Attachment(Buffer.alloc(300_000), 'image/png', 'b.png');
    await run({ ...CALL, input: { large } });
    assert.equal(double.created.length, 1);
  });

  it('sends its key when it downloads files of the API', async () => {
    double.state.end = { status: 'succeeded', output: [`${double.url}/v1/files/x`] };
    assert.deepEqual((await run()).files, [FILE]);
    assert.equal(double.requests.at(-1)?.headers.authorization, 'Bearer r8-key');
  });

  it('joins the fragments of a text', async () => {
    double.state.end = { status: 'succeeded', output: ['A ', 'fox', '.'] };
    assert.equal((await run({ ...CALL, expects: 'text' })).text, 'A fox.');
  });

  it('reports the progress bar in the logs of the prediction', async () => {
    const fractions: number[] = [];
    const provider = { ...connect({ baseUrl: double.url, key: 'r8-key' }), pace: FAST_PACE };
    await runToEnd(provider, CALL, { ...host, progress: fraction => fractions.push(fraction) });
    assert.deepEqual(fractions, [0.5, 0.5]);
  });

  it('reads the seed from the logs of the prediction', async () => {
    for (const [logs, seed] of [
      ['Loading\nUsing seed: 12345\n 50%|', 12345],
      ['seed=7', 7],
      ['reseeding 9', undefined],
      ['', undefined],
    ] as const) {
      double.state.end = { status: 'succeeded', output: ['data:image/png;base64,YWJj'], logs };
      assert.equal((await run()).seed, seed, logs);
    }
  });

  it('distinguishes the final states of a prediction', async () => {
    const ends = [
      [{ status: 'failed', error: 'CUDA broke' }, 'provider_failed', /CUDA broke/],
      [{ status: 'failed', error: 'Prediction interrupted (code: E1001)' }, 'provider_unavailable', /E1001/],
      [{ status: 'failed', error: 'NSFW content detected' }, 'provider_content_policy', /NSFW/],
      [{ status: 'canceled' }, 'provider_cancelled', /cancelled the task/],
      [{ status: 'aborted' }, 'provider_timeout', /did not start in time/],
      [{ status: 'succeeded', output: null, data_removed: true }, 'provider_lost', /an hour/],
      [{ status: 'dreaming' }, 'provider_bad_output', /dreaming/],
    ] as const;
    for (const [end, code, message] of ends) {
      double.state.end = end;
      await assert.rejects(run(), { code, message });
    }
    assert.equal(double.created.length, ends.length);
  });

  it('reads the delay after a 429 from its text', async () => {
    const detail = 'Request was throttled. Your rate limit resets in ~30s.';
    double.failRequests(/^POST/, { status: 429, body: { detail } });
    await assert.rejects(run(), { code: 'provider_rate_limited', retryAfterMs: 30_000 });
  });

  it('distinguishes invalid input from insufficient credit', async () => {
    const invalid_fields = [{ type: 'required', field: 'input.prompt', description: 'prompt is required' }];
    double.failRequests(/^POST/, { status: 422, body: { detail: '- input', invalid_fields } });
    await assert.rejects(run(), { code: 'provider_invalid_input', message: /prompt is required/ });
    double.failRequests(/^POST/, { status: 402, body: { title: 'Insufficient credit', detail: 'Buy some' } });
    await assert.rejects(run(), { code: 'provider_insufficient_funds' });
    assert.deepEqual(double.created, []);
  });
});
