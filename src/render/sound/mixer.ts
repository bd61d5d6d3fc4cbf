// Mixes parts block by block. Opens only the parts that are audible in a block.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CHANNELS } from '../../codecs/command.ts';
import { readSamples, type SampleReader } from '../../codecs/mix.ts';
import { type Gain, getPan, type Pan } from './gain.ts';
import type { Part } from './resolve-sounds.ts';
import type { SoundReader } from './sound-reader.ts';

/** A tenth of a second. */
export const BLOCK = 4800;
/** Gains are computed every millisecond and interpolated linearly in between. */
export const STEP = 48;
/**
 * If all audio is already decoded, nothing is awaited. The mixer then yields to the event loop after this many blocks.
 */
const BLOCKS_PER_YIELD = 20;

/** A part with its gain, before volume is applied. */
export interface Voice {
  readonly part: Part;
  readonly gain: Gain;
}

interface OpenVoice extends Voice {
  readonly pan: Pan;
  readonly reader: SampleReader;
  readonly end: number;
}

/** Mixes samples `from` (a multiple of BLOCK) to `to` of the video. The last block may be shorter. */
export async function* mixVoices(
  voices: readonly Voice[],
  soundReader: SoundReader,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
): AsyncGenerator<Float32Array> {
  const upcoming = voices
    .filter(({ part }) => part.start < to && part.start + part.length > from)
    .toSorted((a, b) => a.part.start - b.part.start);
  let openVoices: OpenVoice[] = [];
  try {
    for (let position = from; position < to; position += BLOCK) {
      signal.throwIfAborted();
      if ((position / BLOCK) % BLOCKS_PER_YIELD === 0) await nextTurn();
      const end = Math.min(to, position + BLOCK);
      while ((upcoming[0]?.part.start ?? end) < end)
        openVoices.push(openVoice(upcoming.shift() as Voice, soundReader, position));
      const out = new Float32Array((end - position) * CHANNELS);
      const blocks = await Promise.all(openVoices.map(voice => readVoice(voice, position, end)));
      for (const [index, voice] of openVoices.entries())
        addVoice(out, position, voice, blocks[index] as Float32Array);
      yield out;
      const finished = openVoices.filter(voice => voice.end <= end);
      openVoices = openVoices.filter(voice => voice.end > end);
      await Promise.all(finished.map(({ reader }) => reader.end()));
    }
  } finally {
    await Promise.all(openVoices.map(({ reader }) => reader.end()));
  }
}

function openVoice({ part, gain }: Voice, soundReader: SoundReader, position: number): OpenVoice {
  const reader = readSamples(soundReader.openAudio(part, Math.max(0, position - part.start)));
  return { part, gain, pan: getPan(part), reader, end: part.start + part.length };
}

const readVoice = (
  { part, reader, end }: OpenVoice,
  position: number,
  blockEnd: number,
): Promise<Float32Array> =>
  reader.read((Math.min(blockEnd, end) - Math.max(position, part.start)) * CHANNELS);

function addVoice(
  out: Float32Array,
  position: number,
  { part, gain, pan }: OpenVoice,
  samples: Float32Array,
): void {
  const firstSample = Math.max(position, part.start);
  const count = samples.length / CHANNELS;
  // By the video's clock, not the part's, so that any range gives the same result.
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
