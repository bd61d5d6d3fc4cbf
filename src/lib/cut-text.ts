// Cuts texts between characters, and counts characters. Lengths are in UTF-16 code units.

/** A longer character, such as a letter with dozens of marks, may be cut. */
const MAX_CHARACTER_LENGTH = 64;
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Returns the start of the text, at most this long, without a part of a character at its end: half of an emoji, an emoji of
 * a sequence, or a letter without its marks.
 */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const windowStart = Math.max(0, maxLength - MAX_CHARACTER_LENGTH);
  const window = text.slice(windowStart, maxLength + MAX_CHARACTER_LENGTH);
  const { index = 0 } = characters.segment(window).containing(maxLength - windowStart) ?? {};
  if (index > 0 || windowStart === 0) return text.slice(0, windowStart + index);
  return text.slice(0, isHighSurrogate(text.charCodeAt(maxLength - 1)) ? maxLength - 1 : maxLength);
}

/** Yields the parts of the text, each of this length, or longer by one so that it ends with a whole character. */
export function* cutIntoParts(text: string, length: number): Generator<string, void, undefined> {
  for (let start = 0; start < text.length; ) {
    const end = start + length + (isHighSurrogate(text.charCodeAt(start + length - 1)) ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
}

/** Returns whether the text has at most this many characters (Unicode code points), which is what JSON Schema counts. */
export function hasAtMost(text: string, maxCharacters: number): boolean {
  if (text.length <= maxCharacters) return true;
  if (text.length > 2 * maxCharacters) return false;
  let count = 0;
  for (const _ of text) if (++count > maxCharacters) return false;
  return true;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
