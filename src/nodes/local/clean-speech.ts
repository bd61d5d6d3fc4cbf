// Declares the node that removes noise and silence from recordings of speech.
import { decodeAudio } from '../../codecs/decode.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import { getVoiceModel } from '../../local/models.ts';
import { SPEECH_RATE, VOICE_SAMPLES } from '../../local/tasks.ts';
import { audio, choice, defineNode, flag, json, type NodeContext, NodeError } from '../define.ts';
import { MAX_SECONDS, withMediaWorkspace } from '../media-workspace.ts';
import { createLocalNode, runLocalTask } from './local-node.ts';
import { findSegments, selectSegments } from './speech-segments.ts';

/** The samples of one task: 30 seconds. */
const PART_SAMPLES = 940 * VOICE_SAMPLES;
/** The samples before and after a part from which the models know what surrounds it. */
const [BEFORE, AFTER] = [32 * VOICE_SAMPLES, 2 * VOICE_SAMPLES];
const RANGE = 32_767;

export const cleanSpeech = defineNode({
  ...createLocalNode('speech', 'BSD-3-Clause, MIT', 'https://github.com/shiguredo/rnnoise-wasm', 'edit'),
  nodeType: 'audio:clean_speech_local',
  label: 'Clean speech',
  description:
    'Removes steady noise such as fans, hum and traffic from a recording of speech, and outputs the parts with speech. The result is mono. Music is treated as noise; echo remains.',
  inputs: { audio: audio('Audio', { required: true }) },
  config: {
    trimSilence: flag('Trim silence', { description: 'Shortens the start, the end and pauses.' }),
    format: choice('Format', ['m4a', 'wav']),
  },
  outputs: { audio: audio('Audio'), segments: json('Segments') },
  run: ({ audio: input, trimSilence, format }, ctx) =>
    withMediaWorkspace(ctx, async workspace => {
      const clip = await workspace.open(input, 'audio');
      const seconds = clip.info.durationSeconds;
      if (seconds > MAX_SECONDS)
        throw new NodeError(
          'too_long',
          `The recording lasts ${Math.round(seconds)} s. The maximum is ${MAX_SECONDS} s.`,
        );
      const decoded = decodeAudio(workspace.backend, clip, { startSeconds: 0, seconds }, ctx.signal);
      const { samples, voice } = await clean(decoded, Math.round(seconds * SPEECH_RATE), ctx);
      const segments = findSegments(voice, seconds);
      if (trimSilence && segments.length === 0)
        throw new NodeError('no_speech', 'The recording contains no speech, so that nothing would remain.');
      const parts = (): Generator<Int16Array> =>
        trimSilence ? selectSegments(samples, segments) : splitSeconds(samples);
      const result =
        format === 'wav'
          ? await ctx.media.put(encodeWav([...parts()]), { contentType: 'audio/wav', name: 'cleaned.wav' })
          : await workspace.createFile('cleaned', { maxSeconds: seconds, audio: toStereo(parts()) });
      return { audio: result, segments: segments.map(segment => ({ ...segment })) };
    }),
});

interface Cleaned {
  readonly samples: Int16Array;
  /** The probability of speech in each window. */
  readonly voice: readonly number[];
}

/** Cleans the mix of both channels part by part, and reports progress. */
async function clean(
  blocks: AsyncIterable<Float32Array>,
  length: number,
  ctx: NodeContext,
): Promise<Cleaned> {
  const samples = new Int16Array(length);
  const voice: number[] = [];
  const model = getVoiceModel();
  // The part that is being collected, after the samples before it.
  let pending = new Float32Array(BEFORE + PART_SAMPLES + AFTER);
  let [skip, filled, done] = [0, 0, 0];
  const cleanPart = async (keep: number): Promise<void> => {
    const input = { model, samples: pending.slice(0, filled), skip, keep };
    const result = await runLocalTask('speech', input, ctx);
    for (let at = 0; at < result.samples.length && done + at < length; at++)
      samples[done + at] = Math.max(-1, Math.min(1, result.samples[at] ?? 0)) * RANGE;
    voice.push(...result.voice);
    done += keep;
    ctx.progress(Math.min(1, done / length));
    // The next part starts with what surrounds the end of this one.
    const next = new Float32Array(pending.length);
    const from = skip + keep - BEFORE;
    next.set(pending.subarray(from, filled));
    [pending, filled, skip] = [next, filled - from, BEFORE];
  };
  for await (const block of blocks) {
    for (let at = 0; at + 1 < block.length; at += 2) {
      pending[filled++] = ((block[at] ?? 0) + (block[at + 1] ?? 0)) / 2;
      if (filled === skip + PART_SAMPLES + AFTER) await cleanPart(PART_SAMPLES);
    }
    await yieldTurn();
  }
  if (filled > skip) await cleanPart(filled - skip);
  return { samples, voice };
}

function* splitSeconds(samples: Int16Array): Generator<Int16Array> {
  for (let at = 0; at < samples.length; at += SPEECH_RATE) yield samples.subarray(at, at + SPEECH_RATE);
}

/** Yields interleaved stereo of floats. */
async function* toStereo(parts: Iterable<Int16Array>): AsyncGenerator<Float32Array> {
  for (const part of parts) {
    await yieldTurn();
    const block = new Float32Array(2 * part.length);
    for (const [at, sample] of part.entries()) block.fill(sample / RANGE, 2 * at, 2 * at + 2);
    yield block;
  }
}

/** Encodes 16-bit mono as a WAV file. */
function encodeWav(parts: readonly Int16Array[]): Buffer {
  const header = Buffer.alloc(44);
  const bytes = 2 * parts.reduce((sum, { length }) => sum + length, 0);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + bytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SPEECH_RATE, 24);
  header.writeUInt32LE(2 * SPEECH_RATE, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(bytes, 40);
  return Buffer.concat([
    header,
    ...parts.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  ]);
}
