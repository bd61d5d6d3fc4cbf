// Requires that users confirm their identity before changes that grant or remove lasting access.
import { AppError } from '../../lib/errors.ts';
import type { Settings } from '../../lib/settings.ts';
import type { Db, Tx } from '../../store/db.ts';
import { findProof, type ProofRow, recordProof } from '../../store/people/sessions.ts';
import { type Actor, requireSession } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import {
  confirmByFactor,
  type FactorProof,
  hasFactor,
  listMethods,
  type ProofMethod,
  requestConfirmation,
  userHasFactor,
} from '../second-factors/prove-factor.ts';
import { limitFailuresOf, requirePassword } from './sign-in.ts';
import type { Visitor } from './start-session.ts';

/** How long a confirmation is valid. */
const PROOF_MS = 15 * 60_000;

interface ProofDeps {
  readonly db: Db;
  readonly now: () => number;
  readonly settings: Pick<Settings, 'OIDC_ISSUER' | 'BASE_URL'>;
}

/**
 * Throws 403 `reauthentication_required` unless the session's user recently confirmed their identity. The error lists
 * the available `methods`. API keys and other credentials need no confirmation.
 */
export async function requireRecentProof(deps: ProofDeps, actor: Actor): Promise<void> {
  const methods = await listNeededMethods(deps, actor);
  if (methods === undefined) return;
  const message =
    'Confirm your identity: POST /auth/reauthenticate with one of the methods, then send this request again.';
  throw new AppError('reauthentication_required', message, { details: { methods } });
}

/** Returns whether `requireRecentProof` does not throw. */
export const hasRecentProof = async (deps: ProofDeps, actor: Actor): Promise<boolean> =>
  (await listNeededMethods(deps, actor)) === undefined;

/** Returns how the session's user can confirm their identity, or undefined if that is not needed now. */
async function listNeededMethods(
  { db, now, settings }: ProofDeps,
  actor: Actor,
): Promise<readonly ProofMethod[] | undefined> {
  if (actor.kind !== 'user' || actor.credential.kind !== 'session') return undefined;
  const isRecent = (authenticatedAtMs: number): boolean => now() - authenticatedAtMs <= PROOF_MS;
  if (isRecent(actor.credential.authenticatedAtMs) && actor.lacksSecondFactor === false) return undefined;
  // The confirmation may be newer than this process's cache. The user may have set up a factor in another session.
  const proof = await findProof(db, actor.credential.id);
  if (proof === undefined) return [];
  const hasProof = isRecent(proof.proved_at.getTime()) && (proof.has_second_factor || !hasFactor(proof));
  return hasProof ? undefined : listProofMethods(proof, settings);
}

/** Returns how the caller can confirm their identity, with the request for a passkey. */
export async function beginConfirmation(deps: Deps, actor: Actor) {
  const { user, sessionId } = requireSession(actor);
  const proof = await findProof(deps.db, sessionId);
  const methods = proof === undefined ? [] : listProofMethods(proof, deps.settings);
  return {
    methods,
    passkey: methods.includes('passkey') ? await requestConfirmation(deps, user.userId) : null,
  };
}

/**
 * Throws 403 like `requireRecentProof` if the user has a second factor, for requests that otherwise prove the identity by their
 * password.
 */
export async function requireRecentFactor(deps: ProofDeps, actor: Actor): Promise<void> {
  if (actor.kind === 'user' && (await userHasFactor(deps.db, actor.userId)))
    await requireRecentProof(deps, actor);
}

/** Lists how a user can confirm their identity. Who has a second factor proves that. */
function listProofMethods(proof: ProofRow, settings: ProofDeps['settings']): readonly ProofMethod[] {
  if (hasFactor(proof)) return listMethods({ settings }, proof);
  const hasOpenId = settings.OIDC_ISSUER !== undefined && proof.has_identity;
  return [...(proof.has_password ? ['password' as const] : []), ...(hasOpenId ? ['openid' as const] : [])];
}

export interface Confirmation extends FactorProof {
  readonly password?: string | undefined;
}

/**
 * Confirms the request's session with the second factor, or with the password of an account that has none. Throws 401
 * `invalid_credentials`, and 429 like a sign-in.
 */
export async function reauthenticate(
  deps: Deps,
  actor: Actor,
  { password, ...proof }: Confirmation,
  visitor: Visitor,
): Promise<void> {
  const { user, sessionId } = requireSession(actor);
  const { userId } = user;
  const byFactor = await userHasFactor(deps.db, userId);
  if (byFactor)
    await limitFailuresOf(deps, { userId, method: 'second factor' }, visitor, () =>
      confirmByFactor(deps, userId, proof),
    );
  else await requirePassword(deps, userId, password ?? '', visitor);
  await confirmSession(deps, sessionId, { atMs: deps.now(), byFactor });
}

/** Records the confirmation. It takes effect in this process immediately. */
export async function confirmSession(
  { db, sessions }: Pick<Deps, 'db' | 'sessions'>,
  sessionId: string,
  proof: SessionProof,
): Promise<void> {
  sessions.forget([await proveSession(db, sessionId, proof)]);
}

interface SessionProof {
  readonly atMs: number;
  readonly byFactor: boolean;
}

/** Records the confirmation and returns the hash of the session. Throws 401 if the session has ended. */
export async function proveSession(
  tx: Tx,
  sessionId: string,
  { atMs, byFactor }: SessionProof,
): Promise<Buffer> {
  const hash = await recordProof(tx, sessionId, new Date(atMs), byFactor);
  if (hash === undefined) throw new AppError('unauthorized', 'The session has ended. Sign in again.');
  return hash;
}
