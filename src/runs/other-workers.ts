// The workers of other processes, as a process without one gives them runs: by turns, as many as each may have from afar.
import { toError } from '../lib/errors.ts';
import type { Db } from '../store/db.ts';
import { listListeningWorkers } from '../store/workers.ts';
import type { Taker } from './run-writes.ts';

// Who came or went is noticed within it; while nobody starts runs, nobody asks.
const LIST_MS = 1000;
// Half of the places that a worker has as it comes: what one workspace may take of it. One that has fewer gives back.
const MOST = 128;

/** While none is known, and of those that go meanwhile, runs are QUEUED. */
export function createOtherWorkers(db: Db, now: () => number, onError: (err: Error) => void): Taker {
  let ids: readonly string[] = [];
  let listedAtMs = Number.NEGATIVE_INFINITY;
  let turn = 0;
  const list = (): void => {
    listedAtMs = now();
    listListeningWorkers(db).then(
      listed => {
        ids = listed;
      },
      (err: unknown) => onError(toError(err)),
    );
  };
  return {
    most: MOST,
    get workerId() {
      if (now() - listedAtMs >= LIST_MS) list();
      return ids[turn++ % ids.length];
    },
  };
}
