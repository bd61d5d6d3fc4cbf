// Compares a real ComfyUI server with its double: the same graphs must give the same results, errors and messages. The real
// server is at COMFYUI_TEST_URL, and needs no models.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { createGuardedFetch } from '../../src/lib/fetch.ts';
import { type ComfyCall, createComfyUiProvider } from '../../src/providers/comfyui.ts';
import {
  ComfyProgress,
  readComfyMessage,
  SOCKET_GREETING,
  toSocketPath,
} from '../../src/providers/comfyui-messages.ts';
import { Attachment } from '../../src/providers/provider.ts';
import { plainImage } from '../support/media/pixels.ts';
import { waitUntil } from '../support/processes.ts';
import { type ComfyServer, startComfyServer } from '../support/providers/comfyui-server.ts';
import { FAST_PACE, makeHost, runToEnd, type TestHost } from '../support/providers/host.ts';

const REAL_URL = process.env.COMFYUI_TEST_URL;

let colors = Date.now() % 1_000_000;
const empty = (over: object = {}) => ({
  class_type: 'EmptyImage',
  // A new color, so that the server does not reuse its cache.
  inputs: { width: 64, height: 48, batch_size: 1, color: colors++, ...over },
});
const save = (images: unknown) => ({
  class_type: 'SaveImage',
  inputs: { images, filename_prefix: 'graphwright-test' },
  _meta: { title: 'Result' },
});
const preview = (images?: unknown) => ({
  class_type: 'PreviewImage',
  inputs: images === undefined ? {} : { images },
});
/** Takes seconds on a real server, which can be interrupted between the nodes. */
const createSlowGraph = (count = 30): ComfyCall['graph'] => ({
  '0': empty({ width: 700, height: 700 }),
  ...Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      String(index + 1),
      { class_type: 'ImageBlur', inputs: { image: [String(index), 0], blur_radius: 12, sigma: 5 } },
    ]),
  ),
  result: preview([String(count), 0]),
});

