// Tests that slow senders are ended while others wait.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { requirePace } from '../../src/lib/min-pace.ts';

const WINDOW_MS = 1000;
/** The required bytes of the first window. */
const REQUIRED_BYTES = 16_384;
const TOO_SLOW = { code: 'request_timeout', status: 408 };

/** Creates a sender whose chunks the test sends, and reads them. */
function createSender(mustYield: () => boolean) {
  const chunks = new TransformStream<Uint8Array, Uint8Array>();
  const writer = chunks.writable.getWriter();
  const received = requirePace(chunks.readable, { windowMs: WINDOW_MS, mustYield });
  const receive = async (): Promise<number> => {
    let bytes = 0;
    for await (const chunk of received) bytes += chunk.length;
    return bytes;
  };
  return {
    received,
    receive,
    send: async (bytes: number): Promise<void> => {
      await writer.write(new Uint8Array(bytes));
      await nextTurn();
    },
    end: () => writer.close(),
  };
}

const endWindow = async (): Promise<void> => {
  mock.timers.tick(WINDOW_MS);
  await nextTurn();
};

describe('requirePace', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  it('ends a sender without bytes once others wait', async () => {
    let mustYield = false;
    const { receive } = createSender(() => mustYield);
    const result = receive();
    result.catch(() => undefined);
    for (let windows = 0; windows < 5; windows++) await endWindow();
    mustYield = true;
    await endWindow();
    await assert.rejects(result, TOO_SLOW);
  });

  it('requires twice the bytes in each window while others wait', async () => {
    const { receive, send } = createSender(() => true);
    const result = receive();
    result.catch(() => undefined);
    for (const factor of [1, 2, 4]) {
      await send(factor * REQUIRED_BYTES);
      await endWindow();
    }
    await send(8 * REQUIRED_BYTES - 1);
    await endWindow();
    await assert.rejects(result, TOO_SLOW);
  });

  it('passes on all bytes of a fast sender, and does not count the time of a slow receiver', async () => {
    const { received, send, end } = createSender(() => true);
    const first = received.next();
    await send(REQUIRED_BYTES);
    assert.equal((await first).value?.length, REQUIRED_BYTES);
    // The receiver requests no chunk.
    for (let windows = 0; windows < 3; windows++) await endWindow();
    const second = received.next();
    await send(7);
    assert.equal((await second).value?.length, 7);
    const last = received.next();
    await end();
    assert.equal((await last).done, true);
  });
});
