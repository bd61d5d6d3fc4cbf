// The daily cleanup of the authorization server: tokens whose time is over, and who has nothing left that could be used.
import { deleteOld } from '../../store/retention/old-rows.ts';
import type { Deps } from '../deps.ts';

const DAY_MS = 86_400_000;
const BATCH = 500;

/** In this order, since each makes the next one old. */
const TABLES = ['oauth_interactions', 'oauth_tokens', 'oauth_grants', 'oauth_clients'] as const;
/** Tokens go when their time is over; a grant, and a client, when for a day nothing has come of it. */
const AGES_MS = { oauth_interactions: 0, oauth_tokens: 0, oauth_grants: DAY_MS, oauth_clients: DAY_MS };

/** Stops between two batches where the signal is aborted; the next day goes on. */
export async function sweepConnections(
  { db, now, log }: Pick<Deps, 'db' | 'now' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const counts: Partial<Record<(typeof TABLES)[number], number>> = {};
  for (const table of TABLES) {
    let total = 0;
    for (let count = BATCH; count === BATCH; total += count) {
      signal.throwIfAborted();
      count = await deleteOld(db, table, new Date(now() - AGES_MS[table]), BATCH);
    }
    counts[table] = total;
  }
  log.info({ counts }, 'ended connections were swept');
}
