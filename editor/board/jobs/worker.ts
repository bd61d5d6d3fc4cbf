// The thread of a board's jobs: first comes the catalog, then one order after the other, and each is answered.
import { createCatalog } from '../catalog.ts';
import { doJob } from './job.ts';
import type { Answer, Order } from './jobs.ts';

let catalog = createCatalog([]);

self.onmessage = ({ data: order }: MessageEvent<Order>) => {
  if (order.kind === 'catalog') catalog = createCatalog(order.entries);
  else self.postMessage({ id: order.id, result: doJob(catalog, order.job) } satisfies Answer);
};
