// Limits peaks with lookahead, so that no sample or intersample peak exceeds -1 dBTP, without distortion.
import { CHANNELS, SAMPLE_RATE } from '../../codecs/command.ts';

/** Slightly below -1 dBTP, to allow for peaks that four-times oversampling misses. */
const CEILING = 10 ** (-1.2 / 20);
/** In samples: the length of the gain ramp, and how long the gain stays low around a peak. */
const SLOPE = 240;
const HOLD_SAMPLES = SLOPE + 24;
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
/** The largest possible ratio of an interpolated point to the samples around it. */
const MAX_OVERSHOOT = KERNELS[1].reduce((sum, tap) => sum + Math.abs(tap), 0);

/** Returns a function that takes a block and returns one of equal length, delayed by LIMITER_DELAY samples. */
export function createPeakLimiter(): (block: Float32Array) => Float32Array {
  const findPeaks = createPeakFinder();
  const slidingMinimum = createSlidingMinimum(HOLD_SAMPLES);
  const steps = new Float64Array(SLOPE).fill(1);
  let sum = SLOPE;
  let smoothedGain = 1;
  let count = 0;
  let delayed = new Float32Array(LIMITER_DELAY * CHANNELS);
  return block => {
    const line = new Float32Array(delayed.length + block.length);
    line.set(delayed);
    line.set(block, delayed.length);
    delayed = line.slice(block.length);
    const blockPeaks = findPeaks(block);
    const out = line.subarray(0, block.length);
    for (let i = 0; i < block.length; i += CHANNELS, count++) {
      const peak = blockPeaks[i / CHANNELS] as number;
      const targetGain = slidingMinimum(peak > CEILING ? CEILING / peak : 1);
      smoothedGain =
        targetGain < smoothedGain ? targetGain : smoothedGain + (targetGain - smoothedGain) * RELEASE;
      // The gain returns to exactly 1, so that sound that needs no limiting passes unchanged.
      if (smoothedGain > 1 - 1e-6) smoothedGain = 1;
      const slot = count % SLOPE;
      sum += smoothedGain - (steps[slot] as number);
      steps[slot] = smoothedGain;
      const gain = sum / SLOPE;
      out[i] = gain * (out[i] as number);
      out[i + 1] = gain * (out[i + 1] as number);
    }
    return out;
  };
}

/**
 * Returns the peak of both channels at each sample, including the interpolated points that the newest samples
 * determine.
 */
function createPeakFinder(): (block: Float32Array) => Float32Array {
  const before = (TAPS - 1) * CHANNELS;
  let history = new Float32Array(before);
  return block => {
    const line = new Float32Array(before + block.length);
    line.set(history);
    line.set(block, before);
    history = line.slice(block.length);
    const result = new Float32Array(block.length / CHANNELS);
    if (line.every(value => Math.abs(value) * MAX_OVERSHOOT <= CEILING)) return result;
    for (let i = 0; i < result.length; i++)
      result[i] = Math.max(findPeak(line, i * CHANNELS), findPeak(line, i * CHANNELS + 1));
    return result;
  };
}

/** Returns the peak from the middle of the TAPS samples that start at `offset` to the sample after that. */
function findPeak(line: Float32Array, offset: number): number {
  const [quarter, half, threeQuarters] = KERNELS;
  let [a, b, c] = [0, 0, 0];
  for (let tap = 0; tap < TAPS; tap++) {
    const sample = line[offset + tap * CHANNELS] as number;
    a += (quarter[tap] as number) * sample;
    b += (half[tap] as number) * sample;
    c += (threeQuarters[tap] as number) * sample;
  }
  const center = line[offset + (TAPS / 2 - 1) * CHANNELS] as number;
  return Math.max(Math.abs(a), Math.abs(b), Math.abs(c), Math.abs(center));
}

/** Returns a function that computes the minimum of the newest `length` values. */
function createSlidingMinimum(length: number): (value: number) => number {
  // Keeps only values below all newer values, because no other can become the minimum. They increase from front to back.
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
