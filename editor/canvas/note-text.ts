// What a sticky note says, and in which colours.
import type { GraphNode } from '../../src/graph/types.ts';

const COLOR = /^#[0-9a-f]{6}$/i;
const GROUND = '#fde68a';
const INK = '#4a3b06';

/** Those that were chosen for it, or those of paper notes. */
export function noteColors({ data }: GraphNode): { readonly ground: string; readonly ink: string } {
  const color = data.config?.color;
  if (typeof color !== 'string' || !COLOR.test(color)) return { ground: GROUND, ink: INK };
  return { ground: color, ink: inkOn(color) };
}

export function noteText({ data: { config, label } }: GraphNode): string {
  const text = config?.text;
  return typeof text === 'string' && text !== '' ? text : label;
}

const HEADING = /^\s{0,3}#{1,6}\s+/gm;
const STRONG = /(\*\*|__|`)(?=\S)(.*?\S)\1/g;

/** Without the commonest marks of markdown, for where it is painted. */
export const plainText = (markdown: string): string => markdown.replace(HEADING, '').replace(STRONG, '$2');

/** Dark on light grounds and light on dark ones. */
function inkOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => Number.parseInt(color.slice(at, at + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? '#26200a' : '#fdfcf6';
}
