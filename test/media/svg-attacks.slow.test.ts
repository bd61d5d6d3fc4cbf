// Tests every attack of the table in every position and spelling: none leaves anything that runs or makes requests.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { sanitizeSvg } from '../../src/media/svg/svg.ts';
import { assertHarmless } from './harmless-svg.ts';
import { PLACEMENTS, type Placement, VECTORS, WRITINGS } from './svg-attacks.ts';

/** Returns whether the file was accepted. If so, asserts that the output is harmless. */
function isAccepted(file: string): boolean {
  try {
    assertHarmless(sanitizeSvg(Buffer.from(file)).toString());
    return true;
  } catch (err) {
    if (err instanceof AppError) return false;
    throw new Error(JSON.stringify(file), { cause: err });
  }
}

/** How many vectors were accepted at a position, and how many were tried. */
interface Sanitized {
  readonly accepted: number;
  readonly files: number;
}

const kept = new Map<string, Sanitized>();

/** Each vector is tried once. */
function sanitizeIn(place: Placement, name: string): Sanitized {
  const key = `${place.name}: ${name}`;
  const files = WRITINGS.flatMap(({ write }) =>
    (VECTORS[name] ?? []).map(vector => place.put(write(vector))),
  );
  const tried = kept.get(key) ?? { accepted: files.filter(isAccepted).length, files: files.length };
  kept.set(key, tried);
  return tried;
}

const all = Object.values(VECTORS).flat();

describe('the sanitizer', () => {
  for (const [name, vectors] of Object.entries(VECTORS)) {
    it(`lets none of ${vectors.length} ${name} through, at any position and in any spelling`, () => {
      for (const place of PLACEMENTS) {
        const { accepted, files } = sanitizeIn(place, name);
        if (place.isWellFormed) assert.equal(accepted, files, place.name);
      }
    });
  }

  it('does not pass these tests by refusing everything', () => {
    const drawings = PLACEMENTS.filter(place => !place.isWellFormed && place.name !== 'as the file');
    for (const place of drawings) {
      const tried = Object.keys(VECTORS).map(name => sanitizeIn(place, name));
      const accepted = tried.reduce((sum, each) => sum + each.accepted, 0);
      assert.ok(accepted >= 20, `${place.name}: ${accepted}`);
    }
  });

  it('is tested with distinct vectors', () => {
    assert.equal(new Set(all).size, all.length);
    assert.ok(all.length > 400, String(all.length));
  });

  it('is checked by a test that detects attacks', () => {
    const drawn = (inner: string): string => `<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`;
    assertHarmless(drawn('<rect fill="url(#a)"/>'));
    for (const inner of [
      '<rect onload="x"/>',
      '<script/>',
      '<rect fill="url(x)"/>',
      '<use href="x"/>',
      '<g>x</g>',
      '<!--x-->',
      '<rect fill="a&amp;b"/>',
    ]) {
      assert.throws(() => assertHarmless(drawn(inner)), inner);
    }
  });
});
