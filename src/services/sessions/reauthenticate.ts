// Requires that users confirm their identity before changes that grant or remove lasting access.
import { AppError } from '../../lib/errors.ts';
import type { Settings } from '../../lib/settings.ts';
import type { Db } from '../../store/db.ts';
import { findProof, recordProof } from '../../store/people/sessions.ts';
import { type Actor, requireSession } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { requirePassword } from './sign-in.ts';
import type { Visitor } from './start-session.ts';

/** How long a confirmation is valid. */
const PROOF_MS = 15 * 60_000;

interface ProofDeps {
  readonly db: Db;
  readonly now: () => number;
  readonly settings: Pick<Settings, 'OIDC_ISSUER'>;
}

/**
 * Throws 403 `reauthentication_required` unless the session's user recently confirmed their identity. The error lists
 * the available `methods`. API keys and other credentials need no confirmation.
 */
export async function requireRecentProof({ db, now, settings }: ProofDeps, actor: Actor): Promise<void> {
  if (actor.kind !== 'user' || actor.credential.kind !== 'session') return;
  const isRecent = (authenticatedAtMs: number): boolean => now() - authenticatedAtMs <= PROOF_MS;
  if (isRecent(actor.credential.authenticatedAtMs)) return;
  // The confirmation may be newer than this process's cache.
  const proof = await findProof(db, actor.credential.id);
  if (proof !== undefined && isRecent(proof.proved_at.getTime())) return;
  const hasOpenId = settings.OIDC_ISSUER !== undefined && proof?.has_identity === true;
  const methods = [...(proof?.has_password ? ['password'] : []), ...(hasOpenId ? ['openid'] : [])];
  const message =
    'Confirm your identity: POST /auth/reauthenticate with your password, then send this request again.';
  throw new AppError('reauthentication_required', message, { details: { methods } });
}

/** Confirms the request's session with the password. Throws 401 `invalid_credentials`, and 429 like a sign-in. */
export async function reauthenticate(
  deps: Deps,
  actor: Actor,
  { password }: { readonly password: string },
  visitor: Visitor,
): Promise<void> {
  const { user, sessionId } = requireSession(actor);
  await requirePassword(deps, user.userId, password, visitor);
  await confirmSession(deps, sessionId, deps.now());
}

/** Records the confirmation. It takes effect in this process immediately. */
export async function confirmSession(
  { db, sessions }: Pick<Deps, 'db' | 'sessions'>,
  sessionId: string,
  atMs: number,
): Promise<void> {
  const hash = await recordProof(db, sessionId, new Date(atMs));
  if (hash === undefined) throw new AppError('unauthorized', 'The session has ended. Sign in again.');
  sessions.forget([hash]);
}
