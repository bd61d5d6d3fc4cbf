// Breaks text into lines and finds the largest size at which it fits its box. Widths are in em, so that one
// measurement of a word serves every size.

/** The width of a run of text in em, its weight and spacing given by whoever made the function. */
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

/** The most characters that are laid out; what follows is cut off like any text that does not fit. */
const MAX_CHARACTERS = 4000;

/**
 * The text at the largest whole size at which it fits, words whole unless one is longer than a line of the
 * smallest letters; what does not fit at the smallest size is cut off with an ellipsis.
 * 1. Cut the text into units that must not be broken. 2. Halve the range of sizes until one is left.
 * 3. Narrow the lines as far as their number allows, so that none is left with a single word.
 */
export function fitText(text: string, box: TextBox, measure: Measure): TextBlock {
  const paragraphs = text
    .slice(0, MAX_CHARACTERS)
    .trim()
    .split(/\r\n|\r|\n/)
    .map(line => measureUnits(line, measure));
  const breakAt = (size: number): Broken => breakLines(paragraphs, box.width / size, measure);
  const mustCutWords = breakAt(box.minSize).isWordCut;
  const fits = (size: number): boolean => {
    const { lines, isWordCut } = breakAt(size);
    return (
      (mustCutWords || !isWordCut) &&
      lines.length <= box.maxLines &&
      lines.length * box.lineHeight * size <= box.height
    );
  };
  let [low, high] = [Math.floor(box.minSize), Math.floor(box.maxSize)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  const room = Math.min(box.maxLines, Math.max(1, Math.floor(box.height / (box.lineHeight * low))));
  const { lines } = breakAt(low);
  const kept =
    lines.length > room
      ? cutOff(lines.slice(0, room), box.width / low, measure)
      : balance(paragraphs, box.width / low, measure);
  return { lines: kept, size: low, height: kept.length * box.lineHeight * low };
}

interface Unit {
  /** Without the space that follows it. */
  readonly text: string;
  readonly width: number;
  /** Width of the text and the space after it, 0 more where there is none. */
  readonly advance: number;
  readonly isSpaced: boolean;
}

interface Broken {
  readonly lines: readonly string[];
  readonly isWordCut: boolean;
}

const WORDS = new Intl.Segmenter('en', { granularity: 'word' });
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
// Scripts written without spaces: a line may end between any two words, which the segmenter finds by dictionary.
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** A stretch of text that must not be broken; whether a space follows, and where it stands in the line. */
export interface Stretch {
  readonly text: string;
  readonly isSpaced: boolean;
  readonly start: number;
}

/** Cuts a line into what must not be broken: words with their punctuation, single words of unspaced scripts. */
export function cutIntoStretches(line: string): readonly Stretch[] {
  const units: { text: string; isSpaced: boolean; start: number }[] = [];
  let mayBreak = true;
  for (const { segment, index, isWordLike } of WORDS.segment(line)) {
    const last = units.at(-1);
    if (/^\s/.test(segment)) {
      if (last !== undefined) last.isSpaced = true;
      mayBreak = true;
      continue;
    }
    const startsUnit = mayBreak || (isWordLike === true && UNSPACED.test(segment));
    if (startsUnit || last === undefined) units.push({ text: segment, isSpaced: false, start: index });
    else last.text += segment;
    mayBreak = /[-–—]$/.test(segment);
  }
  return units;
}

function measureUnits(line: string, measure: Measure): readonly Unit[] {
  const space = measure(' ');
  return cutIntoStretches(line).map(({ text, isSpaced }) => {
    const width = measure(text);
    return { text, isSpaced, width, advance: isSpaced ? width + space : width };
  });
}

function breakLines(paragraphs: readonly (readonly Unit[])[], width: number, measure: Measure): Broken {
  const lines: string[] = [];
  let isWordCut = false;
  for (const units of paragraphs) {
    let line = '';
    let used = 0;
    for (const unit of units) {
      if (line !== '' && used + unit.width > width) {
        lines.push(line.trimEnd());
        [line, used] = ['', 0];
      }
      const pieces = unit.width > width ? cutWord(unit.text, width, measure) : [unit.text];
      if (pieces.length > 1) isWordCut = true;
      lines.push(...pieces.slice(0, -1));
      const rest = pieces.at(-1) ?? '';
      line += unit.isSpaced ? `${rest} ` : rest;
      used += pieces.length > 1 ? measure(rest) + unit.advance - unit.width : unit.advance;
    }
    lines.push(line.trimEnd());
  }
  return { lines, isWordCut };
}

function cutWord(word: string, width: number, measure: Measure): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const { segment } of GRAPHEMES.segment(word)) {
    const advance = measure(segment);
    if (piece !== '' && used + advance > width) {
      pieces.push(piece);
      [piece, used] = ['', 0];
    }
    piece += segment;
    used += advance;
  }
  return [...pieces, piece];
}

function balance(
  paragraphs: readonly (readonly Unit[])[],
  width: number,
  measure: Measure,
): readonly string[] {
  const widest = breakLines(paragraphs, width, measure);
  let best = widest.lines;
  let [low, high] = [width / 2, width];
  for (let step = 0; step < 8; step++) {
    const middle = (low + high) / 2;
    const { lines, isWordCut } = breakLines(paragraphs, middle, measure);
    if (lines.length === best.length && isWordCut === widest.isWordCut) [best, high] = [lines, middle];
    else low = middle;
  }
  return best;
}

function cutOff(lines: readonly string[], width: number, measure: Measure): readonly string[] {
  return [...lines.slice(0, -1), ellipsize(`${lines.at(-1) ?? ''}…`, width, measure)];
}

/** The text on one line, shortened to the width in em with an ellipsis where it is too long. */
export function ellipsize(text: string, width: number, measure: Measure): string {
  const graphemes = Array.from(GRAPHEMES.segment(text.slice(0, MAX_CHARACTERS)), ({ segment }) => segment);
  if (text.length <= MAX_CHARACTERS && measure(text) <= width) return text;
  let [low, high] = [0, graphemes.length];
  const shortened = (count: number): string =>
    `${graphemes
      .slice(0, count)
      .join('')
      .replace(/[\s.,;:…]+$/, '')}…`;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(shortened(middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return shortened(low);
}
