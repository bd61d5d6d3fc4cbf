// JSON that is handed on as it was sent: its numbers, the order of its members and its escapes stay what they are.
import { randomUUID } from 'node:crypto';

/** A JSON value by its text. `stringifyJson` writes it as it stands. */
export class JsonText<T = unknown> {
  /** Without white space between tokens. */
  readonly text: string;
  /** What JavaScript makes of it, which may be less than was sent. */
  readonly value: T;

  /** Throws SyntaxError where the text is no JSON. */
  constructor(text: string) {
    this.value = JSON.parse(text) as T;
    this.text = compact(text);
  }

  static of<T>(value: T): JsonText<T> {
    return new JsonText(JSON.stringify(value));
  }

  toJSON(): unknown {
    if (written === undefined) return this.value;
    written.push(this.text);
    return MARK + (written.length - 1);
  }
}

// Nobody outside can name it, so no text of a value is taken for a place.
const MARK = `${randomUUID()}:`;
const PLACES = new RegExp(`"${MARK}(\\d+)"`, 'g');
// The texts of the value that is being written; writing is synchronous.
let written: string[] | undefined;

/** JSON.stringify, with each JsonText inside as it was sent. */
export function stringifyJson(value: unknown): string {
  const texts: string[] = [];
  written = texts;
  try {
    const text = JSON.stringify(value);
    return texts.length === 0 ? text : text.replace(PLACES, (_, place: string) => texts[Number(place)] ?? '');
  } finally {
    written = undefined;
  }
}

/** The texts of an object's members by name, of equal names the last. The text must be valid JSON, or nothing is found. */
export function memberTexts(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = skipSpace(text, 0);
  if (text[at] !== '{') return members;
  at = skipSpace(text, at + 1);
  while (text[at] === '"') {
    const nameEnd = closingQuote(text, at) + 1;
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = endOfValue(text, start);
    members.delete(name);
    members.set(name, text.slice(start, end));
    at = skipSpace(text, end);
    if (text[at] !== ',') break;
    at = skipSpace(text, at + 1);
  }
  return members;
}

/** The texts of an array's items. The text must be valid JSON, or nothing is found. */
export function itemTexts(text: string): readonly string[] {
  const items: string[] = [];
  let at = skipSpace(text, 0);
  if (text[at] !== '[') return items;
  at = skipSpace(text, at + 1);
  while (at < text.length && text[at] !== ']') {
    const end = endOfValue(text, at);
    items.push(text.slice(at, end).trimEnd());
    at = skipSpace(text, end);
    if (text[at] !== ',') break;
    at = skipSpace(text, at + 1);
  }
  return items;
}

/** An object of these members, as text. */
export function joinMembers(members: Iterable<readonly [string, string]>): string {
  return `{${Array.from(members, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The index of the quote that closes the string opened at `start`, or the length if it is not closed. */
export function closingQuote(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = closingQuote(text, at);
    else if (char === '{' || char === '[') depth++;
    else if (char === ',' && depth === 0) return at;
    else if (char === '}' || char === ']') {
      if (depth === 0) return at;
      depth--;
    }
  }
  return text.length;
}

function compact(text: string): string {
  if (!/[ \n\r\t]/.test(text)) return text;
  const kept: string[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const start = at;
    if (text[at] === '"') at = closingQuote(text, at) + 1;
    else while (at < text.length && text[at] !== '"' && !isSpace(text.charCodeAt(at))) at++;
    kept.push(text.slice(start, at));
  }
  return kept.join('');
}
