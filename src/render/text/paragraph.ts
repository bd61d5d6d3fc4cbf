// Lays out text that consists of styled runs: breaks lines, chooses the size, and positions pieces. Measures in em.
import { getOrCreate } from '../../lib/get-or-create.ts';
import { createLru } from '../../lib/lru.ts';
import type { CanvasContext } from '../paint/canvas.ts';
import type { TextContent, TextRun } from '../timeline/draw-list.ts';
import type { Rows, SplitUnit, Unit } from './break-lines.ts';
import { breakEvenly, breakLines, MAX_CHARACTERS, splitGraphemes, splitIntoSegments } from './break-lines.ts';
import { getAvailableWeight, getFontStack } from './fonts.ts';

/** A piece of one line in one style. */
export interface Piece {
  readonly text: string;
  readonly run: TextRun;
  /** From the left edge of the line, in pixels. */
  readonly x: number;
  readonly width: number;
}

export interface Line {
  readonly pieces: readonly Piece[];
  readonly width: number;
  /** From the top of the text, in pixels. */
  readonly top: number;
  readonly height: number;
  readonly baseline: number;
}

export interface Paragraph {
  readonly lines: readonly Line[];
  readonly size: number;
  readonly height: number;
  readonly isRightToLeft: boolean;
  /** Whether some text did not fit. */
  readonly isTruncated: boolean;
}

/** An unbreakable unit, such as a word whose middle is bold. */
interface WordUnit extends Unit {
  readonly parts: readonly StyledText[];
}

interface StyledText {
  readonly text: string;
  readonly run: TextRun;
  readonly width: number;
}

/** Returns the width of a text in the style of a run, in em, including the run's size factor. */
type MeasureRun = (text: string, run: TextRun) => number;

const RTL = /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;
const MEASURED_SIZE = 100;

const layouts = createLru<Paragraph>(400);

/** Lays out the text in a box, and caches the result. `height` is NaN if the box is as tall as the text. */
export function layOut(ctx: CanvasContext, content: TextContent, width: number, height: number): Paragraph {
  const { split: _split, fill: _fill, ...measuredContent } = content;
  const key = JSON.stringify([measuredContent, width, height]);
  return getOrCreate(layouts, key, () => layOutUncached(ctx, content, width, height));
}

/**
 * Lays out the text: 1. Split the runs into unbreakable units. 2. Find the size at which they fit. 3. Break them into
 * lines. 4. Cut off what does not fit. 5. Position every piece.
 */
function layOutUncached(ctx: CanvasContext, content: TextContent, width: number, height: number): Paragraph {
  const measure = createMeasure(ctx, content.letterSpacing);
  const paragraphs = splitIntoUnits(content.runs, measure);
  const box: Box = { width, height, padding: content.textBackground?.padding ?? 0 };
  const size = chooseSize(paragraphs, content, box);
  const rows = breakContent(paragraphs, content, getInnerWidth(box, size), (unit, width) =>
    splitUnit(unit, width, measure),
  );
  const maxLines = countFittingLines(content, size, box);
  const isTooLong = rows.length > maxLines && content.overflow !== 'visible';
  const visibleRows = isTooLong ? rows.slice(0, maxLines) : rows;
  const lines =
    isTooLong && content.overflow === 'ellipsis'
      ? addEllipsis(visibleRows, getInnerWidth(box, size), measure)
      : visibleRows;
  const text = content.runs.map(run => run.text).join('');
  const isRightToLeft = content.direction === 'rtl' || (content.direction === 'auto' && RTL.test(text));
  return { ...placeLines(lines, content, size, box, isRightToLeft), isTruncated: isTooLong };
}

interface Box {
  readonly width: number;
  readonly height: number;
  /** Padding on each side, in em. */
  readonly padding: number;
}

/** Returns the width inside the padding, in em. */
const getInnerWidth = ({ width, padding }: Box, size: number): number =>
  Math.max(0.5, width / size - 2 * padding);

/** Returns the number of lines that fit. */
function countFittingLines(
  { maxLines, lineHeight }: TextContent,
  size: number,
  { height, padding }: Box,
): number {
  if (Number.isNaN(height)) return maxLines;
  return Math.max(1, Math.min(maxLines, Math.floor((height / size - 2 * padding) / lineHeight + 0.02)));
}

