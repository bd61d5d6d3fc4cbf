// Tests the limits of responses: their size, streams, and the memory of those that callers do not receive.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { fastify } from 'fastify';
import type { Server } from '../../../src/http/deps.ts';
import { HeldMemory } from '../../../src/http/held-memory.ts';
import { streamJson } from '../../../src/http/json-stream.ts';
import { registerResponseLimit, registerResponseMemory } from '../../../src/http/response-limits.ts';
import { AppError } from '../../../src/lib/errors.ts';
import { JsonText, stringifyJson } from '../../../src/lib/json-text.ts';
import { createTestApp } from '../../support/app.ts';

const MEGABYTE = 1024 * 1024;

function createApp(maxUnsentBytes?: number): Server {
  const app = fastify() as unknown as Server;
  app.setErrorHandler((err, _req, reply) =>
    reply
      .code(err instanceof AppError ? err.status : 500)
      .send({ code: err instanceof AppError ? err.code : 'defect' }),
  );
  registerResponseLimit(app);
  registerResponseMemory(app, maxUnsentBytes);
  return app;
}

describe('a response', () => {
  it('has at most 16 MB, in bytes, whether it is text, binary or a page', async () => {
    const app = createApp();
    const payloads: Readonly<Record<string, string | Buffer>> = {
      '/fits': 'a'.repeat(16 * MEGABYTE),
      '/multibyte-fits': 'ä'.repeat(8 * MEGABYTE),
      '/text': 'a'.repeat(16 * MEGABYTE + 1),
      '/multibyte': 'ä'.repeat(8 * MEGABYTE + 1),
      '/binary': Buffer.alloc(16 * MEGABYTE + 1),
    };
    for (const [path, payload] of Object.entries(payloads))
      app.get(path, (_req, reply) =>
        reply.headers({ 'content-type': 'text/html', etag: '"1"' }).send(payload),
      );
    for (const path of Object.keys(payloads)) {
      const { statusCode, headers, body } = await app.inject(path);
      if (path.endsWith('fits')) assert.equal(statusCode, 200, path);
      else
        assert.deepEqual(
          [statusCode, body, headers.etag],
          [422, '{"code":"response_too_large"}', undefined],
          path,
        );
    }
  });

  it('has that limit in every route of the service', async t => {
    const { app, close } = await createTestApp();
    t.after(close);
    app.get('/large', { schema: { hide: true }, config: { access: 'public' } }, () =>
      'a'.repeat(16 * MEGABYTE + 1),
    );
    const { statusCode, body } = await app.inject('/large');
    assert.equal(statusCode, 422);
    assert.match(body, /"code":"response_too_large"/);
  });

  it('is a stream only if the route declares it', async () => {
    const app = createApp();
    const undeclared = Readable.from(['text']);
    app.get('/declared', { config: { access: 'public', isStreamed: true } }, () => Readable.from(['text']));
    app.get('/undeclared', () => undeclared);
    assert.equal((await app.inject('/declared')).body, 'text');
    assert.equal((await app.inject('/undeclared')).body, '{"code":"defect"}');
    assert.equal(undeclared.destroyed, true);
  });
});

describe('responses that are not received', () => {
  it('end if they keep too much memory, the oldest of the account that keeps the most first', () => {
    const answers = new HeldMemory(100);
    const ended: string[] = [];
    const add = (account: string, bytes: number, name: string) =>
      answers.add(account, { bytes, end: () => ended.push(name) });
    add('a', 40, 'a1');
    add('b', 10, 'b1');
    const release = add('a', 40, 'a2');
    assert.deepEqual(ended, []);
    add('c', 30, 'c1');
    assert.deepEqual(ended, ['a1']);
    // What was received or ended no longer counts.
    release();
    release();
    add('b', 50, 'b2');
    assert.deepEqual(ended, ['a1']);
    add('d', 20, 'd1');
    assert.deepEqual(ended, ['a1', 'b1']);
  });

  it('count a body once that several of them send', () => {
    const answers = new HeldMemory(100);
    const ended: string[] = [];
    const body = Buffer.alloc(60);
    const add = (name: string, sent?: Buffer) =>
      answers.add('a', { bytes: 60, body: sent, end: () => ended.push(name) });
    const releases = ['1', '2', '3'].map(name => add(name, body));
    assert.deepEqual(ended, []);
    releases[0]?.();
    add('4');
    assert.deepEqual(ended, ['2', '3']);
  });

  it('leave no listeners after they were released', async () => {
    const app = createApp();
    app.get('/', (_req, reply) => {
      const count = reply.raw.listenerCount('close');
      reply.holdMemory(MEGABYTE)();
      return String(reply.raw.listenerCount('close') - count);
    });
    assert.equal((await app.inject('/')).body, '0');
  });

  it('close their connections', async t => {
    const app = createApp(20 * MEGABYTE);
    app.get('/', () => 'a'.repeat(16 * MEGABYTE));
    await app.listen({ port: 0, host: '127.0.0.1' });
    t.after(() => app.close());
    const request = async () => {
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
      t.after(() => socket.destroy());
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
      // Nothing but the first bytes is read, so the response stays in memory.
      await once(socket, 'readable');
      return socket;
    };
    const first = await request();
    await request();
    const closed = once(first, 'close');
    first.on('error', () => undefined);
    first.resume();
    await closed;
    assert.ok(first.bytesRead < 16 * MEGABYTE, `${first.bytesRead}`);
  });
});

describe('streamed JSON', () => {
  it('is the same as JSON that is written at once', async () => {
    const longText = `${'a'.repeat(65_535)}😀"\n${'ä'.repeat(70_000)}\ud800`;
    for (const value of [
      {
        text: longText,
        texts: [longText, '', 'b'],
        value: new JsonText(`{"n":1.50,"t":"${'😀'.repeat(90_000)}"}`),
      },
      { none: null, skipped: undefined, list: [], object: {}, nested: [[1, true], { a: { b: false } }] },
      [undefined, 1e21],
      'text',
    ])
      assert.equal((await Array.fromAsync(streamJson(value))).join(''), stringifyJson(value));
  });

  it('comes in parts of limited length that are whole characters', async () => {
    const parts = await Array.fromAsync(
      streamJson({ text: '😀'.repeat(200_000), list: ['a'.repeat(500_000)] }),
    );
    assert.ok(parts.length > 10);
    for (const part of parts) {
      assert.ok(part.length < 200_000, `${part.length}`);
      assert.ok(part.isWellFormed());
    }
  });
});
