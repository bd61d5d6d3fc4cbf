// Detects numbers in JSON text that JavaScript would change, and marks or preserves them.
import { findClosingQuote } from './json-scan.ts';

/** Replaces a number that JavaScript would change. JSON.parse turns the mark into Infinity, which is not a JSON value. */
const MARK = '1e999';
/** Any number with this many digits survives in a double. */
const SAFE_LENGTH = 15;
/** Members whose values the service computes with or passes on. Fractions elsewhere are canvas positions. */
const EXACT_MEMBERS = ['data', 'config'];

const QUOTE = 0x22;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const MINUS = 0x2d;
const COLON = 0x3a;
const COMMA = 0x2c;
const POINT = 0x2e;

/**
 * Returns the text with MARK in place of each integer that a double cannot represent, each number that is too large,
 * and each fraction inside `data` or `config` that would be rounded. Makes one pass and returns the same string if
 * there is nothing to mark.
 */
export function markInexactNumbers(text: string): string {
  const pieces: string[] = [];
  let copiedTo = 0;
  let depth = 0;
  // The depth at which the current member of EXACT_MEMBERS began, or 0 outside of these members.
  let exactDepth = 0;
  let stringStart = 0;
  let stringEnd = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      stringStart = index + 1;
      index = stringEnd = findClosingQuote(text, index);
    } else if (code === MINUS || isDigit(code)) {
      let end = findDigitsEnd(text, index + 1);
      const hasExponent = (text.charCodeAt(end) | 0x20) === 0x65; // e, E
      // Skips the `e` and the sign or digit after it.
      if (hasExponent) end = findDigitsEnd(text, end + 2);
      if ((hasExponent || end - index > SAFE_LENGTH) && isChanged(text.slice(index, end), exactDepth > 0)) {
        pieces.push(text.slice(copiedTo, index), MARK);
        copiedTo = end;
      }
      index = end - 1;
    } else if (code === COLON) {
      if (exactDepth === 0 && isExactMember(text, stringStart, stringEnd)) exactDepth = depth;
    } else if (code === COMMA) {
      if (depth === exactDepth) exactDepth = 0;
    } else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
      depth++;
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      if (depth === exactDepth) exactDepth = 0;
      depth--;
    }
  }
  return copiedTo === 0 ? text : pieces.join('') + text.slice(copiedTo);
}

/** Matches texts that may contain a number that JavaScript changes. */
const MAY_CHANGE = new RegExp(`[\\d.]{${SAFE_LENGTH + 1}}|\\d[eE][+-]?\\d`);

/** Returns whether the text may contain a number that JavaScript changes. */
export const mayHaveInexactNumbers = (text: string): boolean => MAY_CHANGE.test(text);

/**
 * Parses JSON. A number that JavaScript would change becomes raw JSON, an object that JSON.stringify writes as it was
 * sent. Throws a SyntaxError.
 */
export function parseExactJson(text: string): unknown {
  if (!mayHaveInexactNumbers(text)) return JSON.parse(text) as unknown;
  return JSON.parse(text, (_name, value: unknown, { source } = {}) =>
    typeof value === 'number' && source !== undefined && isChanged(source, true)
      ? JSON.rawJSON(source)
      : value,
  ) as unknown;
}

/** Returns whether a JavaScript number has exactly the value of the literal. */
export const isExactNumber = (literal: string): boolean => !isChanged(literal, true);

/** A number that `parseExactJson` kept as its text. */
interface RawNumber {
  readonly rawJSON: string;
}

declare global {
  // In the standard since ES2025, but not in the types.
  interface JSON {
    parse(
      text: string,
      reviver: (name: string, value: unknown, context?: { readonly source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

function isExactMember(text: string, start: number, end: number): boolean {
  return EXACT_MEMBERS.some(name => name.length === end - start && text.startsWith(name, start));
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Returns the end of a sequence of digits and points. JSON.parse decides whether they form a number. */
function findDigitsEnd(text: string, start: number): number {
  let end = start;
  for (let code = text.charCodeAt(end); isDigit(code) || code === POINT; code = text.charCodeAt(end)) end++;
  return end;
}

/** Returns whether JSON.parse turns the literal into a different number. Ignores fractions unless `checksFractions`. */
function isChanged(literal: string, checksFractions: boolean): boolean {
  const number = Number(literal);
  // JSON.parse rejects a literal that is not a number.
  if (Number.isNaN(number)) return false;
  if (!Number.isFinite(number)) return true;
  if (!checksFractions && /\.|e-/i.test(literal)) return false;
  const printed = String(number);
  return printed !== literal && normalize(printed) !== normalize(literal);
}

/** Returns the normalized decimal value of a literal: its significant digits, and the power of ten of the last digit. */
function normalize(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [integer = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = integer + fraction;
  let start = 0;
  let end = digits.length;
  while (start < end && digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  if (start === end) return '0';
  const power = Number(exponent) - fraction.length + (digits.length - end);
  return `${mantissa.startsWith('-') ? '-' : ''}${digits.slice(start, end)}e${power}`;
}
