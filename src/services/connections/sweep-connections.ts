// Deletes expired tokens and unused grants and clients of the authorization server once a day.
import { deleteExpired } from '../../store/retention/old-rows.ts';
import type { Deps } from '../deps.ts';

const DAY_MS = 86_400_000;
const BATCH = 500;

/** In this order, since each step makes the next one's rows obsolete. */
const TABLES = ['oauth_interactions', 'oauth_tokens', 'oauth_grants', 'oauth_clients'] as const;
/** Tokens are deleted when they expire; a grant or client when it has been unused for a day. */
const AGES_MS = { oauth_interactions: 0, oauth_tokens: 0, oauth_grants: DAY_MS, oauth_clients: DAY_MS };

/** Deletes in batches. Stops between batches if the signal is aborted, and continues the next day. */
export async function sweepConnections(
  { db, now, log }: Pick<Deps, 'db' | 'now' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const counts: Partial<Record<(typeof TABLES)[number], number>> = {};
  for (const table of TABLES) {
    let total = 0;
    for (let count = BATCH; count === BATCH; total += count) {
      signal.throwIfAborted();
      count = await deleteExpired(db, table, new Date(now() - AGES_MS[table]), BATCH);
    }
    counts[table] = total;
  }
  log.info({ counts }, 'ended connections were swept');
}
