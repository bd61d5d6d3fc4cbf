// Synthesizes syllables that sound like speech: pulses of a voice through the resonances of vowels.
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';

const RATE = 48_000;
/** The resonances of a, e, i, o and u in Hz. */
const VOWELS = [
  [730, 1090, 2440],
  [530, 1840, 2480],
  [270, 2290, 3010],
  [570, 840, 2410],
  [300, 870, 2240],
] as const;
const SYLLABLE_SECONDS = 0.22;

/** Returns mono samples with syllables in these ranges of seconds, and noise of this amplitude everywhere. */
export function synthesizeSpeech(
  seconds: number,
  ranges: readonly (readonly [start: number, end: number])[],
  noise: number,
): Float32Array {
  const random = createSeededRandom(7);
  const samples = new Float32Array(Math.round(seconds * RATE));
  for (const [start, end] of ranges)
    for (let at = start, index = 0; at + SYLLABLE_SECONDS <= end; at += SYLLABLE_SECONDS, index++)
      addSyllable(samples, at, index);
  for (let at = 0; at < samples.length; at++) samples[at] = (samples[at] ?? 0) + noise * (2 * random() - 1);
  return samples;
}

function addSyllable(samples: Float32Array, start: number, index: number): void {
  const from = Math.round(start * RATE);
  const length = Math.round(SYLLABLE_SECONDS * RATE);
  const resonators = (VOWELS[index % VOWELS.length] ?? VOWELS[0]).map((frequency, number) =>
    createResonator(frequency, 60 + 40 * number),
  );
  let phase = 0;
  for (let at = 0; at < length; at++) {
    const share = at / length;
    phase += (110 + 25 * Math.sin(index + 3 * share)) / RATE;
    const pulse = phase >= 1 ? 1 : 0;
    phase %= 1;
    const sound = resonators.reduce((sum, resonate, number) => sum + resonate(pulse) / (number + 1), 0);
    samples[from + at] = 0.5 * sound * Math.sin(Math.PI * Math.min(1, share)) ** 0.5;
  }
}

function createResonator(frequency: number, bandwidth: number): (input: number) => number {
  const radius = Math.exp((-Math.PI * bandwidth) / RATE);
  const factor = 2 * radius * Math.cos((2 * Math.PI * frequency) / RATE);
  const gain = 1 - radius;
  let [last, beforeLast] = [0, 0];
  return input => {
    const output = gain * input * 8 + factor * last - radius * radius * beforeLast;
    [beforeLast, last] = [last, output];
    return output;
  };
}

/** Encodes samples as a 16-bit mono WAV file. */
export function toWav(samples: Float32Array, rate = RATE): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + 2 * samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(2 * rate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(2 * samples.length, 40);
  const pcm = Int16Array.from(samples, sample => Math.max(-1, Math.min(1, sample)) * 32_767);
  return Buffer.concat([header, Buffer.from(pcm.buffer)]);
}
