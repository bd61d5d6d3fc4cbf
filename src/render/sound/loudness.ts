// Measures the integrated loudness (LUFS) of 48 kHz stereo audio according to ITU-R BS.1770-4.
import { CHANNELS, SAMPLE_RATE } from '../../codecs/command.ts';

/** Filters of annex 1, tables 1 and 2: a high shelf that models the head, then a high-pass filter. */
const STAGES = [
  {
    b: [1.53512485958697, -2.69169618940638, 1.19839281085285],
    a: [-1.69065929318241, 0.73248077421585],
  },
  { b: [1, -2, 1], a: [-1.99004745483398, 0.99007225036621] },
] as const;
const OFFSET = -0.691;
/** The blocks of 400 ms overlap by three quarters, so powers are summed per quarter. */
const QUARTER = SAMPLE_RATE / 10;
const QUARTERS = 4;
const ABSOLUTE_GATE = -70;
const RELATIVE_GATE = -10;

export interface LoudnessMeter {
  add(block: Float32Array): void;
  /** Returns the loudness in LUFS; minus infinity if everything is silent or shorter than 400 ms. */
  integrated(): number;
}

export function createLoudnessMeter(): LoudnessMeter {
  const channels = [createPowerMeter(), createPowerMeter()] as const;
  /** Power of each quarter block, summed over both channels. */
  const quarters: number[] = [];
  let count = 0;
  return {
    add(block) {
      for (let from = 0; from < block.length; ) {
        const to = Math.min(block.length, from + (QUARTER - count) * CHANNELS);
        for (const [channel, meter] of channels.entries()) meter.add(block, from + channel, to);
        count += (to - from) / CHANNELS;
        from = to;
        if (count < QUARTER) continue;
        quarters.push((channels[0].takeSum() + channels[1].takeSum()) / QUARTER);
        count = 0;
      }
    },
    integrated: () => computeGatedLoudness(quarters),
  };
}

function computeGatedLoudness(quarters: readonly number[]): number {
  const powers: number[] = [];
  for (let first = 0; first + QUARTERS <= quarters.length; first++) {
    let power = 0;
    for (let quarter = first; quarter < first + QUARTERS; quarter++)
      power += (quarters[quarter] as number) / QUARTERS;
    if (toLoudness(power) > ABSOLUTE_GATE) powers.push(power);
  }
  const gate = toLoudness(mean(powers)) + RELATIVE_GATE;
  return toLoudness(mean(powers.filter(power => toLoudness(power) > gate)));
}

const toLoudness = (power: number): number => OFFSET + 10 * Math.log10(power);

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Sums the squares of one channel after both filter stages. */
function createPowerMeter() {
  const memory = new Float64Array(2 * STAGES.length);
  let sum = 0;
  return {
    add(block: Float32Array, from: number, to: number): void {
      const [shelf, pass] = STAGES;
      // Local variables are six times as fast as variables of the closure.
      let [s1 = 0, s2 = 0, p1 = 0, p2 = 0] = memory;
      let power = 0;
      // Transposed direct form II: two state variables per stage.
      for (let i = from; i < to; i += CHANNELS) {
        const x = block[i] as number;
        const y = shelf.b[0] * x + s1;
        s1 = shelf.b[1] * x - shelf.a[0] * y + s2;
        s2 = shelf.b[2] * x - shelf.a[1] * y;
        const z = pass.b[0] * y + p1;
        p1 = pass.b[1] * y - pass.a[0] * z + p2;
        p2 = pass.b[2] * y - pass.a[1] * z;
        power += z * z;
      }
      memory.set([s1, s2, p1, p2]);
      sum += power;
    },
    takeSum(): number {
      const result = sum;
      sum = 0;
      return result;
    },
  };
}
