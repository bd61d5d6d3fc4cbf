// Finds secrets in text and bytes, in all common encodings, and removes them.
import { includesText, isRepetitive, replaceAllText } from './find-text.ts';

/** Replaces a removed secret. */
export const REPLACEMENT = '…';
/** Shorter secrets are not removed from data, because they would match by chance. */
export const MIN_REDACTED_LENGTH = 6;
/** Longer values are matched only in their plain form. */
const MAX_ENCODED_LENGTH = 2048;
/** Larger bodies are media, in which only the plain form is searched. */
const MAX_TEXT_BYTES = 1_048_576;

/** Returns the value in its usual encodings: in JSON, in URLs, in host names, in base64 and in hex. */
export function listEncodings(value: string): readonly string[] {
  if (value === '') return [];
  if (value.length > MAX_ENCODED_LENGTH) return [value];
  const bytes = Buffer.from(value);
  const encoded = encodeURIComponent(value.toWellFormed());
  const host = /^[^\s/?#@\\:%]+$/.test(value) ? URL.parse(`http://${value}.invalid/`)?.hostname : undefined;
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encoded,
    encoded.replaceAll('%20', '+'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    ...(host === undefined ? [] : [host.slice(0, -'.invalid'.length)]),
  ].filter(form => form !== '');
}

/** Returns the distinct forms, longest first, so that a form is removed before its own parts. */
export function sortByLength(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** Returns a function that removes the secrets from a buffer, or returns the same buffer if it contains none of them. */
export function createRedactor(secrets: readonly string[]): (bytes: Buffer) => Buffer {
  const plainTexts = sortByLength(secrets).filter(secret => secret.length >= MIN_REDACTED_LENGTH);
  const plainForms = plainTexts.map(toForm);
  const allForms = sortByLength(plainTexts.flatMap(listEncodings)).map(toForm);
  return bytes => {
    const forms = bytes.length > MAX_TEXT_BYTES ? plainForms : allForms;
    let latin1: string | undefined;
    const toText = (): string => (latin1 ??= bytes.toString('latin1'));
    const contained = forms.filter(form =>
      form.isRepetitive ? includesText(toText(), form.latin1) : bytes.includes(form.latin1, 'latin1'),
    );
    if (contained.length === 0) return bytes;
    const text = contained.reduce(
      (rest, form) => replaceAllText(rest, form.latin1, REPLACEMENT_LATIN1),
      toText(),
    );
    return Buffer.from(text, 'latin1');
  };
}

// Buffers are searched as Latin-1, which maps every byte to one character, so that all other bytes are kept.
interface Form {
  readonly latin1: string;
  /** Whether the search of Buffer may take long: see `isRepetitive`. */
  readonly isRepetitive: boolean;
}

const toForm = (text: string): Form => ({ latin1: toLatin1(text), isRepetitive: isRepetitive(text) });
const toLatin1 = (text: string): string => Buffer.from(text).toString('latin1');
const REPLACEMENT_LATIN1 = toLatin1(REPLACEMENT);
