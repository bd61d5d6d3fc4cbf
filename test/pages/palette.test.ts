// Tests the contrast of the colors of text and background (WCAG 2.2, 1.4.3 and 1.4.11), and that media keep their colors.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Palette } from '../../src/pages/palette.ts';
import { DARK, LIGHT } from '../../src/pages/palette.ts';
import { STYLESHEET } from '../../src/pages/stylesheet.ts';

const PAIRS: readonly (readonly [text: keyof Palette, background: keyof Palette])[] = [
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

function getLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(start => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function getContrast(color: string, background: string): number {
  const [dark = 0, light = 0] = [getLuminance(color), getLuminance(background)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe('the palette', () => {
  for (const [name, palette] of Object.entries({ light: LIGHT, dark: DARK })) {
    it(`has a contrast of at least 4.5 for every text in the ${name} theme`, () => {
      const weakPairs = PAIRS.filter(
        ([text, background]) => getContrast(palette[text], palette[background]) < 4.5,
      );
      assert.deepEqual(weakPairs, []);
    });
  }
});

it('changes no colors of media', () => {
  assert.doesNotMatch(String(STYLESHEET.content), /[{;]filter:/);
});
