// Tests the OpenAI provider with a double of its API, including errors of compatible servers.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  createOpenAiProvider,
  createOpenAiResponsesProvider,
  type OpenAiCall,
} from '../../src/providers/openai.ts';
import { Attachment, type Endpoint } from '../../src/providers/provider.ts';
import { waitUntil } from '../support/processes.ts';
import { FAST_PACE, makeHost, runToEnd, type TestHost } from '../support/providers/host.ts';
import { type OpenAiDouble, startOpenAi } from '../support/providers/openai.ts';
import { testContract } from './provider-contract.ts';

const FILE = Buffer.from('a picture');
const CHAT: OpenAiCall = { kind: 'chat', body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] } };
const withVersionPath =
  <Call>(make: (endpoint: Endpoint) => Call) =>
  ({ baseUrl, key }: Endpoint): Call =>
    make({ baseUrl: `${baseUrl}/v1`, key });
const start = () => startOpenAi(FILE);

testContract('OpenAI', {
  start,
  connect: withVersionPath(createOpenAiProvider),
  key: 'sk-test',
  call: { kind: 'image', body: { model: 'gpt-image-2.5-flare', prompt: 'a fox' } } as OpenAiCall,
  submission: /^POST \/v1\/images\/generations$/,
  check: ({ files }) => assert.deepEqual(files, [FILE]),
});

testContract('OpenAI responses in the background', {
  start,
  connect: withVersionPath(createOpenAiResponsesProvider),
  key: 'sk-test',
  call: { model: 'm', input: 'Hi' },
  submission: /^POST \/v1\/responses$/,
  check: ({ text }) => assert.equal(text, 'A fox.'),
  tasks: {
    poll: /^GET \/v1\/responses\/resp_1$/,
    cancel: /^POST .*\/cancel$/,
    delay: double => {
      (double as OpenAiDouble).state.polls = 1e9;
    },
  },
});

describe('OpenAI', () => {
  let double: OpenAiDouble;
  let host: TestHost;
  beforeEach(async () => {
    double = await start();
    host = makeHost(double.url);
  });
  afterEach(async () => {
    await host.close();
    await double.close();
  });
  const endpoint = () => ({ baseUrl: double.url, key: 'sk-test' });
  const run = (call: OpenAiCall = CHAT) =>
    runToEnd({ ...withVersionPath(createOpenAiProvider)(endpoint()), pace: FAST_PACE }, call, host);
  const respond = () =>
    runToEnd(
      { ...withVersionPath(createOpenAiResponsesProvider)(endpoint()), pace: FAST_PACE },
      { model: 'm' },
      host,
    );

  it('returns the text of a chat and its usage', async () => {
    const { text, usage } = await run();
    assert.equal(text, 'A fox.');
    assert.deepEqual(usage, { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 });
  });

  it('sends images of an edit as a form and images of a chat as data URIs', async () => {
    const picture = new Attachment(Buffer.from('abc'), 'image/png', 'a b.png');
    await run({
      kind: 'edit',
      fields: [
        ['prompt', 'x'],
        ['image', picture],
      ],
    });
    const [form] = double.requests;
    assert.match(
      form?.body.toString() ?? '',
      /name="image"; filename="a-b\.png"\r\ncontent-type: image\/png\r\n\r\nabc\r\n/,
    );
    await run({ kind: 'chat', body: { messages: [{ content: [{ image_url: { url: picture } }] }] } });
    assert.match(double.requests[1]?.body.toString() ?? '', /"url":"data:image\/png;base64,YWJj"/);
  });

  it('warns about a truncated text', async () => {
    double.state.chat = { message: { content: 'A fo' }, finish_reason: 'length' };
    assert.match((await run()).warnings?.[0] ?? '', /cut off/);
    double.state.response = {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ content: [{ type: 'output_text', text: 'A fo' }] }],
    };
    const { text, warnings } = await respond();
    assert.equal(text, 'A fo');
    assert.match(warnings?.[0] ?? '', /cut off/);
  });

  it('does not retry if the quota is exhausted', async () => {
    const error = {
      message: 'You exceeded your current quota',
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    };
    double.failRequests(/^POST/, { status: 429, body: { error } });
    await assert.rejects(run(), { code: 'provider_insufficient_funds' });
    assert.equal(double.requests.length, 1);
  });

  it('prefers retry-after-ms to retry-after', async () => {
    double.failRequests(/^POST/, { status: 429, headers: { 'retry-after-ms': '5', 'retry-after': '3600' } });
    await run();
    assert.equal(double.requests.length, 2);
  });

  it('distinguishes refused content from refused input', async () => {
    const failWith = (code: string | null, message: string) =>
      double.failRequests(/^POST/, { status: 400, body: { error: { code, message } } });
    failWith('moderation_blocked', 'Your request was rejected by the safety system.');
    await assert.rejects(run(), { code: 'provider_content_policy', message: /safety system/ });
    failWith(null, 'Unknown parameter: style');
    await assert.rejects(run(), { code: 'provider_invalid_input', message: /style/ });
    double.state.chat = { message: { refusal: 'I cannot help with that.' }, finish_reason: 'stop' };
    await assert.rejects(run(), { code: 'provider_content_policy', message: /cannot help/ });
  });

  it('recognizes the errors of compatible servers and proxies', async () => {
    double.failRequests(/^POST/, {
      status: 404,
      body: { error: 'model "x" not found, try pulling it first' },
    });
    await assert.rejects(run(), { code: 'provider_invalid_input', message: /try pulling/ });
    double.failRequests(/^POST/, { status: 400, body: { error: { code: 400, message: 'bad' } } });
    await assert.rejects(run(), { code: 'provider_invalid_input', message: /bad/ });
    double.failRequests(/^POST/, { status: 413, body: Buffer.from('<html>too large</html>') });
    await assert.rejects(run(), { code: 'provider_invalid_input' });
    double.failResponses(/^POST/, { status: 200, body: Buffer.from('<html>') });
    await assert.rejects(run(), { code: 'provider_bad_output' });
  });

  it('aborts a chat request if the run is cancelled, not if the worker releases the run', async () => {
    double.failRequests(/^POST/, 'hang', 1);
    const stop = new AbortController();
    const provider = { ...withVersionPath(createOpenAiProvider)(endpoint()), pace: FAST_PACE };
    const running = runToEnd(provider, CHAT, { ...host, signal: stop.signal });
    await waitUntil('a request to the double', () => double.requests.length > 0);
    stop.abort('cancelled');
    await assert.rejects(running, reason => reason === 'cancelled');

    const release = new AbortController();
    const fetch: TestHost['fetch'] = (url, init) => {
      release.abort('released');
      return host.fetch(url, init);
    };
    assert.equal((await runToEnd(provider, CHAT, { ...host, fetch, signal: release.signal })).text, 'A fox.');
  });

  it('distinguishes the final states of a response', async () => {
    const ends = [
      [{ status: 'failed', error: { code: 'server_error', message: 'broke' } }, 'provider_unavailable'],
      [{ status: 'failed', error: { code: 'invalid_prompt', message: 'no' } }, 'provider_invalid_input'],
      [{ status: 'cancelled' }, 'provider_cancelled'],
      [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'provider_content_policy'],
      [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'provider_bad_output'],
      [
        { status: 'completed', output: [{ content: [{ type: 'refusal', refusal: 'No.' }] }] },
        'provider_content_policy',
      ],
    ] as const;
    for (const [end, code] of ends) {
      double.state.response = end;
      await assert.rejects(respond(), { code });
    }
  });
});
