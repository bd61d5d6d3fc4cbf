// I420 → an uncompressed BMP, which is the quickest way into the rasterizer: its decoder only copies. A WebAssembly
// kernel takes two rows at a time, 16 pixels a step. BT.709, limited range.
import { i420Size } from './i420.ts';
import {
  alongRow,
  bytes16,
  type Code,
  compile,
  createMemory,
  get,
  half,
  load,
  loadHalf,
  plus,
  set,
  shuffle,
  simd,
  store,
  times4,
} from './wasm-code.ts';

export interface BmpWriter {
  /** The file; the same buffer always. */
  readonly bytes: Buffer<ArrayBuffer>;
  write(i420: Uint8Array): void;
}

export const MIN_BMP_WIDTH = 16;
const HEADER_BYTES = 54;
const STEP = 16;

/** Of pictures with these even sides, at least `MIN_BMP_WIDTH` wide. */
export function createBmpWriter(width: number, height: number): BmpWriter {
  const size = i420Size(width, height);
  const memory = createMemory(size + HEADER_BYTES + width * height * 4);
  bind ??= compile({ parameters: 6, numbers: 2, vectors: VECTORS, body: body() });
  const convertRows = bind(memory);
  const planes = new Uint8Array(memory.buffer, 0, size);
  const bytes = Buffer.from(memory.buffer, size, HEADER_BYTES + width * height * 4);
  writeHeader(bytes, width, height);
  const [luma, side] = [width * height, width / 2];
  return {
    bytes,
    write(i420) {
      planes.set(i420);
      for (let row = 0; row < height; row += 2) {
        const u = luma + (row / 2) * side;
        const out = size + HEADER_BYTES + row * width * 4;
        convertRows(row * width, width, u, u + luma / 4, out, width * 4);
      }
    },
  };
}

/** 32 bits a pixel: blue, green, red and one that says nothing. Negative height: from the top down. */
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

let bind: ReturnType<typeof compile> | undefined;

// Parameters, then locals.
const [Y, WIDTH, U, V, OUT, OUT_BYTES, X, ROW] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const FIRST_VECTOR = 8;
/** What chroma adds to eight pairs of pixels, and luma and blue, green and red of sixteen pixels. */
const [RED, GREEN, BLUE, E, D, LUMA_LOW, LUMA_HIGH, LUMA, BG_LOW, RX_LOW, BG_HIGH] = Array.from(
  { length: 11 },
  (_, index) => FIRST_VECTOR + index,
) as [number, number, number, number, number, number, number, number, number, number, number];
const VECTORS = 11;

const lanes = (value: number): Code => bytes16(new Uint8Array(new Int16Array(8).fill(value).buffer));
const add = (a: Code, b: Code): Code => simd(0x8e, a, b);
const subtract = (a: Code, b: Code): Code => simd(0x91, a, b);
const shiftLeft = (a: Code, by: number): Code => simd(0x8b, a, [0x41, by]);
const shiftRight = (a: Code, by: number): Code => simd(0x8c, a, [0x41, by]);
/** a × b / 2^15, rounded. */
const scale = (a: Code, b: number): Code => simd(0x82, a, lanes(b));
const low = (a: Code): Code => simd(0x89, a);
const high = (a: Code): Code => simd(0x8a, a);
/** Cut to bytes. */
const narrow = (a: Code, b: Code): Code => simd(0x66, a, b);

// Values are kept as sixteenths: what goes in is shifted up by six bits, and the weights are a quarter, times 2^15.
const weight = (value: number): number => Math.round((value / 4) * 2 ** 15);
const [KR, KB] = [0.2126, 0.0722];
const KG = 1 - KR - KB;
const CHROMA = 255 / 224;
const WEIGHTS = {
  luma: weight(255 / 219),
  red: weight(CHROMA * 2 * (1 - KR)),
  greenOfU: weight((CHROMA * 2 * (1 - KB) * KB) / KG),
  greenOfV: weight((CHROMA * 2 * (1 - KR) * KR) / KG),
  blue: weight(CHROMA * 2 * (1 - KB)),
} as const;

const raised = (a: Code, zero: number): Code => shiftLeft(subtract(a, lanes(zero)), 6);
const LOW_PAIRS = [0, 0, 1, 1, 2, 2, 3, 3].flatMap(lane => [lane * 2, lane * 2 + 1]);
const HIGH_PAIRS = LOW_PAIRS.map(byte => byte + 8);
const BYTES_LOW = Array.from({ length: 16 }, (_, at) => (at % 2) * 16 + Math.floor(at / 2));
const BYTES_HIGH = BYTES_LOW.map(byte => byte + 8);
const WORDS_LOW = Array.from(
  { length: 16 },
  (_, at) => (Math.floor(at / 2) % 2) * 16 + Math.floor(at / 4) * 2 + (at % 2),
);
const WORDS_HIGH = WORDS_LOW.map(byte => byte + 8);

/** Sixteen bytes of one colour: luma with what chroma adds to each pair of pixels. */
function channel(chroma: number): Code {
  const eight = (luma: number, pairs: readonly number[]): Code =>
    shiftRight(add(get(luma), shuffle(get(chroma), get(chroma), pairs)), 4);
  return narrow(eight(LUMA_LOW, LOW_PAIRS), eight(LUMA_HIGH, HIGH_PAIRS));
}

function row(index: 0 | 1): Code {
  const [from, to] =
    index === 0 ? [get(Y), get(OUT)] : [plus(get(Y), get(WIDTH)), plus(get(OUT), get(OUT_BYTES))];
  const opaque = bytes16(new Uint8Array(16).fill(255));
  const luma = (eight: Code): Code => add(scale(raised(eight, 16), WEIGHTS.luma), lanes(8));
  return [
    set(LUMA, load(plus(from, get(X)))),
    set(LUMA_LOW, luma(low(get(LUMA)))),
    set(LUMA_HIGH, luma(high(get(LUMA)))),
    set(ROW, plus(to, times4(get(X)))),
    set(LUMA, channel(GREEN)),
    set(BG_LOW, channel(BLUE)),
    set(BG_HIGH, shuffle(get(BG_LOW), get(LUMA), BYTES_HIGH)),
    set(BG_LOW, shuffle(get(BG_LOW), get(LUMA), BYTES_LOW)),
    set(LUMA, channel(RED)),
    set(RX_LOW, shuffle(get(LUMA), opaque, BYTES_LOW)),
    set(LUMA, shuffle(get(LUMA), opaque, BYTES_HIGH)),
    store(get(ROW), shuffle(get(BG_LOW), get(RX_LOW), WORDS_LOW)),
    store(get(ROW), shuffle(get(BG_LOW), get(RX_LOW), WORDS_HIGH), 16),
    store(get(ROW), shuffle(get(BG_HIGH), get(LUMA), WORDS_LOW), 32),
    store(get(ROW), shuffle(get(BG_HIGH), get(LUMA), WORDS_HIGH), 48),
  ];
}

function body(): Code {
  return alongRow(X, WIDTH, STEP, [
    set(D, raised(low(loadHalf(plus(get(U), half(get(X))))), 128)),
    set(E, raised(low(loadHalf(plus(get(V), half(get(X))))), 128)),
    set(RED, scale(get(E), WEIGHTS.red)),
    set(GREEN, subtract(lanes(0), add(scale(get(D), WEIGHTS.greenOfU), scale(get(E), WEIGHTS.greenOfV)))),
    set(BLUE, scale(get(D), WEIGHTS.blue)),
    row(0),
    row(1),
  ]);
}
