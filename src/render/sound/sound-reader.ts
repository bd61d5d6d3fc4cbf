// Provides the audio of files as the parts use it: trimmed, looped, at their speed. Short pieces are decoded once and
// cached.

import { type Backend, CHANNELS, SAMPLE_RATE } from '../../codecs/command.ts';
import { decodeAudio } from '../../codecs/decode.ts';
import type { AudioStream } from '../../codecs/mix.ts';
import { AppError } from '../../lib/errors.ts';
import { getOrCreate } from '../../lib/get-or-create.ts';
import { createLru } from '../../lib/lru.ts';
import { LONG_SAMPLES, type Part } from './resolve-sounds.ts';
import { createTempo } from './tempo.ts';

export interface SoundReader {
  /**
   * Opens the sound of the part from its sample `skip` on, without volume. It may be longer or shorter than the part.
   */
  openAudio(part: Part, skip: number): AudioStream;
}

const BLOCK = 4800;
const MAX_CACHED_BYTES = 64 * 1_048_576;

export function createSoundReader(backend: Backend, signal: AbortSignal): SoundReader {
  const cache = createLru<Promise<Float32Array>>(MAX_CACHED_BYTES);

  const decode = (part: Part, skip: number): AudioStream => {
    const startSeconds = (part.from + skip) / SAMPLE_RATE;
    const seconds = (part.sourceSamples - skip) / SAMPLE_RATE;
    return addPointer(part.pointer, decodeAudio(backend, part.clip, { startSeconds, seconds }, signal));
  };

  const decodeOnce = (part: Part): Promise<Float32Array> => {
    const key = `${part.resource} ${part.from} ${part.sourceSamples}`;
    const weight = part.sourceSamples * CHANNELS * Float32Array.BYTES_PER_ELEMENT;
    return getOrCreate(
      cache,
      key,
      () => gather(decode(part, 0), part.sourceSamples),
      () => weight,
    );
  };

  const once = async function* (part: Part, skip: number): AsyncGenerator<Float32Array> {
    if (part.sourceSamples > LONG_SAMPLES) yield* decode(part, skip);
    else yield (await decodeOnce(part)).subarray(skip * CHANNELS);
  };

  const source = (part: Part, skip: number): AudioStream =>
    part.isRepeated ? repeat(part, skip, once) : once(part, skip);

  return {
    openAudio: (part, skip) =>
      part.speed === 1 ? source(part, skip) : skipSamples(changeSpeed(source(part, 0), part.speed), skip),
  };
}

/** Loops the piece without gaps, starting at sample `skip`. */
async function* repeat(
  part: Part,
  skip: number,
  once: (part: Part, skip: number) => AsyncGenerator<Float32Array>,
): AsyncGenerator<Float32Array> {
  if (part.sourceSamples >= BLOCK) {
    for (let from = skip % part.sourceSamples; ; from = 0) yield* once(part, from);
  }
  // A very short piece is repeated first, so that a block is not assembled from thousands of pieces.
  const times = Math.ceil(BLOCK / part.sourceSamples);
  const row = new Float32Array(times * part.sourceSamples * CHANNELS);
  for await (const block of once(part, 0))
    for (let time = 0; time < times; time++) row.set(block, time * part.sourceSamples * CHANNELS);
  yield row.subarray((skip % part.sourceSamples) * CHANNELS);
  while (true) yield row;
}

/** Changes the speed at constant pitch. */
async function* changeSpeed(audio: AudioStream, speed: number): AsyncGenerator<Float32Array> {
  const tempo = createTempo(speed);
  // In small steps, so that a long piece is not emitted at once.
  for await (const block of audio)
    for (let offset = 0; offset < block.length; offset += BLOCK * CHANNELS)
      yield tempo(block.subarray(offset, offset + BLOCK * CHANNELS));
  yield tempo(undefined);
}

async function* skipSamples(audio: AudioStream, count: number): AsyncGenerator<Float32Array> {
  let remaining = count * CHANNELS;
  for await (const block of audio) {
    const skipped = Math.min(remaining, block.length);
    remaining -= skipped;
    if (skipped < block.length) yield block.subarray(skipped);
  }
}

async function gather(audio: AudioStream, samples: number): Promise<Float32Array> {
  const result = new Float32Array(samples * CHANNELS);
  let offset = 0;
  for await (const block of audio) {
    result.set(block, offset);
    offset += block.length;
  }
  return result;
}

/** Adds the pointer of the element to the error of a file that cannot be decoded. */
async function* addPointer(pointer: string, audio: AudioStream): AsyncGenerator<Float32Array> {
  try {
    yield* audio;
  } catch (err) {
    if (!(err instanceof AppError) || err.code !== 'unreadable_media') throw err;
    const issues = [
      { path: pointer, code: err.code, message: `has a sound that cannot be read: ${err.message}` },
    ];
    throw new AppError(err.code, `${pointer}: ${err.message}`, { issues, cause: err });
  }
}
