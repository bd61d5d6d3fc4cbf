// Tests the board's web worker with a fake worker that responds when a test calls `respond`.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCatalog } from '../../../editor/board/catalog.ts';
import { handleRequest } from '../../../editor/board/worker/requests.ts';
import {
  WorkerClient,
  type WorkerLike,
  type WorkerMessage,
} from '../../../editor/board/worker/worker-client.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';

const { entries: ENTRIES } = createNodeCatalog({ SANDBOX_MODELS: true });

const board = (...types: string[]) => ({
  nodes: types.map(
    (nodeType, index): GraphNode => ({
      id: `node-${index}`,
      type: 'basedNode',
      position: { x: 0, y: 0 },
      data: { label: nodeType, category: 'input', nodeType, config: {} },
    }),
  ),
  edges: [],
});

/** Returns the started workers with their messages, and a function that responds to the last message. */
function createWorkers() {
  const started: (WorkerLike & { readonly messages: WorkerMessage[]; isTerminated: boolean })[] = [];
  const start = (): WorkerLike => {
    const worker = {
      onmessage: null,
      onerror: null,
      messages: [] as WorkerMessage[],
      isTerminated: false,
      postMessage: (message: WorkerMessage) => void worker.messages.push(structuredClone(message)),
      terminate: () => {
        worker.isTerminated = true;
      },
    } as WorkerLike & { readonly messages: WorkerMessage[]; isTerminated: boolean };
    started.push(worker);
    return worker;
  };
  const respond = (): void => {
    const worker = started.at(-1);
    const message = worker?.messages.at(-1);
    assert.equal(message?.kind, 'request');
    const result = handleRequest(createCatalog(ENTRIES), message.request);
    worker?.onmessage?.({ data: { id: message.id, result } } as MessageEvent);
  };
  return { start, started, respond };
}

describe('WorkerClient', () => {
  it('lints only the newest of the waiting boards', async () => {
    const { start, started, respond } = createWorkers();
    const worker = new WorkerClient(ENTRIES, start);
    const first = worker.lint(board('input:text'));
    const second = worker.lint(board('input:text', 'input:text'));
    const third = worker.lint(board('no:such_node'));
    respond();
    assert.equal(await first, undefined);
    assert.equal(await second, undefined);
    respond();
    const report = await third;
    assert.ok(report?.issues.some(({ code, nodeId }) => code === 'unknown_node_type' && nodeId === 'node-0'));
    assert.deepEqual(
      started[0]?.messages.map(message =>
        message.kind === 'request' ? message.request.board.nodes.length : message.kind,
      ),
      ['catalog', 1, 1],
    );
  });

  it('reports no issues for an empty board or for ports that only the service knows', async () => {
    const { start, respond } = createWorkers();
    const worker = new WorkerClient(ENTRIES, start);
    for (const parts of [board(), board('video:renderer')]) {
      const report = worker.lint(parts);
      respond();
      assert.deepEqual(await report, { issues: [], total: 0 });
    }
  });

  it('starts a new web worker after the current one failed', async () => {
    const { start, started, respond } = createWorkers();
    const worker = new WorkerClient(ENTRIES, start);
    const failedRequest = worker.arrange(board('input:text'), undefined);
    started[0]?.onerror?.({ message: 'Out of memory' } as ErrorEvent);
    await assert.rejects(failedRequest, /Out of memory/);
    assert.equal(started[0]?.isTerminated, true);
    const arranged = worker.arrange(board('input:text', 'input:text'), undefined);
    respond();
    assert.ok((await arranged).moves.length > 0, 'the nodes overlapped');
    assert.equal(started.length, 2);
  });

  it('rejects slow requests and, when the board is closed, all pending requests', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { start, started } = createWorkers();
    const worker = new WorkerClient(ENTRIES, start);
    const slowRequest = worker.lint(board('input:text'));
    t.mock.timers.tick(20_000);
    await assert.rejects(slowRequest, /took too long/);
    const pendingRequest = worker.arrange(board('input:text'), undefined);
    worker.close();
    await assert.rejects(pendingRequest, /closed/);
    assert.deepEqual(
      started.map(({ isTerminated }) => isTerminated),
      [true, true],
    );
  });
});
