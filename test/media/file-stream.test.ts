// Tests that the stream of a stored file returns the right bytes in every way of reading, and always closes the file.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { after, it } from 'node:test';
import { FileStream } from '../../src/media/file-stream.ts';

const folder = await mkdtemp(join(tmpdir(), 'graphwright-stream-'));
after(() => rm(folder, { recursive: true }));
const BYTES = randomBytes(400_000);
const path = join(folder, 'file');
await writeFile(path, BYTES);

const RANGES = [
  [0, 399_999],
  [0, 0],
  [131_071, 131_072],
  [5, 300_000],
] as const;

/** Creates a slow stream that copies what is written. */
function createSlowTarget(pieces: Buffer[]): Writable {
  return new Writable({
    write: (chunk, _encoding, done) =>
      void setTimeout(() => {
        pieces.push(Buffer.from(chunk));
        done();
      }, 1),
  });
}

const isClosed = (file: FileHandle): boolean => file.fd === -1;

it('FileStream returns the bytes of its range when it is piped or read', async () => {
  for (const [start, end] of RANGES) {
    const expected = BYTES.subarray(start, end + 1);
    assert.ok(expected.equals(await buffer(new FileStream(await open(path), { start, end }))));
    const pieces: Buffer[] = [];
    const file = await open(path);
    const stream = new FileStream(file, { start, end });
    const closeEvent = once(stream, 'close');
    await once(stream.pipe(createSlowTarget(pieces)), 'finish');
    assert.ok(expected.equals(Buffer.concat(pieces)));
    await closeEvent;
    assert.equal(isClosed(file), true);
  }
});

it('FileStream can be the source of a pipeline', async () => {
  const copy = join(folder, 'copy');
  await pipeline(new FileStream(await open(path), { start: 0, end: 399_999 }), createWriteStream(copy));
  assert.ok(BYTES.equals(await readFile(copy)));
});

it('FileStream closes its file when the stream is destroyed or the target fails', async () => {
  const file = await open(path);
  const stream = new FileStream(file, { start: 0, end: 399_999 });
  stream.pipe(createSlowTarget([]));
  stream.destroy();
  await once(stream, 'close');
  assert.equal(isClosed(file), true);
  const failingTarget = new Writable({ write: (_chunk, _encoding, done) => done(new Error('gone')) });
  const otherStream = new FileStream(await open(path), { start: 0, end: 399_999 });
  failingTarget.on('error', () => undefined);
  const closeEvent = once(otherStream, 'close').catch(err => err);
  otherStream.on('error', () => undefined).pipe(failingTarget);
  await closeEvent;
  assert.equal(otherStream.destroyed, true);
});

it('FileStream fails if the file has become shorter', async () => {
  const stream = new FileStream(await open(path), { start: 399_990, end: 400_010 });
  await assert.rejects(buffer(stream), /shorter than expected/);
});
