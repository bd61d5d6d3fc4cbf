// Handles requests in the web worker: first the catalog, then one request at a time, each with one response.
import { createCatalog } from '../catalog.ts';
import { doJob } from './job.ts';
import type { Answer, Order } from './jobs.ts';

let catalog = createCatalog([]);

self.onmessage = ({ data: order }: MessageEvent<Order>) => {
  if (order.kind === 'catalog') catalog = createCatalog(order.entries);
  else self.postMessage({ id: order.id, result: doJob(catalog, order.job) } satisfies Answer);
};
