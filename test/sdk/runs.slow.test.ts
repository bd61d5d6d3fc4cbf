// Tests runs of the SDK: started once despite retries, followed across interruptions, awaited across deploys, many at a
// time.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { type RunEvent, RunFailedError, TimeoutError } from '../../sdk/src/sdk.ts';
import { collect, IMPATIENT, inTurn, json, type Reply, serve, TIMING } from './double.ts';

const record = (status: string, rest = {}) => ({
  id: 'ex_1',
  status,
  outputs: [],
  nodeStates: [],
  error: null,
  ...rest,
});
const accepted = { executionId: 'ex_1', workflowId: 'wf_1', estimatedCredits: 3, createdAt: '' };
const text = (id: number, event: string, data: unknown): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Starts an event stream with these bytes. */
function stream(res: ServerResponse, bytes: string | Buffer): ServerResponse {
  res.writeHead(200, { 'content-type': 'text/event-stream' }).write(bytes);
  return res;
}
describe('run', () => {
  it('sends the same idempotency key with every attempt of a start, and another one with the next start', async t => {
    const keys: unknown[] = [];
    const { client } = await serve(t, (req, res, count) => {
      keys.push(req.headers['idempotency-key']);
      if (count === 0) req.socket.destroy();
      else if (count === 1) json(res, 500, { error: 'Failed.', code: 'internal_error' });
      else if (count === 2)
        json(res, 409, { error: 'Wait.', code: 'idempotency_in_progress' }, { 'retry-after': '0' });
      else json(res, 202, accepted);
    });
    const run = await client.run('wf_1', { inputs: { a: 1 } });
    assert.deepEqual([run.id, run.workflowId, run.estimatedCredits], ['ex_1', 'wf_1', 3]);
    await client.run('wf_1', {}, { idempotencyKey: 'mine' });
    assert.equal(new Set(keys.slice(0, 4)).size, 1);
    assert.match(String(keys[0]), /^sdk-[0-9a-f]{32}$/);
    assert.deepEqual(keys.slice(4), ['mine']);
  });

  it('is refused immediately if the error is final', async t => {
    const { client, requests: asked } = await serve(t, (_req, res) =>
      json(res, 402, { error: 'No.', code: 'insufficient_credits' }),
    );
    await assert.rejects(client.run('wf_1'), { name: 'InsufficientCreditsError' });
    assert.equal(asked.length, 1);
  });
});

