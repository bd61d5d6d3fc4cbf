// Color contrast: every text is readable on each of its backgrounds (WCAG 2.2, 1.4.3 and 1.4.11).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Palette } from '../../src/pages/palette.ts';
import { DARK, LIGHT } from '../../src/pages/palette.ts';

/** Text, background. */
const PAIRS: readonly (readonly [keyof Palette, keyof Palette])[] = [
  ['ink', 'paper'],
  ['ink', 'raised'],
  ['ink', 'tint'],
  ['muted', 'paper'],
  ['muted', 'raised'],
  ['muted', 'tint'],
  ['accent', 'paper'],
  ['accent', 'tint'],
  ...(['success', 'warning', 'danger'] as const).flatMap(
    color =>
      [
        [color, 'paper'],
        [color, 'raised'],
        ['paper', color],
      ] as const,
  ),
  // A button, normal and hovered.
  ['paper', 'ink'],
  ['paper', 'accent'],
];

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(color: string, background: string): number {
  const [dark = 0, light = 0] = [luminance(color), luminance(background)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe('the palette', () => {
  for (const [name, palette] of Object.entries({ light: LIGHT, dark: DARK })) {
    it(`has a contrast of 4.5 or more for every text, ${name}`, () => {
      const weak = PAIRS.map(
        ([text, ground]) => [`${text} on ${ground}`, contrast(palette[text], palette[ground])] as const,
      ).filter(([, ratio]) => ratio < 4.5);
      assert.deepEqual(weak, []);
    });
  }
});
