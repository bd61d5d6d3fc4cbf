// Integrated loudness in LUFS of stereo sound at 48 kHz, as ITU-R BS.1770-4 has it.
import { CHANNELS, SAMPLE_RATE } from '../../codecs/job.ts';

/** Annex 1, tables 1 and 2: the head as a high shelf, then a high pass. */
const STAGES = [
  {
    b: [1.53512485958697, -2.69169618940638, 1.19839281085285],
    a: [-1.69065929318241, 0.73248077421585],
  },
  { b: [1, -2, 1], a: [-1.99004745483398, 0.99007225036621] },
] as const;
const OFFSET = -0.691;
/** Blocks of 400 ms, each begun a quarter after the one before. */
const QUARTER = SAMPLE_RATE / 10;
const QUARTERS = 4;
const ABSOLUTE_GATE = -70;
const RELATIVE_GATE = -10;

export interface LoudnessMeter {
  add(block: Float32Array): void;
  /** In LUFS; minus infinity where all is silent or shorter than 400 ms. */
  integrated(): number;
}

export function createLoudnessMeter(): LoudnessMeter {
  const filters = [createFilter(), createFilter()] as const;
  /** Power of each quarter, both channels together. */
  const quarters: number[] = [];
  let sum = 0;
  let count = 0;
  return {
    add(block) {
      for (let i = 0; i < block.length; i += CHANNELS) {
        const left = filters[0](block[i] as number);
        const right = filters[1](block[i + 1] as number);
        sum += left * left + right * right;
        if (++count === QUARTER) {
          quarters.push(sum / QUARTER);
          [sum, count] = [0, 0];
        }
      }
    },
    integrated: () => gated(quarters),
  };
}

function gated(quarters: readonly number[]): number {
  const powers: number[] = [];
  for (let at = 0; at + QUARTERS <= quarters.length; at++) {
    let power = 0;
    for (let quarter = at; quarter < at + QUARTERS; quarter++)
      power += (quarters[quarter] as number) / QUARTERS;
    if (loudnessOf(power) > ABSOLUTE_GATE) powers.push(power);
  }
  const gate = loudnessOf(mean(powers)) + RELATIVE_GATE;
  return loudnessOf(mean(powers.filter(power => loudnessOf(power) > gate)));
}

const loudnessOf = (power: number): number => OFFSET + 10 * Math.log10(power);

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Both stages, one after the other, for one channel. */
function createFilter(): (sample: number) => number {
  const [shelf, pass] = STAGES;
  let [s1, s2, p1, p2] = [0, 0, 0, 0];
  // Transposed direct form II: two numbers of memory a stage.
  return sample => {
    const y = shelf.b[0] * sample + s1;
    s1 = shelf.b[1] * sample - shelf.a[0] * y + s2;
    s2 = shelf.b[2] * sample - shelf.a[1] * y;
    const z = pass.b[0] * y + p1;
    p1 = pass.b[1] * y - pass.a[0] * z + p2;
    p2 = pass.b[2] * y - pass.a[1] * z;
    return z;
  };
}
