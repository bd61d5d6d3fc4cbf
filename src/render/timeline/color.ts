// Parses color text into red, green, blue and alpha.
import type { Rgba } from './draw-list.ts';

const NAMED_COLORS: Readonly<Record<string, Rgba>> = {
  white: [255, 255, 255, 1],
  black: [0, 0, 0, 1],
  transparent: [0, 0, 0, 0],
};

/** Returns undefined if the text is not a color. Theme tokens are not colors. */
export function parseColor(text: string): Rgba | undefined {
  if (text.startsWith('#')) return parseHex(text.slice(1));
  const named = NAMED_COLORS[text];
  if (named !== undefined) return named;
  const [, model, list] = /^(rgb|hsl)a?\(([^)]+)\)$/.exec(text) ?? [];
  const parts = list?.split(/[\s,/]+/).filter(part => part !== '') ?? [];
  if (model === undefined || parts.length < 3 || parts.length > 4) return undefined;
  const numbers = parts.map(part => Number.parseFloat(part));
  const [a = 0, b = 0, c = 0, d = 1] = numbers;
  if (!numbers.every(Number.isFinite)) return undefined;
  const alpha = clamp(parts[3]?.endsWith('%') === true ? d / 100 : d, 1);
  if (model === 'hsl') return fromHsl(a, clamp(b / 100, 1), clamp(c / 100, 1), alpha);
  const channel = (value: number, part = ''): number => clamp(part.endsWith('%') ? value * 2.55 : value, 255);
  return [channel(a, parts[0]), channel(b, parts[1]), channel(c, parts[2]), alpha];
}

const clamp = (value: number, max: number): number => Math.min(max, Math.max(0, value));

function parseHex(digits: string): Rgba | undefined {
  const allDigits = digits.length <= 4 ? [...digits].map(digit => digit + digit).join('') : digits;
  if (!/^([0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/.test(allDigits)) return undefined;
  const readByte = (index: number): number => Number.parseInt(allDigits.slice(index, index + 2), 16);
  return [readByte(0), readByte(2), readByte(4), allDigits.length === 8 ? readByte(6) / 255 : 1];
}

function fromHsl(hue: number, saturation: number, lightness: number, alpha: number): Rgba {
  const amplitude = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n: number): number => {
    const k = (((n + hue / 30) % 12) + 12) % 12;
    return 255 * (lightness - amplitude * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  return [channel(0), channel(8), channel(4), alpha];
}

/** Interpolates colors weighted by alpha, so that fading from transparent does not darken. */
export function mixColors(from: Rgba, to: Rgba, share: number): Rgba {
  const alpha = from[3] + (to[3] - from[3]) * share;
  if (alpha <= 0) return [to[0], to[1], to[2], 0];
  const mix = (index: 0 | 1 | 2): number =>
    clamp((from[index] * from[3] * (1 - share) + to[index] * to[3] * share) / alpha, 255);
  return [mix(0), mix(1), mix(2), clamp(alpha, 1)];
}
