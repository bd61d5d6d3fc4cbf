// Presents files that deviate from their format, but that every player plays, as files that mediabunny reads: WAV files with
// chunks that are not padded or with sizes that a streaming encoder did not know, MP3 files after other bytes, and Ogg files
// that end within a page.
import { UnsupportedCodecError } from './command.ts';

/** Provides the bytes of a local or remote file. */
export interface FileBytes {
  readonly size: number;
  /** Reads the bytes [start, end), which are within the file. */
  read(start: number, end: number): Uint8Array | Promise<Uint8Array>;
  close(): void;
  /** Limit for all reads together. */
  readonly maxReadBytes: number;
}

type Read = FileBytes['read'];
/** What a file consists of: bytes that replace its start, then the bytes [start, end) of the file. */
interface Content extends ByteRange {
  readonly head: Uint8Array;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const EMPTY = new Uint8Array();
/** How far MP3 frames are searched. Remote files are read with at least this many bytes anyway. */
const MAX_SKIPPED_BYTES = 65_536;

/** Returns the file, or a view of it that follows the format. Throws UnsupportedCodecError. */
export async function toTolerantFile(file: FileBytes): Promise<FileBytes> {
  const { size, read } = file;
  const head = await read(0, Math.min(size, MAX_SKIPPED_BYTES));
  const content = await findContent({ size, read }, toLatin1(head, 0, 12), head);
  if (content === undefined) return file;
  const headSize = content.head.length;
  const shift = content.start - headSize;
  return {
    ...file,
    size: content.end - shift,
    read: async (start, end) => {
      const front = content.head.subarray(start, end);
      if (front.length === end - start) return front;
      const rest = await read(Math.max(start, headSize) + shift, end + shift);
      return front.length === 0 ? rest : Buffer.concat([front, rest]);
    },
  };
}

/** Returns where the samples of a WAV file are if a chunk is not padded. Without that, ffmpeg does not find them. */
export async function findUnpaddedSamples(file: FileBytes): Promise<ByteRange | undefined> {
  const content = await findWaveContent(file);
  return content?.isPadded === false ? { start: content.start, end: content.end } : undefined;
}

async function findContent(
  file: Pick<FileBytes, 'size' | 'read'>,
  signature: string,
  head: Uint8Array,
): Promise<Content | undefined> {
  if (/^RIFF.{4}WAVE/s.test(signature)) return findWaveContent(file);
  if (signature.startsWith('OggS')) return findOggContent(file);
  // Files of other known formats, and MP3 files without bytes before them.
  if (/^(?:ID3|fLaC|.E\u00df\u00a3|.{4}(?:ftyp|moov|mdat|wide|free|skip)|G)/s.test(signature))
    return undefined;
  const start = findMpegFrames(head);
  return start > 0 ? { head: EMPTY, start, end: file.size } : undefined;
}

const toLatin1 = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.subarray(start, end)).toString('latin1');

const MAX_CHUNKS = 1000;
const MAX_FORMAT_BYTES = 1000;
const [PCM, FLOAT, EXTENSIBLE] = [1, 3, 0xfffe];
const COMPRESSIONS: Readonly<Record<number, string>> = {
  2: 'ADPCM',
  17: 'ADPCM',
  49: 'GSM',
  80: 'MPEG audio',
  85: 'MP3',
  353: 'WMA',
};

/** Returns the samples after a header with only their format and size. Returns undefined if either is missing. */
async function findWaveContent({
  size,
  read,
}: Pick<FileBytes, 'size' | 'read'>): Promise<(Content & { readonly isPadded: boolean }) | undefined> {
  let isPadded = true;
  let format: Buffer | undefined;
  let position = 12;
  for (let count = 0; count < MAX_CHUNKS && position + 8 <= size; count++) {
    const { id, bytes } = await readChunkHead(read, position);
    const start = position + 8;
    const end = start + bytes;
    if (id === 'fmt ' && bytes >= 14 && bytes <= MAX_FORMAT_BYTES && end <= size)
      format = fixFormat(Buffer.from(await read(start, end)));
    if (id === 'data' && format !== undefined) {
      const isKnown = end <= size && (bytes > 0 || (await isChunk({ size, read }, end)));
      const dataEnd = isKnown ? end : size;
      const head = createWaveHead(format, dataEnd - start);
      return head && { head, start, end: dataEnd, isPadded };
    }
    const lacksPadding = (bytes & 1) === 1 && (await isUnpadded({ size, read }, end));
    if (lacksPadding) isPadded = false;
    position = lacksPadding ? end : end + (bytes & 1);
  }
  return undefined;
}

async function readChunkHead(
  read: Read,
  position: number,
): Promise<{ readonly id: string; readonly bytes: number }> {
  const head = Buffer.from(await read(position, position + 8));
  return { id: head.toString('latin1', 0, 4), bytes: head.readUInt32LE(4) };
}

