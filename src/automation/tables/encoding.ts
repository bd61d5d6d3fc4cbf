// Finds the encoding of an uploaded file while it is received, and decodes its chunks.
import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { findByteOrderMark } from '../../lib/charset.ts';
import { AppError } from '../../lib/errors.ts';
import { detectCharset } from './detect-charset.ts';
import { createTextSample } from './text-sample.ts';

/** A file whose encoding is known. */
export interface EncodedFile {
  readonly encoding: string;
  /** The length of the byte order mark. */
  readonly start: number;
  /** The first bytes after the byte order mark. */
  readonly head: Uint8Array;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface EncodingDetector {
  /** Reads the next bytes of the file. */
  add(bytes: Uint8Array): void;
  /**
   * Returns the encoding after the last bytes: that of a byte order mark, else the declared one, else the detected one.
   * Throws 400 `invalid_request` for an unknown name, for bytes that are not UTF-8 though declared, and if no encoding is
   * declared and several would fit. Throws 415 `unsupported_type` for binary files.
   */
  find(declared?: DeclaredEncoding): Promise<Omit<EncodedFile, 'chunks'>>;
}

export interface DeclaredEncoding {
  readonly name: string;
  /** Whether the sender has chosen it for this file. HTTP libraries also add a charset by themselves. */
  readonly isChosen: boolean;
}

const HEAD_BYTES = 4096;

export function createEncodingDetector(): EncodingDetector {
  const utf8 = createUtf8Check();
  const sample = createTextSample();
  let head = Buffer.alloc(0);
  const detect = async (): Promise<string> => {
    const { even, odd } = countZeros(head);
    if (odd > 4 && odd > 10 * even) return 'utf-16le';
    if (even > 4 && even > 10 * odd) return 'utf-16be';
    // Escape sequences of ISO 2022 are valid UTF-8.
    if (utf8.isValid() && !sample.hasEscape()) return 'utf-8';
    const charset = await detectCharset(sample.read());
    if (utf8.isValid()) return charset === 'iso-2022-jp' ? charset : 'utf-8';
    if (charset !== undefined) return charset;
    throw new AppError(
      'invalid_request',
      `The encoding of the table is not UTF-8, and cannot be detected. ${WHAT_TO_DO}`,
    );
  };
  return {
    add(bytes) {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, bytes.subarray(0, HEAD_BYTES - head.length)]);
      utf8.add(bytes);
      sample.add(bytes);
    },
    async find(declared) {
      requireText(head);
      const declaredEncoding = declared && findDeclared(declared, utf8.isValid());
      const mark = findByteOrderMark(head);
      const encoding = mark?.charset ?? declaredEncoding ?? (await detect());
      if (encoding === 'utf-8' && !utf8.isValid()) throw createMismatchError(encoding);
      const start = mark?.length ?? 0;
      return { encoding, start, head: head.subarray(start) };
    },
  };
}

const WHAT_TO_DO =
  'Set the encoding, such as windows-1252, macintosh, windows-1250, windows-1251, koi8-r, shift_jis, gb18030, big5 or euc-kr, or save the file as UTF-8.';

/** The encodings that HTTP libraries add to content types by themselves, as `us-ascii`, `iso-8859-1` and others. */
const DEFAULT_CHARSETS: readonly string[] = ['windows-1252', 'iso-8859-15'];

/** Returns the declared encoding, or UTF-8 instead of a default charset: text in that charset is hardly ever valid UTF-8. */
function findDeclared({ name, isChosen }: DeclaredEncoding, isValidUtf8: boolean): string {
  const encoding = toEncoding(name);
  return !isChosen && isValidUtf8 && DEFAULT_CHARSETS.includes(encoding) ? 'utf-8' : encoding;
}

/** Usual names that are missing in the Encoding Standard of WHATWG. */
const ALIASES: Readonly<Record<string, string>> = {
  macroman: 'macintosh',
  'mac-roman': 'macintosh',
  cp932: 'shift_jis',
  ms932: 'shift_jis',
  cp936: 'gb18030',
  cp949: 'euc-kr',
  ms949: 'euc-kr',
  cp950: 'big5',
  cp866: 'ibm866',
  cp874: 'windows-874',
};

