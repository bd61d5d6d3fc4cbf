// The layout in a thread of its own: an order comes as a message, the layout goes back as one.
import { layoutGraph } from '../../src/graph/layout/layout.ts';
import { createCatalog } from '../board/catalog.ts';
import type { LayoutOrder } from './arranging.ts';

self.onmessage = ({ data: { entries, board, scope } }: MessageEvent<LayoutOrder>) => {
  const layout = layoutGraph(board, createCatalog(entries), scope === undefined ? {} : { scope });
  self.postMessage(layout);
};