/** Returns whether the next chunk begins right after a chunk of odd size, where a zero should be. */
async function isUnpadded({ size, read }: Pick<FileBytes, 'size' | 'read'>, end: number): Promise<boolean> {
  return end + 8 <= size && /^[\x20-\x7e]{4}$/.test((await readChunkHead(read, end)).id);
}

async function isChunk({ size, read }: Pick<FileBytes, 'size' | 'read'>, position: number): Promise<boolean> {
  if (position + 8 > size) return position === size;
  const { id, bytes } = await readChunkHead(read, position);
  return /^[\x20-\x7e]{4}$/.test(id) && position + 8 + bytes <= size;
}

/** Sets the size of a frame of samples if it is missing. Throws for compressed samples. */
function fixFormat(format: Buffer): Buffer {
  const tag = format.readUInt16LE(0);
  const compression = COMPRESSIONS[tag];
  if (compression !== undefined) throw new UnsupportedCodecError(`${compression} in a WAV file`);
  if (format.length < 16 || ![PCM, FLOAT, EXTENSIBLE].includes(tag)) return format;
  const frameBytes = format.readUInt16LE(2) * Math.ceil(format.readUInt16LE(14) / 8);
  if (format.readUInt16LE(12) === 0) format.writeUInt16LE(frameBytes & 0xffff, 12);
  return format;
}

/** Returns the header of a WAV file, or undefined if the size does not fit into it. */
function createWaveHead(format: Buffer, dataBytes: number): Buffer | undefined {
  const head = Buffer.alloc(20 + format.length + (format.length & 1) + 8);
  if (head.length + dataBytes > 0xffff_ffff) return undefined;
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(head.length - 8 + dataBytes, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(format.length, 16);
  format.copy(head, 20);
  head.write('data', head.length - 8, 'latin1');
  head.writeUInt32LE(dataBytes, head.length - 4);
  return head;
}

const MAX_OGG_PAGE_BYTES = 65_307;

/** Returns the complete pages of a file that ends within a page. Returns undefined for other files. */
async function findOggContent({
  size,
  read,
}: Pick<FileBytes, 'size' | 'read'>): Promise<Content | undefined> {
  const tailStart = Math.max(0, size - MAX_OGG_PAGE_BYTES);
  const tail = Buffer.from(await read(tailStart, size));
  const page = tail.lastIndexOf('OggS', undefined, 'latin1');
  if (page <= 0) return undefined;
  const segmentCount = tail[page + 26] ?? Number.POSITIVE_INFINITY;
  const segments = tail.subarray(page + 27, page + 27 + segmentCount);
  const pageEnd = page + 27 + segmentCount + segments.reduce((sum, bytes) => sum + bytes, 0);
  const isComplete = segments.length === segmentCount && pageEnd <= tail.length;
  return isComplete ? undefined : { head: EMPTY, start: 0, end: tailStart + page };
}

/** Returns the position of the first MPEG audio frame that another one follows, or -1. */
function findMpegFrames(bytes: Uint8Array): number {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let start = head.indexOf(0xff); start !== -1; start = head.indexOf(0xff, start + 1)) {
    const length = getFrameBytes(head, start);
    if (length === undefined) continue;
    const next = start + length;
    // Version, layer and sample rate are the same in all frames.
    if (
      getFrameBytes(head, next) !== undefined &&
      head[start + 1] === head[next + 1] &&
      (((head[start + 2] ?? 0) ^ (head[next + 2] ?? 0)) & 0x0c) === 0
    )
      return start;
  }
  return -1;
}

/** In kilobits per second, for layer III of version 1, and of versions 2 and 2.5. */
const BIT_RATES = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;

/** Returns the length of the frame of layer III that begins here, or undefined if none does. */
function getFrameBytes(bytes: Buffer, start: number): number | undefined {
  if (start + 4 > bytes.length || bytes[start] !== 0xff) return undefined;
  const [, flags = 0, rates = 0] = bytes.subarray(start, start + 3);
  const version = (flags >> 3) & 3;
  if ((flags & 0xe0) !== 0xe0 || version === 1 || ((flags >> 1) & 3) !== 1) return undefined;
  const isVersion1 = version === 3;
  const kilobits = BIT_RATES[isVersion1 ? 0 : 1][rates >> 4];
  const sampleRate = SAMPLE_RATES[(rates >> 2) & 3];
  if (!kilobits || sampleRate === undefined) return undefined;
  const divisor = version === 3 ? 1 : version === 2 ? 2 : 4;
  const samplesPerByte = isVersion1 ? 144 : 72;
  return Math.floor((samplesPerByte * kilobits * 1000) / (sampleRate / divisor)) + ((rates >> 1) & 1);
}
