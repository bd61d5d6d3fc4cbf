// Breaks measured text into lines, for cards and for the paragraphs of scenes alike. Widths are in em, so that one
// measurement of a word serves every size.

/** Characters that are laid out at most; the rest is cut off like any text that does not fit. */
export const MAX_CHARACTERS = 4000;

/** Text that must not be broken as long as it fits on a line. */
export interface Unit {
  readonly width: number;
  /** Width of the space after it; 0 where there is none. */
  readonly space: number;
}

/** Cuts a unit between letters into pieces that are at most that wide. */
export type CutUnit<U extends Unit> = (unit: U, width: number) => readonly U[];

/** Paragraphs of units, or lines of them. */
export type Rows<U> = readonly (readonly U[])[];

/** A stretch of text that must not be broken; whether a space follows, and where it starts in the line. */
export interface Stretch {
  readonly text: string;
  readonly isSpaced: boolean;
  readonly start: number;
}

const WORDS = new Intl.Segmenter('en', { granularity: 'word' });
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
// Scripts written without spaces: a line may end between any two words, which the segmenter finds by dictionary.
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
// The width was found by halving, and the same words must break the same way.
const TOLERANCE = 1e-6;
const HALVINGS = 8;

/** Cuts a line into what must not be broken: words with their punctuation, single words of unspaced scripts. */
export function cutIntoStretches(line: string): readonly Stretch[] {
  const stretches: { text: string; isSpaced: boolean; start: number }[] = [];
  let mayBreak = true;
  for (const { segment, index, isWordLike } of WORDS.segment(line)) {
    const last = stretches.at(-1);
    if (/^\s/.test(segment)) {
      if (last !== undefined) last.isSpaced = true;
      mayBreak = true;
      continue;
    }
    const startsNew = mayBreak || (isWordLike === true && UNSPACED.test(segment));
    if (startsNew || last === undefined) stretches.push({ text: segment, isSpaced: false, start: index });
    else last.text += segment;
    mayBreak = /[-–—]$/.test(segment);
  }
  return stretches;
}

/** The graphemes of a text: what a reader takes for one letter. */
export const graphemesOf = (text: string): readonly string[] =>
  Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);

/** The lines of all paragraphs, none wider than `width`; a unit that is wider is cut. */
export function breakLines<U extends Unit>(paragraphs: Rows<U>, width: number, cut: CutUnit<U>): Rows<U> {
  return paragraphs.flatMap(units => {
    const lines: U[][] = [[]];
    let used = 0;
    for (const unit of units.flatMap(one => (one.width > width ? cut(one, width) : [one]))) {
      const line = lines.at(-1) as U[];
      if (line.length > 0 && used + unit.width > width + TOLERANCE) {
        lines.push([unit]);
        used = 0;
      } else line.push(unit);
      used += unit.width + unit.space;
    }
    return lines;
  });
}

/** As many lines as at the full width, but of about one length, so that none is left with a single word. */
export function breakEvenly<U extends Unit>(paragraphs: Rows<U>, width: number, cut: CutUnit<U>): Rows<U> {
  const full = breakLines(paragraphs, width, cut);
  // No narrower than the widest unit: nothing is cut that fits.
  const widest = paragraphs.flat().reduce((most, unit) => Math.max(most, unit.width), 0);
  let [low, high] = [Math.min(width, Math.max(widest, width / 2)), width];
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (low + high) / 2;
    if (breakLines(paragraphs, middle, cut).length > full.length) low = middle;
    else high = middle;
  }
  return high === width ? full : breakLines(paragraphs, high, cut);
}
