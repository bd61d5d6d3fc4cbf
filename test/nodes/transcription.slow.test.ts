// Tests the transcription node: what servers receive, which forms of answers it reads, and how long audio is cut.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SPEECH_RATE, toWav } from '../../src/codecs/speech.ts';
import type { MediaRef } from '../../src/graph/types.ts';
import { createGuardedFetch } from '../../src/lib/fetch.ts';
import { makeContext, runNode, type TestContext } from '../support/engine/node-context.ts';
import { type Double, startDouble } from '../support/providers/double.ts';
import { readForm, startServer } from '../support/providers/servers.ts';

const TYPE = 'audio:openai_transcription';

/** A tone, with silence from `silence` to a second later. */
function createSound(seconds: number, silence = Number.POSITIVE_INFINITY): Buffer {
  const samples = new Int16Array(seconds * SPEECH_RATE);
  for (let index = 0; index < samples.length; index++) {
    const at = index / SPEECH_RATE;
    const isSilent = at >= silence && at < silence + 1;
    samples[index] = isSilent ? 0 : Math.round(12_000 * Math.sin(2 * Math.PI * 440 * at));
  }
  return toWav(samples);
}

let doubles: readonly Double[];
let ctx: TestContext;
let sound: MediaRef;
let texts: Double;

before(async () => {
  const whisper = await startServer('whisperServer');
  const speaches = await startServer('speaches');
  let count = 0;
  // Knows only the text.
  texts = await startDouble(request => {
    const format = readForm(request).get('response_format')?.text;
    if (format !== 'json') return { status: 400, body: { error: `unknown response_format ${format}` } };
    count++;
    return { status: 200, body: { text: `Part ${count}.` } };
  });
  doubles = [whisper, speaches, texts];
  const client = createGuardedFetch({ allowPrivate: false, trustedUrls: doubles.map(({ url }) => url) });
  after(() => client.close());
  ctx = makeContext({
    providers: {
      'openai/whisper': { baseUrl: `${whisper.url}/v1`, key: '' },
      'openai/speaches': { baseUrl: `${speaches.url}/v1`, key: 'sk-speaches' },
      'openai/texts': { baseUrl: `${texts.url}/v1`, key: '' },
    },
    fetch: (url, init) => client.fetch(url, { timeoutMs: 30_000, maxBytes: 1e8, ...init }),
  });
  sound = await ctx.upload(createSound(1), 'audio/wav');
});
after(() => Promise.all(doubles.map(double => double.close())));

describe('a transcription', () => {
  it('of whisper.cpp reads 16 kHz WAV and returns its words', async () => {
    const result = await runNode(
      TYPE,
      { audio: sound, server: 'whisper', language: 'de', prompt: 'Grüße' },
      ctx,
    );
    assert.deepEqual(result, {
      text: 'Guten Morgen.',
      captions: {
        words: [
          { text: 'Guten', start: 0.1, end: 0.3 },
          { text: 'Morgen.', start: 0.3, end: 0.9 },
        ],
      },
      language: 'de',
      duration: 1,
    });
    const [request] = doubles[0]?.requests ?? [];
    assert.ok(request);
    const form = readForm(request);
    assert.deepEqual(
      ['model', 'response_format', 'timestamp_granularities[]', 'language', 'prompt'].map(
        name => form.get(name)?.text,
      ),
      ['whisper-1', 'verbose_json', 'word', 'de', 'Grüße'],
    );
    const wav = form.get('file')?.bytes;
    assert.ok(wav);
    assert.deepEqual(
      [wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)],
      [1, SPEECH_RATE, 16],
    );
    // The tone is as loud as before.
    const samples = new Int16Array(
      wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length - (wav.length % 2)),
    );
    const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    assert.ok(Math.abs(peak - 12_000) < 200, String(peak));
  });

  it('of Speaches sends the key of the server', async () => {
    const { text, language } = await runNode(TYPE, { audio: sound, server: 'speaches' }, ctx);
    assert.deepEqual([text, language], ['Good morning.', 'en']);
    assert.equal(doubles[1]?.requests.at(-1)?.headers.authorization, 'Bearer sk-speaches');
    await assert.rejects(runNode(TYPE, { audio: sound, server: 'speaches', model: 'tiny' }, ctx), {
      code: 'provider_invalid_input',
      message: /“speaches” rejected the input: Model 'tiny' is not installed locally/,
    });
  });

  it('over ten minutes is cut at a silence, and asks a server without times for the text alone', async () => {
    const long = await ctx.upload(createSound(630, 550), 'audio/wav');
    const { text, captions, duration } = (await runNode(TYPE, { audio: long, server: 'texts' }, ctx)) as {
      readonly text: string;
      readonly captions: {
        readonly cues: readonly { readonly text: string; readonly start: number; readonly end: number }[];
      };
      readonly duration: number;
    };
    assert.equal(text, 'Part 1. Part 2.');
    const [first, second] = captions.cues;
    assert.ok(first !== undefined && first.end > 550 && first.end < 551, JSON.stringify(first));
    assert.deepEqual([second?.start, second?.end], [first.end, duration]);
    assert.equal(duration, 630);
    // The first piece is sent twice, the second only in the form that the server knows.
    assert.equal(texts.requests.length, 3);
  });

  it('of a server that answers no JSON, or none at all, fails', async () => {
    texts.failRequests(/./, { status: 200, body: Buffer.from('Hello') }, 2);
    await assert.rejects(runNode(TYPE, { audio: sound, server: 'texts' }, ctx), {
      code: 'provider_bad_output',
    });
    texts.failRequests(/./, { status: 500, body: { error: 'failed to process audio' } });
    await assert.rejects(runNode(TYPE, { audio: sound, server: 'texts' }, ctx), {
      code: 'provider_unavailable',
      message: 'The server “texts” is unavailable: failed to process audio',
    });
  });

  it('of a file without sound fails', async () => {
    const broken = await ctx.upload(Buffer.from('no sound'), 'audio/wav');
    await assert.rejects(runNode(TYPE, { audio: broken, server: 'texts' }, ctx), {
      code: 'unreadable_media',
    });
  });
});
