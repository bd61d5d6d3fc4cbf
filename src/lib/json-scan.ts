// Splits JSON text into the texts of its parts, without parsing their values.

/**
 * Returns the texts of an object's members by name. If a name repeats, the last member counts. Returns an empty map for
 * any other value. The text must be valid JSON.
 */
export function parseMemberTexts(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let index = skipSpace(text, 0);
  if (text[index] !== '{') return members;
  index = skipSpace(text, index + 1);
  while (text[index] === '"') {
    const nameEnd = findClosingQuote(text, index) + 1;
    const name = JSON.parse(text.slice(index, nameEnd)) as string;
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = findValueEnd(text, start);
    members.delete(name);
    members.set(name, text.slice(start, end));
    index = skipSpace(text, end);
    if (text[index] !== ',') break;
    index = skipSpace(text, index + 1);
  }
  return members;
}

/** Returns the texts of an array's items, or an empty list for any other value. The text must be valid JSON. */
export function parseItemTexts(text: string): readonly string[] {
  const items: string[] = [];
  let index = skipSpace(text, 0);
  if (text[index] !== '[') return items;
  index = skipSpace(text, index + 1);
  while (index < text.length && text[index] !== ']') {
    const end = findValueEnd(text, index);
    items.push(text.slice(index, end).trimEnd());
    index = skipSpace(text, end);
    if (text[index] !== ',') break;
    index = skipSpace(text, index + 1);
  }
  return items;
}

/** Returns the text of an object with these members. */
export function joinMembers(members: Iterable<readonly [string, string]>): string {
  return `{${Array.from(members, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function skipSpace(text: string, from: number): number {
  let index = from;
  while (isSpace(text.charCodeAt(index))) index++;
  return index;
}

/** Returns the index of the quote that closes the string opened at `start`, or the length if it is not closed. */
export function findClosingQuote(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

function findValueEnd(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const char = text[index];
    if (char === '"') index = findClosingQuote(text, index);
    else if (char === '{' || char === '[') depth++;
    else if (char === ',' && depth === 0) return index;
    else if (char === '}' || char === ']') {
      if (depth === 0) return index;
      depth--;
    }
  }
  return text.length;
}

/** Removes the white space between tokens. */
export function removeWhitespace(text: string): string {
  if (!/[ \n\r\t]/.test(text)) return text;
  const pieces: string[] = [];
  for (let index = skipSpace(text, 0); index < text.length; index = skipSpace(text, index)) {
    const start = index;
    if (text[index] === '"') index = findClosingQuote(text, index) + 1;
    else while (index < text.length && text[index] !== '"' && !isSpace(text.charCodeAt(index))) index++;
    pieces.push(text.slice(start, index));
  }
  return pieces.join('');
}