describe('events', () => {
  const first = text(1, 'snapshot', record('RUNNING'));
  const node = text(2, 'node', { nodeId: 'é🌅', status: 'COMPLETED' });
  const last = text(3, 'execution', record('COMPLETED'));
  const names = (events: readonly RunEvent[]): string[] => events.map(({ event }) => event);

  it('resume after an interruption at any byte, also within a character, and arrive once each', async t => {
    const bytes = Buffer.from(first + node);
    const cuts = [
      0,
      first.length - 1,
      first.length,
      bytes.indexOf('é') + 1,
      bytes.indexOf('🌅') + 2,
      bytes.length,
    ];
    for (const cut of cuts) {
      const lastIds: unknown[] = [];
      const { client } = await serve(t, (req, res, count) => {
        const lastId = req.headers['last-event-id'];
        lastIds.push(lastId);
        if (count === 0)
          stream(res, bytes.subarray(0, cut)).write('', () => setTimeout(() => res.destroy(), 30));
        else {
          const rest = { undefined: first + node + last, 1: node + last, 2: last }[String(lastId)] ?? '';
          stream(res, rest).end();
        }
      });
      const events = await collect(client.attach('ex_1').events());
      assert.deepEqual(names(events), ['snapshot', 'node', 'execution'], `cut at ${cut}: ${lastIds.join()}`);
      assert.deepEqual(events[1]?.data, { nodeId: 'é🌅', status: 'COMPLETED' });
    }
  });

  it('resume after the service was unavailable or silent for a while', async t => {
    const reply: Reply = (req, res, count) => {
      if (count === 0) stream(res, first);
      else if (count < 5) req.socket.destroy();
      else stream(res, node + last).end();
    };
    const { client, requests: asked } = await serve(t, reply, { timing: IMPATIENT });
    assert.deepEqual(names(await collect(client.attach('ex_1').events())), ['snapshot', 'node', 'execution']);
    assert.equal(asked.length, 6);
  });

  it('fail if the service stays unavailable', async t => {
    const { client } = await serve(
      t,
      inTurn(
        (_req, res) => stream(res, first).end(),
        req => req.socket.destroy(),
      ),
      {
        timing: { ...TIMING, outageMs: 200 },
      },
    );
    await assert.rejects(collect(client.attach('ex_1').events()), /Could not read the events of ex_1/);
  });

  it('end when no events are left, and skip unknown events', async t => {
    const { client } = await serve(
      t,
      inTurn(
        (_req, res) => stream(res, `${first}: a comment\n\n${text(2, 'weather', {})}`).end(),
        (_req, res) => res.writeHead(204).end(),
      ),
    );
    assert.deepEqual(names(await collect(client.attach('ex_1').events())), ['snapshot']);
  });

  it('end immediately if the service refuses, or if the response is not a stream', async t => {
    const refused = await serve(t, (_req, res) => json(res, 404, { error: 'None.', code: 'not_found' }));
    await assert.rejects(collect(refused.client.attach('ex_1').events()), { name: 'NotFoundError' });
    const page = await serve(t, (_req, res) =>
      res.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    );
    await assert.rejects(collect(page.client.attach('ex_1').events()), { name: 'UnexpectedResponseError' });
    assert.deepEqual([refused.requests.length, page.requests.length], [1, 1]);
  });

  it('close the connection when the consumer stops or aborts', async t => {
    const closed: Promise<unknown>[] = [];
    const { client } = await serve(t, (_req, res) => {
      closed.push(new Promise(resolve => res.on('close', resolve)));
      stream(res, first);
    });
    for await (const _ of client.attach('ex_1').events()) break;
    const abort = new AbortController();
    const events = client.attach('ex_1').events({ signal: abort.signal });
    await events.next();
    const next = events.next();
    abort.abort(new Error('enough'));
    await assert.rejects(next, /enough/);
    await Promise.all(closed);
    assert.equal(closed.length, 2);
  });
});

