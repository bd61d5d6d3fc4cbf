// Finds the encoding of an uploaded file while it is received, and decodes its chunks.
import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { findByteOrderMark } from '../../lib/charset.ts';

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
  /** Returns the encoding after the last bytes. */
  find(): Omit<EncodedFile, 'chunks'>;
}

const HEAD_BYTES = 4096;

/** Detects UTF-8 and UTF-16, with or without a byte order mark. Anything else is GB 18030. */
export function createEncodingDetector(): EncodingDetector {
  const utf8 = createUtf8Check();
  let head = Buffer.alloc(0);
  return {
    add(bytes) {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, bytes.subarray(0, HEAD_BYTES - head.length)]);
      utf8.add(bytes);
    },
    find() {
      const mark = findByteOrderMark(head);
      if (mark !== undefined)
        return { encoding: mark.charset, start: mark.length, head: head.subarray(mark.length) };
      const { even, odd } = countZeros(head);
      if (odd > 4 && odd > 10 * even) return { encoding: 'utf-16le', start: 0, head };
      if (even > 4 && even > 10 * odd) return { encoding: 'utf-16be', start: 0, head };
      return { encoding: utf8.isValid() ? 'utf-8' : 'gb18030', start: 0, head };
    },
  };
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

/** Yields the text of the chunks without the byte order mark. */
export async function* decode({ encoding, start, chunks }: EncodedFile): AsyncGenerator<string> {
  const write = createDecoder(encoding);
  let bytesToSkip = start;
  for await (const chunk of chunks) {
    yield write(chunk.subarray(bytesToSkip));
    bytesToSkip = Math.max(0, bytesToSkip - chunk.length);
  }
  yield write();
}

/** Uses StringDecoder for UTF-8, because TextDecoder keeps memory outside of the heap that is freed late. */
function createDecoder(encoding: string): (bytes?: Uint8Array) => string {
  if (encoding === 'utf-8') {
    const decoder = new StringDecoder('utf8');
    return bytes => (bytes === undefined ? decoder.end() : decoder.write(bytes));
  }
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return bytes => (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
}
