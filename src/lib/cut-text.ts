// Cuts texts between characters, and counts characters. Lengths are in UTF-16 code units.

/** Returns the start of the text, at most this long, without half of an emoji at its end. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
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
