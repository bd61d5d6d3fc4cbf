// Tests that files that deviate from their format, but that players play, are played, and that unsupported codecs are named.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type Backend, SAMPLE_RATE } from '../../src/codecs/command.ts';
import { decodeAudio, decodeFrames } from '../../src/codecs/decode.ts';
import { probeMedia } from '../../src/codecs/probe/probe.ts';
import { withTempFolder } from '../../src/lib/files.ts';
import { findOnPath } from '../../src/lib/settings.ts';
import { BACKENDS } from '../support/render/clips.ts';
import { collectSound, measurePeak } from './clips.ts';

const { signal } = new AbortController();
const backends = BACKENDS.flatMap(([, backend]) => (typeof backend === 'string' ? [] : [backend]));
const ffmpegPath = findOnPath('ffmpeg');
const run = promisify(execFile);

/** A tone of one second: 16 bits, mono, 8 kHz, half as loud as possible. */
const SAMPLES = Buffer.alloc(16_000);
for (let index = 0; index < 8000; index++)
  SAMPLES.writeInt16LE(Math.round(16_384 * Math.sin(index / 3)), index * 2);

const u16 = (...values: readonly number[]): Buffer => Buffer.from(Uint16Array.from(values).buffer);
const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const format = (tag = 1, frameBytes = 2): Buffer =>
  Buffer.concat([u16(tag, 1), u32(8000), u32(8000 * frameBytes), u16(frameBytes, 16)]);
const chunk = (id: string, body: Uint8Array, size = body.length): Buffer =>
  Buffer.concat([Buffer.from(id), u32(size), body]);
/** A chunk of odd size without the zero that must follow it. */
const unpadded = (id: string): Buffer => chunk(id, Buffer.from('INFOISFT\x05\0\0\0Lavf\0', 'latin1'));
const riff = (parts: readonly Uint8Array[], size?: number): Buffer => {
  const body = Buffer.concat([Buffer.from('WAVE'), ...parts]);
  return chunk('RIFF', body, size);
};
const FORMAT = chunk('fmt ', format());
const DATA = chunk('data', SAMPLES);
const withDataSize = (size: number): Buffer => chunk('data', SAMPLES, size);

const WAVE_FILES: Readonly<Record<string, Buffer>> = {
  'as specified': riff([FORMAT, DATA]),
  'with an unpadded INFO chunk before the samples': riff([FORMAT, unpadded('LIST'), DATA]),
  'with an unpadded chunk before the format': riff([unpadded('LIST'), FORMAT, DATA]),
  'with an unpadded and a padded chunk': riff([
    unpadded('LIST'),
    FORMAT,
    chunk('JUNK', Buffer.from('abc\0'), 3),
    DATA,
  ]),
  'with an unpadded chunk after the samples': riff([FORMAT, DATA, unpadded('LIST')]),
  'with an unpadded tag in the INFO chunk': riff([
    FORMAT,
    chunk('LIST', Buffer.from('INFOISFT\x05\0\0\0Lavf\0IART\x03\0\0\0Bob\0', 'latin1')),
    DATA,
  ]),
  'of a stream, with sizes of 0': riff([FORMAT, withDataSize(0)], 0),
  'of a stream, with the largest sizes': riff([FORMAT, withDataSize(0xffff_ffff)], 0xffff_ffff),
  'of a stream, with one size of 0': riff([FORMAT, withDataSize(0)]),
  'whose samples are longer than the file': riff([FORMAT, withDataSize(0x7fff_ffff)], 0x7fff_ffff),
  'without the size of a frame': riff([chunk('fmt ', format(1, 0)), DATA]),
  'with an extensible format': riff([
    chunk(
      'fmt ',
      Buffer.concat([
        Buffer.concat([u16(0xfffe), format().subarray(2)]),
        u16(22, 16),
        u32(4),
        Buffer.from('0100000000001000800000aa00389b71', 'hex'),
      ]),
    ),
    DATA,
  ]),
  'with a tag after its end': Buffer.concat([riff([FORMAT, DATA]), Buffer.from(`TAG${'x'.repeat(125)}`)]),
};

