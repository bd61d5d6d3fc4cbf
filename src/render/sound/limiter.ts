// A lookahead limiter: no sample peak or intersample peak exceeds -1 dBTP, without distortion.
import { CHANNELS, SAMPLE_RATE } from '../../codecs/job.ts';

/** Slightly below -1 dBTP, to allow for peaks that four-times oversampling misses. */
const CEILING = 10 ** (-1.2 / 20);
/** In samples: the length of the gain ramp, and how far around a peak the gain stays low. */
const SLOPE = 240;
const HOLD = SLOPE + 24;
/** The delay from input to output, in samples. */
export const LIMITER_DELAY = SLOPE + 20;
const RELEASE = 1 - Math.exp(-1 / (0.08 * SAMPLE_RATE));

/**
 * Peaks are searched at four points per sample, as in ITU-R BS.1770-4: the sample itself and three windowed-sinc
 * interpolations.
 */
const TAPS = 24;
const KERNELS = [0.25, 0.5, 0.75].map(point =>
  Float64Array.from({ length: TAPS }, (_, tap) => {
    const x = tap - TAPS / 2 + 1 - point;
    return (Math.sin(Math.PI * x) / (Math.PI * x)) * (0.5 + 0.5 * Math.cos((Math.PI * x) / (TAPS / 2 + 0.5)));
  }),
) as [Float64Array, Float64Array, Float64Array];
/** The largest ratio of an interpolated point to the surrounding samples, whatever their signs. */
const MAX_OVERSHOOT = KERNELS[1].reduce((sum, tap) => sum + Math.abs(tap), 0);

/** Takes blocks and returns blocks of equal length, LIMITER_DELAY samples later. */
export function createLimiter(): (block: Float32Array) => Float32Array {
  const peaks = createPeakFinder();
  const least = createSlidingMinimum(HOLD);
  const steps = new Float64Array(SLOPE).fill(1);
  let sum = SLOPE;
  let slow = 1;
  let count = 0;
  let held = new Float32Array(LIMITER_DELAY * CHANNELS);
  return block => {
    const line = new Float32Array(held.length + block.length);
    line.set(held);
    line.set(block, held.length);
    held = line.slice(block.length);
    const found = peaks(block);
    const out = line.subarray(0, block.length);
    for (let i = 0; i < block.length; i += CHANNELS, count++) {
      const peak = found[i / CHANNELS] as number;
      const wanted = least(peak > CEILING ? CEILING / peak : 1);
      slow = wanted < slow ? wanted : slow + (wanted - slow) * RELEASE;
      // Returns to exactly 1, so that sound that needs no limiting passes unchanged.
      if (slow > 1 - 1e-6) slow = 1;
      const place = count % SLOPE;
      sum += slow - (steps[place] as number);
      steps[place] = slow;
      const gain = sum / SLOPE;
      out[i] = gain * (out[i] as number);
      out[i + 1] = gain * (out[i + 1] as number);
    }
    return out;
  };
}

/** The larger peak of both channels at each sample, over the points that the newest samples determine. */
function createPeakFinder(): (block: Float32Array) => Float32Array {
  const before = (TAPS - 1) * CHANNELS;
  let held = new Float32Array(before);
  return block => {
    const line = new Float32Array(before + block.length);
    line.set(held);
    line.set(block, before);
    held = line.slice(block.length);
    const found = new Float32Array(block.length / CHANNELS);
    if (line.every(value => Math.abs(value) * MAX_OVERSHOOT <= CEILING)) return found;
    for (let i = 0; i < found.length; i++)
      found[i] = Math.max(peakAt(line, i * CHANNELS), peakAt(line, i * CHANNELS + 1));
    return found;
  };
}

/** The peak between the middle of the TAPS samples that start at `at` and the next sample. */
function peakAt(line: Float32Array, at: number): number {
  const [quarter, half, most] = KERNELS;
  let [a, b, c] = [0, 0, 0];
  for (let tap = 0; tap < TAPS; tap++) {
    const sample = line[at + tap * CHANNELS] as number;
    a += (quarter[tap] as number) * sample;
    b += (half[tap] as number) * sample;
    c += (most[tap] as number) * sample;
  }
  const own = line[at + (TAPS / 2 - 1) * CHANNELS] as number;
  return Math.max(Math.abs(a), Math.abs(b), Math.abs(c), Math.abs(own));
}

/** The minimum of the newest `length` values. */
function createSlidingMinimum(length: number): (value: number) => number {
  // Only values below all newer ones can still become the minimum; they increase from front to back.
  const values = new Float64Array(length);
  const times = new Float64Array(length);
  let [front, back, now] = [0, 0, 0];
  return value => {
    if (front < back && (times[front % length] as number) <= now - length) front++;
    while (front < back && (values[(back - 1) % length] as number) >= value) back--;
    values[back % length] = value;
    times[back % length] = now++;
    back++;
    return values[front % length] as number;
  };
}
