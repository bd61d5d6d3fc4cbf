// Tests requests of the SDK, also to a server that rejects, disconnects, sends invalid responses or never responds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ApiError,
  ConnectionError,
  createClient,
  InsufficientCreditsError,
  InvalidGraphError,
  RateLimitError,
  ServerError,
  StaleWriteError,
  TimeoutError,
  UnexpectedResponseError,
} from '../../sdk/src/sdk.ts';
import {
  collect,
  json,
  KEY,
  type Reply,
  replyInOrder,
  SHORT_TIMEOUTS,
  serve,
  TIMING,
} from './test-server.ts';

const ok: Reply = (_req, res) => json(res, 200, { fine: true });
const createRejection =
  (status: number, code: string, headers = {}): Reply =>
  (_req, res) =>
    json(
      res,
      status,
      { error: `It is ${code}.`, code, requestId: 'r-1' },
      { 'x-request-id': 'r-1', ...headers },
    );

describe('client.request', () => {
  it('sends the key, the query and the body', async t => {
    const { client } = await serve(t, async (req, res) => {
      const body = Buffer.concat(await req.toArray()).toString();
      json(res, 200, [req.method, req.url, req.headers.authorization, body]);
    });
    const requestParts = await client.request('POST', '/workflows', {
      body: { a: 'ä' },
      query: { x: 1, y: undefined },
    });
    assert.deepEqual(requestParts, ['POST', '/api/v1/workflows?x=1', `Bearer ${KEY}`, '{"a":"ä"}']);
  });

  it('never sends its key to the target of a redirect', async t => {
    const { client, requests } = await serve(
      t,
      (_req, res) => res.writeHead(302, { location: '/elsewhere' }).end(),
      { retries: 0 },
    );
    await assert.rejects(client.request('GET', '/x'), ConnectionError);
    assert.equal(requests.length, 1);
  });

  it('resolves to undefined if the response is empty', async t => {
    const { client } = await serve(t, (_req, res) => res.writeHead(204).end());
    assert.equal(await client.request('DELETE', '/x'), undefined);
  });
});

describe('client.request after a temporary rejection', () => {
  it('retries after Retry-After in seconds or as a date', async t => {
    for (const getRetryAfter of [() => '1', () => new Date(Date.now() + 2000).toUTCString()]) {
      const rejection: Reply = (...args) =>
        createRejection(429, 'rate_limited', { 'retry-after': getRetryAfter() })(...args);
      const { client, requests } = await serve(t, replyInOrder(rejection, ok));
      const startMs = Date.now();
      assert.deepEqual(await client.request('POST', '/x'), { fine: true });
      assert.ok(Date.now() - startMs >= 900);
      assert.equal(requests.length, 2);
    }
  });

  it('retries with increasing delays if a 429 has no Retry-After', async t => {
    const { client, requests } = await serve(
      t,
      replyInOrder(createRejection(429, 'rate_limited'), createRejection(429, 'rate_limited'), ok),
    );
    assert.deepEqual(await client.request('POST', '/x'), { fine: true });
    assert.equal(requests.length, 3);
  });

  it('fails immediately if Retry-After is too long', async t => {
    const { client, requests } = await serve(
      t,
      createRejection(429, 'daily_execution_limit', { 'retry-after': '40000' }),
    );
    await assert.rejects(client.request('GET', '/x'), (err: RateLimitError) => {
      assert.ok(err instanceof RateLimitError);
      assert.deepEqual(
        [err.code, err.retryAfterMs, err.requestId],
        ['daily_execution_limit', 40_000_000, 'r-1'],
      );
      return true;
    });
    assert.equal(requests.length, 1);
  });

  it('fails after the last retry', async t => {
    const { client, requests } = await serve(t, createRejection(503, 'unavailable'));
    await assert.rejects(client.request('GET', '/x'), ServerError);
    assert.equal(requests.length, 5);
  });
});

describe('client.request to a failing server', () => {
  const FAULTS: Readonly<Record<string, Reply>> = {
    '503': createRejection(503, 'unavailable'),
    '500': createRejection(500, 'internal_error'),
    'the error page of a proxy': (_req, res) =>
      res.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway'),
    'half a body': (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      res.write('{"fine":', () => res.destroy());
    },
    'half a body without a length': (_req, res) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"fine":'),
    'a closed connection': req => req.socket.destroy(),
    'no response': () => undefined,
    'a body that never ends': (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).write('{"fine":');
    },
  };

  /** The faults that the client notices only by a timeout. */
  const UNANSWERED: readonly string[] = ['no response', 'a body that never ends'];

  for (const [name, fault] of Object.entries(FAULTS)) {
    it(`retries only idempotent requests after ${name}`, async t => {
      const timing = UNANSWERED.includes(name) ? SHORT_TIMEOUTS : TIMING;
      const server = await serve(t, replyInOrder(fault, ok), { timing });
      assert.deepEqual(await server.client.request('GET', '/x'), { fine: true });
      assert.equal(server.requests.length, 2);
      for (const [method, headers] of [
        ['POST', {}],
        ['PUT', { 'if-match': '"a"' }],
      ] as const) {
        const otherServer = await serve(t, replyInOrder(fault, ok), { timing });
        await assert.rejects(
          otherServer.client.request(method, '/x', { headers }),
          isConnectionOrServerError,
        );
        assert.equal(otherServer.requests.length, 1, method);
      }
    });
  }

  it('does not retry after a permanent 500', async t => {
    const { client, requests } = await serve(t, createRejection(500, 'duplicate_title'));
    await assert.rejects(client.request('PUT', '/x'), { name: 'ServerError', code: 'duplicate_title' });
    assert.equal(requests.length, 1);
  });

  it('fails with an UnexpectedResponseError if the response is a page', async t => {
    const { client, requests } = await serve(t, (_req, res) =>
      res.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in'),
    );
    await assert.rejects(client.request('GET', '/x'), (err: Error) => {
      assert.ok(err instanceof UnexpectedResponseError);
      assert.match(err.message, /text\/html. Check the url/);
      return true;
    });
    assert.equal(requests.length, 1);
  });

  it('distinguishes a timeout from an unreachable server', async t => {
    const { client } = await serve(t, () => undefined, { retries: 0, timing: SHORT_TIMEOUTS });
    await assert.rejects(client.request('GET', '/x'), TimeoutError);
    const unreachable = createClient({ url: 'http://127.0.0.1:9', retries: 0 });
    await assert.rejects(unreachable.request('GET', '/x'), /127\.0\.0\.1:9 failed/);
  });
});

