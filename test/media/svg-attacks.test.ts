// Every attack of the table, in every place and every writing: none gets through with anything that runs or reaches out.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { sanitizeSvg } from '../../src/media/svg/svg.ts';
import { assertHarmless } from './harmless-svg.ts';
import { PLACES, type Place, VECTORS, WRITINGS } from './svg-attacks.ts';

/** Whether the file was accepted; if so, what is left of it is harmless. */
function isAccepted(file: string): boolean {
  try {
    assertHarmless(sanitizeSvg(Buffer.from(file)).toString());
    return true;
  } catch (err) {
    if (err instanceof AppError) return false;
    throw new Error(JSON.stringify(file), { cause: err });
  }
}

/** How many of the vectors are accepted in a place, and how often it was tried. */
interface Tried {
  readonly accepted: number;
  readonly files: number;
}

const kept = new Map<string, Tried>();

/** Each is tried once. */
function tryIn(place: Place, name: string): Tried {
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
    it(`lets none of ${vectors.length} ${name} through, wherever and however they are written`, () => {
      for (const place of PLACES) {
        const { accepted, files } = tryIn(place, name);
        if (place.isWellFormed) assert.equal(accepted, files, place.name);
      }
    });
  }

  it('does not pass these tests by refusing everything', () => {
    const drawings = PLACES.filter(place => !place.isWellFormed && place.name !== 'as the file');
    for (const place of drawings) {
      const tried = Object.keys(VECTORS).map(name => tryIn(place, name));
      const accepted = tried.reduce((sum, each) => sum + each.accepted, 0);
      assert.ok(accepted >= 20, `${place.name}: ${accepted}`);
    }
  });

  it('is tried with different vectors', () => {
    assert.equal(new Set(all).size, all.length);
    assert.ok(all.length > 400, String(all.length));
  });

  it('is judged by a check that finds what it looks for', () => {
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
