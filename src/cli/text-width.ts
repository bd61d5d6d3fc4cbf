// How many columns a text takes on a terminal, and texts cut or padded to a number of columns.
import { stripVTControlCharacters } from 'node:util';

// A colour as the terminal writes it: ESC [ numbers m.
const COLOR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'y');
const NO_WIDTH = /^[\p{Mark}\p{Format}\p{Control}]$/u;
const TWO_WIDE =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]$/u;

/** Columns of the text; colour escapes take none, East Asian characters and emoji take two. */
export function textWidth(text: string): number {
  let width = 0;
  for (const char of stripVTControlCharacters(text)) width += charWidth(char);
  return width;
}

function charWidth(char: string): number {
  if (NO_WIDTH.test(char)) return 0;
  return TWO_WIDE.test(char) ? 2 : 1;
}

/** The text in at most that many columns, with an ellipsis where it was cut; colours stay and are closed. */
export function fitText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let result = '';
  let used = 0;
  let styled = false;
  for (let index = 0; index < text.length; ) {
    COLOR.lastIndex = index;
    const color = COLOR.exec(text)?.[0];
    const piece = color ?? String.fromCodePoint(text.codePointAt(index) ?? 0);
    index += piece.length;
    if (color === undefined) {
      used += charWidth(piece);
      if (used > columns - 1) break;
    } else {
      styled = true;
    }
    result += piece;
  }
  return `${result}…${styled ? '\x1b[0m' : ''}`;
}

/** The text followed by spaces up to that many columns. */
export function padText(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

/** One line without control characters: what comes from a service or a file must not steer the terminal. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\p{Control}\p{Surrogate}\s]+/gu, ' ')
    .trim();
}

/** Rows as lines whose columns stand under each other. */
export function alignColumns(rows: readonly (readonly string[])[], gap = 2): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, textWidth(cell));
  }
  return rows.map(row =>
    row
      .map((cell, index) => padText(cell, (widths[index] ?? 0) + gap))
      .join('')
      .trimEnd(),
  );
}
