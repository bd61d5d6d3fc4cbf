// Detects speech by its level, and computes how far other audio is lowered during speech (ducking).
import { CHANNELS, SAMPLE_RATE } from '../../codecs/command.ts';
import type { AudioStream } from '../../codecs/mix.ts';
import type { Gain } from './gain.ts';

/** In samples of the video. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Duck {
  readonly decibels: number;
  /** In samples: ducking starts `attack` before the speech and ends `release` after it. */
  readonly attack: number;
  readonly release: number;
}

const WINDOW_SAMPLES = 0.02 * SAMPLE_RATE;
/** A window counts as speech if it is close to the loudest window and not nearly silent. */
const SPEECH_THRESHOLD = 10 ** (-26 / 20);
const SILENCE_LEVEL = 10 ** (-60 / 20);
/** Shorter pauses count as part of the speech. */
const MAX_PAUSE_SAMPLES = 0.4 * SAMPLE_RATE;

/** Finds where the audio is loud enough to be speech. The audio starts with the video. */
export async function findSpeech(audio: AudioStream): Promise<readonly Span[]> {
  const levels: number[] = [];
  let sum = 0;
  let count = 0;
  const endWindow = (): void => {
    levels.push(Math.sqrt(sum / (WINDOW_SAMPLES * CHANNELS)));
    [sum, count] = [0, 0];
  };
  for await (const block of audio)
    for (const value of block) {
      sum += value * value;
      if (++count === WINDOW_SAMPLES * CHANNELS) endWindow();
    }
  endWindow();
  const loudest = levels.reduce((max, level) => Math.max(max, level), 0);
  const threshold = Math.max(SILENCE_LEVEL, loudest * SPEECH_THRESHOLD);
  const spans: { start: number; end: number }[] = [];
  for (const [index, level] of levels.entries()) {
    if (level < threshold) continue;
    const [start, end] = [index * WINDOW_SAMPLES, (index + 1) * WINDOW_SAMPLES];
    const lastSpan = spans.at(-1);
    if (lastSpan !== undefined && start - lastSpan.end <= MAX_PAUSE_SAMPLES) lastSpan.end = end;
    else spans.push({ start, end });
  }
  return spans;
}

/** Fades linearly in decibels: down to the full reduction before the start of each span, and up again after its end. */
export function createDuckGain(spans: readonly Span[], { decibels, attack, release }: Duck): Gain {
  return sample => {
    let depth = 0;
    for (let index = findFirstEndingAfter(spans, sample - release); index < spans.length; index++) {
      const { start, end } = spans[index] as Span;
      if (start - attack > sample) break;
      const attackDepth = start <= sample ? 1 : 1 - (start - sample) / attack;
      const releaseDepth = end >= sample ? 1 : 1 - (sample - end) / release;
      depth = Math.max(depth, Math.min(attackDepth, releaseDepth));
    }
    return depth === 0 ? 1 : 10 ** ((-decibels * depth) / 20);
  };
}

/** Returns the index of the first span that ends after the sample. */
function findFirstEndingAfter(spans: readonly Span[], sample: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span).end >= sample) high = middle;
    else low = middle + 1;
  }
  return low;
}
