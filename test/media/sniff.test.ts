// Tests how file types are detected, and compared with the declared type.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import sharp from 'sharp';
import { findMediaType, getMaxBytes, getMaxBytesOfSource } from '../../src/media/accepted-types.ts';
import { identifyFile, sniffType } from '../../src/media/sniff.ts';

const box = (type: string, body: string): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(8 + body.length);
  return Buffer.concat([size, Buffer.from(type + body, 'latin1')]);
};
const mp4 = (brand: string): Buffer =>
  Buffer.concat([box('ftyp', `${brand}\0\0\x02\0${brand}`), box('free', ''), box('mdat', 'x'.repeat(64))]);
const WEBM = Buffer.from(
  '1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701ffffffffffffff',
  'hex',
);
const WAV = Buffer.from(
  'RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0',
  'latin1',
);
const SVG = '<?xml version="1.0"?>\n<!-- by hand -->\n<svg xmlns="http://www.w3.org/2000/svg"/>';

/** Files of each accepted type. */
const FILES: Record<string, Buffer[]> = {
  'video/mp4': [mp4('isom'), mp4('mp42'), mp4('M4V ')],
  'video/quicktime': [mp4('qt  ')],
  'audio/mp4': [mp4('M4A ')],
  'video/webm': [WEBM],
  'audio/mpeg': [
    Buffer.concat([
      Buffer.from('ID3\x03\0\0\0\0\0\x0a', 'latin1'),
      Buffer.alloc(10),
      Buffer.from('fffb9064', 'hex'),
      Buffer.alloc(500),
    ]),
    Buffer.concat([Buffer.from('fffb9064', 'hex'), Buffer.alloc(500)]),
  ],
  'audio/wav': [WAV],
  'image/svg+xml': [
    Buffer.from(SVG),
    Buffer.from(`\uFEFF${SVG}`, 'utf16le'),
    Buffer.from('\n <svg/>'),
    Buffer.from(`<svg:svg xmlns:svg="x">${'ä'.repeat(5000)}</svg:svg>`),
  ],
};

before(async () => {
  for (const format of ['jpeg', 'png', 'gif', 'webp', 'avif'] as const) {
    FILES[`image/${format}`] = [
      await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
        .toFormat(format)
        .toBuffer(),
    ];
  }
});

test('identifyFile recognizes every accepted type by its bytes', async () => {
  assert.equal(Object.keys(FILES).length, 12);
  for (const [type, files] of Object.entries(FILES)) {
    for (const bytes of files) {
      assert.equal((await identifyFile(bytes, undefined)).contentType, type);
      assert.equal((await identifyFile(bytes, 'application/octet-stream')).contentType, type);
      assert.equal((await identifyFile(bytes, `${type.toUpperCase()}; charset=x`)).contentType, type);
    }
  }
});

const getFile = (type: string): Buffer => FILES[type]?.[0] ?? assert.fail(type);

test('identifyFile treats the names that clients use for a type as equal', async () => {
  for (const [alias, type] of [
    ['image/jpg', 'image/jpeg'],
    ['audio/mp3', 'audio/mpeg'],
    ['audio/x-wav', 'audio/wav'],
    ['audio/x-m4a', 'audio/mp4'],
    ['audio/m4a', 'audio/mp4'],
  ] as const) {
    assert.equal((await identifyFile(getFile(type), alias)).contentType, type);
  }
});

test('identifyFile returns the declared type for an m4a file with the signature of mp4', async () => {
  assert.equal((await identifyFile(mp4('isom'), 'audio/mp4')).contentType, 'audio/mp4');
});

test('identifyFile: empty_file for no bytes', async () => {
  await assert.rejects(identifyFile(Buffer.alloc(0), 'image/png'), { code: 'empty_file' });
});

test('identifyFile: unsupported_type for a type that is not accepted and for bytes of another type', async () => {
  for (const declared of ['text/html', 'image/bmp', 'image/heic', 'application/pdf', 'image/', 'png', '\0']) {
    await assert.rejects(
      identifyFile(getFile('image/png'), declared),
      { code: 'unsupported_type' },
      declared,
    );
  }
  for (const [bytes, declared] of [
    [getFile('image/png'), 'image/jpeg'],
    [getFile('image/png'), 'video/mp4'],
    [WAV, 'audio/mpeg'],
    [getFile('image/png'), 'image/svg+xml'],
    [Buffer.from(SVG), 'image/png'],
    [Buffer.from('hello'), 'audio/wav'],
    [Buffer.from('hello'), ''],
    [Buffer.from('%PDF-1.7 '), undefined],
    [Buffer.from('<html></html>'), undefined],
  ] as const) {
    await assert.rejects(identifyFile(bytes, declared), { code: 'unsupported_type' }, `${declared}`);
  }
});

test('identifyFile: unreadable_image for unknown bytes that are declared as an image', async () => {
  for (const text of ['hello', '%PDF-1.7 ', 'PK\x03\x04', '<html></html>'])
    await assert.rejects(identifyFile(Buffer.from(text), 'image/png'), { code: 'unreadable_image' });
});

test('identifyFile leaves a file that is declared as SVG to the sanitizer', async () => {
  assert.equal(
    (await identifyFile(Buffer.from('<html></html>'), 'image/svg+xml')).contentType,
    'image/svg+xml',
  );
});

test('sniffType accepts any bytes', async () => {
  for (const bytes of [
    Buffer.alloc(1),
    Buffer.alloc(5000),
    Buffer.from('fffe', 'hex'),
    Buffer.from('<'),
    Buffer.from('feff00', 'hex'),
    mp4('isom').subarray(0, 9),
  ])
    await sniffType(bytes);
});

test('getMaxBytes returns the limit of each upload source for each type', () => {
  const png = findMediaType('image/png') ?? assert.fail();
  const mov = findMediaType('video/quicktime') ?? assert.fail();
  const svg = findMediaType('image/svg+xml') ?? assert.fail();
  assert.deepEqual(
    [getMaxBytes('multipart', png), getMaxBytes('dataUrl', mov), getMaxBytes('url', mov)],
    [4_194_304, 3_145_728, 26_214_400],
  );
  assert.deepEqual(
    [getMaxBytes('presigned', png), getMaxBytes('presigned', mov), getMaxBytes('presigned', svg)],
    [26_214_400, 104_857_600, 0],
  );
  assert.deepEqual([getMaxBytes('url', svg), getMaxBytesOfSource('url')], [1_048_576, 26_214_400]);
});

test('identifyFile leaves an MP3 that starts with other bytes to the probe', async () => {
  const bytes = Buffer.alloc(5000);
  assert.equal((await identifyFile(bytes, 'audio/mpeg')).contentType, 'audio/mpeg');
  await assert.rejects(identifyFile(bytes, 'audio/wav'), { code: 'unsupported_type' });
});
