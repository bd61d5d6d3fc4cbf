// RGBA → I420 at about a millisecond for 1080p: a WebAssembly kernel that takes two rows at a time, 16 pixels a step.
// The kernel is written here, instruction by instruction, so that nothing has to be built. BT.709, limited range.
import { i420Size, rgbaToI420 } from './i420.ts';
import {
  alongRow,
  bytes16,
  type Code,
  compile,
  createMemory,
  get,
  half,
  load,
  plus,
  set,
  shuffle,
  simd,
  small,
  store,
  storeHalf,
  times4,
} from './wasm-code.ts';

export interface I420Writer {
  /** The picture as it stands; the same buffer always. */
  readonly frame: Uint8Array<ArrayBuffer>;
  /** Takes rows of RGBA, an even number of them or all to the end; the first stands at `top`, which is even. */
  write(rgba: Uint8Array, top: number): void;
}

/**
 * A picture of these even sides, written from RGBA with `stride` pixels a row; what lies beyond the sides is left out.
 * Transparency is dropped.
 */
export function createI420Writer(width: number, height: number, stride: number): I420Writer {
  if (width < STEP) return createNarrowWriter(width, height, stride);
  const rowBytes = stride * 4;
  const staging = STRIP_ROWS * rowBytes;
  const memory = createMemory(staging + i420Size(width, height));
  bind ??= compile({
    parameters: 6,
    numbers: 3,
    vectors: CONSTANTS - VECTORS + LANES.length,
    body: body(),
  });
  const convertRows: ConvertRows = bind(memory);
  const strip = new Uint8Array(memory.buffer, 0, staging);
  const frame = new Uint8Array(memory.buffer, staging, i420Size(width, height));
  const [luma, half] = [width * height, width / 2];
  return {
    frame,
    write(rgba, top) {
      const bottom = Math.min(height, top + rgba.length / rowBytes);
      for (let first = top; first < bottom; first += STRIP_ROWS) {
        const end = Math.min(bottom, first + STRIP_ROWS);
        strip.set(rgba.subarray((first - top) * rowBytes, (end - top) * rowBytes));
        for (let row = first; row < end; row += 2) {
          const u = staging + luma + (row / 2) * half;
          const v = u + luma / 4;
          convertRows((row - first) * rowBytes, rowBytes, width, staging + row * width, u, v);
        }
      }
    },
  };
}

/** Of a picture that is narrower than a step of the kernel. */
function createNarrowWriter(width: number, height: number, stride: number): I420Writer {
  const frame = new Uint8Array(i420Size(width, height));
  const kept = new Uint8Array(width * height * 4);
  return {
    frame,
    write(rgba, top) {
      const bottom = Math.min(height, top + rgba.length / 4 / stride);
      for (let row = top; row < bottom; row++) {
        const from = (row - top) * stride * 4;
        kept.set(rgba.subarray(from, from + width * 4), row * width * 4);
      }
      rgbaToI420(kept, width, height, frame);
    },
  };
}

const STEP = 16;
/** Even, and few enough that a strip stays in the processor's cache. */
const STRIP_ROWS = 24;

type ConvertRows = (source: number, rowBytes: number, width: number, y: number, u: number, v: number) => void;

let bind: ReturnType<typeof compile> | undefined;

// Parameters, then locals.
const [SOURCE, ROW_BYTES, WIDTH, Y, U, V, X, A, B] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
const VECTORS = 9;
const [RB_A, GA_A, RB_B, GA_B] = [VECTORS, VECTORS + 1, VECTORS + 2, VECTORS + 3] as const;
const [Y_A, Y_B, RB_SUM, GA_SUM] = [VECTORS + 4, VECTORS + 8, VECTORS + 12, VECTORS + 16] as const;
// Constants are kept in locals: written into the loop, each use would build them anew.
const CONSTANTS = VECTORS + 20;

const and = (a: Code, b: Code): Code => simd(0x4e, a, b);
const add16 = (a: Code, b: Code): Code => simd(0x8e, a, b);
const add32 = (a: Code, b: Code): Code => simd(0xae, a, b);
const upperBytes = (a: Code): Code => simd(0x8d, a, small(8));
const shift32 = (a: Code, by: number): Code => simd(0xac, a, small(by));
/** Products of 16-bit lanes, summed in pairs. */
const dot = (a: Code, b: Code): Code => simd(0xba, a, b);
const narrow32 = (a: Code, b: Code): Code => simd(0x85, a, b);
const narrow16 = (a: Code, b: Code): Code => simd(0x66, a, b);
const lanes32 = (a: Code, b: Code, first: 0 | 1): Code => {
  const lanes = [0, 2, 4, 6].flatMap(lane => [0, 1, 2, 3].map(byte => (lane + first) * 4 + byte));
  return shuffle(a, b, lanes);
};

