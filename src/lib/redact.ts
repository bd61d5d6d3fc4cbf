// Finds secrets in text and bytes, in all common encodings, and removes them.

/** Stands for a removed secret. */
export const HIDDEN = '…';
/** Shorter secrets are not removed from data, because they would match by chance. */
export const MIN_SCRUBBED_LENGTH = 6;
/** Longer values are matched only in their plain form. */
const MAX_ENCODED = 2048;
/** Larger bodies are media, in which only the plain form is searched. */
const MAX_TEXT_BYTES = 1_048_576;

/** Returns the value in its usual encodings: in JSON, in URLs, in host names, in base64 and in hex. */
export function listEncodings(value: string): readonly string[] {
  if (value === '') return [];
  if (value.length > MAX_ENCODED) return [value];
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

export function sortByLength(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** Returns a function that removes the secrets from the bytes. It returns the same buffer if there are none. */
export function createRedactor(secrets: readonly string[]): (bytes: Buffer) => Buffer {
  const plain = sortByLength(secrets).filter(secret => secret.length >= MIN_SCRUBBED_LENGTH);
  const forms = sortByLength(plain.flatMap(listEncodings));
  return bytes => {
    const searched = bytes.length > MAX_TEXT_BYTES ? plain : forms;
    const found = searched.filter(form => bytes.includes(form));
    if (found.length === 0) return bytes;
    const text = found.reduce(
      (rest, form) => rest.replaceAll(Buffer.from(form).toString('latin1'), HIDDEN_LATIN1),
      bytes.toString('latin1'),
    );
    return Buffer.from(text, 'latin1');
  };
}

// The bytes of HIDDEN, so that text and media keep all other bytes.
const HIDDEN_LATIN1 = Buffer.from(HIDDEN).toString('latin1');