/** Asserts that the file is found to have this many seconds, and that every back end decodes a tone. */
async function assertPlayed(path: string, seconds: number, name: string): Promise<void> {
  const info = await probeMedia(path, signal);
  assert.ok(Math.abs(info.durationSeconds - seconds) < 0.1, `${name}: ${info.durationSeconds} s`);
  for (const backend of backends) {
    const sound = await collectSound(
      decodeAudio(backend, { path, info }, { startSeconds: 0, seconds: 0.5 }, signal),
    );
    assert.equal(sound.length, SAMPLE_RATE, name);
    assert.ok(measurePeak(sound, 0, 0.2, 0.5) > 0.1, `${name}, ${backend.name}`);
  }
}

describe('a WAV file', () => {
  for (const [name, bytes] of Object.entries(WAVE_FILES))
    it(`${name} is played`, () =>
      withTempFolder(async folder => {
        const path = join(folder, 'sound.wav');
        await writeFile(path, bytes);
        await assertPlayed(path, 1, name);
      }));

  it('without samples is empty', async () => {
    const info = await probeMedia(
      riff([FORMAT, chunk('data', Buffer.alloc(0)), chunk('LIST', Buffer.from('INFO'))]),
      signal,
    );
    assert.equal(info.durationSeconds, 0);
  });

  it('that is compressed is refused with the name of its codec', async () => {
    for (const [tag, name] of [
      [2, 'ADPCM'],
      [0x55, 'MP3'],
    ] as const)
      await assert.rejects(probeMedia(riff([chunk('fmt ', format(tag)), DATA]), signal), {
        code: 'unreadable_media',
        message: `The file uses the codec ${name} in a WAV file, which is not supported here. Convert it to MP4 (H.264 with 8-bit 4:2:0, AAC), WAV or MP3.`,
      });
  });
});

describe('a file that starts or ends with other bytes', () => {
  it('is played if it is an MP3', () =>
    withTempFolder(async folder => {
      const mp3 = await readFile('templates/workflows/podcast-audiogram/sample/clip.mp3');
      const { durationSeconds } = await probeMedia(mp3, signal);
      for (const [name, junk] of [
        ['zeros', Buffer.alloc(5000)],
        ['bits', Buffer.alloc(300, 0xff)],
        ['text', Buffer.from('<html>moved</html>\n'.repeat(40))],
      ] as const) {
        const path = join(folder, `${name}.mp3`);
        await writeFile(path, Buffer.concat([junk, mp3]));
        await assertPlayed(path, durationSeconds, name);
      }
    }));

  it('is played up to its end if it is a cut Ogg', { skip: ffmpegPath === undefined }, () =>
    withTempFolder(async folder => {
      const path = join(folder, 'cut.ogg');
      const source = ['-f', 'lavfi', '-i', 'sine=d=4', '-c:a', 'libopus'];
      await run(ffmpegPath ?? '', ['-v', 'error', ...source, '-y', path]);
      const whole = await readFile(path);
      await writeFile(path, whole.subarray(0, whole.length - 1000));
      await assertPlayed(path, 3, 'a cut Ogg');
    }),
  );
});

describe('a video without ffmpeg', () => {
  const host = backends.find(({ name }) => name === 'codec-host');

  it('that has another pixel format is refused with what to do', { skip: !host || !ffmpegPath }, () =>
    withTempFolder(async folder => {
      for (const pixels of ['yuv420p10le', 'yuv422p']) {
        const path = join(folder, `${pixels}.mp4`);
        const source = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:d=0.2', '-c:v', 'libx264'];
        await run(ffmpegPath ?? '', ['-v', 'error', ...source, '-pix_fmt', pixels, '-y', path]);
        const info = await probeMedia(path, signal);
        const request = {
          startSeconds: 0,
          frameCount: 1,
          fps: 10,
          width: 64,
          height: 48,
          pixels: 'i420',
        } as const;
        await assert.rejects(
          Array.fromAsync(decodeFrames(host as Backend, { path, info }, request, signal)),
          {
            code: 'unreadable_media',
            message:
              'The file uses the codec H.264 with pixels other than 8-bit 4:2:0, which is not supported here. Convert it to MP4 (H.264 with 8-bit 4:2:0, AAC), WAV or MP3, or install ffmpeg on the server.',
          },
        );
      }
    }),
  );
});
