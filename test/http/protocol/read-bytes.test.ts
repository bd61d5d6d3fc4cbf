// Tests how the bytes of a body are read, in chunks of any size.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { HeldMemory } from '../../../src/http/held-memory.ts';
import { readHeldBytes } from '../../../src/http/read-bytes.ts';

const LIMIT = 100_000;

const createRequest = (account: string, headers = {}): FastifyRequest =>
  ({ routeOptions: { bodyLimit: LIMIT }, headers, work: { account } }) as unknown as FastifyRequest;

function read(chunks: readonly Buffer[], contentLength?: number): Promise<Buffer> {
  const headers = contentLength === undefined ? {} : { 'content-length': String(contentLength) };
  const payload = Readable.from(chunks, { objectMode: false }) as unknown as IncomingMessage;
  return readHeldBytes(createRequest('a', headers), payload, new HeldMemory(10 * LIMIT));
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
  const reading = readHeldBytes(
    createRequest('a'),
    broken as unknown as IncomingMessage,
    new HeldMemory(LIMIT),
  );
  broken.destroy(new Error('aborted'));
  await assert.rejects(reading, { message: 'aborted', statusCode: 400 });
});

it('refuses the oldest body of the account that keeps the most memory', async () => {
  const held = new HeldMemory(100_000);
  const start = (account: string) => {
    const payload = new PassThrough();
    return {
      payload,
      body: readHeldBytes(createRequest(account), payload as unknown as IncomingMessage, held),
    };
  };
  const push = async ({ payload }: ReturnType<typeof start>, bytes: number): Promise<void> => {
    const isRead = once(payload, 'data');
    payload.write(Buffer.alloc(bytes));
    await isRead;
  };
  const [a1, b1, a2, a3] = [start('a'), start('b'), start('a'), start('a')];
  await push(a1, 40_000);
  await push(b1, 30_000);
  const refused = assert.rejects(a1.body, { code: 'unavailable', status: 503 });
  await push(a2, 35_000);
  await refused;
  b1.payload.end(Buffer.alloc(1));
  assert.equal((await b1.body).length, 30_001);
  // A body that was read no longer counts.
  await push(a3, 60_000);
  a2.payload.end();
  a3.payload.end();
  assert.deepEqual(
    await Promise.all([a2.body, a3.body].map(async body => (await body).length)),
    [35_000, 60_000],
  );
});

it('refuses a body that keeps too much memory by itself', async () => {
  const payload = Readable.from([Buffer.alloc(50_000)], { objectMode: false }) as unknown as IncomingMessage;
  await assert.rejects(readHeldBytes(createRequest('a'), payload, new HeldMemory(40_000)), {
    code: 'unavailable',
  });
});
