// Arranging the board by the service's own layout, in a worker: a large board is arranged while it can still be moved.

import workerFile from 'worker:layout-worker.ts';
import type { CatalogEntry } from '../../src/graph/catalog.ts';
import type { Layout } from '../../src/graph/layout/layout.ts';
import type { Board } from '../board/board.ts';

export interface LayoutOrder {
  readonly entries: readonly CatalogEntry[];
  readonly board: Pick<Board, 'nodes' | 'edges'>;
  /** The nodes to be arranged; absent: all. */
  readonly scope?: readonly string[];
}

const TIMEOUT_MS = 20_000;

/** One worker an order: it ends with it, and an order that takes too long is given up. */
export function arrangeBoard(order: LayoutOrder): Promise<Layout> {
  const worker = new Worker(new URL(workerFile, import.meta.url), { type: 'module' });
  const { promise, resolve, reject } = Promise.withResolvers<Layout>();
  const timer = setTimeout(() => reject(new Error('The layout took too long.')), TIMEOUT_MS);
  worker.onmessage = ({ data }: MessageEvent<Layout>) => resolve(data);
  worker.onerror = event => reject(new Error(event.message || 'The layout has failed.'));
  worker.postMessage(order);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
}
