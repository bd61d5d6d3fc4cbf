// Passes JSON on exactly as it was sent, with its numbers, member order and escapes.
import { randomUUID } from 'node:crypto';

/** A JSON value with its text, which `stringifyJson` writes unchanged. */
export class JsonText<T = unknown> {
  /** The text without white space between tokens. */
  readonly text: string;
  /** The value as JavaScript parses it, which may lose precision. */
  readonly value: T;

  /** Throws SyntaxError if the text is not JSON. */
  constructor(text: string) {
    this.value = JSON.parse(text) as T;
    this.text = compact(text);
  }

  static of<T>(value: T): JsonText<T> {
    return new JsonText(JSON.stringify(value));
  }

  toJSON(): unknown {
    if (collectedTexts === undefined) return this.value;
    collectedTexts.push(this.text);
    return MARK + (collectedTexts.length - 1);
  }
}

// Unguessable, so no string in a value can be mistaken for a placeholder.
const MARK = `${randomUUID()}:`;
const PLACEHOLDERS = new RegExp(`"${MARK}(\\d+)"`, 'g');
// The texts of the value being written. Writing is synchronous.
let collectedTexts: string[] | undefined;

/** Works like JSON.stringify, but writes each JsonText inside the value unchanged. */
export function stringifyJson(value: unknown): string {
  const texts: string[] = [];
  collectedTexts = texts;
  try {
    const text = JSON.stringify(value);
    return texts.length === 0
      ? text
      : text.replace(PLACEHOLDERS, (_, index: string) => texts[Number(index)] ?? '');
  } finally {
    collectedTexts = undefined;
  }
}

/**
 * Returns the texts of an object's members by name; the last one wins if names repeat. Returns an empty map if the text
 * is not a valid JSON object.
 */
export function parseMemberTexts(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = skipSpace(text, 0);
  if (text[at] !== '{') return members;
  at = skipSpace(text, at + 1);
  while (text[at] === '"') {
    const nameEnd = findClosingQuote(text, at) + 1;
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = findValueEnd(text, start);
    members.delete(name);
    members.set(name, text.slice(start, end));
    at = skipSpace(text, end);
    if (text[at] !== ',') break;
    at = skipSpace(text, at + 1);
  }
  return members;
}

/** Returns the texts of an array's items. Returns an empty list if the text is not a valid JSON array. */
export function parseItemTexts(text: string): readonly string[] {
  const items: string[] = [];
  let at = skipSpace(text, 0);
  if (text[at] !== '[') return items;
  at = skipSpace(text, at + 1);
  while (at < text.length && text[at] !== ']') {
    const end = findValueEnd(text, at);
    items.push(text.slice(at, end).trimEnd());
    at = skipSpace(text, end);
    if (text[at] !== ',') break;
    at = skipSpace(text, at + 1);
  }
  return items;
}

/** Returns the text of an object with these members. */
export function joinMembers(members: Iterable<readonly [string, string]>): string {
  return `{${Array.from(members, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
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
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = findClosingQuote(text, at);
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
  const pieces: string[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    const start = at;
    if (text[at] === '"') at = findClosingQuote(text, at) + 1;
    else while (at < text.length && text[at] !== '"' && !isSpace(text.charCodeAt(at))) at++;
    pieces.push(text.slice(start, at));
  }
  return pieces.join('');
}
