// Stores several files concurrently, all or none.
import { createLimiter } from '../../lib/limiter.ts';
import type { NewMedia } from '../../store/media/media.ts';
import type { Deps } from '../deps.ts';
import { dropMedia } from './receive-file.ts';

const CONCURRENT_FILES = 4;

/**
 * Stores several files concurrently, without inserting their rows, and returns the results in order. `store` returns
 * the row of a stored file, or another result if it stored no file. If a call fails or the signal fires, deletes the
 * stored files.
 */
export async function storeFiles<Item, Result>(
  deps: Deps,
  items: readonly Item[],
  store: (item: Item) => Promise<NewMedia | Result>,
  signal: AbortSignal,
): Promise<readonly (NewMedia | Result)[]> {
  const limit = createLimiter({ concurrency: CONCURRENT_FILES });
  const outcomes = await Promise.allSettled(items.map(item => limit(() => store(item), signal)));
  const results = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failed = outcomes.find(outcome => outcome.status === 'rejected');
  if (failed === undefined && !signal.aborted) return results;
  await dropMedia(deps, results.filter(isMediaRow));
  throw failed?.reason ?? signal.reason;
}

const isMediaRow = (result: unknown): result is NewMedia => typeof result === 'object' && result !== null;
