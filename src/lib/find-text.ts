// Finds texts in texts in linear time, whatever users choose for both.

/** The search of V8 compares at most this many pairs of characters in a few milliseconds. */
const MAX_COMPARED = 10_000_000;
/** A part of a pattern that repeats itself is at most this long: see `isRepetitive`. */
const MAX_BORDER = 16;

/** Yields the indexes at which the text has the pattern, without overlaps, as `replaceAll` finds them. */
export function* findAll(text: string, pattern: string): Generator<number, void, undefined> {
  if (pattern === '' || pattern.length > text.length) return;
  if (text.length * pattern.length > MAX_COMPARED && isRepetitive(pattern))
    return yield* findLinearly(text, pattern);
  for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + pattern.length)) yield at;
}

/**
 * Returns whether a search that moves by single characters, as V8 does, may compare many characters several times: if a part
 * of the pattern repeats itself, such as in aaa…b.
 */
export function isRepetitive(pattern: string): boolean {
  const reversed = Array.from({ length: pattern.length }, (_, index) => pattern[pattern.length - 1 - index]);
  return [pattern, reversed.join('')].some(form => computeBorders(form).some(border => border > MAX_BORDER));
}

export const includesText = (text: string, pattern: string): boolean =>
  pattern === '' || findAll(text, pattern).next().done !== true;

/** Works like `split` with a separator that is not empty. */
export function splitText(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const at of findAll(text, separator)) {
    parts.push(text.slice(start, at));
    start = at + separator.length;
  }
  return [...parts, text.slice(start)];
}

/** Works like `replaceAll` with a pattern that is not empty and a replacement without `$`. */
export const replaceAllText = (text: string, pattern: string, replacement: string): string =>
  splitText(text, pattern).join(replacement);

/** Replaces the patterns, which `foldCase` has returned, one after the other, in any case of letters. */
export function replaceInAnyCase(text: string, patterns: readonly string[], replacement: string): string {
  let [shown, folded] = [text, foldCase(text)];
  for (const pattern of patterns) {
    const indexes = [...findAll(folded, pattern)];
    if (indexes.length === 0) continue;
    const cut = (whole: string): string => {
      const starts = [0, ...indexes.map(index => index + pattern.length)];
      return starts.map((start, part) => whole.slice(start, indexes[part])).join(replacement);
    };
    [shown, folded] = [cut(shown), cut(folded)];
  }
  return shown;
}

/** Makes texts equal that differ only in the case of letters. The result has the length of the text. */
export function foldCase(text: string): string {
  // Every character of ASCII has one lower case.
  if (!/[^\p{ASCII}]/u.test(text)) return text.toLowerCase();
  return Array.from(text, letter => {
    const upper = keepLength(letter.toUpperCase(), letter);
    return keepLength(upper.toLowerCase(), letter);
  }).join('');
}

const keepLength = (changed: string, letter: string): string =>
  changed.length === letter.length ? changed : letter;

/** The algorithm of Knuth, Morris and Pratt (SIAM Journal on Computing 6, 1977). */
function* findLinearly(text: string, pattern: string): Generator<number, void, undefined> {
  const borders = computeBorders(pattern);
  let matched = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    while (matched > 0 && pattern.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (pattern.charCodeAt(matched) === code) matched++;
    if (matched < pattern.length) continue;
    yield index - pattern.length + 1;
    matched = 0;
  }
}

/** Returns, for each beginning of the pattern, the length of its longest end that is also its beginning. */
function computeBorders(pattern: string): Uint32Array {
  const borders = new Uint32Array(pattern.length);
  let length = 0;
  for (let index = 1; index < pattern.length; index++) {
    const code = pattern.charCodeAt(index);
    while (length > 0 && pattern.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (pattern.charCodeAt(length) === code) length++;
    borders[index] = length;
  }
  return borders;
}
