// Converts I420 (BT.709, limited range) to an uncompressed BMP in a WebAssembly kernel. BMP is the fastest format for the
// rasterizer, because decoding only copies.
import { getI420Size } from './i420.ts';
import { bindKernel, createMemory } from './kernel.ts';

export interface BmpWriter {
  /** The BMP file. Always the same buffer. */
  readonly bytes: Buffer<ArrayBuffer>;
  write(i420: Uint8Array): void;
}

export const MIN_BMP_WIDTH = 16;
const HEADER_BYTES = 54;

/** Creates a converter for frames with these even sides, at least `MIN_BMP_WIDTH` wide. */
export function createBmpWriter(width: number, height: number): BmpWriter {
  const size = getI420Size(width, height);
  const memory = createMemory(size + HEADER_BYTES + width * height * 4);
  const convert = bindKernel('i420-to-bmp', memory);
  const planes = new Uint8Array(memory.buffer, 0, size);
  const bytes = Buffer.from(memory.buffer, size, HEADER_BYTES + width * height * 4);
  writeHeader(bytes, width, height);
  const [lumaBytes, chromaWidth] = [width * height, width / 2];
  return {
    bytes,
    write(i420) {
      planes.set(i420);
      for (let row = 0; row < height; row += 2) {
        const u = lumaBytes + (row / 2) * chromaWidth;
        const out = size + HEADER_BYTES + row * width * 4;
        convert(row * width, width, u, u + lumaBytes / 4, out, width * 4);
      }
    },
  };
}

/** Writes the header of a BMP with 32 bits per pixel: blue, green, red, unused. A negative height means top-down. */
function writeHeader(bytes: Buffer, width: number, height: number): void {
  bytes.write('BM', 0, 'latin1');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(HEADER_BYTES, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(-height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(32, 28);
}
