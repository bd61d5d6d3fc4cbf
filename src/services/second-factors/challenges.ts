// Creates challenges: random tokens that a browser returns together with a proof. A passkey signs the token.
import { generateToken, sha256 } from '../../lib/crypto.ts';
import type { Tx } from '../../store/db.ts';
import { createRateLimitError } from '../accounts/rate-limits.ts';
import type { Deps } from '../deps.ts';
import {
  type ChallengeKind,
  type ChallengeRow,
  insertChallenge,
  insertUserChallenge,
  type NewChallenge,
  tryChallenge,
} from './store.ts';

/** How long a challenge is valid. */
const CHALLENGE_MS = 10 * 60_000;
const MAX_TRIES = 5;

/** At most this many challenges of an account that are not completed, in 15 minutes. */
const MAX_OPEN = 10;
const OPEN_MS = 15 * 60_000;

/** Stores a challenge that anyone's passkey may sign, and returns its token. */
export async function createPasskeyChallenge(tx: Tx, deps: Pick<Deps, 'now'>): Promise<string> {
  const { token, row } = buildChallenge(deps, { kind: 'passkey', userId: null });
  await insertChallenge(tx, row);
  return token;
}

interface UserChallenge extends ChallengeOptions {
  readonly kind: Exclude<ChallengeKind, 'passkey'>;
  readonly userId: number;
}

/** Stores a challenge of a user and returns its token. Throws 429 if too many were not completed. */
export async function createChallenge(
  tx: Tx,
  deps: Pick<Deps, 'now'>,
  challenge: UserChallenge,
): Promise<string> {
  const { token, row } = buildChallenge(deps, challenge);
  const since = new Date(row.expires_at.getTime() - OPEN_MS);
  if (await insertUserChallenge(tx, row, { since, max: MAX_OPEN })) return token;
  const nowMs = deps.now();
  throw createRateLimitError(
    'rate_limited',
    `${MAX_OPEN} confirmations of this account were not completed in 15 minutes`,
    { limit: MAX_OPEN, reset: Math.ceil((nowMs + OPEN_MS) / 1000) },
    nowMs,
  );
}

interface ChallengeOptions {
  readonly kind: ChallengeKind;
  readonly userId: number | null;
  readonly passwordHash?: string | null;
  /** The client's network if it is known to the account. */
  readonly network?: string | null;
}

function buildChallenge(
  { now }: Pick<Deps, 'now'>,
  { kind, userId, passwordHash = null, network = null }: ChallengeOptions,
): { readonly token: string; readonly row: NewChallenge } {
  const token = generateToken();
  const row = {
    hash: sha256(token),
    kind,
    user_id: userId,
    password_hash: passwordHash,
    network,
    expires_at: new Date(now() + CHALLENGE_MS),
  };
  return { token, row };
}

/** A challenge that was answered. */
export interface OpenChallenge extends ChallengeRow {
  readonly hash: Buffer;
  readonly kind: ChallengeKind;
}

/** Counts a try of the challenge. Returns undefined if it is unknown or has ended. */
export async function openChallenge(
  tx: Tx,
  { now }: Pick<Deps, 'now'>,
  token: string,
  kinds: readonly ChallengeKind[],
): Promise<OpenChallenge | undefined> {
  const hash = sha256(token);
  const row = await tryChallenge(tx, hash, { kinds, now: new Date(now()), maxTries: MAX_TRIES });
  return row && { ...row, hash };
}