function createMeasure(ctx: CanvasContext, letterSpacing: number): MeasureRun {
  const widths = new Map<TextRun, Map<string, number>>();
  return (text, run) => {
    const widthsOfRun = getOrCreate(widths, run, () => new Map<string, number>());
    return getOrCreate(widthsOfRun, text, () => {
      setRunFont(ctx, text, run, MEASURED_SIZE, letterSpacing);
      return (ctx.measureText(text).width / MEASURED_SIZE) * run.size;
    });
  };
}

/** Sets the font to the style of a run. `size` excludes the run's own size factor. */
export function setRunFont(
  ctx: CanvasContext,
  text: string,
  run: TextRun,
  size: number,
  letterSpacing: number,
): void {
  const stack = getFontStack(text, run.family, run.weight, run.italic);
  ctx.font = `${run.italic ? 'italic ' : ''}${getAvailableWeight(run.family, run.weight)} ${size}px ${stack}`;
  ctx.letterSpacing = `${(letterSpacing * size).toFixed(3)}px`;
}

/** Returns the units of each paragraph. A unit may span several runs. */
function splitIntoUnits(runs: readonly TextRun[], measure: MeasureRun): Rows<WordUnit> {
  const fullText = runs
    .map(({ text }) => text)
    .join('')
    .slice(0, MAX_CHARACTERS);
  const starts: number[] = [];
  let length = 0;
  for (const { text } of runs) {
    starts.push(length);
    length += text.length;
  }
  const paragraphs: WordUnit[][] = [];
  let offset = 0;
  for (const line of fullText.split(/\r\n|\r|\n/)) {
    const lineStart = offset;
    paragraphs.push(
      splitIntoSegments(line).map(({ text, isSpaced, start }) => {
        const parts = toParts(text, lineStart + start, runs, starts, measure);
        const last = parts.at(-1)?.run ?? runs[0];
        const width = parts.reduce((sum, part) => sum + part.width, 0);
        return { parts, width, space: isSpaced && last !== undefined ? measure(' ', last) : 0 };
      }),
    );
    offset = lineStart + line.length + (fullText.startsWith('\r\n', lineStart + line.length) ? 2 : 1);
  }
  return paragraphs;
}

function toParts(
  text: string,
  from: number,
  runs: readonly TextRun[],
  starts: readonly number[],
  measure: MeasureRun,
): readonly StyledText[] {
  return runs.flatMap((run, index) => {
    const start = starts[index] ?? 0;
    const part = text.slice(Math.max(0, start - from), Math.max(0, start + run.text.length - from));
    return part === '' ? [] : [{ text: part, run, width: measure(part, run) }];
  });
}

