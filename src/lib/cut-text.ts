// Cuts texts between characters. Lengths are in UTF-16 code units.

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

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
