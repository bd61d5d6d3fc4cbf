// Resamples interleaved stereo block by block with a windowed sinc, without delay.
import { CHANNELS } from '../command.ts';

const HALF_TAPS = 16;
const PHASES = 256;

/** Returns a function that takes a block and returns the output that is ready. `undefined` flushes the rest. */
export function createResampler(from: number, to: number): (block: Float32Array | undefined) => Float32Array {
  if (from === to) return block => block ?? new Float32Array(0);
  const table = computeKernel(Math.min(1, to / from));
  const radius = Math.ceil(HALF_TAPS / Math.min(1, to / from));
  // The input that is still needed, which starts at sample `base`. Before the first sample there is silence.
  let pending = new Float32Array(radius * CHANNELS);
  let base = -radius;
  let nextIndex = 0;
  let end = Number.POSITIVE_INFINITY;
  return block => {
    if (block === undefined) end = base + pending.length / CHANNELS;
    const appended = block ?? new Float32Array(radius * CHANNELS);
    const input = new Float32Array(pending.length + appended.length);
    input.set(pending);
    input.set(appended, pending.length);
    const inputEnd = base + input.length / CHANNELS;
    const out: number[] = [];
    for (; (nextIndex * from) / to < end && (nextIndex * from) / to + radius < inputEnd; nextIndex++) {
      const position = (nextIndex * from) / to;
      const [left, right] = convolve(input, position - base, radius, table);
      out.push(left, right);
    }
    const keepFrom = Math.max(0, Math.floor((nextIndex * from) / to) - radius - base);
    pending = input.slice(keepFrom * CHANNELS);
    base += keepFrom;
    return Float32Array.from(out);
  };
}

/** Computes the right half of the kernel at distances of 1/PHASES input samples. */
function computeKernel(cutoff: number): Float32Array {
  const radius = HALF_TAPS / cutoff;
  return Float32Array.from({ length: Math.ceil(radius) * PHASES + 2 }, (_, index) => {
    const x = index / PHASES;
    if (x >= radius) return 0;
    const sinc = x === 0 ? 1 : Math.sin(Math.PI * x * cutoff) / (Math.PI * x * cutoff);
    const blackman =
      0.42 + 0.5 * Math.cos((Math.PI * x) / radius) + 0.08 * Math.cos((2 * Math.PI * x) / radius);
    return cutoff * sinc * blackman;
  });
}

function convolve(
  input: Float32Array,
  center: number,
  radius: number,
  values: Float32Array,
): [left: number, right: number] {
  let left = 0;
  let right = 0;
  const last = Math.min(input.length / CHANNELS - 1, Math.floor(center + radius));
  for (let i = Math.max(0, Math.ceil(center - radius)); i <= last; i++) {
    const phase = Math.abs(i - center) * PHASES;
    const index = Math.floor(phase);
    const low = values[index] as number;
    const weight = low + ((values[index + 1] ?? 0) - low) * (phase - index);
    left += weight * (input[i * CHANNELS] as number);
    right += weight * (input[i * CHANNELS + 1] as number);
  }
  return [left, right];
}