const testServer = (start: () => Promise<{ readonly url: string; close(): Promise<void> }>) => () => {
  let server: { readonly url: string; close(): Promise<void> };
  let host: TestHost;
  before(async () => {
    server = await start();
  });
  after(() => server.close());
  beforeEach(() => {
    host = makeHost(server.url);
  });
  afterEach(() => host.close());

  const provider = () => ({ ...createComfyUiProvider({ baseUrl: server.url, key: '' }), pace: FAST_PACE });
  const run = (graph: ComfyCall['graph'], outputs: readonly string[], over: Partial<TestHost> = {}) =>
    runToEnd(provider(), { graph, outputs }, { ...host, ...over });
  const readQueue = async () => {
    const { body } = await host.fetch(`${server.url}/queue`, {
      method: 'GET',
      timeoutMs: 30_000,
      maxBytes: 1e6,
      signal: host.signal,
    });
    return JSON.parse(body.toString()) as Record<'queue_running' | 'queue_pending', readonly unknown[]>;
  };

  it('returns a list of files and a text, also from its cache', async () => {
    const graph = {
      '1': empty({ batch_size: 2 }),
      '2': save(['1', 0]),
      '3': { class_type: 'PrimitiveString', inputs: { value: 'a fox' } },
      '4': { class_type: 'PreviewAny', inputs: { source: ['3', 0] } },
      '5': preview(['1', 0]),
    };
    for (let repeat = 0; repeat < 2; repeat++) {
      const { files, fileNodes, nodeTexts } = await run(graph, ['2', '4', '5']);
      assert.deepEqual([fileNodes, nodeTexts], [['2', '2', '5', '5'], { '4': ['a fox'] }]);
      for (const file of files) assert.equal(file.toString('latin1', 1, 4), 'PNG');
    }
  });

  it('loads an uploaded image', async () => {
    const picture = new Attachment(await plainImage(20, 10, '#336699'), 'image/png', 'a.png');
    const { files } = await run(
      { '1': { class_type: 'LoadImage', inputs: { image: picture } }, '2': preview(['1', 0]) },
      ['2'],
    );
    assert.equal(files.length, 1);
  });

  it('refuses an unknown type, and names the node', async () => {
    await assert.rejects(
      run({ '1': { class_type: 'GraphwrightNope', inputs: {} }, '2': preview(['1', 0]) }, ['2']),
      {
        code: 'provider_invalid_input',
        message: /node 1 \(GraphwrightNope\)/,
        pointer: '/1',
      },
    );
  });

  it('refuses a graph without a valid output, and names the input', async () => {
    const cases = [
      [{ '7': preview() }, /node 7 \(PreviewImage\): Required input is missing, images/, '/7/inputs/images'],
      [
        { '1': empty({ height: 640_000 }), '2': save(['1', 0]) },
        /node 1 \(EmptyImage\): Value 640000 bigger than max of 16384, height/,
        '/1/inputs/height',
      ],
      [
        { '1': { class_type: 'PrimitiveString', inputs: { value: 'a' } }, '2': save(['1', 0]) },
        /“Result” \(SaveImage, node 2\): Return type mismatch between linked nodes, images, STRING != IMAGE/,
        '/2/inputs/images',
      ],
    ] as const;
    for (const [graph, message, pointer] of cases)
      await assert.rejects(run(graph, ['2']), { code: 'provider_invalid_input', message, pointer });
    await assert.rejects(run({ '1': empty() }, ['1']), { message: /Prompt has no outputs/ });
  });

  it('cancels a graph of which only a part is valid', async () => {
    const graph = { ...createSlowGraph(), '99': preview() };
    await assert.rejects(run(graph, ['result']), {
      code: 'provider_invalid_input',
      message: /node 99 \(PreviewImage\): Required input is missing, images/,
      pointer: '/99/inputs/images',
    });
    await waitUntil('the end', async () => (await readQueue()).queue_running.length === 0);
  });

  it('reports the error of a node that fails', async () => {
    const huge = empty({ width: 16_384, height: 16_384, batch_size: 4096 });
    await assert.rejects(run({ '1': huge, '2': save(['1', 0]) }, ['2']), {
      code: 'provider_failed',
      message: /allocate memory/,
    });
  });

  it('cancels what runs and what waits, and reports what others interrupted', async () => {
    const stops = [new AbortController(), new AbortController()] as const;
    const graphs = [createSlowGraph(), createSlowGraph()];
    const first = run(graphs[0] ?? {}, ['result'], { signal: stops[0].signal });
    await waitUntil('the first to run', async () => (await readQueue()).queue_running.length === 1);
    const second = run(graphs[1] ?? {}, ['result'], { signal: stops[1].signal });
    await waitUntil('the second to wait', async () => (await readQueue()).queue_pending.length === 1);
    stops[1].abort('cancelled');
    await assert.rejects(second, reason => reason === 'cancelled');
    const { queue_running, queue_pending } = await readQueue();
    assert.deepEqual([queue_running.length, queue_pending.length], [1, 0]);
    stops[0].abort('cancelled');
    await assert.rejects(first, reason => reason === 'cancelled');
    await waitUntil('the end', async () => (await readQueue()).queue_running.length === 0);

    const other = run(createSlowGraph(), ['result']);
    await waitUntil('it to run', async () => (await readQueue()).queue_running.length === 1);
    await host.fetch(`${server.url}/interrupt`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
      timeoutMs: 30_000,
      maxBytes: 1e6,
      signal: host.signal,
    });
    await assert.rejects(other, { code: 'provider_cancelled' });
  });

  it('reports progress until the result is in the history', async () => {
    const client = createGuardedFetch({ allowPrivate: false, trustedUrls: [server.url] });
    const id = crypto.randomUUID();
    const graph = createSlowGraph(3);
    const socket = await client.connect(server.url + toSocketPath(id), {
      signal: new AbortController().signal,
      timeoutMs: 30_000,
      maxMessageBytes: 1e6,
      maxBytesPerSecond: 1e7,
    });
    socket.send(SOCKET_GREETING);
    const post = { method: 'POST', headers: { 'content-type': 'application/json' } } as const;
    const rest = { timeoutMs: 30_000, maxBytes: 1e6, signal: host.signal } as const;
    const body = JSON.stringify({ prompt: graph, prompt_id: id, client_id: id });
    assert.equal((await host.fetch(`${server.url}/prompt`, { ...post, ...rest, body })).status, 200);
    const progress = new ComfyProgress(graph);
    const labels = new Set<string | undefined>();
    const fractions: number[] = [];
    for await (const message of socket.messages) {
      const read = readComfyMessage(message, id);
      if (read?.kind === 'ended') break;
      if (read !== undefined) progress.apply(read);
      labels.add(progress.label);
      fractions.push(progress.fraction);
    }
    const { body: entry } = await host.fetch(`${server.url}/history/${id}`, { method: 'GET', ...rest });
    assert.ok(Object.hasOwn(JSON.parse(entry.toString()), id), 'the history has the result');
    assert.deepEqual([...labels].sort(), ['EmptyImage', 'ImageBlur', 'PreviewImage', undefined]);
    assert.deepEqual(
      fractions,
      fractions.toSorted((a, b) => a - b),
    );
    assert.equal(fractions.at(-1), 1);
    await client.close();
  });
};

const startDouble = (isFork: boolean) => async (): Promise<ComfyServer> => {
  const double = await startComfyServer(await plainImage(8, 8, '#336699'));
  double.state.isFork = isFork;
  return double;
};

describe('the double of ComfyUI', testServer(startDouble(false)));
describe('the double of the fork that pip can install', testServer(startDouble(true)));
describe(
  'a real ComfyUI server',
  { skip: REAL_URL === undefined },
  testServer(async () => ({ url: REAL_URL ?? '', close: async () => undefined })),
);
