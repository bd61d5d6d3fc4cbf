// Handles requests in the web worker: first the catalog, then one request at a time, each with one response.
import { createCatalog } from '../catalog.ts';
import { handleRequest } from './requests.ts';
import type { WorkerMessage, WorkerResponse } from './worker-client.ts';

let catalog = createCatalog([]);

self.onmessage = ({ data: message }: MessageEvent<WorkerMessage>) => {
  if (message.kind === 'catalog') catalog = createCatalog(message.entries);
  else
    self.postMessage({
      id: message.id,
      result: handleRequest(catalog, message.request),
    } satisfies WorkerResponse);
};
