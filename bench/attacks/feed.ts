// Serves a long feed whose items are new in every request.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const ITEMS = 1000;
const ITEM_BYTES = 9000;

export interface Feed {
  readonly url: string;
  /** Resolves when the feed has been sent once more, or the signal is aborted. */
  nextRequest(signal: AbortSignal): Promise<unknown>;
  close(): void;
}

export async function startFeed(): Promise<Feed> {
  let requestCount = 0;
  const waiting = new Set<() => void>();
  const content = 'x'.repeat(ITEM_BYTES);
  const server = createServer((_, res) => {
    requestCount++;
    const items = Array.from(
      { length: ITEMS },
      (_, index) =>
        `<item><guid>${requestCount}-${index}</guid><title>a</title><description>${content}</description></item>`,
    );
    res.writeHead(200, { 'content-type': 'application/rss+xml' });
    res.end(`<rss version="2.0"><channel><title>a</title>${items.join('')}</channel></rss>`);
    for (const notify of waiting) notify();
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.xml`,
    nextRequest: signal =>
      new Promise<void>(resolve => {
        const notify = (): void => {
          waiting.delete(notify);
          resolve();
        };
        waiting.add(notify);
        signal.addEventListener('abort', notify);
      }),
    close: () => void server.close(),
  };
}
