// Embeds a graph in a PNG as a text chunk, so that an exported image of a workflow can be dropped on a board.

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const KEYWORD = 'graphwright';
/** The keyword, then: not compressed, no language, no translated keyword. */
const TEXT_HEADER = new TextEncoder().encode(`${KEYWORD}\0\0\0\0\0`);
const TYPE = 'iTXt';

/** Returns the PNG with the text in it. Throws if the bytes are not a PNG. */
export function embedText(png: Uint8Array, text: string): Uint8Array<ArrayBuffer> {
  // The format requires the header chunk to stay first.
  const [header] = [...readChunks(png)];
  if (header === undefined) throw new RangeError('This file is not a PNG.');
  const chunk = makeChunk(new Uint8Array([...TEXT_HEADER, ...new TextEncoder().encode(text)]));
  const result = new Uint8Array(png.length + chunk.length);
  result.set(png.subarray(0, header.end));
  result.set(chunk, header.end);
  result.set(png.subarray(header.end), header.end + chunk.length);
  return result;
}

/** Returns the text that `embedText` wrote, or undefined if there is none or the bytes are not a PNG. */
export function readText(png: Uint8Array): string | undefined {
  for (const { type, data } of readChunks(png)) {
    if (type !== TYPE || !TEXT_HEADER.every((byte, index) => data[index] === byte)) continue;
    return new TextDecoder().decode(data.subarray(TEXT_HEADER.length));
  }
  return undefined;
}

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
  /** Offset of the end of the chunk in the file. */
  readonly end: number;
}

function* readChunks(png: Uint8Array): Generator<Chunk> {
  if (!SIGNATURE.every((byte, index) => png[index] === byte)) return;
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  for (let offset = SIGNATURE.length; offset + 12 <= png.length; ) {
    const length = view.getUint32(offset);
    const chunkEnd = offset + 12 + length;
    if (chunkEnd > png.length) return;
    const type = String.fromCharCode(...png.subarray(offset + 4, offset + 8));
    yield { type, data: png.subarray(offset + 8, offset + 8 + length), end: chunkEnd };
    offset = chunkEnd;
  }
}

/** Writes length, type, data, and the checksum of type and data. */
function makeChunk(data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(data.length + 12);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  chunk.set(new TextEncoder().encode(TYPE), 4);
  chunk.set(data, 8);
  view.setUint32(data.length + 8, checksum(chunk.subarray(4, data.length + 8)));
  return chunk;
}

/** Computes the CRC-32 as defined by PNG. */
function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}
