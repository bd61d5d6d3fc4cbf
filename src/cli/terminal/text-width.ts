// Measures the columns of text on a terminal, and truncates or pads text to a number of columns.
import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';

// A color escape: ESC [ numbers m.
const COLORS = new RegExp(`(${String.fromCharCode(27)}\\[[0-9;]*m)`);
const PRINTABLE = /^[\x20-\x7e]*$/;
const GRAPHEMES = new Intl.Segmenter();

/**
 * Returns the number of terminal columns of the text. Color escapes take none; East Asian characters and emoji take
 * two.
 */
export function getTextWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  return PRINTABLE.test(plain) ? plain.length : measureWidth(plain);
}

// The package is loaded on demand, because compiling its patterns takes a third of the time of a small command.
const require = createRequire(import.meta.url);
const measureWidth = (text: string): number =>
  (require('string-width') as typeof import('string-width')).default(text);

/** Truncates the text to the number of columns, with an ellipsis. Keeps colors and resets them at the end. */
export function truncateText(text: string, columns: number): string {
  if (getTextWidth(text) <= columns) return text;
  let result = '';
  let width = 0;
  // Splitting by a group puts the colors at odd indexes.
  for (const [index, piece] of text.split(COLORS).entries()) {
    if (index % 2 === 1) result += piece;
    else {
      for (const { segment } of GRAPHEMES.segment(piece)) {
        width += getTextWidth(segment);
        if (width > columns - 1) return `${result}…${index > 0 ? '\x1b[0m' : ''}`;
        result += segment;
      }
    }
  }
  return result;
}

/** Pads the text with spaces to the number of columns. */
export function padText(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - getTextWidth(text)));
}

/** Removes control characters, so that text from a service or file cannot control the terminal. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\p{Control}\p{Surrogate}\s]+/gu, ' ')
    .trim();
}

/** Formats rows as lines with aligned columns. */
export function alignColumns(rows: readonly (readonly string[])[], gap = 2): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, getTextWidth(cell));
  }
  return rows.map(row =>
    row
      .map((cell, index) => padText(cell, (widths[index] ?? 0) + gap))
      .join('')
      .trimEnd(),
  );
}
