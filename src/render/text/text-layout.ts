// Fits plain text into a box at the largest size, and shortens one line to a width.
import type { CutUnit, Rows, Unit } from './break-lines.ts';
import { breakEvenly, breakLines, MAX_CHARACTERS, splitGraphemes, splitIntoSegments } from './break-lines.ts';

/** Measures the width of a text in em, at a fixed weight and letter spacing. */
export type Measure = (text: string) => number;

export interface TextBox {
  readonly width: number;
  readonly height: number;
  readonly minSize: number;
  readonly maxSize: number;
  /** In em. */
  readonly lineHeight: number;
  readonly maxLines: number;
}

export interface TextBlock {
  readonly lines: readonly string[];
  readonly size: number;
  /** Of all lines together, in pixels. */
  readonly height: number;
}

interface Word extends Unit {
  readonly text: string;
}

/**
 * Returns the text at the largest integer size at which it fits. A word is split only if it is longer than a line at
 * the smallest size; overflow at the smallest size is cut off with an ellipsis.
 *
 * 1. Split the text into words.
 * 2. Find the size by bisection.
 * 3. Break balanced lines.
 */
export function fitText(text: string, box: TextBox, measure: Measure): TextBlock {
  const paragraphs = text
    .slice(0, MAX_CHARACTERS)
    .trim()
    .split(/\r\n|\r|\n/)
    .map(line => measureWords(line, measure));
  const cutUnit = cutWith(measure);
  const size = chooseSize(paragraphs, box, cutUnit);
  const width = box.width / size;
  const capacity = Math.min(box.maxLines, Math.max(1, Math.floor(box.height / (box.lineHeight * size))));
  const full = breakLines(paragraphs, width, cutUnit);
  const lines =
    full.length > capacity
      ? cutOff(full.slice(0, capacity).map(toText), width, measure)
      : breakEvenly(paragraphs, width, cutUnit).map(toText);
  return { lines, size, height: lines.length * box.lineHeight * size };
}

function measureWords(line: string, measure: Measure): readonly Word[] {
  const space = measure(' ');
  return splitIntoSegments(line).map(({ text, isSpaced }) => ({
    text,
    width: measure(text),
    space: isSpaced ? space : 0,
  }));
}

function chooseSize(paragraphs: Rows<Word>, box: TextBox, cutUnit: CutUnit<Word>): number {
  const isCutAt = (size: number): boolean => paragraphs.flat().some(word => word.width > box.width / size);
  const mustCut = isCutAt(box.minSize);
  const fits = (size: number): boolean => {
    if (!mustCut && isCutAt(size)) return false;
    const count = breakLines(paragraphs, box.width / size, cutUnit).length;
    return count <= box.maxLines && count * box.lineHeight * size <= box.height;
  };
  let [low, high] = [Math.floor(box.minSize), Math.floor(box.maxSize)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

const cutWith =
  (measure: Measure): CutUnit<Word> =>
  ({ text, space }, width) => {
    const pieces: { text: string; width: number; space: number }[] = [{ text: '', width: 0, space: 0 }];
    for (const letter of splitGraphemes(text)) {
      const advance = measure(letter);
      const piece = pieces.at(-1);
      if (piece === undefined || (piece.text !== '' && piece.width + advance > width)) {
        pieces.push({ text: letter, width: advance, space: 0 });
      } else {
        piece.text += letter;
        piece.width += advance;
      }
    }
    return pieces.map((piece, index) => (index === pieces.length - 1 ? { ...piece, space } : piece));
  };

const toText = (line: readonly Word[]): string =>
  line
    .map(({ text, space }) => (space > 0 ? `${text} ` : text))
    .join('')
    .trimEnd();

function cutOff(lines: readonly string[], width: number, measure: Measure): readonly string[] {
  return [...lines.slice(0, -1), addEllipsis(`${lines.at(-1) ?? ''}…`, width, measure)];
}

/** Returns the text on one line, shortened with an ellipsis if it is wider than `width` (in em). */
export function addEllipsis(text: string, width: number, measure: Measure): string {
  if (text.length <= MAX_CHARACTERS && measure(text) <= width) return text;
  const graphemes = splitGraphemes(text.slice(0, MAX_CHARACTERS));
  let [low, high] = [0, graphemes.length];
  const shorten = (count: number): string =>
    `${graphemes
      .slice(0, count)
      .join('')
      .replace(/[\s.,;:…]+$/, '')}…`;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(shorten(middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return shorten(low);
}
