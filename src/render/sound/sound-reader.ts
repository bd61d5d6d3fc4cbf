// Reads the audio of each sound: trimmed, looped, and at its speed. Short pieces are decoded once and cached.

import { type Backend, CHANNELS, SAMPLE_RATE } from '../../codecs/command.ts';
import { decodeAudio } from '../../codecs/decode.ts';
import type { AudioStream } from '../../codecs/mix.ts';
import { AppError } from '../../lib/errors.ts';
import { getOrCreate } from '../../lib/get-or-create.ts';
import { createLru } from '../../lib/lru.ts';
import { BLOCK_SAMPLES } from './plan.ts';
import { LONG_SAMPLES, type ResolvedSound } from './resolve-sounds.ts';
import { createTempo } from './tempo.ts';

export interface SoundReader {
  /** Opens the audio of the sound from sample `skip`, without volume. It may be longer or shorter than the sound. */
  openAudio(sound: ResolvedSound, skip: number): AudioStream;
}

const MAX_CACHED_BYTES = 64 * 1_048_576;

export function createSoundReader(backend: Backend, signal: AbortSignal): SoundReader {
  const cache = createLru<Promise<Float32Array>>(MAX_CACHED_BYTES);

  const decode = (sound: ResolvedSound, skip: number): AudioStream => {
    const startSeconds = (sound.from + skip) / SAMPLE_RATE;
    const seconds = (sound.sourceSamples - skip) / SAMPLE_RATE;
    return addPointer(sound.pointer, decodeAudio(backend, sound.clip, { startSeconds, seconds }, signal));
  };

  const decodeOnce = (sound: ResolvedSound): Promise<Float32Array> => {
    const key = `${sound.resource} ${sound.from} ${sound.sourceSamples}`;
    const weight = sound.sourceSamples * CHANNELS * Float32Array.BYTES_PER_ELEMENT;
    return getOrCreate(
      cache,
      key,
      () => gather(decode(sound, 0), sound.sourceSamples),
      () => weight,
    );
  };

  const streamOnce = async function* (sound: ResolvedSound, skip: number): AsyncGenerator<Float32Array> {
    if (sound.sourceSamples > LONG_SAMPLES) yield* decode(sound, skip);
    else yield (await decodeOnce(sound)).subarray(skip * CHANNELS);
  };

  const openSource = (sound: ResolvedSound, skip: number): AudioStream =>
    sound.isRepeated ? repeat(sound, skip, streamOnce) : streamOnce(sound, skip);

  return {
    openAudio: (sound, skip) =>
      sound.speed === 1
        ? openSource(sound, skip)
        : skipSamples(changeSpeed(openSource(sound, 0), sound.speed), skip),
  };
}

/** Loops the piece without gaps, starting at sample `skip`. */
async function* repeat(
  sound: ResolvedSound,
  skip: number,
  streamOnce: (sound: ResolvedSound, skip: number) => AsyncGenerator<Float32Array>,
): AsyncGenerator<Float32Array> {
  if (sound.sourceSamples >= BLOCK_SAMPLES) {
    for (let from = skip % sound.sourceSamples; ; from = 0) yield* streamOnce(sound, from);
  }
  // A very short piece is repeated first, so that a block is not assembled from thousands of pieces.
  const times = Math.ceil(BLOCK_SAMPLES / sound.sourceSamples);
  const repeated = new Float32Array(times * sound.sourceSamples * CHANNELS);
  for await (const block of streamOnce(sound, 0))
    for (let time = 0; time < times; time++) repeated.set(block, time * sound.sourceSamples * CHANNELS);
  yield repeated.subarray((skip % sound.sourceSamples) * CHANNELS);
  while (true) yield repeated;
}

/** Changes the speed at constant pitch. */
async function* changeSpeed(audio: AudioStream, speed: number): AsyncGenerator<Float32Array> {
  const tempo = createTempo(speed);
  // A long piece is processed in small steps, so that it is not emitted as one block.
  for await (const block of audio)
    for (let offset = 0; offset < block.length; offset += BLOCK_SAMPLES * CHANNELS)
      yield tempo(block.subarray(offset, offset + BLOCK_SAMPLES * CHANNELS));
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
