// Changes the speed of audio at constant pitch by WSOLA (Verhelst and Roelands, 1993): joins overlapping hops of the input,
// each from the position near its ideal one that best continues the previous hop.
import { CHANNELS } from '../../codecs/command.ts';

/** In samples: the length of a hop, the search range in the input, and the step of the coarse search. */
const HOP = 960;
const SEARCH_RANGE = 480;
const COARSE_STEP = 4;

const FADE = Float32Array.from({ length: HOP }, (_, i) => (1 - Math.cos((Math.PI * (i + 0.5)) / HOP)) / 2);

/** Returns a function that takes a block and returns the output that is ready. `undefined` flushes the rest. */
export function createTempo(speed: number): (block: Float32Array | undefined) => Float32Array {
  // The input that is still needed, which starts at sample `base`.
  let history = new Float32Array(0);
  let base = 0;
  let endPosition = Number.POSITIVE_INFINITY;
  let hop = 0;
  /** The position at which the last hop would continue. */
  let continuation = 0;
  return block => {
    const newInput = block ?? new Float32Array(3 * HOP * CHANNELS);
    if (block === undefined) endPosition = base + history.length / CHANNELS;
    const input = new Float32Array(history.length + newInput.length);
    input.set(history);
    input.set(newInput, history.length);
    const availableEnd = base + input.length / CHANNELS;
    const out: Float32Array[] = [];
    for (; ; hop++) {
      const idealPosition = Math.round(hop * HOP * speed);
      if (
        idealPosition >= endPosition ||
        Math.max(idealPosition + SEARCH_RANGE + COARSE_STEP, continuation) + HOP > availableEnd
      )
        break;
      const bestPosition =
        hop === 0 ? 0 : findBestPosition(input, continuation - base, idealPosition - base) + base;
      out.push(crossFade(input, continuation - base, bestPosition - base));
      continuation = bestPosition + HOP;
    }
    const keepFrom = Math.min(continuation, Math.max(base, Math.round(hop * HOP * speed) - SEARCH_RANGE));
    history = input.slice(Math.max(0, keepFrom - base) * CHANNELS);
    base = Math.max(base, keepFrom);
    return concatenate(out);
  };
}

function crossFade(input: Float32Array, from: number, to: number): Float32Array {
  const out = new Float32Array(HOP * CHANNELS);
  for (let i = 0; i < out.length; i++) {
    const share = FADE[i >> 1] as number;
    out[i] =
      (1 - share) * (input[from * CHANNELS + i] as number) + share * (input[to * CHANNELS + i] as number);
  }
  return out;
}

/**
 * Returns the position near `idealPosition` where the input best matches the input at `continuation`: a coarse search,
 * then a fine one.
 */
function findBestPosition(input: Float32Array, continuation: number, idealPosition: number): number {
  const coarse = search(input, continuation, idealPosition, SEARCH_RANGE, COARSE_STEP);
  return search(input, continuation, coarse, COARSE_STEP - 1, 1);
}

function search(
  input: Float32Array,
  continuation: number,
  middle: number,
  reach: number,
  step: number,
): number {
  let best = middle;
  let bestScore = Number.NEGATIVE_INFINITY;
  // From the middle outwards, so that the nearest of equal matches wins.
  for (let distance = 0; distance <= reach; distance += step)
    for (const position of distance === 0 ? [middle] : [middle - distance, middle + distance]) {
      if (position < 0) continue;
      const value = computeSimilarity(input, continuation, position, step);
      if (value > bestScore + 1e-9) [best, bestScore] = [position, value];
    }
  return best;
}

/** Returns a score that is higher, the more similar the hops at two positions are. */
function computeSimilarity(input: Float32Array, a: number, b: number, step: number): number {
  let product = 0;
  let energy = 1e-9;
  const end = (a + HOP) * CHANNELS;
  for (let x = a * CHANNELS, y = b * CHANNELS; x < end; x += step * CHANNELS, y += step * CHANNELS) {
    const sumA = (input[x] as number) + (input[x + 1] as number);
    const sumB = (input[y] as number) + (input[y + 1] as number);
    product += sumA * sumB;
    energy += sumB * sumB;
  }
  return product / Math.sqrt(energy);
}

function concatenate(parts: readonly Float32Array[]): Float32Array {
  const out = new Float32Array(parts.length * HOP * CHANNELS);
  for (const [index, part] of parts.entries()) out.set(part, index * HOP * CHANNELS);
  return out;
}
