// Runs the fuzzers for a short time, and tests that `findHarm` detects harm.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOSTILE } from '../media/svg-corpus.ts';
import { isNightly } from '../support/tier.ts';
import { fuzzForms } from './fuzz-forms.ts';
import { findHarm, fuzzSvg } from './fuzz-svg.ts';

const SHORT_MS = isNightly ? 1500 : 150;
const SEED = 1;

const createSvg = (inner: string): string => `<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`;

describe('fuzzing', () => {
  it('finds no mutated SVG that is harmful after sanitizing', async () => {
    assert.deepEqual((await fuzzSvg(SEED, SHORT_MS)).violations, []);
  });

  it('finds no mutated form from which the upload route stores a wrong file', async () => {
    const { accepted, violations } = await fuzzForms(SEED, SHORT_MS);
    assert.deepEqual(violations, []);
    assert.ok(accepted > 0);
  });
});

describe('findHarm', () => {
  it('finds no harm in shapes and local references', () => {
    const shapes = '<rect id="a" width="1" fill="url(#b) red" style="stroke:#fff"/><use href="#a"/>';
    assert.equal(findHarm(createSvg(shapes)), undefined);
  });

  for (const inner of [
    '<script/>',
    '<rect onload="x"/>',
    '<use href="http://evil.example/#a"/>',
    '<rect fill="url(//evil.example)"/>',
    '<rect style="fill:url(x.svg#a)"/>',
    '<rect fill="&#106;avascript:x"/>',
    'text',
    '<!-- -->',
    '<foreignObject/>',
  ])
    it(`finds harm in ${inner}`, () => assert.ok(findHarm(createSvg(inner)) !== undefined));

  it('finds harm in nearly all of the unmodified hostile corpus', () => {
    const isDetected = (text: string): boolean => {
      try {
        return findHarm(text) !== undefined;
      } catch {
        // A text that is not well-formed counts as harmful.
        return true;
      }
    };
    assert.ok(HOSTILE.filter(isDetected).length > HOSTILE.length * 0.9);
  });
});
