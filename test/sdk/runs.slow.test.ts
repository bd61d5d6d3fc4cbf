// Tests how the SDK starts, follows and awaits runs despite interruptions, and how the SDK limits concurrent runs.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { type RunEvent, RunFailedError, TimeoutError } from '../../sdk/src/sdk.ts';
import { collect, json, type Reply, replyInOrder, SHORT_TIMEOUTS, serve, TIMING } from './test-server.ts';

const createRecord = (status: string, properties = {}) => ({
  id: 'ex_1',
  status,
  outputs: [],
  nodeStates: [],
  error: null,
  ...properties,
});
const acceptedRun = { executionId: 'ex_1', workflowId: 'wf_1', estimatedCredits: 3, createdAt: '' };
const formatEvent = (id: number, event: string, data: unknown): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Starts an event stream with the given bytes. */
function startStream(res: ServerResponse, bytes: string | Buffer): ServerResponse {
  res.writeHead(200, { 'content-type': 'text/event-stream' }).write(bytes);
  return res;
}

describe('client.run', () => {
  it('sends the same idempotency key with every attempt to start a run', async t => {
    const keys: unknown[] = [];
    const { client } = await serve(t, (req, res, count) => {
      keys.push(req.headers['idempotency-key']);
      if (count === 0) req.socket.destroy();
      else if (count === 1) json(res, 500, { error: 'Failed.', code: 'internal_error' });
      else if (count === 2)
        json(res, 409, { error: 'Wait.', code: 'idempotency_in_progress' }, { 'retry-after': '0' });
      else json(res, 202, acceptedRun);
    });
    const run = await client.run('wf_1', { inputs: { a: 1 } });
    assert.deepEqual([run.id, run.workflowId, run.estimatedCredits], ['ex_1', 'wf_1', 3]);
    await client.run('wf_1', {}, { idempotencyKey: 'mine' });
    assert.equal(new Set(keys.slice(0, 4)).size, 1);
    assert.match(String(keys[0]), /^sdk-[0-9a-f]{32}$/);
    assert.deepEqual(keys.slice(4), ['mine']);
  });

  it('fails immediately if the error is final', async t => {
    const { client, requests } = await serve(t, (_req, res) =>
      json(res, 402, { error: 'No.', code: 'insufficient_credits' }),
    );
    await assert.rejects(client.run('wf_1'), { name: 'InsufficientCreditsError' });
    assert.equal(requests.length, 1);
  });
});

