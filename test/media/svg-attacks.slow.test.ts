// Tests every attack in every position and spelling: the output contains nothing that runs or makes requests.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { getOrCreate } from '../../src/lib/get-or-create.ts';
import { sanitizeSvg } from '../../src/media/svg/svg.ts';
import { isNightly } from '../support/tier.ts';
import { assertHarmless } from './harmless-svg.ts';
import { PLACEMENTS, type Placement, SPELLINGS, type Spelling, VECTORS } from './svg-attacks.ts';

/** Returns whether the file was accepted. If so, asserts that the output is harmless. */
function isAccepted(file: string): boolean {
  try {
    assertHarmless(sanitizeSvg(Buffer.from(file)).bytes.toString());
    return true;
  } catch (err) {
    if (err instanceof AppError) return false;
    throw new Error(JSON.stringify(file), { cause: err });
  }
}

/** The number of files with vectors of a class at a position, and how many of them were accepted. */
interface Counts {
  readonly accepted: number;
  readonly files: number;
}

const counts = new Map<string, Counts>();

/** By day, each vector at each position has one spelling, which differs from those of its neighbors. */
const chooseSpellings = (index: number): readonly Spelling[] =>
  isNightly ? SPELLINGS : SPELLINGS.slice(index % SPELLINGS.length).slice(0, 1);

/** Sanitizes the files with vectors of a class at a position. Caches the result. */
function countAccepted(placement: Placement, name: string): Counts {
  return getOrCreate(counts, `${placement.name}: ${name}`, () => {
    const offset = PLACEMENTS.indexOf(placement);
    const files = (VECTORS[name] ?? []).flatMap((vector, index) =>
      chooseSpellings(offset + index).map(({ write }) => placement.place(write(vector))),
    );
    return { accepted: files.filter(isAccepted).length, files: files.length };
  });
}

const allVectors = Object.values(VECTORS).flat();

describe('sanitizeSvg', () => {
  for (const [name, vectors] of Object.entries(VECTORS)) {
    it(`removes ${vectors.length} ${name} at any position and in any spelling`, () => {
      for (const placement of PLACEMENTS) {
        const { accepted, files } = countAccepted(placement, name);
        if (placement.isWellFormed) assert.equal(accepted, files, placement.name);
      }
    });
  }

  it('accepts some of the hostile files, so that the other tests see its output', () => {
    const placements = PLACEMENTS.filter(({ isWellFormed, name }) => !isWellFormed && name !== 'as the file');
    for (const placement of placements) {
      const accepted = Object.keys(VECTORS).reduce(
        (sum, name) => sum + countAccepted(placement, name).accepted,
        0,
      );
      assert.ok(accepted >= (isNightly ? 20 : 1), `${placement.name}: ${accepted}`);
    }
  });

  it('is tested with more than 400 distinct vectors', () => {
    assert.equal(new Set(allVectors).size, allVectors.length);
    assert.ok(allVectors.length > 400, String(allVectors.length));
  });

  it('is checked by an assertion that detects attacks', () => {
    const createSvg = (inner: string): string => `<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`;
    assertHarmless(createSvg('<rect fill="url(#a)"/>'));
    for (const inner of [
      '<rect onload="x"/>',
      '<script/>',
      '<rect fill="url(x)"/>',
      '<use href="x"/>',
      '<g>x</g>',
      '<!--x-->',
      '<rect fill="a&amp;b"/>',
    ]) {
      assert.throws(() => assertHarmless(createSvg(inner)), inner);
    }
  });
});
