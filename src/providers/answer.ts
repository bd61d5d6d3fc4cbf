// Reads provider answers. Answers come from outside, so every field is checked before use.
import { isRecord, parseJson } from '../lib/record.ts';

export interface ProviderAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export type JsonRecord = { readonly [key: string]: unknown };

/** Parses the body as a JSON object; returns undefined if it is something else, such as a proxy's HTML. */
export function readObject({ body }: ProviderAnswer): JsonRecord | undefined {
  const parsed = parseJson(body.toString('utf8'));
  return isRecord(parsed) ? parsed : undefined;
}

export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** Returns the text, or undefined if the value is not a string or is empty. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a non-negative number that is given as a number or as text; undefined for anything else. */
export function asCount(value: unknown): number | undefined {
  const isWritten = typeof value === 'string' && /^\d{1,15}(?:\.\d{1,9})?$/.test(value);
  const count = isWritten ? Number(value) : value;
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns an id that is safe to put into a URL path; undefined if it could change the path's meaning. */
export function asId(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.~-]{1,200}$/.test(value) && !/^\.+$/.test(value)
    ? value
    : undefined;
}

/** Returns the value if it is an http(s) URL, otherwise undefined. */
export function asUrl(value: unknown): string | undefined {
  return typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value) ? value : undefined;
}

const DATA_URI = /^data:[\w.+/-]*(?:;[\w=.-]+)*;base64,/;

/** Decodes a base64 data URI; returns undefined if the text is not one. */
export function readDataUri(text: string): Buffer | undefined {
  const prefix = DATA_URI.exec(text)?.[0];
  return prefix === undefined ? undefined : Buffer.from(text.slice(prefix.length), 'base64');
}

// The header names that providers use for keys.
const KEY_HEADER = /^(?:authorization|(?:x-|xi-)?api-key)$/i;
const MIN_KEY_LENGTH = 6;

/** Masks our key in error answers that quote it, because error messages are shown to users. */
export function maskKey(
  answer: ProviderAnswer,
  sent: Readonly<Record<string, string>> | undefined,
): ProviderAnswer {
  const keys = Object.entries(sent ?? {})
    .filter(([name]) => KEY_HEADER.test(name))
    .map(([, value]) => value.replace(/^\w+ /, ''))
    .filter(key => key.length >= MIN_KEY_LENGTH);
  if (answer.status < 400 || keys.length === 0) return answer;
  const words = keys.reduce((text, key) => text.replaceAll(key, '…'), answer.body.toString('utf8'));
  return { ...answer, body: Buffer.from(words) };
}

/** Returns the delay in milliseconds that the answer asks for, or undefined. */
export function readRetryAfter({ headers }: ProviderAnswer): number | undefined {
  const exact = Number(headers['retry-after-ms'] || Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const given = headers['retry-after'];
  if (given === undefined || given === '') return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