describe('run.events', () => {
  const first = formatEvent(1, 'snapshot', createRecord('RUNNING'));
  const node = formatEvent(2, 'node', { nodeId: 'é🌅', status: 'COMPLETED' });
  const last = formatEvent(3, 'execution', createRecord('COMPLETED'));
  const names = (events: readonly RunEvent[]): string[] => events.map(({ event }) => event);

  it('yields each event once if the stream is interrupted at any byte', async t => {
    const bytes = Buffer.from(first + node);
    const positions = [
      0,
      first.length - 1,
      first.length,
      bytes.indexOf('é') + 1,
      bytes.indexOf('🌅') + 2,
      bytes.length,
    ];
    for (const position of positions) {
      const lastIds: unknown[] = [];
      const { client } = await serve(t, (req, res, count) => {
        const lastId = req.headers['last-event-id'];
        lastIds.push(lastId);
        if (count === 0)
          startStream(res, bytes.subarray(0, position)).write('', () => setTimeout(() => res.destroy(), 30));
        else {
          const remainingText =
            { undefined: first + node + last, 1: node + last, 2: last }[String(lastId)] ?? '';
          startStream(res, remainingText).end();
        }
      });
      const events = await collect(client.attach('ex_1').events());
      assert.deepEqual(
        names(events),
        ['snapshot', 'node', 'execution'],
        `interrupted at ${position}: ${lastIds.join()}`,
      );
      assert.deepEqual(events[1]?.data, { nodeId: 'é🌅', status: 'COMPLETED' });
    }
  });

  it('continues after the service was unavailable or silent', async t => {
    const reply: Reply = (req, res, count) => {
      if (count === 0) startStream(res, first);
      else if (count < 5) req.socket.destroy();
      else startStream(res, node + last).end();
    };
    const { client, requests } = await serve(t, reply, { timing: SHORT_TIMEOUTS });
    assert.deepEqual(names(await collect(client.attach('ex_1').events())), ['snapshot', 'node', 'execution']);
    assert.equal(requests.length, 6);
  });

  it('fails if the service stays unavailable', async t => {
    const { client } = await serve(
      t,
      replyInOrder(
        (_req, res) => startStream(res, first).end(),
        req => req.socket.destroy(),
      ),
      {
        timing: { ...TIMING, outageMs: 200 },
      },
    );
    await assert.rejects(collect(client.attach('ex_1').events()), /Could not read the events of ex_1/);
  });

  it('ends when no events are left and skips unknown events', async t => {
    const { client } = await serve(
      t,
      replyInOrder(
        (_req, res) => startStream(res, `${first}: a comment\n\n${formatEvent(2, 'weather', {})}`).end(),
        (_req, res) => res.writeHead(204).end(),
      ),
    );
    assert.deepEqual(names(await collect(client.attach('ex_1').events())), ['snapshot']);
  });

  it('fails immediately if the response is an error or not a stream', async t => {
    const rejecting = await serve(t, (_req, res) => json(res, 404, { error: 'None.', code: 'not_found' }));
    await assert.rejects(collect(rejecting.client.attach('ex_1').events()), { name: 'NotFoundError' });
    const page = await serve(t, (_req, res) =>
      res.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    );
    await assert.rejects(collect(page.client.attach('ex_1').events()), { name: 'UnexpectedResponseError' });
    assert.deepEqual([rejecting.requests.length, page.requests.length], [1, 1]);
  });

  it('closes the connection when the caller stops iterating or aborts', async t => {
    const closed: Promise<unknown>[] = [];
    const { client } = await serve(t, (_req, res) => {
      closed.push(new Promise(resolve => res.on('close', resolve)));
      startStream(res, first);
    });
    for await (const _ of client.attach('ex_1').events()) break;
    const controller = new AbortController();
    const events = client.attach('ex_1').events({ signal: controller.signal });
    await events.next();
    const next = events.next();
    controller.abort(new Error('enough'));
    await assert.rejects(next, /enough/);
    await Promise.all(closed);
    assert.equal(closed.length, 2);
  });
});

describe('run.wait', () => {
  it('continues after a deployment that interrupts connections', async t => {
    const availableAtMs = Date.now() + 400;
    const { client } = await serve(
      t,
      (req, res, count) => {
        if (count === 0) startStream(res, formatEvent(1, 'snapshot', createRecord('RUNNING'))).end();
        else if (Date.now() < availableAtMs) req.socket.destroy();
        else if (req.url?.endsWith('/events'))
          startStream(res, formatEvent(9, 'snapshot', createRecord('COMPLETED')));
        else json(res, 200, createRecord('COMPLETED'));
      },
      { retries: 0 },
    );
    assert.equal((await client.attach('ex_1').wait()).status, 'COMPLETED');
  });

  it('polls the record if a proxy blocks event streams', async t => {
    const reply: Reply = (req, res) => {
      if (!req.url?.endsWith('/events')) json(res, 200, createRecord('FAILED'));
    };
    const { client } = await serve(t, reply, { timing: SHORT_TIMEOUTS });
    assert.equal((await client.attach('ex_1').wait()).status, 'FAILED');
  });

  it('rejects after timeoutMs or by its signal without affecting the run', async t => {
    const { client, requests } = await serve(t, (req, res) => {
      if (req.url?.endsWith('/events')) startStream(res, ': hello\n\n');
      else json(res, 200, createRecord('RUNNING'));
    });
    await assert.rejects(client.attach('ex_1').wait({ timeoutMs: 50 }), (err: Error) => {
      assert.ok(err instanceof TimeoutError);
      assert.match(err.message, /ex_1 has not ended within 50 ms. It continues/);
      return true;
    });
    await assert.rejects(client.attach('ex_1').wait({ signal: AbortSignal.timeout(50) }), {
      name: 'TimeoutError',
    });
    assert.ok(requests.every(line => line.startsWith('GET ')));
  });
});

