// Mixes sounds block by block. Opens only the sounds that are audible in a block.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CHANNELS } from '../../codecs/command.ts';
import { readSamples, type SampleReader } from '../../codecs/mix.ts';
import { type Gain, getPan, type Pan } from './gain.ts';
import { BLOCK } from './plan.ts';
import type { ResolvedSound } from './resolve-sounds.ts';
import type { SoundReader } from './sound-reader.ts';

/** Gains are computed every millisecond and interpolated linearly in between. */
export const STEP = 48;
/**
 * If all audio is already decoded, nothing is awaited. The mixer then yields to the event loop after this many blocks.
 */
const BLOCKS_PER_YIELD = 20;

/** A sound with its gain, before volume is applied. */
export interface MixInput {
  readonly sound: ResolvedSound;
  readonly gain: Gain;
}

interface OpenInput extends MixInput {
  readonly pan: Pan;
  readonly reader: SampleReader;
  readonly end: number;
}

/** Mixes samples `from` (a multiple of BLOCK) to `to` of the video. The last block may be shorter. */
export async function* mixInputs(
  inputs: readonly MixInput[],
  soundReader: SoundReader,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
): AsyncGenerator<Float32Array> {
  const upcoming = inputs
    .filter(({ sound }) => sound.start < to && sound.start + sound.length > from)
    .toSorted((a, b) => a.sound.start - b.sound.start);
  let openInputs: OpenInput[] = [];
  try {
    for (let position = from; position < to; position += BLOCK) {
      signal.throwIfAborted();
      if ((position / BLOCK) % BLOCKS_PER_YIELD === 0) await nextTurn();
      const end = Math.min(to, position + BLOCK);
      while ((upcoming[0]?.sound.start ?? end) < end)
        openInputs.push(openInput(upcoming.shift() as MixInput, soundReader, position));
      const out = new Float32Array((end - position) * CHANNELS);
      const blocks = await Promise.all(openInputs.map(input => readInput(input, position, end)));
      for (const [index, input] of openInputs.entries())
        addInput(out, position, input, blocks[index] as Float32Array);
      yield out;
      const finished = openInputs.filter(input => input.end <= end);
      openInputs = openInputs.filter(input => input.end > end);
      await Promise.all(finished.map(({ reader }) => reader.end()));
    }
  } finally {
    await Promise.all(openInputs.map(({ reader }) => reader.end()));
  }
}

function openInput({ sound, gain }: MixInput, soundReader: SoundReader, position: number): OpenInput {
  const reader = readSamples(soundReader.openAudio(sound, Math.max(0, position - sound.start)));
  return { sound, gain, pan: getPan(sound), reader, end: sound.start + sound.length };
}

const readInput = (
  { sound, reader, end }: OpenInput,
  position: number,
  blockEnd: number,
): Promise<Float32Array> =>
  reader.read((Math.min(blockEnd, end) - Math.max(position, sound.start)) * CHANNELS);

function addInput(
  out: Float32Array,
  position: number,
  { sound, gain, pan }: OpenInput,
  samples: Float32Array,
): void {
  const firstSample = Math.max(position, sound.start);
  const count = samples.length / CHANNELS;
  // By the video's clock, not the sound's, so that any range gives the same result.
  let step = Math.floor(firstSample / STEP) * STEP;
  let high = gain(step);
  for (let i = 0; i < count; step += STEP) {
    const low = high;
    high = gain(step + STEP);
    const stop = Math.min(count, step + STEP - firstSample);
    for (; i < stop; i++) {
      const factor = low + ((high - low) * (firstSample + i - step)) / STEP;
      const left = samples[i * CHANNELS] as number;
      const right = samples[i * CHANNELS + 1] as number;
      const to = (firstSample - position + i) * CHANNELS;
      out[to] = (out[to] as number) + factor * (left * pan.ll + right * pan.lr);
      out[to + 1] = (out[to + 1] as number) + factor * (left * pan.rl + right * pan.rr);
    }
  }
}
