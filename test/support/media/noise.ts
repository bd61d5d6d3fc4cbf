// Generates random-looking bytes that are the same in every run.
import { seededRandom } from '../../../src/lib/seeded-random.ts';

/** Pseudo-random bytes, the same for the same seed. */
export function seededBytes(length: number, seed: number): Uint8Array {
  const random = seededRandom(seed);
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = random() * 256;
  return bytes;
}
