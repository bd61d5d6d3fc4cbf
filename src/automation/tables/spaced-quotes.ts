// Finds quotes after a space at the start of a CSV cell. Such a quote does not quote the cell, so that its text would have
// quotes, or end at the next delimiter.

/** Matches from a quote inside a quoted cell to the end of the cell, if the quote closes the cell. By the delimiter. */
const CLOSINGS: Readonly<Record<string, RegExp>> = {
  ',': /"[^\S\n]*(?:[,\n]|$)/y,
  ';': /"[^\S\n]*(?:[;\n]|$)/y,
};

const SPACED_QUOTE = /[^\S\n]+"/y;
/** Most tables have no such text, and need not be searched cell by cell. */
const MAYBE_SPACED_QUOTE = /(?:^|[,;\n])[^\S\n]+"/;

/**
 * Returns the indexes of the rows in which an unquoted cell begins with a space and a quote. In a table with tabs, such a
 * space is text.
 */
export function findSpacedQuotes(text: string, delimiter: string): ReadonlySet<number> {
  const rows = new Set<number>();
  const closing = CLOSINGS[delimiter];
  if (closing === undefined || !MAYBE_SPACED_QUOTE.test(text)) return rows;
  let row = 0;
  for (let index = 0; index < text.length; index++) {
    SPACED_QUOTE.lastIndex = index;
    if (SPACED_QUOTE.test(text)) rows.add(row);
    if (text[index] === '"') index = findClosingQuote(text, index, closing) + 1;
    while (index < text.length && text[index] !== delimiter && text[index] !== '\n') index++;
    if (text[index] === '\n') row++;
  }
  return rows;
}

/** Returns the index of the quote that closes the cell, or the length. Doubled quotes are text, and so are stray ones. */
function findClosingQuote(text: string, start: number, closing: RegExp): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    closing.lastIndex = quote;
    if (text[quote + 1] === '"') quote++;
    else if (closing.test(text)) return quote;
  }
  return text.length;
}
