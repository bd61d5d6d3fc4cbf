// Creates signals of known samples, as blocks and as WAV files, and measures sounds.
import { writeFile } from 'node:fs/promises';
import { CHANNELS, SAMPLE_RATE } from '../../../src/codecs/command.ts';

export const toDecibels = (amplitude: number): number => 20 * Math.log10(amplitude);
export const toAmplitude = (decibel: number): number => 10 ** (decibel / 20);

/** Creates interleaved stereo. `getSamples` returns the left and the right sample at a time. */
export function createSignal(
  seconds: number,
  getSamples: (second: number, sample: number) => readonly [number, number],
) {
  const out = new Float32Array(Math.round(seconds * SAMPLE_RATE) * CHANNELS);
  for (let i = 0; i < out.length; i += CHANNELS)
    [out[i], out[i + 1]] = getSamples(i / CHANNELS / SAMPLE_RATE, i / CHANNELS);
  return out;
}

export const sine = (hertz: number, second: number): number => Math.sin(2 * Math.PI * hertz * second);

/** Creates a sine on both channels. `size` is its amplitude. */
export const createTone = (seconds: number, hertz: number, size: number): Float32Array =>
  createSignal(seconds, second => {
    const value = size * sine(hertz, second);
    return [value, value];
  });

/** Encodes 16-bit WAV. Mono contains only the left channel. */
export async function writeWav(path: string, sound: Float32Array, channels: 1 | 2 = 2): Promise<string> {
  const frames = sound.length / CHANNELS;
  const data = Buffer.alloc(44 + frames * channels * 2);
  data.write('RIFF', 0, 'latin1');
  data.writeUInt32LE(data.length - 8, 4);
  data.write('WAVEfmt ', 8, 'latin1');
  data.writeUInt32LE(16, 16);
  data.writeUInt16LE(1, 20);
  data.writeUInt16LE(channels, 22);
  data.writeUInt32LE(SAMPLE_RATE, 24);
  data.writeUInt32LE(SAMPLE_RATE * channels * 2, 28);
  data.writeUInt16LE(channels * 2, 32);
  data.writeUInt16LE(16, 34);
  data.write('data', 36, 'latin1');
  data.writeUInt32LE(data.length - 44, 40);
  for (let i = 0; i < frames * channels; i++)
    data.writeInt16LE(Math.round((sound[channels === 1 ? i * 2 : i] as number) * 32_767), 44 + i * 2);
  await writeFile(path, data);
  return path;
}

/** Returns the root mean square of a channel between two times. */
export function measureLevel(sound: Float32Array, channel: 0 | 1, from: number, to: number): number {
  const [first, last] = [Math.round(from * SAMPLE_RATE), Math.round(to * SAMPLE_RATE)];
  let sum = 0;
  for (let i = first; i < last; i++) sum += (sound[i * CHANNELS + channel] ?? 0) ** 2;
  return Math.sqrt(sum / (last - first));
}

/** Returns how many times per second the left channel crosses zero upwards. */
export function countCrossings(sound: Float32Array, from: number, to: number): number {
  let crossings = 0;
  for (let i = Math.round(from * SAMPLE_RATE) + 1; i < Math.round(to * SAMPLE_RATE); i++)
    if ((sound[(i - 1) * CHANNELS] as number) < 0 && (sound[i * CHANNELS] as number) >= 0) crossings++;
  return crossings / (to - from);
}

/** Returns the true peak, measured at 8 points per sample with a windowed sinc of 64 taps. */
export function measureTruePeak(sound: Float32Array): number {
  const [reach, points] = [32, 8];
  const kernel = Array.from({ length: points }, (_, point) =>
    Array.from({ length: reach * 2 }, (_, tap) => {
      const x = tap - reach + 1 - point / points;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * x) / (reach + 1));
      return (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)) * window;
    }),
  );
  let max = 0;
  for (let channel = 0; channel < CHANNELS; channel++)
    for (let i = reach; i < sound.length / CHANNELS - reach; i++)
      for (const taps of kernel) {
        let value = 0;
        for (let tap = 0; tap < taps.length; tap++)
          value += (taps[tap] as number) * (sound[(i + tap - reach + 1) * CHANNELS + channel] as number);
        max = Math.max(max, Math.abs(value));
      }
  return max;
}

/** Splits the sound into blocks of different sizes, like a codec. */
export function* splitUnevenly(sound: Float32Array): Generator<Float32Array> {
  for (let from = 0, size = 2; from < sound.length; from += size) {
    size = ((size * 7) % 9973) * 2;
    yield sound.slice(from, from + size);
  }
}

export function joinBlocks(blocks: Iterable<Float32Array>): Float32Array {
  const all = [...blocks];
  const out = new Float32Array(all.reduce((length, block) => length + block.length, 0));
  let offset = 0;
  for (const block of all) {
    out.set(block, offset);
    offset += block.length;
  }
  return out;
}
