// The probe: true facts of good files, a refusal of all others in bounded time, whatever their headers claim.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findBackend } from '../../src/codecs/backend.ts';
import { encode } from '../../src/codecs/encode.ts';
import { probeMedia } from '../../src/codecs/probe.ts';
import { withScratch } from '../../src/codecs/scratch.ts';
import { HEIGHT, numberedFrames, tone, WIDTH } from './clips.ts';

const { signal } = new AbortController();
const backend = await findBackend({}, signal).catch(() => undefined);
const unreadable = { code: 'unreadable_media', message: /^The file is no video or audio/ };

describe('the probe', () => {
  it('refuses what is no video or audio, and stops when told', async () => {
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

  it('is not led astray by a fragment that claims four thousand million samples', async () => {
    const box = (type: string, ...parts: readonly Buffer[]): Buffer => {
      const body = Buffer.concat(parts);
      const head = Buffer.alloc(8);
      head.writeUInt32BE(body.length + 8);
      head.write(type, 4, 'latin1');
      return Buffer.concat([head, body]);
    };
    const u32 = (...values: readonly number[]): Buffer => {
      const out = Buffer.alloc(values.length * 4);
      for (const [i, value] of values.entries()) out.writeUInt32BE(value, i * 4);
      return out;
    };
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
    const facts = await probeMedia(bytes, signal).catch(err => err);
    assert.ok(
      facts instanceof Error ? /^The file is no/.test(facts.message) : Number.isFinite(facts.durationSeconds),
    );
  });

  it('lives through truncation and change at any place', { skip: backend === undefined }, () =>
    withScratch(async folder => {
      if (backend === undefined) return;
      const path = join(folder, 'clip.mp4');
      const frames = numberedFrames(20);
      const video = { width: WIDTH, height: HEIGHT, fps: 20, pixels: 'rgba', frames } as const;
      await encode(backend, { path, maxSeconds: 1, video, audio: tone(1) }, signal);
      const whole = await readFile(path);
      const media = whole.indexOf('mdat');
      for (const length of [0, 40, 700, media]) {
        const cut = probeMedia(whole.subarray(0, length), signal);
        await cut.catch(err => assert.equal(err.code, 'unreadable_media'));
      }
      // A fixed seed: the same twenty-five files every time, their headers changed in a few places each.
      let seed = 20_261_121;
      const roll = (limit: number): number => {
        seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((seed / 2 ** 32) * limit);
      };
      const work = Array.from({ length: 25 }, () => {
        const bytes = Buffer.from(whole);
        for (let change = 0; change < 4; change++) {
          bytes[roll(Math.min(media, 2500))] = [0, 1, 0x7f, 0x80, 0xff][roll(5)] ?? 0;
        }
        return bytes;
      });
      for (const bytes of work) {
        const facts = await probeMedia(bytes, signal).catch(err => {
          assert.equal(err.code, 'unreadable_media');
        });
        if (facts === undefined) continue;
        assert.ok(Number.isFinite(facts.durationSeconds) && facts.durationSeconds >= 0);
        assert.ok(facts.video === undefined || (facts.video.fps >= 1 && facts.video.width >= 1));
      }
    }),
  );
});
