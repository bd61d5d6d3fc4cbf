// Breaks measured text into lines. Widths are in em, so that a word is measured once for all font sizes.

/** Maximum number of characters that are laid out. The rest is cut off, like other overflow. */
export const MAX_CHARACTERS = 4000;

/** Text that is not broken if it fits on a line. */
export interface Unit {
  readonly width: number;
  /** Width of the space after the unit, or 0. */
  readonly space: number;
}

/** Splits a unit between letters into pieces of at most `width`. */
export type SplitUnit<U extends Unit> = (unit: U, width: number) => readonly U[];

/** Paragraphs of units, or lines of units. */
export type Rows<U> = readonly (readonly U[])[];

/** An unbreakable piece of text, whether a space follows it, and where it starts in the line. */
export interface TextSegment {
  readonly text: string;
  readonly isSpaced: boolean;
  readonly start: number;
}

const WORD_SEGMENTER = new Intl.Segmenter('en', { granularity: 'word' });
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
// In scripts without spaces, a line may end after each word that the segmenter's dictionary finds.
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
// Tolerance for widths found by bisection, so that the same words always break in the same way.
const TOLERANCE = 1e-6;
const BISECTION_STEPS = 8;

/** Splits a line into unbreakable pieces: words with their punctuation, and single words of scripts without spaces. */
export function splitIntoSegments(line: string): readonly TextSegment[] {
  const segments: { text: string; isSpaced: boolean; start: number }[] = [];
  let mayBreak = true;
  for (const { segment, index, isWordLike } of WORD_SEGMENTER.segment(line)) {
    const lastSegment = segments.at(-1);
    if (/^\s/.test(segment)) {
      if (lastSegment !== undefined) lastSegment.isSpaced = true;
      mayBreak = true;
      continue;
    }
    const startsSegment = mayBreak || (isWordLike === true && UNSPACED.test(segment));
    if (startsSegment || lastSegment === undefined)
      segments.push({ text: segment, isSpaced: false, start: index });
    else lastSegment.text += segment;
    mayBreak = /[-–—]$/.test(segment);
  }
  return segments;
}

/** Splits a text into graphemes, which readers perceive as characters. */
export const splitGraphemes = (text: string): readonly string[] =>
  Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);

/** Breaks all paragraphs into lines no wider than `width`. A wider unit is split. */
export function breakLines<U extends Unit>(
  paragraphs: Rows<U>,
  width: number,
  splitUnit: SplitUnit<U>,
): Rows<U> {
  return paragraphs.flatMap(units => {
    const lines: U[][] = [[]];
    let usedWidth = 0;
    for (const unit of units.flatMap(unit => (unit.width > width ? splitUnit(unit, width) : [unit]))) {
      const line = lines.at(-1) as U[];
      if (line.length > 0 && usedWidth + unit.width > width + TOLERANCE) {
        lines.push([unit]);
        usedWidth = 0;
      } else line.push(unit);
      usedWidth += unit.width + unit.space;
    }
    return lines;
  });
}

/** Like `breakLines`, but with lines of similar length, which avoids a last line with a single word. */
export function breakEvenly<U extends Unit>(
  paragraphs: Rows<U>,
  width: number,
  splitUnit: SplitUnit<U>,
): Rows<U> {
  const full = breakLines(paragraphs, width, splitUnit);
  // At least as wide as the widest unit, so that nothing that fits is split.
  const widest = paragraphs.flat().reduce((max, unit) => Math.max(max, unit.width), 0);
  let [low, high] = [Math.min(width, Math.max(widest, width / 2)), width];
  for (let step = 0; step < BISECTION_STEPS; step++) {
    const middle = (low + high) / 2;
    if (breakLines(paragraphs, middle, splitUnit).length > full.length) low = middle;
    else high = middle;
  }
  return high === width ? full : breakLines(paragraphs, high, splitUnit);
}
