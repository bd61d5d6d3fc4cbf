// Creates media files to upload. Video and audio files have only valid headers, because nothing decodes them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { noiseImage } from './pixels.ts';

/** Creates a box of ISO/IEC 14496-12 §4.2. */
export function box(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4);
  return bytes;
}

const UNIT_MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
/** The time scale of the files: units per second. */
const SECOND = 1000;

const VIDEO_ENTRY = box(
  'avc1',
  u32(0, 1, 0, 0, 0, 0),
  Buffer.from([0, 64, 0, 48]),
  u32(0x480000, 0x480000, 0),
  Buffer.from([0, 1]),
  Buffer.alloc(32),
  Buffer.from([0, 24, 0xff, 0xff]),
  box('avcC', Buffer.from('0164000affe100046764000a01000268ee', 'hex')),
);
const SOUND_ENTRY = box(
  'sowt',
  u32(0, 1, 0, 0),
  Buffer.from([0, 2, 0, 16, 0, 0, 0, 0]),
  u32((48_000 << 16) >>> 0),
);

/** Creates a track with one sample of 16 bytes at `offset`. */
function track(handler: 'vide' | 'soun', offset: number): Buffer {
  const stbl = box(
    'stbl',
    box('stsd', u32(0, 1), handler === 'vide' ? VIDEO_ENTRY : SOUND_ENTRY),
    box('stts', u32(0, 1, 1, SECOND)),
    box('stsc', u32(0, 1, 1, 1, 1)),
    box('stsz', u32(0, 16, 1)),
    box('stco', u32(0, 1, offset)),
  );
  const mdhd = box('mdhd', u32(0, 0, 0, SECOND, SECOND, 0x55c40000));
  const hdlr = box('hdlr', u32(0, 0), Buffer.from(handler), u32(0, 0, 0), Buffer.from('\0'));
  const tkhd = box('tkhd', u32(7, 0, 0, 1, 0, SECOND, 0, 0, 0, 0), UNIT_MATRIX, u32(64 << 16, 48 << 16));
  return box('trak', tkhd, box('mdia', mdhd, hdlr, box('minf', stbl)));
}

export interface Mp4Options {
  readonly handler?: 'vide' | 'soun';
  /** The major brand: `isom`, `M4A `, `qt  `. */
  readonly brand?: string;
}

/** Creates an MP4 file of this size, with the header at the end, as cameras write it. */
export function mp4(bytes: number, { handler = 'vide', brand = 'isom' }: Mp4Options = {}): Buffer {
  const ftyp = box('ftyp', Buffer.from(brand), u32(512), Buffer.from(brand));
  const mvhd = box('mvhd', u32(0, 0, 0, SECOND, SECOND, 0x10000), Buffer.alloc(76));
  const moov = box('moov', mvhd, track(handler, ftyp.length + 8));
  const body = randomBytes(bytes - ftyp.length - moov.length - 8);
  return Buffer.concat([ftyp, box('mdat', body), moov]);
}

/** Creates a WAV file of this size with noise: 16 bits, stereo, 48 kHz. */
export function wav(bytes: number): Buffer {
  const file = randomBytes(bytes);
  Buffer.from('524946460000000057415645666d74201000000001000200', 'hex').copy(file);
  file.writeUInt32LE(bytes - 8, 4);
  file.writeUInt32LE(48_000, 24);
  file.writeUInt32LE(192_000, 28);
  file.writeUInt16LE(4, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(bytes - 44, 40);
  return file;
}

/** Files that start like the type but continue with invalid or different content. */
export const MISMATCHED_FILES: readonly (readonly [type: string, bytes: Buffer])[] = [
  ['video/mp4', Buffer.concat([mp4(2000).subarray(0, 40), randomBytes(4000)])],
  ['video/mp4', mp4(4000).subarray(0, 3000)],
  ['video/mp4', mp4(2000, { handler: 'soun' })],
  ['video/quicktime', mp4(2000, { handler: 'soun', brand: 'qt  ' })],
  ['audio/mp4', mp4(2000)],
  ['audio/mp4', mp4(2000, { brand: 'M4A ' })],
  ['audio/wav', Buffer.concat([wav(100).subarray(0, 16), randomBytes(4000)])],
  ['audio/mpeg', Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0'), Buffer.alloc(4000, 1)])],
  ['audio/mpeg', Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(4000, 1)])],
  [
    'video/webm',
    Buffer.concat([
      Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d', 'hex'),
      Buffer.alloc(4000, 1),
    ]),
  ],
];

/** The response to an upload. */
export interface Uploaded {
  readonly mediaId: string;
  readonly url: string;
  readonly contentType: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly duration: number | null;
  readonly bytes: number;
}

/** A client of a test app or of a test service. */
interface Uploader {
  request(
    method: 'POST',
    path: string,
    body: object,
  ): Promise<{ readonly status: number; readonly body: { readonly error?: string } }>;
}

/** Uploads a PNG of noise. */
export async function uploadPicture(user: Uploader, side = 4): Promise<Uploaded> {
  const bytes = await noiseImage(side, side, 'png');
  const dataUrl = `data:image/png;base64,${bytes.toString('base64')}`;
  const { status, body } = await user.request('POST', '/media/upload', { dataUrl });
  assert.equal(status, 200, body.error);
  return body as Uploaded;
}
