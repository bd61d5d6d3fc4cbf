// What a sticky note says, and in which colours.
import type { GraphNode } from '../../src/graph/types.ts';

const COLOR = /^#[0-9a-f]{6}$/i;

export const isColor = (value: unknown): value is string => typeof value === 'string' && COLOR.test(value);

export function noteText({ data: { config, label } }: GraphNode): string {
  const text = config?.text;
  return typeof text === 'string' && text !== '' ? text : label;
}

/** Dark on light grounds and light on dark ones. */
export function inkOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => Number.parseInt(color.slice(at, at + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? '#26200a' : '#fdfcf6';
}