type Lane = readonly [number, number] | number;

/** The value over and over: two 16-bit numbers, or one of 32 bits. */
function vector(lane: Lane): Code {
  const four = [lane, lane, lane, lane];
  const bytes = typeof lane === 'number' ? Int32Array.from(four.flat()) : Int16Array.from(four.flat());
  return bytes16(new Uint8Array(bytes.buffer));
}

const MASK = 0x00ff00ff;

/** Weights of red and blue, and of green, times 2^15, with what is added and how far the sum is shifted down. */
interface Weights {
  readonly redBlue: readonly [number, number];
  readonly green: readonly [number, number];
  readonly offset: number;
  readonly bits: number;
}

const LUMA: Weights = { redBlue: [5983, 2032], green: [20_127, 0], offset: 16.5 * 2 ** 15, bits: 15 };
// Weights that add up to nothing, so that grey stays grey; of the sums of four pixels, hence two bits more.
const CHROMA = { offset: 128.5 * 2 ** 17, bits: 17 };
const CHROMA_U: Weights = { redBlue: [-3298, 14_392], green: [-11_094, 0], ...CHROMA };
const CHROMA_V: Weights = { redBlue: [14_392, -1319], green: [-13_073, 0], ...CHROMA };

const LANES: readonly Lane[] = [
  MASK,
  ...[LUMA, CHROMA_U, CHROMA_V].flatMap(({ redBlue, green, offset }) => [redBlue, green, offset]),
];
const constant = (lane: Lane): Code => get(CONSTANTS + LANES.indexOf(lane));

function weigh(redBlue: Code, green: Code, weights: Weights): Code {
  const sum = add32(dot(redBlue, constant(weights.redBlue)), dot(green, constant(weights.green)));
  return shift32(add32(sum, constant(weights.offset)), weights.bits);
}

/** Four pixels of both rows: their luma, and the sums of both rows that chroma is made of. */
function fourPixels(group: number): Code {
  const split = (row: number, redBlue: number, green: number): Code => [
    set(redBlue, and(load(get(row), group * 16), constant(MASK))),
    set(green, upperBytes(load(get(row), group * 16))),
  ];
  return [
    split(A, RB_A, GA_A),
    split(B, RB_B, GA_B),
    set(Y_A + group, weigh(get(RB_A), get(GA_A), LUMA)),
    set(Y_B + group, weigh(get(RB_B), get(GA_B), LUMA)),
    set(RB_SUM + group, add16(get(RB_A), get(RB_B))),
    set(GA_SUM + group, add16(get(GA_A), get(GA_B))),
  ];
}

const lumaOf = (first: number): Code =>
  narrow16(narrow32(get(first), get(first + 1)), narrow32(get(first + 2), get(first + 3)));

/** Eight values of chroma, in the lower half. */
function chromaOf(weights: Weights): Code {
  const beside = (sums: number, at: number): Code =>
    add16(lanes32(get(sums + at), get(sums + at + 1), 0), lanes32(get(sums + at), get(sums + at + 1), 1));
  const four = (at: number): Code => weigh(beside(RB_SUM, at), beside(GA_SUM, at), weights);
  const eight = narrow32(four(0), four(2));
  return narrow16(eight, eight);
}

function body(): Code {
  const at = (plane: Code): Code => plus(plane, get(X));
  return [
    LANES.map((lane, index) => set(CONSTANTS + index, vector(lane))),
    alongRow(X, WIDTH, STEP, [
      set(A, plus(get(SOURCE), times4(get(X)))),
      set(B, plus(get(A), get(ROW_BYTES))),
      [0, 1, 2, 3].map(fourPixels),
      store(at(get(Y)), lumaOf(Y_A)),
      store(at(plus(get(Y), get(WIDTH))), lumaOf(Y_B)),
      storeHalf(plus(get(U), half(get(X))), chromaOf(CHROMA_U)),
      storeHalf(plus(get(V), half(get(X))), chromaOf(CHROMA_V)),
    ]),
  ];
}
