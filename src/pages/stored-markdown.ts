// Renders the markdown of content pages to the markup that is stored with them: short pages immediately, long ones in a
// worker thread. Loads the libraries on first use.
import { AppError } from '../lib/errors.ts';
import { createThreadPool, TaskTooCostlyError } from '../lib/threads/pool.ts';

/** Shorter pages are rendered immediately. Tables and lists of this length take about 50 ms. */
const INLINE_CHARACTERS = 20_000;
/** Limits the time in the queue and in the thread together. */
const TIMEOUT_MS = 30_000;

const pool = createThreadPool<readonly string[], string[]>({
  module: new URL('./markdown-thread', import.meta.url),
  threads: 1,
  timeoutMs: 15_000,
  maxHeapMb: 256,
  maxWaiting: 20,
});

/**
 * Renders markup that is stored with its page, so that readers do not wait for it. Increase `format` with every change to
 * markdown.ts that changes markup: then the service renders stored markup again.
 */
export const MARKDOWN = {
  format: 1,
  async render(parts: readonly string[]): Promise<string[]> {
    if (parts.reduce((sum, part) => sum + part.length, 0) <= INLINE_CHARACTERS) {
      const { renderMarkdown } = await import('./markdown.ts');
      return parts.map(renderMarkdown);
    }
    try {
      return await pool.run(parts, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch (err) {
      if (!(err instanceof TaskTooCostlyError)) throw err;
      const message = 'Rendering the markdown takes too long. Shorten it.';
      throw new AppError('invalid_request', message, { cause: err });
    }
  },
} as const;
