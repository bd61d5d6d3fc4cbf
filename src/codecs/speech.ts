// Converts audio to the form that speech recognition needs: mono at 16 kHz with 16 bits, as a WAV file.
import { yieldTurn } from '../lib/yield-turn.ts';
import { CHANNELS, SAMPLE_RATE } from './command.ts';
import type { AudioStream } from './mix.ts';

export const SPEECH_RATE = 16_000;
const FACTOR = SAMPLE_RATE / SPEECH_RATE;
const WAV_HEADER_BYTES = 44;
const MAX_SAMPLE = 32_767;

/** A low-pass filter below 7.2 kHz, so that higher sounds do not appear as lower ones: a windowed sinc. */
const FILTER = createLowPass(63, 7_200 / SAMPLE_RATE);

function createLowPass(length: number, cutoff: number): Float32Array {
  const middle = (length - 1) / 2;
  const taps = Float32Array.from({ length }, (_, index) => {
    const at = index - middle;
    const sinc = at === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * at) / (Math.PI * at);
    return sinc * (0.54 - 0.46 * Math.cos((2 * Math.PI * index) / (length - 1)));
  });
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map(tap => tap / sum);
}

/** Returns at most `seconds` of the audio as samples of a mono signal at 16 kHz. */
export async function readSpeech(audio: AudioStream, seconds: number): Promise<Int16Array> {
  const samples = new Int16Array(Math.ceil(seconds * SPEECH_RATE));
  // The last inputs of the previous block, which the filter also needs. Silence precedes the audio.
  let mono = new Float32Array((FILTER.length - 1) / 2);
  let count = 0;
  for await (const block of audio) {
    await yieldTurn();
    mono = appendMono(mono, block);
    let at = 0;
    for (; at + FILTER.length <= mono.length && count < samples.length; at += FACTOR)
      samples[count++] = filterAt(mono, at);
    mono = mono.slice(at);
  }
  return samples.subarray(0, count);
}

function appendMono(rest: Float32Array, block: Float32Array): Float32Array<ArrayBuffer> {
  const frames = block.length / CHANNELS;
  const mono = new Float32Array(rest.length + frames);
  mono.set(rest);
  for (let frame = 0; frame < frames; frame++)
    mono[rest.length + frame] =
      ((block[frame * CHANNELS] as number) + (block[frame * CHANNELS + 1] as number)) / CHANNELS;
  return mono;
}

function filterAt(mono: Float32Array, at: number): number {
  let sum = 0;
  for (let tap = 0; tap < FILTER.length; tap++) sum += (FILTER[tap] as number) * (mono[at + tap] as number);
  return Math.round(Math.max(-1, Math.min(1, sum)) * MAX_SAMPLE);
}

/** The part of the sound in which a cut is looked for. */
interface CutRange {
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

const WINDOW_SECONDS = 0.3;
const STEP_SECONDS = 0.05;

/** Returns the middle of the quietest moment in the range, in seconds; of several, the last. */
export async function findSilence(
  samples: Int16Array,
  { fromSeconds, toSeconds }: CutRange,
): Promise<number> {
  const step = Math.round(STEP_SECONDS * SPEECH_RATE);
  const first = Math.floor(fromSeconds / STEP_SECONDS);
  const last = Math.floor(Math.min(toSeconds, samples.length / SPEECH_RATE) / STEP_SECONDS);
  const energies: number[] = [];
  for (let index = first; index < last; index++) {
    await yieldTurn();
    const part = samples.subarray(index * step, (index + 1) * step);
    energies.push(part.reduce((sum, sample) => sum + sample * sample, 0));
  }
  const width = Math.round(WINDOW_SECONDS / STEP_SECONDS);
  let quietest = Number.POSITIVE_INFINITY;
  let start = Math.max(0, energies.length - width);
  for (let index = 0; index + width <= energies.length; index++) {
    const energy = energies.slice(index, index + width).reduce((sum, each) => sum + each, 0);
    if (energy > quietest) continue;
    quietest = energy;
    start = index;
  }
  return (first + start) * STEP_SECONDS + WINDOW_SECONDS / 2;
}

/** Returns a WAV file of the samples. */
export function toWav(samples: Int16Array): Buffer {
  const wav = Buffer.alloc(WAV_HEADER_BYTES + samples.length * 2);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SPEECH_RATE, 24);
  wav.writeUInt32LE(SPEECH_RATE * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(samples.length * 2, 40);
  // Every supported platform is little-endian, as WAV is.
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).copy(wav, WAV_HEADER_BYTES);
  return wav;
}
