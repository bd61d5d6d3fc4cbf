// Tests the ElevenLabs provider with a double of its API.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createElevenLabsProvider, type ElevenLabsCall } from '../../src/providers/elevenlabs.ts';
import type { Double } from '../support/providers/double.ts';
import { createErrorReply, startElevenLabs } from '../support/providers/elevenlabs.ts';
import { FAST_PACE, makeHost, runToEnd, type TestHost } from '../support/providers/host.ts';
import { testContract } from './provider-contract.ts';

const FILE = Buffer.from('some audio');
const CALL: ElevenLabsCall = {
  path: '/v1/sound-generation?output_format=mp3_44100_128',
  body: { text: 'rain' },
};
const start = () => startElevenLabs(FILE);

testContract('ElevenLabs', {
  start,
  connect: createElevenLabsProvider,
  key: 'xi-key',
  call: CALL,
  submission: /^POST \/v1\/sound-generation/,
  check: ({ files }) => assert.deepEqual(files, [FILE]),
});

describe('ElevenLabs', () => {
  let double: Double;
  let host: TestHost;
  beforeEach(async () => {
    double = await start();
    host = makeHost(double.url);
  });
  afterEach(async () => {
    await host.close();
    await double.close();
  });
  const provider = () => ({
    ...createElevenLabsProvider({ baseUrl: double.url, key: 'xi-key' }),
    pace: FAST_PACE,
  });
  const run = (call = CALL) => runToEnd(provider(), call, host);

  it('chooses the delay after a 429 by its code', async () => {
    const noSlot = createErrorReply(429, 'too_many_concurrent_requests', 'Too many concurrent requests');
    const busy = createErrorReply(429, 'system_busy', 'The system is experiencing heavy traffic');
    assert.equal(provider().classify(toResponse(noSlot)).retryAfterMs, 500);
    assert.equal(provider().classify(toResponse(busy)).retryAfterMs, undefined);
    double.failRequests(/^POST/, busy, 2);
    double.failRequests(/^POST/, noSlot);
    await run();
    assert.equal(double.requests.length, 4);
  });

  it('prefers the code of an error to the older field status', async () => {
    double.failRequests(
      /^POST/,
      createErrorReply(401, 'quota_exceeded', 'No credits left', 'invalid_api_key'),
    );
    await assert.rejects(run(), { code: 'provider_insufficient_funds' });
    const noSlot = createErrorReply(
      429,
      'concurrent_limit_exceeded',
      'Two at a time',
      'too_many_concurrent_requests',
    );
    assert.equal(provider().classify(toResponse(noSlot)).retryAfterMs, 500);
    double.failRequests(/^POST/, {
      status: 401,
      body: { detail: { status: 'quota_exceeded', message: 'Older' } },
    });
    await assert.rejects(run(), { code: 'provider_insufficient_funds' });
  });

  it('reports the billed characters as a number', async () => {
    assert.deepEqual((await run()).usage, { characters: 7 });
    for (const cost of ['', '-1', 'NaN', '1e9', '0x10', '9'.repeat(400)]) {
      double.failResponses(/^POST/, { status: 200, headers: { 'character-cost': cost }, body: FILE });
      assert.equal((await run()).usage, undefined, cost);
    }
  });

  it('reports the permissions that the key lacks', async () => {
    double.failRequests(
      /^POST/,
      createErrorReply(401, 'missing_permissions', 'The key xi-key lacks sound_generation'),
    );
    await assert.rejects(run(), { code: 'provider_auth', message: /check the key.*lacks sound_generation/ });
  });

  it('distinguishes an exhausted quota from a wrong key', async () => {
    double.failRequests(
      /^POST/,
      createErrorReply(401, 'quota_exceeded', 'This request exceeds your quota of 10'),
    );
    await assert.rejects(run(), { code: 'provider_insufficient_funds', message: /quota of 10/ });
  });

  it('reports the error of invalid input', async () => {
    await assert.rejects(run({ path: '/v1/text-to-speech/nobody', body: { text: 'hi' } }), {
      code: 'provider_invalid_input',
      message: /voice with that id/,
    });
    double.failRequests(/^POST/, {
      status: 422,
      body: { detail: [{ loc: ['body', 'text'], msg: 'Field required', type: 'missing' }] },
    });
    await assert.rejects(run(), { code: 'provider_invalid_input', message: /Field required/ });
  });

  it('rejects an empty audio file', async () => {
    double.failResponses(/^POST/, { status: 200, body: Buffer.alloc(0) });
    await assert.rejects(run(), { code: 'provider_bad_output' });
  });
});

function toResponse({ status, body }: { readonly status: number; readonly body?: unknown }) {
  return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) };
}
