// A limiter that looks ahead: no peak gets over -1 dBTP, neither of the samples nor in between, and nothing is bent.
import { CHANNELS, SAMPLE_RATE } from '../../codecs/job.ts';

/** A little below -1 dBTP, for what four points a sample do not see. */
const CEILING = 10 ** (-1.2 / 20);
/** Samples: over how many the gain sinks, and how far around a peak it is held. */
const SLOPE = 240;
const HOLD = SLOPE + 16;
/** The output comes so many samples after the input. */
export const LIMITER_DELAY = SLOPE + 12;
const RELEASE = 1 - Math.exp(-1 / (0.08 * SAMPLE_RATE));

/** ITU-R BS.1770-4, annex 2: four points a sample, each from twelve samples; the other two are these reversed. */
const PHASE_0 = [
  0.001708984375, 0.010986328125, -0.0196533203125, 0.033203125, -0.0594482421875, 0.1373291015625,
  0.97216796875, -0.102294921875, 0.047607421875, -0.026611328125, 0.014892578125, -0.00830078125,
] as const;
const PHASE_1 = [
  -0.0291748046875, 0.029296875, -0.0517578125, 0.089111328125, -0.16650390625, 0.465087890625, 0.77978515625,
  -0.2003173828125, 0.1015625, -0.0582275390625, 0.0330810546875, -0.0189208984375,
] as const;
const TAPS = PHASE_0.length;
/** Whatever the signs, no point gets further above the samples than this. */
const MOST = PHASE_1.reduce((sum, tap) => sum + Math.abs(tap), 0);

/** Takes blocks and gives blocks as long, LIMITER_DELAY samples later. */
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
      // All the way back, so that what needs no limiting comes out as it was.
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

/** The greater of both channels at each sample: of the points that the newest twelve samples tell. */
function createPeakFinder(): (block: Float32Array) => Float32Array {
  const before = (TAPS - 1) * CHANNELS;
  let held = new Float32Array(before);
  return block => {
    const line = new Float32Array(before + block.length);
    line.set(held);
    line.set(block, before);
    held = line.slice(block.length);
    const found = new Float32Array(block.length / CHANNELS);
    if (line.every(value => Math.abs(value) * MOST <= CEILING)) return found;
    for (let i = 0; i < found.length; i++)
      found[i] = Math.max(peakAt(line, i * CHANNELS), peakAt(line, i * CHANNELS + 1));
    return found;
  };
}

function peakAt(line: Float32Array, at: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let tap = 0; tap < TAPS; tap++) {
    const sample = line[at + (TAPS - 1 - tap) * CHANNELS] as number;
    a += (PHASE_0[tap] as number) * sample;
    b += (PHASE_1[tap] as number) * sample;
    c += (PHASE_1[TAPS - 1 - tap] as number) * sample;
    d += (PHASE_0[TAPS - 1 - tap] as number) * sample;
  }
  const own = line[at + (TAPS / 2) * CHANNELS] as number;
  return Math.max(Math.abs(a), Math.abs(b), Math.abs(c), Math.abs(d), Math.abs(own));
}

/** The least of the newest `length` values. */
function createSlidingMinimum(length: number): (value: number) => number {
  // Only values that are less than all newer ones can still become the least; they rise from front to back.
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
