// Cuts texts between characters. Lengths are in UTF-16 code units.

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Returns the start of the text, at most this long, with an ellipsis if it was cut, and without a part of a character. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // The character at the end may begin earlier, but rarely has more than 64 code units.
  const start = Math.max(0, maxLength - 64);
  const { index = 0 } =
    characters.segment(text.slice(start, maxLength + 64)).containing(maxLength - start) ?? {};
  return `${text.slice(0, index === 0 && start > 0 ? maxLength : start + index)}…`;
}