/** Returns the largest size at which everything fits, found by bisection, or the smallest size. */
function chooseSize(paragraphs: Rows<WordUnit>, content: TextContent, box: Box): number {
  if (content.fit === 'none') return content.size;
  const maxSize = content.fit === 'grow' ? Math.max(content.size, content.maxSize) : content.size;
  const fits = (size: number): boolean => {
    const width = getInnerWidth(box, size);
    const isWordSplit = paragraphs.some(units => units.some(unit => unit.width > width));
    return (
      !isWordSplit &&
      breakLines(paragraphs, width, unit => [unit]).length <= countFittingLines(content, size, box)
    );
  };
  if (fits(maxSize)) return maxSize;
  let [low, high] = [Math.min(content.minSize, maxSize), maxSize];
  for (let step = 0; step < 9; step++) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Text with more lines counts as body text, which is not balanced. */
const MAX_EVEN_LINES = 6;

/** Breaks short text that is centered or balanced into lines of similar length. Otherwise fills each line. */
function breakContent(
  paragraphs: Rows<WordUnit>,
  { align, isBalanced = align === 'center' }: TextContent,
  width: number,
  splitUnit: SplitUnit<WordUnit>,
): Rows<WordUnit> {
  const lines = breakLines(paragraphs, width, splitUnit);
  const isShort = lines.length > 1 && lines.length <= MAX_EVEN_LINES;
  return isBalanced && isShort ? breakEvenly(paragraphs, width, splitUnit) : lines;
}

function splitUnit(unit: WordUnit, width: number, measure: MeasureRun): readonly WordUnit[] {
  const pieces: WordUnit[] = [];
  let parts: StyledText[] = [];
  let usedWidth = 0;
  for (const { text, run } of unit.parts)
    for (const letter of splitGraphemes(text)) {
      const letterWidth = measure(letter, run);
      if (usedWidth + letterWidth > width && parts.length > 0) {
        pieces.push({ parts, width: usedWidth, space: 0 });
        [parts, usedWidth] = [[], 0];
      }
      parts.push({ text: letter, run, width: letterWidth });
      usedWidth += letterWidth;
    }
  return [...pieces, { parts, width: usedWidth, space: unit.space }];
}

/** Adds an ellipsis to the last line, in place of as many words as necessary. */
function addEllipsis(lines: Rows<WordUnit>, width: number, measure: MeasureRun): Rows<WordUnit> {
  const lastLine = [...(lines.at(-1) ?? [])];
  const run = lastLine.at(-1)?.parts.at(-1)?.run;
  if (run === undefined) return lines;
  const ellipsis: StyledText = { text: '…', run, width: measure('…', run) };
  const getUsedWidth = (): number => lastLine.reduce((sum, unit) => sum + unit.width + unit.space, 0);
  while (lastLine.length > 1 && getUsedWidth() - (lastLine.at(-1)?.space ?? 0) + ellipsis.width > width)
    lastLine.pop();
  const lastUnit = lastLine.pop();
  if (lastUnit === undefined) return lines;
  const freeWidth = width - getUsedWidth() - ellipsis.width;
  const [head = lastUnit] =
    lastUnit.width > freeWidth ? splitUnit(lastUnit, Math.max(0.1, freeWidth), measure) : [lastUnit];
  const parts = [...head.parts, ellipsis];
  lastLine.push({ parts, width: head.width + ellipsis.width, space: 0 });
  return [...lines.slice(0, -1), lastLine];
}

function placeLines(
  rows: Rows<WordUnit>,
  content: TextContent,
  size: number,
  box: Box,
  isRightToLeft: boolean,
): Omit<Paragraph, 'isTruncated'> {
  const lines: Line[] = [];
  let top = box.padding * size;
  for (const [index, units] of rows.entries()) {
    const tallest = Math.max(1e-3, ...units.flatMap(unit => unit.parts.map(({ run }) => run.size)));
    const factor = units.length === 0 ? 1 : tallest;
    const height = content.lineHeight * size * factor;
    const isLast = index === rows.length - 1;
    const naturalPieces = placePieces(units, size);
    const naturalWidth = naturalPieces.reduce((sum, piece) => sum + piece.width, 0);
    const isJustified = content.align === 'justify' && !isLast && units.length > 0;
    const width = isJustified ? box.width - 2 * box.padding * size : naturalWidth;
    const pieces = isJustified ? justify(units, size, width - naturalWidth) : naturalPieces;
    lines.push({
      pieces: isRightToLeft ? mirror(pieces, width) : pieces,
      width,
      top,
      height,
      // Where the capitals of a typical typeface are vertically centered in the line.
      baseline: top + height / 2 + 0.355 * size * factor,
    });
    top += height;
  }
  return { lines, size, height: top + box.padding * size, isRightToLeft };
}

/** Merges neighbors of the same style into one piece, so that letters join, kern and reorder correctly. */
function placePieces(units: readonly WordUnit[], size: number): readonly Piece[] {
  const merged: { text: string; run: TextRun; width: number }[] = [];
  for (const [index, unit] of units.entries()) {
    const isLast = index === units.length - 1;
    for (const [partIndex, part] of unit.parts.entries()) {
      const space = partIndex === unit.parts.length - 1 && unit.space > 0 && !isLast ? unit.space : 0;
      const lastPart = merged.at(-1);
      const text = space > 0 ? `${part.text} ` : part.text;
      if (lastPart?.run === part.run) {
        lastPart.text += text;
        lastPart.width += part.width + space;
      } else merged.push({ text, run: part.run, width: part.width + space });
    }
  }
  let x = 0;
  return merged.map(({ text, run, width }) => {
    const piece = { text, run, x, width: width * size };
    x += piece.width;
    return piece;
  });
}

/** Places pieces from right to left on a line. */
const mirror = (pieces: readonly Piece[], lineWidth: number): readonly Piece[] =>
  pieces.map(piece => ({ ...piece, x: lineWidth - piece.x - piece.width }));

/** Spreads the units so that they fill the line. */
function justify(units: readonly WordUnit[], size: number, freeWidth: number): readonly Piece[] {
  const gaps = units.length - 1;
  if (gaps === 0) return placePieces(units, size);
  const extra = Math.max(0, freeWidth) / gaps;
  let x = 0;
  return units.flatMap(unit => {
    const pieces = unit.parts.map(({ text, run, width: letterWidth }) => {
      const piece = { text, run, x, width: letterWidth * size };
      x += piece.width;
      return piece;
    });
    x += unit.space * size + extra;
    return pieces;
  });
}
