// Deletes expired tokens and unused grants and clients of the authorization server once a day.
import { deleteExpired } from '../../store/retention/old-rows.ts';
import type { Deps } from '../deps.ts';

const DAY_MS = 86_400_000;
const BATCH = 500;

/** The order matters: the deletion of rows in one table can make rows of the next table obsolete. */
const TABLES = ['oauth_interactions', 'oauth_tokens', 'oauth_grants', 'oauth_clients'] as const;
/** Tokens are deleted when they expire; a grant or client when it has been unused for a day. */
const AGES_MS = { oauth_interactions: 0, oauth_tokens: 0, oauth_grants: DAY_MS, oauth_clients: DAY_MS };

/** Deletes expired rows in batches. Throws between batches if the signal is aborted; the next sweep continues. */
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
  log.info({ counts }, 'expired tokens and unused connections were deleted');
}
