// Generates pseudo-random numbers that are equal on every machine for the same seed. Not for secrets.

const STEP = 0x6d2b79f5;
const RANGE = 2 ** 32;

/** Returns a function that gives numbers from 0 up to 1 (mulberry32). */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + STEP) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE;
  };
}
