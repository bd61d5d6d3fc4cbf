// Reading answers: everything in them is from outside, so nothing is taken to be there.
export interface ProviderAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

import { isRecord } from '../lib/record.ts';
export type JsonRecord = { readonly [key: string]: unknown };

/** The body as a JSON object; undefined where it is none, such as a proxy's HTML. */
export function readObject({ body }: ProviderAnswer): JsonRecord | undefined {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** The text; undefined where it is none or empty. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An id as it may stand in a path; undefined where it could mean more than itself. */
export function asId(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.~-]{1,200}$/.test(value) && !/^\.+$/.test(value)
    ? value
    : undefined;
}

/** An http(s) address; undefined where it is none. */
export function asUrl(value: unknown): string | undefined {
  return typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value) ? value : undefined;
}

const DATA_URI = /^data:[\w.+/-]*(?:;[\w=.-]+)*;base64,/;

/** The bytes of a base64 data URI; undefined where the text is none. */
export function readDataUri(text: string): Buffer | undefined {
  const prefix = DATA_URI.exec(text)?.[0];
  return prefix === undefined ? undefined : Buffer.from(text.slice(prefix.length), 'base64');
}

/** The delay that the answer asks for; undefined where it asks for none. */
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
