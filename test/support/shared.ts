// Shares expensive resources between the files of a batch: opened at first use, closed at the end of the batch. A file
// in its own process has its own.
import { after } from 'node:test';

interface Closable {
  close(): Promise<void>;
}

let isBatch = false;
const open: Closable[] = [];

/** Called once by a batch before its files. */
export function shareInBatch(): void {
  isBatch = true;
  after(async () => {
    for (const each of open.reverse()) await each.close();
  });
}

/** Wraps a start function so that all files of a batch get the same instance. */
export function shared<T extends Closable>(start: () => Promise<T>): () => Promise<T> {
  let lazy: Promise<T> | undefined;
  const startKept = async (): Promise<T> => {
    const started = await start();
    open.push(started);
    return { ...started, close: () => Promise.resolve() };
  };
  return () => {
    if (!isBatch) return start();
    lazy ??= startKept();
    return lazy;
  };
}
