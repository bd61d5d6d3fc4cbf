// Tests how the bytes of a body are read, in chunks of any size.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { readBytes } from '../../../src/http/read-bytes.ts';

const LIMIT = 100_000;

function read(chunks: readonly Buffer[], contentLength?: number): Promise<Buffer> {
  const headers = contentLength === undefined ? {} : { 'content-length': String(contentLength) };
  const req = { routeOptions: { bodyLimit: LIMIT }, headers } as unknown as FastifyRequest;
  return readBytes(req, Readable.from(chunks, { objectMode: false }) as unknown as IncomingMessage);
}

it('copies chunks into one buffer, which is at most twice as long as the body', async () => {
  const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, index) => index % 256));
  const chunks = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
  const body = await read(chunks);
  assert.deepEqual(body, bytes);
  assert.ok(body.buffer.byteLength <= 2 * bytes.length);
  assert.deepEqual(await read([bytes], bytes.length), bytes);
  assert.equal((await read([])).length, 0);
});

it('accepts a body of the limit and refuses a longer one', async () => {
  assert.equal((await read([Buffer.alloc(LIMIT - 1), Buffer.alloc(1)])).length, LIMIT);
  const tooLarge = { code: 'FST_ERR_CTP_BODY_TOO_LARGE' };
  await assert.rejects(read([Buffer.alloc(LIMIT), Buffer.alloc(1)]), tooLarge);
  await assert.rejects(read([Buffer.alloc(1)], LIMIT + 1), tooLarge);
});

it('refuses a body that is shorter than declared, or breaks off', async () => {
  await assert.rejects(read([Buffer.alloc(3)], 4), { code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH' });
  const broken = new Readable({ read: () => undefined });
  const req = { routeOptions: { bodyLimit: LIMIT }, headers: {} } as unknown as FastifyRequest;
  const reading = readBytes(req, broken as unknown as IncomingMessage);
  broken.destroy(new Error('aborted'));
  await assert.rejects(reading, { message: 'aborted', statusCode: 400 });
});
