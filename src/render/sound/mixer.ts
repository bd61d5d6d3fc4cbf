// Mixes parts block by block. Opens only the parts that are audible in a block.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CHANNELS } from '../../codecs/command.ts';
import { readSamples, type SampleReader } from '../../codecs/mix.ts';
import { type Gain, getPan, type Pan } from './gain.ts';
import type { Pieces } from './pieces.ts';
import type { Part } from './resolve-sounds.ts';

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
  readonly puller: SampleReader;
  readonly end: number;
}

/** Mixes samples `from` (a multiple of BLOCK) to `to` of the video. The last block may be shorter. */
export async function* mixVoices(
  voices: readonly Voice[],
  pieces: Pieces,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
): AsyncGenerator<Float32Array> {
  const upcoming = voices
    .filter(({ part }) => part.start < to && part.start + part.length > from)
    .toSorted((a, b) => a.part.start - b.part.start);
  let openVoices: OpenVoice[] = [];
  try {
    for (let at = from; at < to; at += BLOCK) {
      signal.throwIfAborted();
      if ((at / BLOCK) % BLOCKS_PER_YIELD === 0) await nextTurn();
      const end = Math.min(to, at + BLOCK);
      while ((upcoming[0]?.part.start ?? end) < end)
        openVoices.push(openVoice(upcoming.shift() as Voice, pieces, at));
      const out = new Float32Array((end - at) * CHANNELS);
      const blocks = await Promise.all(openVoices.map(voice => pull(voice, at, end)));
      for (const [index, voice] of openVoices.entries()) addTo(out, at, voice, blocks[index] as Float32Array);
      yield out;
      const finished = openVoices.filter(voice => voice.end <= end);
      openVoices = openVoices.filter(voice => voice.end > end);
      await Promise.all(finished.map(({ puller }) => puller.end()));
    }
  } finally {
    await Promise.all(openVoices.map(({ puller }) => puller.end()));
  }
}

function openVoice({ part, gain }: Voice, pieces: Pieces, at: number): OpenVoice {
  const puller = readSamples(pieces.openAudio(part, Math.max(0, at - part.start)));
  return { part, gain, pan: getPan(part), puller, end: part.start + part.length };
}

const pull = ({ part, puller, end }: OpenVoice, at: number, blockEnd: number): Promise<Float32Array> =>
  puller.read((Math.min(blockEnd, end) - Math.max(at, part.start)) * CHANNELS);

function addTo(out: Float32Array, at: number, { part, gain, pan }: OpenVoice, samples: Float32Array): void {
  const firstSample = Math.max(at, part.start);
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
      const to = (firstSample - at + i) * CHANNELS;
      out[to] = (out[to] as number) + factor * (left * pan.ll + right * pan.lr);
      out[to + 1] = (out[to + 1] as number) + factor * (left * pan.rl + right * pan.rr);
    }
  }
}