/** Returns the name in the Encoding Standard of WHATWG. Throws 400 `invalid_request` if the encoding is unknown. */
function toEncoding(name: string): string {
  const label = name.trim().toLowerCase();
  try {
    const { encoding } = new TextDecoder(ALIASES[label] ?? label, { fatal: true });
    return encoding === 'gbk' ? 'gb18030' : encoding;
  } catch (err) {
    throw new AppError('invalid_request', `Unknown encoding ${JSON.stringify(name)}. ${WHAT_TO_DO}`, {
      cause: err,
    });
  }
}

/** The first bytes of files that people choose instead of a table. */
const BINARY_STARTS: readonly (readonly [bytes: string, kind: string])[] = [
  ['PK\x03\x04', 'a workbook or a ZIP archive'],
  ['\xd0\xcf\x11\xe0', 'a workbook of an old Excel'],
  ['\x1f\x8b', 'a gzip archive'],
  ['%PDF-', 'a PDF'],
];

/** Throws 415 `unsupported_type` for other files than text. */
function requireText(head: Uint8Array): void {
  const start = Buffer.from(head.subarray(0, 8)).toString('latin1');
  const kind = BINARY_STARTS.find(([bytes]) => start.startsWith(bytes))?.[1];
  if (kind !== undefined)
    throw new AppError('unsupported_type', `The file is ${kind}. Save it as CSV, and send that file.`);
}

/** Counts zero bytes at even and odd indexes. UTF-16 text has many zeros at only one of these. */
function countZeros(bytes: Uint8Array): { readonly even: number; readonly odd: number } {
  let even = 0;
  let odd = 0;
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] !== 0) continue;
    if (index % 2 === 0) even++;
    else odd++;
  }
  return { even, odd };
}

/** Checks whether the chunks of a file are valid UTF-8. */
function createUtf8Check(): { readonly add: (bytes: Uint8Array) => void; readonly isValid: () => boolean } {
  let isValid = true;
  // The start of a character that continues in the next chunk.
  let partial: Uint8Array = new Uint8Array();
  return {
    add(bytes) {
      if (!isValid) return;
      let start = 0;
      if (partial.length > 0) {
        while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
        const character = Buffer.concat([partial, bytes.subarray(0, start)]);
        const isComplete = isUtf8(character);
        isValid = isComplete || (start === bytes.length && character.length < 4);
        partial = isComplete ? new Uint8Array() : character;
        if (!isComplete) return;
      }
      const end = Math.max(start, findCompleteEnd(bytes));
      isValid = isUtf8(bytes.subarray(start, end));
      partial = Uint8Array.from(bytes.subarray(end));
    },
    isValid: () => isValid && partial.length === 0,
  };
}

/** Returns the index after the last complete character. */
function findCompleteEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Yields the text of the chunks without the byte order mark. Throws 400 for bytes that are invalid in the encoding. */
export async function* decode({ encoding, start, chunks }: EncodedFile): AsyncGenerator<string> {
  const write = createDecoder(encoding);
  let bytesToSkip = start;
  for await (const chunk of chunks) {
    yield write(chunk.subarray(bytesToSkip));
    bytesToSkip = Math.max(0, bytesToSkip - chunk.length);
  }
  yield write();
}

function createDecoder(encoding: string): (bytes?: Uint8Array) => string {
  if (encoding === 'utf-8') {
    // TextDecoder keeps memory outside of the heap that is freed late. The bytes were checked when they arrived.
    const decoder = new StringDecoder('utf8');
    return bytes => (bytes === undefined ? decoder.end() : decoder.write(bytes));
  }
  const decoder = new TextDecoder(encoding, { ignoreBOM: true, fatal: true });
  return bytes => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (err) {
      throw createMismatchError(encoding, err);
    }
  };
}

const createMismatchError = (encoding: string, cause?: unknown): AppError =>
  new AppError('invalid_request', `The table has bytes that are not ${encoding}. ${WHAT_TO_DO}`, { cause });
