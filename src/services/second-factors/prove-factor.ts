// Checks proofs of second factors: a code, a recovery code, or a passkey's signature of a challenge.
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import type { Deps } from '../deps.ts';
import { notifyOfFactor } from '../sessions/security-notices.ts';
import { createChallenge, openChallenge } from './challenges.ts';
import {
  type Assertion,
  acceptAssertion,
  getRelyingParty,
  type PasskeyRequest,
  readToken,
  requestPasskey,
} from './passkeys.ts';
import { spendRecoveryCode } from './recovery-codes.ts';
import { type ChallengeKind, countFactors, deleteChallenge, type FactorsRow, listPasskeys } from './store.ts';
import { spendTotpCode } from './totp.ts';

export type FactorDeps = Pick<Deps, 'db' | 'now' | 'log' | 'secretsKey' | 'settings'>;

/** How a user can prove a second factor, in the order in which pages offer them. */
export const FACTOR_METHODS = ['passkey', 'totp', 'recovery_code'] as const;
export type FactorMethod = (typeof FACTOR_METHODS)[number];

/** How a user can confirm their identity. */
export const PROOF_METHODS = [...FACTOR_METHODS, 'password', 'openid'] as const;
export type ProofMethod = (typeof PROOF_METHODS)[number];

export interface FactorProof {
  readonly code?: string | undefined;
  readonly recoveryCode?: string | undefined;
  readonly assertion?: Assertion | undefined;
}

/** Returns whether the user has a second factor. Recovery codes alone are none. */
export const hasFactor = ({ has_totp, passkeys }: FactorsRow): boolean => has_totp || passkeys > 0;

/** Lists how the factors can be proved. Passkeys work only where browsers offer them. */
export function listMethods(
  deps: Parameters<typeof getRelyingParty>[0],
  { has_totp, passkeys, recovery_codes }: FactorsRow,
): readonly FactorMethod[] {
  const isOffered = {
    passkey: passkeys > 0 && getRelyingParty(deps) !== undefined,
    totp: has_totp,
    recovery_code: recovery_codes > 0,
  };
  return FACTOR_METHODS.filter(method => isOffered[method]);
}

/**
 * Uses up the proof of a user's factor, in a transaction that also does what it allows. Throws 401 `invalid_credentials`. Checks of
 * the challenge that an assertion signed are left to the caller.
 */
export async function spendProof(
  tx: Tx,
  deps: FactorDeps,
  userId: number,
  { code, recoveryCode, assertion }: FactorProof,
): Promise<void> {
  if (code !== undefined) {
    if (await spendTotpCode(tx, deps, userId, code)) return;
    throw createProofError(
      'The code is wrong, has expired, or was already used. Enter the code that the app shows now.',
    );
  }
  if (recoveryCode !== undefined) {
    if (await spendRecoveryCode(tx, userId, recoveryCode))
      return notifyOfFactor(tx, userId, 'recovery_code_used');
    throw createProofError('The recovery code is wrong or was already used.');
  }
  if (assertion !== undefined && (await acceptAssertion(tx, deps, assertion))?.passkey.user_id === userId)
    return;
  throw createProofError('The passkey was not accepted. Use a passkey of this account.');
}

/**
 * Uses up a proof with which the user of a session confirms their identity. A passkey must have signed a challenge of the kind
 * `confirmation`. Throws 401 `invalid_credentials`.
 */
export async function confirmByFactor(deps: FactorDeps, userId: number, proof: FactorProof): Promise<void> {
  const { assertion } = proof;
  const challenge =
    assertion && (await openChallenge(deps.db, deps, readToken(assertion) ?? '', CONFIRMATION));
  if (assertion !== undefined && challenge?.user_id !== userId) throw createExpiredError();
  await deps.db.transaction(async tx => {
    if (challenge !== undefined && !(await deleteChallenge(tx, challenge.hash))) throw createExpiredError();
    await spendProof(tx, deps, userId, proof);
  });
}

/** Returns the request for a passkey with which a user confirms their identity. */
export async function requestConfirmation(
  deps: Pick<FactorDeps, 'db' | 'now' | 'settings'>,
  userId: number,
): Promise<PasskeyRequest> {
  const passkeys = await listPasskeys(deps.db, userId);
  const token = await createChallenge(deps.db, deps, { kind: 'confirmation', userId });
  return requestPasskey(deps, token, passkeys);
}

const CONFIRMATION: readonly ChallengeKind[] = ['confirmation'];

export const createProofError = (message: string): AppError => new AppError('invalid_credentials', message);

export const createExpiredError = (): AppError =>
  createProofError('This confirmation has expired or was already used. Start again.');

/** Returns whether the user has a second factor. */
export const userHasFactor = async (tx: Tx, userId: number): Promise<boolean> =>
  hasFactor(await countFactors(tx, userId));
