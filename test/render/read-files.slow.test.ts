// Tests how the files of a scene are read: streamed, limited, identified by content, and refused with a reason.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { withTempFolder } from '../../src/lib/files.ts';
import { readRenderFiles } from '../../src/render/read-files.ts';
import type { ReadSource } from '../../src/render/render-io.ts';
import type { ResourceFile } from '../../src/render/stills/still.ts';
import type { Resource, ResourceKind } from '../../src/render/timeline/compile.ts';
import { plainImage } from '../support/media/pixels.ts';

const { signal } = new AbortController();

const resource = (kind: ResourceKind, src: string, key = `${kind}-x`): Resource => ({
  key,
  kind,
  pointer: '/overlays/0',
  source: { src },
});

async function* splitIntoChunks(bytes: Uint8Array, size = 1000) {
  // Reuses the buffer of a chunk, as a socket might.
  const chunk = Buffer.alloc(size);
  for (let from = 0; from < bytes.length; from += size) {
    const part = bytes.subarray(from, from + size);
    chunk.set(part);
    yield chunk.subarray(0, part.length);
  }
}

async function* generateEndlessly() {
  const chunk = Buffer.alloc(1_048_576);
  for (;;) yield chunk;
}

/** Loads one file. Returns the result and the names in the folder. */
async function readOne(kind: ResourceKind, body: Awaited<ReturnType<ReadSource>>['body']) {
  return withTempFolder(async folder => {
    const read: ReadSource = async () => ({ body, declaredContentType: undefined });
    const files = await readRenderFiles([resource(kind, './x')], read, folder, signal);
    return { file: files.get(`${kind}-x`) as ResourceFile, names: await readdir(folder) };
  });
}

describe('readRenderFiles', () => {
  it('streams sound and video to disk and probes the file', async () => {
    const bytes = createSilentWav(0.5);
    await withTempFolder(async folder => {
      const read: ReadSource = async () => ({
        body: splitIntoChunks(bytes),
        declaredContentType: 'text/plain',
      });
      const file = (await readRenderFiles([resource('audio', './x')], read, folder, signal)).get('audio-x');
      assert.ok(file?.kind === 'clip');
      assert.deepEqual([file.info.container, file.info.durationSeconds], ['wav', 0.5]);
      assert.deepEqual(await readFile(file.path), bytes);
    });
  });

  it('fails if this service is too busy to read the file', async () => {
    const busy = new AppError('unavailable', 'Too much work of this kind is waiting already.');
    const read: ReadSource = () => Promise.reject(busy);
    await withTempFolder(folder =>
      assert.rejects(readRenderFiles([resource('image', './x')], read, folder, signal), busy),
    );
  });

  it('reads an image into memory', async () => {
    const { file } = await readOne('image', splitIntoChunks(await plainImage(40, 30, '#ff0000')));
    assert.equal(file.kind, 'image');
  });

  it('returns a placeholder for a sample URL', async () => {
    const files = await readRenderFiles([resource('video', 'sample:a clip')], refuse, '/nowhere', signal);
    assert.deepEqual(files.get('video-x'), { kind: 'sample', prompt: 'a clip', width: 1600, height: 1200 });
  });

  it('omits a file of another kind and a damaged or empty file', async () => {
    const sound = createSilentWav(0.2);
    const image = await plainImage(8, 8, '#00ff00');
    const cases: readonly (readonly [ResourceKind, Uint8Array, RegExp])[] = [
      ['video', sound, /it is audio\/wav, not an image or a video$/],
      ['video', image, /not a readable video or audio file/],
      ['audio', Buffer.from('<html>404</html>'), /not a readable video or audio file/],
      ['video', new Uint8Array(), /not a readable video or audio file|no bytes/],
      ['image', sound, /it is audio\/wav, not an image$/],
      ['image', image.subarray(0, 40), /cannot be read/],
    ];
    for (const [kind, bytes, reason] of cases) {
      const { file, names } = await readOne(kind, bytes);
      assert.ok(file.kind === 'absent', `${kind} of ${bytes.length} bytes`);
      assert.match(file.reason, reason);
      assert.deepEqual(names, []);
    }
  });

  it('limits the size of a file even if the source never ends', async () => {
    const image = await readOne('image', generateEndlessly());
    assert.match(getReason(image.file), /larger than the remaining 26214400 bytes/);
    const createHugeSource = async function* () {
      yield Buffer.alloc(600_000_000);
    };
    const video = await readOne('video', createHugeSource());
    assert.match(getReason(video.file), /larger than the remaining 524288000 bytes/);
    assert.deepEqual(video.names, []);
  });

  it('omits an unreachable file and rethrows an internal error', async () => {
    const files = await withTempFolder(folder =>
      readRenderFiles([resource('video', './x'), resource('image', './x')], refuse, folder, signal),
    );
    for (const file of files.values()) assert.match(getReason(file), /cannot be read: nobody is there$/);
    const failInternally = () => Promise.reject(new TypeError('x is not a function'));
    await assert.rejects(
      withTempFolder(folder => readRenderFiles([resource('video', './x')], failInternally, folder, signal)),
      TypeError,
    );
  });

  it('refuses a data URL without a comma in linear time', async () => {
    const src = `data:image/${'a'.repeat(4_000_000)}`;
    const files = await readRenderFiles([resource('image', src)], refuse, '/nowhere', signal);
    assert.match(getReason(files.get('image-x') as ResourceFile), /the data URL is malformed$/);
  });

  it('decodes data URLs in base64 and percent-encoding', async () => {
    const png = (await plainImage(4, 4, '#0000ff')).toString('base64');
    const svg = encodeURIComponent(
      '<svg xmlns="http://www.w3.org/2000/svg"><rect width="4" height="4"/></svg>',
    );
    const urls = [`data:image/png;base64,${png}`, `data:image/svg+xml;charset=utf-8,${svg}`];
    for (const [index, kind] of ['image', 'svg'].entries()) {
      const read = await readRenderFiles([resource('image', urls[index] ?? '')], refuse, '/nowhere', signal);
      assert.equal(read.get('image-x')?.kind, kind);
    }
  });

  it('stops reading when the render is aborted', async () => {
    const controller = new AbortController();
    const createAbortingSource = async function* () {
      yield Buffer.alloc(10);
      controller.abort(new Error('enough'));
      yield* generateEndlessly();
    };
    const read: ReadSource = async () => ({ body: createAbortingSource(), declaredContentType: undefined });
    await withTempFolder(async folder => {
      await assert.rejects(
        readRenderFiles([resource('video', './x')], read, folder, controller.signal),
        /enough/,
      );
      assert.deepEqual(await readdir(folder), []);
    });
  });
});

const refuse: ReadSource = () => Promise.reject(new AppError('not_found', 'nobody is there.'));

function getReason(file: ResourceFile): string {
  assert.ok(file.kind === 'absent');
  return file.reason;
}

/** Creates a WAV file: mono, 16 bits, 8000 samples per second. */
function createSilentWav(seconds: number): Buffer {
  const samples = Math.round(seconds * 8000) * 2;
  const head = Buffer.from(
    'RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0',
    'latin1',
  );
  head.writeUInt32LE(head.length + samples - 8, 4);
  head.writeUInt32LE(samples, head.length - 4);
  return Buffer.concat([head, Buffer.alloc(samples)]);
}
