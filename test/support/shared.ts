// What the files of a batch share because it is dear to start: it stays open from the first that asks to the end of the batch.
// A file in a process of its own has it to itself.
import { after } from 'node:test';

interface Closable {
  close(): Promise<void>;
}

let isBatch = false;
const open: Closable[] = [];

/** Called once by a batch, before its files. */
export function shareInBatch(): void {
  isBatch = true;
  after(async () => {
    for (const each of open.reverse()) await each.close();
  });
}

/** The same function, but for files of a batch, who are all given what the first was. */
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