describe('run.outputs', () => {
  it('returns the outputs or throws the record of a failed run', async t => {
    const serveEndedRun = (status: string, properties: object) =>
      serve(t, (req, res) => {
        if (req.url?.endsWith('/events'))
          startStream(res, formatEvent(1, 'snapshot', createRecord(status, properties)));
        else json(res, 200, createRecord(status, properties));
      });
    const completedServer = await serveEndedRun('COMPLETED', { outputs: [{ nodeId: 'a', text: 'x' }] });
    assert.deepEqual(await completedServer.client.attach('ex_1').outputs(), [{ nodeId: 'a', text: 'x' }]);
    const failedServer = await serveEndedRun('FAILED', {
      error: { code: 'x', message: 'Picture failed.', nodeId: 'p' },
    });
    await assert.rejects(failedServer.client.attach('ex_1').outputs(), (err: RunFailedError) => {
      assert.ok(err instanceof RunFailedError);
      assert.deepEqual([err.message, err.execution.status], ['Picture failed.', 'FAILED']);
      return true;
    });
  });
});

describe('run.cancel', () => {
  it('repeats the request if the response was lost', async t => {
    const { client, requests } = await serve(
      t,
      replyInOrder(
        req => req.socket.destroy(),
        (_req, res) => json(res, 200, createRecord('CANCELLED')),
      ),
    );
    assert.equal((await client.attach('ex_1').cancel()).status, 'CANCELLED');
    assert.deepEqual(requests, Array(2).fill('POST /api/v1/executions/ex_1/cancel'));
  });
});

describe('client.runMany', () => {
  /** Creates a service double whose runs end 20 ms after their event stream was opened. */
  function createRunServer() {
    let maxActiveCount = 0;
    let activeCount = 0;
    let startedCount = 0;
    const reply: Reply = (req, res) => {
      const id = /ex_\d+/.exec(req.url ?? '')?.[0] ?? '';
      if (req.method === 'POST' && req.url?.includes('wf_bad'))
        json(res, 404, { error: 'None.', code: 'not_found' });
      else if (req.method === 'POST') {
        maxActiveCount = Math.max(maxActiveCount, ++activeCount);
        json(res, 202, { ...acceptedRun, executionId: `ex_${++startedCount}` });
      } else if (req.url?.endsWith('/events')) {
        setTimeout(() => {
          activeCount--;
          startStream(res, formatEvent(1, 'snapshot', { ...createRecord('COMPLETED'), id }));
        }, 20);
      } else json(res, 200, { ...createRecord('COMPLETED'), id });
    };
    return { reply, getMaxActiveCount: () => maxActiveCount, getStartedCount: () => startedCount };
  }

  it('limits concurrent runs and yields the result of each order', async t => {
    const runs = createRunServer();
    const { client } = await serve(t, runs.reply);
    let orderCount = 0;
    function* orders() {
      for (; orderCount < 20; orderCount++)
        yield { workflowId: orderCount === 7 ? 'wf_bad' : 'wf_1', tag: orderCount };
    }
    const results = await collect(client.runMany(orders(), { concurrency: 3 }));
    assert.equal(results.length, 20);
    assert.ok(runs.getMaxActiveCount() <= 3, String(runs.getMaxActiveCount()));
    assert.deepEqual(
      results.map(({ order }) => order.tag).sort((a, b) => a - b),
      [...Array(20).keys()],
    );
    const failedOrders = results.filter(result => 'error' in result);
    assert.deepEqual(
      failedOrders.map(({ order }) => order.tag),
      [7],
    );
  });

  it('starts no more runs after the caller stops iterating or aborts', async t => {
    const runs = createRunServer();
    const { client } = await serve(t, runs.reply);
    let isReturned = false;
    function* orders() {
      try {
        for (;;) yield { workflowId: 'wf_1' };
      } finally {
        isReturned = true;
      }
    }
    for await (const _ of client.runMany(orders(), { concurrency: 2 })) break;
    assert.ok(isReturned);
    assert.ok(runs.getStartedCount() <= 3, String(runs.getStartedCount()));
    const signal = AbortSignal.timeout(100);
    await assert.rejects(collect(client.runMany(orders(), { concurrency: 2, signal })), {
      name: 'TimeoutError',
    });
  });

  it('rejects an invalid concurrency', async t => {
    const { client } = await serve(t, () => undefined);
    await assert.rejects(collect(client.runMany([{ workflowId: 'wf_1' }], { concurrency: 0 })), RangeError);
  });
});
