// The parts of a multipart form (RFC 7578, RFC 2046 §5.1), cut out of its body as it arrives. Of our own, since the pieces
// of a file are handed on as they came: general parsers copy each through streams, which for 4 MB cost thrice as much.
import { free } from '../lib/freeing.ts';

export interface Part {
  readonly name: string;
  /** undefined: the part is a field, not a file. */
  readonly filename: string | undefined;
  readonly contentType: string | undefined;
  /** What is not read of it is skipped when the next part is asked for; each piece is done with when the next one is. */
  readonly body: AsyncGenerator<Buffer, void, undefined>;
}

/** What is wrong with a form, in a phrase. */
export class FormError extends Error {}

const MAX_PARTS = 12;
const MAX_HEADER_BYTES = 8192;
const MAX_HEADERS = 20;
const BLANK_LINE = Buffer.from('\r\n\r\n');
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);

/** Throws FormError. What follows the last part is left unread, and the body closed. */
export async function* readParts(
  body: AsyncGenerator<Uint8Array, void, undefined>,
  boundary: string,
): AsyncGenerator<Part, void, undefined> {
  const feed = new Feed(body, Buffer.from(`\r\n--${boundary}`, 'latin1'));
  try {
    // What stands before the first part is for readers that know no forms.
    await feed.skip();
    for (let parts = 0; await feed.isPartNext(); parts++) {
      if (parts === MAX_PARTS) throw new FormError(`it has over ${MAX_PARTS} parts`);
      yield { ...describe(await feed.readHeaders()), body: feed.read() };
      await feed.skip();
    }
  } finally {
    await body.return();
  }
}

/** The value of a field. Throws FormError over `maxBytes`. */
export async function readField(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  let value = Buffer.alloc(0);
  for await (const piece of body) {
    value = Buffer.concat([value, piece]);
    if (value.length > maxBytes) throw new FormError(`a field has over ${maxBytes} bytes`);
  }
  return value.toString('utf8');
}

/** The body with its delimiters found. */
class Feed {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #delimiter: Buffer;
  /** What has arrived and is not handed on; at first the line end that the first delimiter may lack. */
  #rest: Buffer = Buffer.from('\r\n');
  #isInPart = true;

  constructor(source: AsyncIterator<Uint8Array>, delimiter: Buffer) {
    this.#source = source;
    this.#delimiter = delimiter;
  }

  /** What stands before the next delimiter, piece by piece. */
  async *read(): AsyncGenerator<Buffer, void, undefined> {
    for (let piece = await this.#next(); piece !== undefined; piece = await this.#next()) {
      yield piece;
      free(piece);
    }
  }

  /** Goes on behind the next delimiter, if it has not been passed. */
  async skip(): Promise<void> {
    while (this.#isInPart) await this.#next();
  }

  /** Behind a delimiter: two dashes end the form. */
  async isPartNext(): Promise<boolean> {
    while (this.#rest.length < 2) await this.#more();
    return this.#rest.toString('latin1', 0, 2) !== '--';
  }

  /** The lines behind a delimiter, up to the blank one; the first is the rest of the delimiter's own. */
  async readHeaders(): Promise<readonly string[]> {
    let end = this.#rest.indexOf(BLANK_LINE);
    while (end < 0 && this.#rest.length <= MAX_HEADER_BYTES) {
      await this.#more();
      end = this.#rest.indexOf(BLANK_LINE);
    }
    if (end < 0 || end > MAX_HEADER_BYTES) throw new FormError('the headers of a part are too long');
    const [padding = '', ...lines] = this.#rest.toString('utf8', 0, end).split('\r\n');
    if (padding.trim() !== '') throw new FormError('a delimiter is not alone on its line');
    this.#rest = this.#rest.subarray(end + BLANK_LINE.length);
    this.#isInPart = true;
    return lines;
  }

  async #next(): Promise<Buffer | undefined> {
    if (!this.#isInPart) return undefined;
    for (;;) {
      const rest = this.#rest;
      const at = rest.indexOf(this.#delimiter);
      if (at === 0) {
        this.#rest = rest.subarray(this.#delimiter.length);
        this.#isInPart = false;
        return undefined;
      }
      const end = at < 0 ? rest.length - this.#delimiterBytesAtEndOf(rest) : at;
      if (end > 0) {
        // Not a view of what is freed soon.
        this.#rest = end === rest.length ? NOTHING : rest.subarray(end);
        return rest.subarray(0, end);
      }
      await this.#more();
    }
  }

  /** How many bytes at the end may be the beginning of a delimiter: it alone has its line end where it begins. */
  #delimiterBytesAtEndOf(bytes: Buffer): number {
    const tail = bytes.subarray(Math.max(0, bytes.length - this.#delimiter.length + 1));
    const start = tail.lastIndexOf(CR);
    if (start < 0) return 0;
    const length = tail.length - start;
    return tail.compare(this.#delimiter, 0, length, start) === 0 ? length : 0;
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#source.next();
    if (done === true) throw new FormError('it ends too early');
    const piece = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
  }
}

function describe(lines: readonly string[]): Omit<Part, 'body'> {
  if (lines.length > MAX_HEADERS) throw new FormError(`a part has over ${MAX_HEADERS} headers`);
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, Math.max(0, colon)).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const disposition = headers.get('content-disposition') ?? '';
  const parameters = readParameters(disposition);
  const name = parameters.get('name');
  if (!/^form-data\s*(;|$)/i.test(disposition) || name === undefined)
    throw new FormError('a part has no name');
  const filename = parameters.get('filename') ?? decodeExtended(parameters.get('filename*'));
  return { name, filename, contentType: headers.get('content-type') };
}

const PARAMETER = /;\s*([\w.*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g;

/** Of RFC 6266; a backslash that escapes nothing is one of a path, as some clients send it. */
function readParameters(header: string): ReadonlyMap<string, string> {
  return new Map(
    [...header.matchAll(PARAMETER)].map(([, name = '', quoted, bare = '']): [string, string] => [
      name.toLowerCase(),
      quoted?.replace(/\\(["\\])/g, '$1') ?? bare,
    ]),
  );
}

/** RFC 8187, which forms should not use and some do. */
function decodeExtended(value: string | undefined): string | undefined {
  const [, encoded = ''] = /^utf-8'[^']*'(.*)$/i.exec(value ?? '') ?? [];
  try {
    return value === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    // Not every % stands for something; that it is a file is said all the same.
    return encoded;
  }
}
