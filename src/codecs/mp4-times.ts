// Removes timestamps from an MP4, so that equal frames and audio give equal bytes.
import { type FileHandle, open } from 'node:fs/promises';

const MAX_BOXES = 100;
const MAX_INDEX_BYTES = 256 * 1024 * 1024;
/** Boxes in which creation and modification times follow version and flags (ISO 14496-12). */
const TIMED_BOXES: ReadonlySet<string> = new Set(['mvhd', 'tkhd', 'mdhd']);
/** Boxes that contain these boxes. */
const CONTAINER_BOXES: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia']);

/** Sets the creation and modification times of an MP4 made by `encode` to 0, which means unknown. */
export async function clearFileTimes(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  for await (const { type, offset, bytes } of readBoxes(file)) {
    if (type !== 'moov' || bytes > MAX_INDEX_BYTES) continue;
    const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, offset);
    clearTimes(buffer, 0, bytes);
    await file.write(buffer, 0, bytes, offset);
  }
}

interface Box {
  readonly type: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Yields the top-level boxes of the file, up to the first invalid box. */
export async function* readBoxes(file: FileHandle): AsyncGenerator<Box> {
  const { size } = await file.stat();
  for (let offset = 0, count = 0; offset < size && count < MAX_BOXES; count++) {
    const { buffer } = await file.read(Buffer.alloc(16), 0, 16, offset);
    const size32 = buffer.readUInt32BE(0);
    const bytes = size32 === 1 ? Number(buffer.readBigUInt64BE(8)) : size32;
    if (bytes < 8) return;
    yield { type: buffer.toString('latin1', 4, 8), offset, bytes };
    offset += bytes;
  }
}

/** Clears the times of the boxes from offset `from` to `to`, which are nested at most three levels deep. */
function clearTimes(boxes: Buffer, from: number, to: number): void {
  for (let offset = from; offset + 8 <= to; ) {
    const bytes = boxes.readUInt32BE(offset);
    if (bytes < 8 || offset + bytes > to) return;
    const type = boxes.toString('latin1', offset + 4, offset + 8);
    if (CONTAINER_BOXES.has(type)) clearTimes(boxes, offset + 8, offset + bytes);
    // Version 1 has 64-bit times.
    if (TIMED_BOXES.has(type)) boxes.fill(0, offset + 12, offset + 12 + (boxes[offset + 8] === 1 ? 16 : 8));
    offset += bytes;
  }
}
