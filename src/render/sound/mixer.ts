// Mixes sounds block by block. Opens a sound only while it is audible.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CHANNELS } from '../../codecs/command.ts';
import { createSampleReader, type SampleReader } from '../../codecs/mix.ts';
import { computePanGains, type Gain, type PanGains } from './gain.ts';
import { BLOCK_SAMPLES } from './plan.ts';
import type { ResolvedSound } from './resolve-sounds.ts';
import type { SoundReader } from './sound-reader.ts';

/** Gains are computed every millisecond and interpolated linearly in between. */
export const GAIN_STEP_SAMPLES = 48;
/** Yields to the event loop after this many blocks, because nothing is awaited if all audio is already decoded. */
const BLOCKS_PER_YIELD = 20;

/** A sound with its gain. */
export interface MixInput {
  readonly sound: ResolvedSound;
  readonly gain: Gain;
}

interface OpenInput extends MixInput {
  readonly panGains: PanGains;
  readonly reader: SampleReader;
  readonly end: number;
}

/** Mixes samples `from` (a multiple of BLOCK_SAMPLES) to `to` of the video. The last block may be shorter. */
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
    for (let position = from; position < to; position += BLOCK_SAMPLES) {
      signal.throwIfAborted();
      if ((position / BLOCK_SAMPLES) % BLOCKS_PER_YIELD === 0) await nextTurn();
      const end = Math.min(to, position + BLOCK_SAMPLES);
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
  const reader = createSampleReader(soundReader.openAudio(sound, Math.max(0, position - sound.start)));
  return { sound, gain, panGains: computePanGains(sound), reader, end: sound.start + sound.length };
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
  { sound, gain, panGains }: OpenInput,
  samples: Float32Array,
): void {
  const firstSample = Math.max(position, sound.start);
  const count = samples.length / CHANNELS;
  // Steps follow the video's clock, not the sound's, so that any range gives the same result.
  let step = Math.floor(firstSample / GAIN_STEP_SAMPLES) * GAIN_STEP_SAMPLES;
  let high = gain(step);
  for (let i = 0; i < count; step += GAIN_STEP_SAMPLES) {
    const low = high;
    high = gain(step + GAIN_STEP_SAMPLES);
    const stop = Math.min(count, step + GAIN_STEP_SAMPLES - firstSample);
    for (; i < stop; i++) {
      const factor = low + ((high - low) * (firstSample + i - step)) / GAIN_STEP_SAMPLES;
      const left = samples[i * CHANNELS] as number;
      const right = samples[i * CHANNELS + 1] as number;
      const index = (firstSample - position + i) * CHANNELS;
      const outLeft = left * panGains.leftToLeft + right * panGains.rightToLeft;
      const outRight = left * panGains.leftToRight + right * panGains.rightToRight;
      out[index] = (out[index] as number) + factor * outLeft;
      out[index + 1] = (out[index + 1] as number) + factor * outRight;
    }
  }
}
