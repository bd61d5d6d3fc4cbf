// Tests the probe: correct results for valid files, and rejection of all other files in limited time.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { getBackend } from '../../src/codecs/backend.ts';
import { encode } from '../../src/codecs/encode.ts';
import { probeContentType, probeMedia } from '../../src/codecs/probe/probe.ts';
import { withTempFolder } from '../../src/lib/files.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { box, mp4, u32, wav } from '../support/media/files.ts';
import { createVideo, drawNumberedFrames, generateTone } from './clips.ts';

const { signal } = new AbortController();
const backend = await getBackend({}, signal).catch(() => undefined);
const unreadable = { code: 'unreadable_media', message: /^The file is not a readable video or audio file/ };

describe('probeMedia and probeContentType', () => {
  it('refuse files that are not video or audio', async () => {
    for (const bytes of [
      '',
      'text',
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      '#EXTM3U\n#EXT-X-VERSION:3\nfile:///etc/passwd\n',
    ]) {
      await assert.rejects(probeMedia(Buffer.from(bytes), signal), unreadable);
    }
    await assert.rejects(probeMedia('/no/such/file', signal), unreadable);
    await assert.rejects(probeMedia(Buffer.from('x'), AbortSignal.abort(new Error('enough'))), /enough/);
  });

  it('find the type of a remote file while reading little of it', async () => {
    const files = [
      ['video/mp4', mp4(30_000_000)],
      ['audio/mp4', mp4(30_000_000, { handler: 'soun' })],
      ['audio/wav', wav(30_000_000)],
    ] as const;
    for (const [type, bytes] of files) {
      let readBytes = 0;
      const file = {
        size: bytes.length,
        read: async (start: number, end: number) => {
          readBytes += end - start;
          return bytes.subarray(start, end);
        },
      };
      assert.equal(await probeContentType(file, signal), type);
      assert.ok(readBytes < 1_000_000, String(readBytes));
    }
  });

  it('rethrow the error of a file that cannot be read', async () => {
    const unreadableFile = { size: 5000, read: () => Promise.reject(new Error('the bucket is gone')) };
    await assert.rejects(probeContentType(unreadableFile, signal), /^Error: the bucket is gone$/);
    const stuckFile = { size: 5000, read: () => new Promise<Uint8Array>(() => undefined) };
    await assert.rejects(probeContentType(stuckFile, AbortSignal.timeout(50)), { name: 'TimeoutError' });
    const bytes = wav(5000);
    const file = {
      size: bytes.length,
      read: async (start: number, end: number) => bytes.subarray(start, end),
    };
    assert.deepEqual(
      await Promise.all([1, 2, 3, 4].map(() => probeContentType(file, signal))),
      [1, 2, 3, 4].map(() => 'audio/wav'),
    );
  });

  it('are not misled by a fragment that claims four billion samples', async () => {
    const tkhd = box(
      'tkhd',
      u32(7, 0, 0, 1, 0, 0, 0, 0, 0, 0),
      u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000),
      u32(64 << 16, 64 << 16),
    );
    const mdhd = box('mdhd', u32(0, 0, 0, 1000, 0, 0));
    const hdlr = box('hdlr', u32(0, 0), Buffer.from('soun'), u32(0, 0, 0), Buffer.from('\0'));
    const entry = box(
      'sowt',
      u32(0, 1, 0, 0),
      Buffer.from([0, 2, 0, 16, 0, 0, 0, 0]),
      u32((48_000 << 16) >>> 0),
    );
    const stbl = box(
      'stbl',
      box('stsd', u32(0, 1), entry),
      box('stts', u32(0, 0)),
      box('stsc', u32(0, 0)),
      box('stsz', u32(0, 0, 0)),
      box('stco', u32(0, 0)),
    );
    const trak = box('trak', tkhd, box('mdia', mdhd, hdlr, box('minf', stbl)));
    const mvex = box('mvex', box('trex', u32(0, 1, 1, 1, 1, 0)));
    const moov = box('moov', box('mvhd', u32(0, 0, 0, 1000, 0, 0x10000), Buffer.alloc(76)), trak, mvex);
    const trun = box('trun', u32(0, 0xffff_ffff));
    const moof = box('moof', box('mfhd', u32(0, 1)), box('traf', box('tfhd', u32(0x20000, 1)), trun));
    const bytes = Buffer.concat([
      box('ftyp', Buffer.from('isom'), u32(0)),
      moov,
      moof,
      box('mdat', Buffer.alloc(64)),
    ]);
    const info = await probeMedia(bytes, signal).catch(err => err);
    assert.ok(
      info instanceof Error ? /^The file is no/.test(info.message) : Number.isFinite(info.durationSeconds),
    );
  });

  it(
    'return a valid result or an error for truncated and changed files',
    { skip: backend === undefined },
    () =>
      withTempFolder(async folder => {
        if (backend === undefined) return;
        const path = join(folder, 'clip.mp4');
        const video = createVideo(drawNumberedFrames(20), 20);
        await encode(backend, { path, maxSeconds: 1, video, audio: generateTone(1) }, signal);
        const original = await readFile(path);
        const headerBytes = original.indexOf('mdat');
        for (const length of [0, 40, 700, headerBytes]) {
          const truncated = probeMedia(original.subarray(0, length), signal);
          await truncated.catch(err => assert.equal(err.code, 'unreadable_media'));
        }
        // The seed is fixed, so the same twenty-five files are tested each time, with a few changes in their headers.
        const random = createSeededRandom(20_261_121);
        const roll = (limit: number): number => Math.floor(random() * limit);
        const changedFiles = Array.from({ length: 25 }, () => {
          const bytes = Buffer.from(original);
          for (let change = 0; change < 4; change++) {
            bytes[roll(Math.min(headerBytes, 2500))] = [0, 1, 0x7f, 0x80, 0xff][roll(5)] ?? 0;
          }
          return bytes;
        });
        for (const bytes of changedFiles) {
          const info = await probeMedia(bytes, signal).catch(err => {
            assert.equal(err.code, 'unreadable_media');
          });
          if (info === undefined) continue;
          assert.ok(Number.isFinite(info.durationSeconds) && info.durationSeconds >= 0);
          assert.ok(info.video === undefined || (info.video.fps >= 1 && info.video.width >= 1));
        }
      }),
  );
});
