// Computes the text and the colors of a sticky note.
import type { GraphNode } from '../../src/graph/types.ts';
import { HEX_COLOR } from '../board/control-kind.ts';

const BACKGROUND = '#fde68a';
const INK = '#4a3b06';

/** Returns the colors of the note, or the defaults if it has no valid color. */
export function getNoteColors({ data }: GraphNode): { readonly background: string; readonly ink: string } {
  const color = data.config?.color;
  if (typeof color !== 'string' || !HEX_COLOR.test(color)) return { background: BACKGROUND, ink: INK };
  return { background: color, ink: getTextColor(color) };
}

export function getNoteText({ data: { config, label } }: GraphNode): string {
  const text = config?.text;
  return typeof text === 'string' && text !== '' ? text : label;
}

const HEADING = /^\s{0,3}#{1,6}\s+/gm;
const STRONG = /(\*\*|__|`)(?=\S)(.*?\S)\1/g;

/** Removes common markdown syntax, for painting. */
export const toPlainText = (markdown: string): string => markdown.replace(HEADING, '').replace(STRONG, '$2');

/** Returns a dark color for light backgrounds and a light color for dark backgrounds. */
function getTextColor(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(offset =>
    Number.parseInt(color.slice(offset, offset + 2), 16),
  );
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? '#26200a' : '#fdfcf6';
}
