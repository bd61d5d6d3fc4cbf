// Reads provider responses. Responses are untrusted, so every field is checked before use.
import { isRecord, parseJson } from '../lib/record.ts';

export interface ProviderResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export type JsonRecord = { readonly [key: string]: unknown };

/** Parses the body as a JSON object. Returns undefined for anything else, such as a proxy's HTML. */
export function parseResponseObject({ body }: ProviderResponse): JsonRecord | undefined {
  const parsed = parseJson(body.toString('utf8'));
  return isRecord(parsed) ? parsed : undefined;
}

export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** Returns the text, or undefined if the value is not a string or is empty. */
export function asNonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a non-negative number from a number or a numeric string, otherwise undefined. */
export function asCount(value: unknown): number | undefined {
  const isNumeric = typeof value === 'string' && /^\d{1,15}(?:\.\d{1,9})?$/.test(value);
  const count = isNumeric ? Number(value) : value;
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}

/** Returns a seed that JSON numbers represent exactly, otherwise undefined. */
export const asSeed = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) ? (value as number) : undefined;

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns an id that is safe in a URL path, otherwise undefined. */
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

/** Decodes a base64 data URI. Returns undefined if the text is not one. */
export function readDataUri(text: string): Buffer | undefined {
  const prefix = DATA_URI.exec(text)?.[0];
  return prefix === undefined ? undefined : Buffer.from(text.slice(prefix.length), 'base64');
}

/** Returns the delay in milliseconds that the response requests, or undefined. */
export function parseRetryAfter({ headers }: ProviderResponse): number | undefined {
  const exact = Number(headers['retry-after-ms'] || Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const retryAfter = headers['retry-after'];
  if (retryAfter === undefined || retryAfter === '') return undefined;
  const seconds = Number(retryAfter);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
