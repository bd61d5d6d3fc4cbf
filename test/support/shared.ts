// Shares expensive resources between the test files of a batch. They are opened at the first use and closed at the end of the
// batch. A file that runs alone shares nothing.
import { after } from 'node:test';

interface Closable {
  close(): Promise<void>;
}

let isBatch = false;
const openResources: Closable[] = [];

/** A batch calls this function before it loads the files. */
export function shareInBatch(): void {
  isBatch = true;
  after(async () => {
    for (const resource of openResources.reverse()) await resource.close();
  });
}

/** Wraps a start function so that all files of a batch get the same instance. */
export function shared<T extends Closable>(start: () => Promise<T>): () => Promise<T> {
  let sharedResource: Promise<T> | undefined;
  const startShared = async (): Promise<T> => {
    const resource = await start();
    openResources.push(resource);
    return { ...resource, close: () => Promise.resolve() };
  };
  return () => {
    if (!isBatch) return start();
    sharedResource ??= startShared();
    return sharedResource;
  };
}
