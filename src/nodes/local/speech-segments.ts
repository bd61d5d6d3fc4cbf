// Finds the parts of a recording with speech from the probabilities of short windows, and selects them.
import { SPEECH_RATE, VOICE_SAMPLES } from '../../local/tasks.ts';

/** A part of a recording, in seconds. */
export interface Segment {
  readonly start: number;
  readonly end: number;
}

const WINDOW_SECONDS = VOICE_SAMPLES / SPEECH_RATE;
/** Speech starts above the first probability, and ends below the second. */
const [START, END] = [0.5, 0.35];
/** Shorter speech is a noise, and a shorter pause is part of a sentence. */
const [MIN_SPEECH_SECONDS, MIN_PAUSE_SECONDS] = [0.2, 0.3];
/** Consonants at the edges are often quieter. */
const PADDING_SECONDS = 0.1;

/** Returns the parts with speech. */
export function findSegments(voice: readonly number[], seconds: number): readonly Segment[] {
  const found: { start: number; end: number }[] = [];
  let isSpeech = false;
  for (const [index, probability] of voice.entries()) {
    const at = index * WINDOW_SECONDS;
    isSpeech = probability >= (isSpeech ? END : START);
    if (!isSpeech) continue;
    const last = found.at(-1);
    if (last !== undefined && at - last.end < MIN_PAUSE_SECONDS) last.end = at + WINDOW_SECONDS;
    else found.push({ start: at, end: at + WINDOW_SECONDS });
  }
  return found
    .filter(({ start, end }) => end - start >= MIN_SPEECH_SECONDS)
    .map(({ start, end }) => ({
      start: round(Math.max(0, start - PADDING_SECONDS)),
      end: round(Math.min(seconds, end + PADDING_SECONDS)),
    }));
}

const round = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Pauses keep this much silence at each side. */
const KEPT_SECONDS = 0.15;
/** A cut without a fade clicks. */
const FADE_SECONDS = 0.01;

/** Yields the samples of the segments with a little of the silence around them, in blocks of at most a second. */
export function* selectSegments(samples: Int16Array, segments: readonly Segment[]): Generator<Int16Array> {
  const end = samples.length / SPEECH_RATE;
  let previousEnd = 0;
  for (const [index, segment] of segments.entries()) {
    const from = toSample(Math.max(previousEnd, segment.start - KEPT_SECONDS));
    previousEnd = Math.min(end, segment.end + KEPT_SECONDS, segments[index + 1]?.start ?? end);
    const part = samples.slice(from, toSample(previousEnd));
    fade(part);
    for (let at = 0; at < part.length; at += SPEECH_RATE) yield part.subarray(at, at + SPEECH_RATE);
  }
}

const toSample = (seconds: number): number => Math.round(seconds * SPEECH_RATE);

function fade(part: Int16Array): void {
  const length = Math.min(Math.floor(part.length / 2), Math.round(FADE_SECONDS * SPEECH_RATE));
  for (let at = 0; at < length; at++) {
    part[at] = ((part[at] ?? 0) * at) / length;
    const last = part.length - 1 - at;
    part[last] = ((part[last] ?? 0) * at) / length;
  }
}
