// Reading answers: everything in them is from outside, so nothing is taken to be there.
import { isRecord, parseJson } from '../lib/record.ts';

export interface ProviderAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export type JsonRecord = { readonly [key: string]: unknown };

/** The body as a JSON object; undefined where it is none, such as a proxy's HTML. */
export function readObject({ body }: ProviderAnswer): JsonRecord | undefined {
  const parsed = parseJson(body.toString('utf8'));
  return isRecord(parsed) ? parsed : undefined;
}

export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** The text; undefined where it is none or empty. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A number of things that is not negative, as text or as a number; undefined where it is none. */
export function asCount(value: unknown): number | undefined {
  const isWritten = typeof value === 'string' && /^\d{1,15}(?:\.\d{1,9})?$/.test(value);
  const count = isWritten ? Number(value) : value;
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
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

// The headers that carry a key, as providers call them.
const KEY_HEADER = /^(?:authorization|(?:x-|xi-)?api-key)$/i;
const MIN_KEY_LENGTH = 6;

/** A refusal without the key that it may quote: its words are shown to people. */
export function concealKey(
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
