// Converts RGBA to I420 (BT.709, limited range) in a WebAssembly kernel: about a millisecond for 1080p.
import { getI420Size, rgbaToI420 } from './i420.ts';
import { bindKernel, createMemory } from './kernel.ts';

export interface I420Writer {
  /** The current frame. Always the same buffer. */
  readonly frame: Uint8Array<ArrayBuffer>;
  /** Writes rows of RGBA, starting at the even row `top`. Their number is even, or they are the last rows. */
  write(rgba: Uint8Array, top: number): void;
}

/** Number of pixels that the kernel processes in one step. */
const MIN_WIDTH = 16;
/** Even, and small enough for a strip to stay in the processor cache. */
const STRIP_ROWS = 24;

/**
 * Creates a writer of frames with these even sides. The RGBA input has `stride` pixels per row. Drops pixels beyond the
 * sides, and alpha.
 */
export function createI420Writer(width: number, height: number, stride: number): I420Writer {
  if (width < MIN_WIDTH) return createNarrowWriter(width, height, stride);
  const rowBytes = stride * 4;
  const stripBytes = STRIP_ROWS * rowBytes;
  const memory = createMemory(stripBytes + getI420Size(width, height));
  const convert: ConvertRows = bindKernel('rgba-to-i420', memory);
  const strip = new Uint8Array(memory.buffer, 0, stripBytes);
  const frame = new Uint8Array(memory.buffer, stripBytes, getI420Size(width, height));
  const [lumaBytes, chromaWidth] = [width * height, width / 2];
  return {
    frame,
    write(rgba, top) {
      const bottom = Math.min(height, top + rgba.length / rowBytes);
      for (let stripTop = top; stripTop < bottom; stripTop += STRIP_ROWS) {
        const end = Math.min(bottom, stripTop + STRIP_ROWS);
        strip.set(rgba.subarray((stripTop - top) * rowBytes, (end - top) * rowBytes));
        for (let row = stripTop; row < end; row += 2) {
          const u = stripBytes + lumaBytes + (row / 2) * chromaWidth;
          const v = u + lumaBytes / 4;
          convert((row - stripTop) * rowBytes, rowBytes, width, stripBytes + row * width, u, v);
        }
      }
    },
  };
}

type ConvertRows = (source: number, rowBytes: number, width: number, y: number, u: number, v: number) => void;

/** Converts a frame that is narrower than one kernel step. */
function createNarrowWriter(width: number, height: number, stride: number): I420Writer {
  const frame = new Uint8Array(getI420Size(width, height));
  const rgbaCopy = new Uint8Array(width * height * 4);
  return {
    frame,
    write(rgba, top) {
      const bottom = Math.min(height, top + rgba.length / 4 / stride);
      for (let row = top; row < bottom; row++) {
        const from = (row - top) * stride * 4;
        rgbaCopy.set(rgba.subarray(from, from + width * 4), row * width * 4);
      }
      rgbaToI420(rgbaCopy, width, height, frame);
    },
  };
}
