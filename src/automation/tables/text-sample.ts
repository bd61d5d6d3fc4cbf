// Collects the lines of a file whose bytes say something about its encoding.
import { isAscii } from 'node:buffer';

export interface TextSample {
  /** Reads the next bytes of the file. */
  add(bytes: Uint8Array): void;
  /** Returns the first lines with bytes beyond ASCII or escapes, in total at most 16 KB. */
  read(): Uint8Array;
  /** Returns whether the sample has an escape character. */
  hasEscape(): boolean;
}

const MAX_BYTES = 16_384;
// No encoding but UTF-16 has these bytes inside of a character.
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const ESCAPE = 0x1b;

const isTelling = (byte: number): boolean => byte >= 0x80 || byte === ESCAPE;

export function createTextSample(): TextSample {
  const sample = Buffer.alloc(MAX_BYTES);
  let length = 0;
  // The start of the line that continues in the next chunk.
  let line: Uint8Array = new Uint8Array();
  /** Returns the end of the first line that tells something, from `start`, and keeps this line. */
  const keepNextLine = (bytes: Uint8Array, start: number, lineEnd: number): number => {
    const found = bytes.subarray(start).findIndex(isTelling);
    if (found === -1) return bytes.length;
    const lineStart = Math.max(start, bytes.lastIndexOf(lineEnd, start + found) + 1);
    const endIndex = bytes.indexOf(lineEnd, start + found);
    const end = endIndex === -1 ? bytes.length : endIndex + 1;
    const part = bytes.subarray(lineStart, end);
    sample.set(part.subarray(0, MAX_BYTES - length), length);
    length = Math.min(MAX_BYTES, length + part.length);
    return end;
  };
  return {
    add(bytes) {
      if (length === MAX_BYTES) return;
      const continued = line.length === 0 ? bytes : Buffer.concat([line, bytes]);
      const lineEnd = continued.includes(LINE_FEED) ? LINE_FEED : CARRIAGE_RETURN;
      const end = continued.lastIndexOf(lineEnd) + 1;
      const lines = continued.subarray(0, end);
      if (!isAscii(lines) || lines.includes(ESCAPE))
        for (let start = 0; start < end && length < MAX_BYTES; ) start = keepNextLine(lines, start, lineEnd);
      line = Uint8Array.from(continued.subarray(end, end + MAX_BYTES));
    },
    read() {
      if (line.some(isTelling)) keepNextLine(line, 0, LINE_FEED);
      line = new Uint8Array();
      return sample.subarray(0, length);
    },
    hasEscape: () => sample.includes(ESCAPE) || line.includes(ESCAPE),
  };
}