describe('wait', () => {
  it('continues across a deploy: the stream ends, connections are refused, then the record is available', async t => {
    const backAtMs = Date.now() + 400;
    const { client } = await serve(
      t,
      (req, res, count) => {
        if (count === 0) stream(res, text(1, 'snapshot', record('RUNNING'))).end();
        else if (Date.now() < backAtMs) req.socket.destroy();
        else if (req.url?.endsWith('/events')) stream(res, text(9, 'snapshot', record('COMPLETED')));
        else json(res, 200, record('COMPLETED'));
      },
      { retries: 0 },
    );
    assert.equal((await client.attach('ex_1').wait()).status, 'COMPLETED');
  });

  it('polls the record if a proxy blocks event streams', async t => {
    const reply: Reply = (req, res) => {
      if (!req.url?.endsWith('/events')) json(res, 200, record('FAILED'));
    };
    const { client } = await serve(t, reply, { timing: IMPATIENT });
    assert.equal((await client.attach('ex_1').wait()).status, 'FAILED');
  });

  it('stops at its time limit and by its signal, without affecting the run', async t => {
    const { client, requests: asked } = await serve(t, (req, res) => {
      if (req.url?.endsWith('/events')) stream(res, ': hello\n\n');
      else json(res, 200, record('RUNNING'));
    });
    await assert.rejects(client.attach('ex_1').wait({ timeoutMs: 50 }), (err: Error) => {
      assert.ok(err instanceof TimeoutError);
      assert.match(err.message, /ex_1 has not ended within 50 ms. It continues/);
      return true;
    });
    await assert.rejects(client.attach('ex_1').wait({ signal: AbortSignal.timeout(50) }), {
      name: 'TimeoutError',
    });
    assert.ok(asked.every(line => line.startsWith('GET ')));
  });

  it('provides the outputs, or throws a failed run with its record', async t => {
    const end = (status: string, rest: object) =>
      serve(t, (req, res) => {
        if (req.url?.endsWith('/events')) stream(res, text(1, 'snapshot', record(status, rest)));
        else json(res, 200, record(status, rest));
      });
    const good = await end('COMPLETED', { outputs: [{ nodeId: 'a', text: 'x' }] });
    assert.deepEqual(await good.client.attach('ex_1').outputs(), [{ nodeId: 'a', text: 'x' }]);
    const bad = await end('FAILED', { error: { code: 'x', message: 'Picture failed.', nodeId: 'p' } });
    await assert.rejects(bad.client.attach('ex_1').outputs(), (err: RunFailedError) => {
      assert.ok(err instanceof RunFailedError);
      assert.deepEqual([err.message, err.execution.status], ['Picture failed.', 'FAILED']);
      return true;
    });
  });

  it('repeats cancel if the response was lost', async t => {
    const { client, requests: asked } = await serve(
      t,
      inTurn(
        req => req.socket.destroy(),
        (_req, res) => json(res, 200, record('CANCELLED')),
      ),
    );
    assert.equal((await client.attach('ex_1').cancel()).status, 'CANCELLED');
    assert.deepEqual(asked, Array(2).fill('POST /api/v1/executions/ex_1/cancel'));
  });
});

describe('runMany', () => {
  /** Every run ends 20 ms after its stream was opened. `ids` lists the active runs. */
  function manyRuns() {
    let most = 0;
    let now = 0;
    let started = 0;
    const reply: Reply = (req, res) => {
      const id = /ex_\d+/.exec(req.url ?? '')?.[0] ?? '';
      if (req.method === 'POST' && req.url?.includes('wf_bad'))
        json(res, 404, { error: 'None.', code: 'not_found' });
      else if (req.method === 'POST') {
        most = Math.max(most, ++now);
        json(res, 202, { ...accepted, executionId: `ex_${++started}` });
      } else if (req.url?.endsWith('/events')) {
        setTimeout(() => {
          now--;
          stream(res, text(1, 'snapshot', { ...record('COMPLETED'), id }));
        }, 20);
      } else json(res, 200, { ...record('COMPLETED'), id });
    };
    return { reply, most: () => most, started: () => started };
  }

  it('limits concurrent runs, reads orders one by one and yields each result', async t => {
    const runs = manyRuns();
    const { client } = await serve(t, runs.reply);
    let taken = 0;
    function* orders() {
      for (; taken < 20; taken++) yield { workflowId: taken === 7 ? 'wf_bad' : 'wf_1', tag: taken };
    }
    const results = await collect(client.runMany(orders(), { concurrency: 3 }));
    assert.equal(results.length, 20);
    assert.ok(runs.most() <= 3, String(runs.most()));
    assert.deepEqual(
      results.map(({ order }) => order.tag).sort((a, b) => a - b),
      [...Array(20).keys()],
    );
    const failed = results.filter(result => 'error' in result);
    assert.deepEqual(
      failed.map(({ order }) => order.tag),
      [7],
    );
  });

  it('starts no more runs after the consumer stops or the signal is aborted', async t => {
    const runs = manyRuns();
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
    const before = runs.started();
    assert.ok(before <= 3, String(before));
    const signal = AbortSignal.timeout(100);
    await assert.rejects(collect(client.runMany(orders(), { concurrency: 2, signal })), {
      name: 'TimeoutError',
    });
  });

  it('refuses an invalid concurrency', async t => {
    const { client } = await serve(t, () => undefined);
    await assert.rejects(collect(client.runMany([{ workflowId: 'wf_1' }], { concurrency: 0 })), RangeError);
  });
});
