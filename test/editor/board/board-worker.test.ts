// Tests the board's web worker with a fake worker that answers when the test lets it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCatalog } from '../../../editor/board/catalog.ts';
import {
  BoardWorker,
  type WorkerLike,
  type WorkerMessage,
} from '../../../editor/board/worker/board-worker.ts';
import { handleRequest } from '../../../editor/board/worker/requests.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import { makeCatalog } from '../../../src/nodes/catalog.ts';

const { entries: ENTRIES } = makeCatalog({ SANDBOX_MODELS: true });

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

/** The started workers, the messages they received, and a function that lets the last one answer. */
function createWorkers() {
  const started: (WorkerLike & { readonly orders: WorkerMessage[]; isOver: boolean })[] = [];
  const start = (): WorkerLike => {
    const worker = {
      onmessage: null,
      onerror: null,
      orders: [] as WorkerMessage[],
      isOver: false,
      postMessage: (message: WorkerMessage) => void worker.orders.push(structuredClone(message)),
      terminate: () => {
        worker.isOver = true;
      },
    } as WorkerLike & { readonly orders: WorkerMessage[]; isOver: boolean };
    started.push(worker);
    return worker;
  };
  const response = (): void => {
    const worker = started.at(-1);
    const message = worker?.orders.at(-1);
    assert.equal(message?.kind, 'request');
    const result = handleRequest(createCatalog(ENTRIES), message.request);
    worker?.onmessage?.({ data: { id: message.id, result } } as MessageEvent);
  };
  return { start, started, answer: response };
}

describe('the worker of a board', () => {
  it('lints only the newest of the waiting boards, and drops results of older ones', async () => {
    const { start, started, answer } = createWorkers();
    const jobs = new BoardWorker(ENTRIES, start);
    const first = jobs.lint(board('input:text'));
    const second = jobs.lint(board('input:text', 'input:text'));
    const third = jobs.lint(board('no:such_node'));
    answer();
    assert.equal(await first, undefined);
    assert.equal(await second, undefined);
    answer();
    const found = await third;
    assert.ok(found?.issues.some(({ code, nodeId }) => code === 'unknown_node_type' && nodeId === 'node-0'));
    assert.deepEqual(
      started[0]?.orders.map(message =>
        message.kind === 'request' ? message.request.board.nodes.length : message.kind,
      ),
      ['catalog', 1, 1],
    );
  });

  it('reports nothing for an empty board or for ports that only the service knows', async () => {
    const { start, answer } = createWorkers();
    const jobs = new BoardWorker(ENTRIES, start);
    for (const parts of [board(), board('video:renderer')]) {
      const found = jobs.lint(parts);
      answer();
      assert.deepEqual(await found, { issues: [], total: 0 });
    }
  });

  it('terminates a failed worker and starts another for the next request', async () => {
    const { start, started, answer } = createWorkers();
    const jobs = new BoardWorker(ENTRIES, start);
    const failed = jobs.arrange(board('input:text'), undefined);
    started[0]?.onerror?.({ message: 'Out of memory' } as ErrorEvent);
    await assert.rejects(failed, /Out of memory/);
    assert.equal(started[0]?.isOver, true);
    const arranged = jobs.arrange(board('input:text', 'input:text'), undefined);
    answer();
    assert.ok((await arranged).moves.length > 0, 'two nodes that stood on each other');
    assert.equal(started.length, 2);
  });

  it('rejects requests that take too long, and all of them when the board is closed', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { start, started } = createWorkers();
    const jobs = new BoardWorker(ENTRIES, start);
    const slow = jobs.lint(board('input:text'));
    t.mock.timers.tick(20_000);
    await assert.rejects(slow, /took too long/);
    const closed = jobs.arrange(board('input:text'), undefined);
    jobs.close();
    await assert.rejects(closed, /closed/);
    assert.deepEqual(
      started.map(({ isOver }) => isOver),
      [true, true],
    );
  });
});
