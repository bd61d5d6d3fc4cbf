// Reads the frames after the first of an animation, which a decoder ignores, so that they can be checked too.
import { crc32 } from 'node:zlib';
import { yieldTurn } from '../lib/yield-turn.ts';
import { MAX_PIXELS } from './image-geometry.ts';

export interface FrameGroup {
  readonly bytes: Uint8Array;
  /** Index of the first frame, and the number of frames, as sharp names them. */
  readonly page: number;
  readonly pages: number;
}

interface AnimationInfo {
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
  /** The number of frames that the decoder counts. */
  readonly pages: number;
}

/** Each frame of a PNG is decoded as an image of its own, which takes a millisecond. */
const MAX_FRAMES = 10_000;
/** Twenty times the limit of an image. Decoding takes about 15 s. */
const MAX_ANIMATION_PIXELS = 20 * MAX_PIXELS;

/**
 * Yields the later frames in groups with at most as many pixels as an image may have. Throws if the animation is damaged or
 * too large.
 */
export async function* readLaterFrames(bytes: Uint8Array, info: AnimationInfo): AsyncGenerator<FrameGroup> {
  const { contentType, width, height, pages } = info;
  if (contentType === 'image/png') {
    for await (const frame of readApngFrames(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)))
      yield { bytes: frame, page: 0, pages: 1 };
    return;
  }
  requireFewFrames(pages);
  if (width * height * pages > MAX_ANIMATION_PIXELS) throw new Error('The animation has too many pixels.');
  const groupSize = countGroupFrames(info);
  for (let page = 1; page < pages; page += groupSize)
    yield { bytes, page, pages: Math.min(groupSize, pages - page) };
}

/** Returns the most frames of a group. */
export function countGroupFrames({ width, height, pages }: Omit<AnimationInfo, 'contentType'>): number {
  return Math.min(pages, Math.max(1, Math.floor(MAX_PIXELS / (width * height))));
}

function requireFewFrames(count: number): void {
  if (count > MAX_FRAMES) throw new Error('The animation has too many frames.');
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const SIGNATURE_BYTES = 8;
/** Chunks that all frames share. Without them, frames with a palette have no colors. */
const SHARED_CHUNKS: ReadonlySet<string> = new Set(['PLTE', 'tRNS']);
const FRAME_CONTROL_BYTES = 26;

/**
 * Yields each later frame as a separate PNG (PNG §11.3.6). The control chunk of a frame contains its size. Each data chunk
 * contains a sequence number and the content of an IDAT chunk.
 */
async function* readApngFrames(bytes: Buffer): AsyncGenerator<Buffer> {
  const chunks = await listFrameChunks(bytes);
  const [header] = chunks;
  const control = chunks.find(({ type }) => type === 'acTL');
  if (header?.type !== 'IHDR' || control === undefined) return;
  const sharedChunks = chunks.filter(({ type }) => SHARED_CHUNKS.has(type));
  const starts = chunks.flatMap(({ type }, index) => (type === 'fcTL' ? [index] : []));
  if (control.data.length !== 8 || control.data.readUInt32BE(0) !== starts.length)
    throw new Error('The number of frames does not match the header of the animation.');
  requireFewFrames(starts.length);
  let pixels = 0;
  for (const [index, start] of starts.entries()) {
    const frame = chunks.slice(start + 1, starts[index + 1]);
    const data = frame.filter(({ type }) => type === 'fdAT').map(chunk => chunk.data.subarray(4));
    // The first frame may be the image itself, which was already decoded.
    if (data.length === 0 && index === 0 && frame.some(({ type }) => type === 'IDAT')) continue;
    const size = readFrameSize(chunks[start], header);
    pixels += size.readUInt32BE(0) * size.readUInt32BE(4);
    if (pixels > MAX_ANIMATION_PIXELS) throw new Error('The animation has too many pixels.');
    yield buildPng(bytes, [
      { type: 'IHDR', data: Buffer.concat([size, header.data.subarray(8)]) },
      ...sharedChunks,
      { type: 'IDAT', data: Buffer.concat(data) },
      { type: 'IEND', data: Buffer.alloc(0) },
    ]);
  }
}

/** Returns the width and height of a frame, as eight bytes. Throws if the frame extends beyond the image. */
function readFrameSize(control: Chunk | undefined, { data: image }: Chunk): Buffer {
  const data = control?.data;
  if (data?.length !== FRAME_CONTROL_BYTES) throw new Error('A frame has no size.');
  for (const [side, offset] of [
    [4, 12],
    [8, 16],
  ] as const) {
    if (data.readUInt32BE(side) + data.readUInt32BE(offset) > image.readUInt32BE(side - 4))
      throw new Error('A frame extends beyond the image.');
  }
  return data.subarray(4, 12);
}

/** The chunks that matter for the frames. A file may have millions of others. */
const FRAME_CHUNKS: ReadonlySet<string> = new Set(['IHDR', 'acTL', 'fcTL', 'fdAT', 'IDAT', ...SHARED_CHUNKS]);
const MAX_FRAME_CHUNKS = 100_000;
const CHUNKS_PER_PAUSE = 1000;

async function listFrameChunks(bytes: Buffer): Promise<readonly Chunk[]> {
  const chunks: Chunk[] = [];
  let count = 0;
  for (const chunk of readChunks(bytes)) {
    // That there is image data matters, but not what it is.
    const isRepeated = chunk.type === 'IDAT' && chunks.at(-1)?.type === 'IDAT';
    if (FRAME_CHUNKS.has(chunk.type) && !isRepeated) chunks.push(chunk);
    if (chunks.length > MAX_FRAME_CHUNKS) throw new Error('The animation has too many chunks.');
    if (++count % CHUNKS_PER_PAUSE === 0) await yieldTurn();
  }
  return chunks;
}

/** Reads chunks up to IEND. Throws at a chunk that is truncated or has a wrong checksum. */
function* readChunks(bytes: Buffer): Generator<Chunk> {
  let offset = SIGNATURE_BYTES;
  while (offset + 12 <= bytes.length) {
    const end = offset + 8 + bytes.readUInt32BE(offset);
    const type = bytes.toString('latin1', offset + 4, offset + 8);
    if (type === 'IEND') return;
    if (end + 4 > bytes.length) break;
    if (isAnimationChunk(type) && crc32(bytes.subarray(offset + 4, end)) !== bytes.readUInt32BE(end))
      throw new Error('A frame is damaged.');
    yield { type, data: bytes.subarray(offset + 8, end) };
    offset = end + 4;
  }
  throw new Error('The file ends inside its last chunk.');
}

/** Returns whether the chunk belongs to the animation, so that the decoder does not check it. */
function isAnimationChunk(type: string): boolean {
  return type === 'acTL' || type === 'fcTL' || type === 'fdAT';
}

function buildPng(image: Buffer, chunks: readonly Chunk[]): Buffer {
  return Buffer.concat([
    image.subarray(0, SIGNATURE_BYTES),
    ...chunks.flatMap(({ type, data }) => {
      const typeAndData = Buffer.concat([Buffer.from(type, 'latin1'), data]);
      const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
      length.writeUInt32BE(data.length);
      sum.writeUInt32BE(crc32(typeAndData));
      return [length, typeAndData, sum];
    }),
  ]);
}