function isConnectionOrServerError(thrown: unknown): boolean {
  return thrown instanceof ConnectionError || thrown instanceof ServerError;
}

describe('an ApiError', () => {
  const CLASSES: readonly (readonly [number, string, new (...args: never[]) => ApiError])[] = [
    [400, 'invalid_graph', InvalidGraphError],
    [402, 'insufficient_credits', InsufficientCreditsError],
    [409, 'stale_write', StaleWriteError],
    [418, 'teapot', ApiError],
  ];

  it('has the class of its code', async t => {
    for (const [status, code, expected] of CLASSES) {
      const { client } = await serve(t, createRejection(status, code));
      await assert.rejects(client.request('POST', '/x'), (err: ApiError) => {
        assert.ok(err instanceof expected && err instanceof ApiError);
        assert.equal(err.name, expected.name);
        assert.deepEqual([err.status, err.code, err.message], [status, code, `It is ${code}.`]);
        return true;
      });
    }
  });

  it('has its issues and the missing credits', async t => {
    const { client } = await serve(t, (_req, res) =>
      json(res, 402, {
        error: 'Too expensive.',
        code: 'insufficient_credits',
        requiredCredits: 9,
        availableCredits: 4,
      }),
    );
    await assert.rejects(client.request('POST', '/x'), (err: InsufficientCreditsError) => {
      assert.deepEqual([err.requiredCredits, err.availableCredits, err.issues], [9, 4, []]);
      return true;
    });
  });
});

describe('client.request with an aborted signal', () => {
  const REPLIES: Readonly<Record<string, Reply>> = {
    'while it waits for the response': () => undefined,
    'during the response body': (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).write('{');
    },
    'between two attempts': createRejection(429, 'rate_limited', { 'retry-after': '60' }),
  };
  for (const [name, reply] of Object.entries(REPLIES)) {
    it(`rejects with the reason of the signal ${name}`, async t => {
      const { client } = await serve(t, reply, { timing: { ...TIMING, maxRetryAfterMs: 100_000 } });
      const controller = new AbortController();
      const reason = new Error('enough');
      setTimeout(() => controller.abort(reason), 60);
      const startMs = Date.now();
      await assert.rejects(client.request('GET', '/x', { signal: controller.signal }), reason);
      assert.ok(Date.now() - startMs < 30_000);
    });
  }

  it('sends no request', async t => {
    const { client, requests } = await serve(t, ok);
    await assert.rejects(client.request('GET', '/x', { signal: AbortSignal.abort() }), {
      name: 'AbortError',
    });
    await assert.rejects(client.run('wf_1', {}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    await assert.rejects(collect(client.list('/x', { signal: AbortSignal.abort() })), { name: 'AbortError' });
    assert.deepEqual(requests, []);
  });
});

describe('client.list', () => {
  it('reads every page of an object with nextCursor', async t => {
    const { client, requests } = await serve(
      t,
      replyInOrder(
        (_req, res) => json(res, 200, { data: [1, 2], nextCursor: 'c2' }),
        (_req, res) => json(res, 200, { data: [3], nextCursor: null }),
      ),
    );
    assert.deepEqual(await collect(client.list('/executions', { query: { limit: 2 } })), [1, 2, 3]);
    assert.deepEqual(requests, [
      'GET /api/v1/executions?limit=2',
      'GET /api/v1/executions?limit=2&cursor=c2',
    ]);
  });

  it('follows the Link header of an array on the same host only', async t => {
    const link = '<https://elsewhere.example/api/v1/workflows?cursor=c2&limit=1>; rel="next"';
    const { client, requests } = await serve(
      t,
      replyInOrder(
        (_req, res) => json(res, 200, ['a'], { link }),
        (_req, res) => json(res, 200, ['b']),
      ),
    );
    assert.deepEqual(await collect(client.list('/workflows')), ['a', 'b']);
    assert.deepEqual(requests, ['GET /api/v1/workflows', 'GET /api/v1/workflows?cursor=c2']);
  });

  it('requests a page only when the previous page has been consumed', async t => {
    const { client, requests } = await serve(t, (_req, res, count) =>
      json(res, 200, { data: [count], nextCursor: `c${count}` }),
    );
    for await (const item of client.list<number>('/executions')) if (item === 1) break;
    assert.equal(requests.length, 2);
  });

  it('rejects a repeated page and a response that is not a list', async t => {
    const repeating = await serve(t, (_req, res) => json(res, 200, { data: [1], nextCursor: 'same' }));
    await assert.rejects(collect(repeating.client.list('/x')), /same page twice/);
    const withoutList = await serve(t, (_req, res) => json(res, 200, { fine: true }));
    await assert.rejects(collect(withoutList.client.list('/x')), UnexpectedResponseError);
  });
});
