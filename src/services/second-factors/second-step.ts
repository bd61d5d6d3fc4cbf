// Starts a session, or if the account has a second factor, the second step of the sign-in, which starts it.
import type { Tx } from '../../store/db.ts';
import { knowsNetwork } from '../../store/people/sessions.ts';
import type { Deps } from '../deps.ts';
import {
  getFactorLimit,
  getNetworkLimit,
  limitFailures,
  listAccountLimits,
  recordFailures,
} from '../sessions/failed-attempts.ts';
import { recordSignIn, type StartedSession, startSession, type Visitor } from '../sessions/start-session.ts';
import { createChallenge, createPasskeyChallenge, openChallenge } from './challenges.ts';
import {
  type Assertion,
  acceptAssertion,
  type PasskeyRequest,
  readToken,
  requestPasskey,
} from './passkeys.ts';
import {
  createExpiredError,
  createProofError,
  type FactorDeps,
  type FactorMethod,
  type FactorProof,
  hasFactor,
  listMethods,
  spendProof,
} from './prove-factor.ts';
import { type ChallengeKind, countFactors, deleteChallenge, listPasskeys } from './store.ts';

/** What a browser needs for the second step of a sign-in. */
export interface SecondStep {
  readonly needs: 'second_factor';
  readonly challenge: string;
  readonly methods: readonly FactorMethod[];
  /** The request for a passkey; null if the account has none that works here. */
  readonly passkey: PasskeyRequest | null;
}

/** A session that started, or the second step of the sign-in. */
export type SignInOutcome = StartedSession | SecondStep;

export interface FirstStep {
  readonly userId: number;
  readonly visitor: Visitor;
  readonly passwordHash?: string | null;
  readonly authenticatedAtMs?: number;
  /** Whether an identity provider has checked a second factor. */
  readonly hasSecondFactor?: boolean;
}

/**
 * Starts a session, or the second step if the account has a second factor that was not proved. Returns undefined if the user is
 * disabled or the password has changed. Throws 429 if too many sign-ins of the account were not completed.
 */
export async function startSessionOrSecondStep(
  tx: Tx,
  deps: Pick<FactorDeps, 'now' | 'settings'>,
  { userId, visitor, passwordHash = null, authenticatedAtMs, hasSecondFactor = false }: FirstStep,
): Promise<SignInOutcome | undefined> {
  const nowMs = deps.now();
  const factors = await countFactors(tx, userId);
  if (hasSecondFactor || !hasFactor(factors))
    return startSession(tx, {
      userId,
      visitor,
      nowMs,
      passwordHash,
      hasSecondFactor,
      ...(authenticatedAtMs === undefined ? {} : { authenticatedAtMs }),
    });
  const isKnown = await knowsNetwork(tx, userId, visitor.network, new Date(nowMs));
  const network = isKnown ? visitor.network : null;
  const challenge = await createChallenge(tx, deps, { kind: 'second factor', userId, passwordHash, network });
  const methods = listMethods(deps, factors);
  return {
    needs: 'second_factor',
    challenge,
    methods,
    passkey: methods.includes('passkey')
      ? await requestPasskey(deps, challenge, await listPasskeys(tx, userId))
      : null,
  };
}

const PER_NETWORK = 50;
const WINDOW_S = 900;

/** Starts a sign-in by passkey alone. Throws 409 if BASE_URL has no domain, and 429. */
export async function beginPasskeySignIn(
  deps: FactorDeps & Pick<Deps, 'rateLimiter'>,
  { network }: Visitor,
): Promise<SecondStep> {
  const reason = `More than ${PER_NETWORK} sign-ins by passkey from your network in 15 minutes`;
  await deps.rateLimiter.requireToken(`passkey sign-ins ${network}`, PER_NETWORK, WINDOW_S, reason);
  const challenge = await createPasskeyChallenge(deps.db, deps);
  return {
    needs: 'second_factor',
    challenge,
    methods: ['passkey'],
    passkey: await requestPasskey(deps, challenge),
  };
}

export interface SecondStepInput extends FactorProof {
  readonly challenge: string;
}

const SIGN_IN: readonly ChallengeKind[] = ['second factor', 'passkey'];

/** Completes the sign-in. Throws 401 `invalid_credentials`, 429 like a sign-in with wrong passwords. */
export async function completeSignIn(
  deps: FactorDeps & Pick<Deps, 'rateLimiter'>,
  { challenge: token, ...proof }: SecondStepInput,
  visitor: Visitor,
): Promise<StartedSession> {
  return limitFailures(deps, [getNetworkLimit(visitor.network)], async () => {
    const { assertion } = proof;
    const method = assertion === undefined ? 'second factor' : 'passkey';
    const challenge = await openChallenge(deps.db, deps, token, SIGN_IN);
    if (challenge === undefined || (assertion !== undefined && readToken(assertion) !== token))
      throw createExpiredError();
    const { user_id: userId, password_hash: passwordHash, hash } = challenge;
    const complete = (prove: (tx: Tx) => Promise<number>): Promise<StartedSession> =>
      deps.db.transaction(async tx => {
        if (!(await deleteChallenge(tx, hash))) throw createExpiredError();
        const provedId = await prove(tx);
        const session = await startSession(tx, {
          userId: provedId,
          visitor,
          nowMs: deps.now(),
          passwordHash,
          hasSecondFactor: true,
        });
        if (session === undefined) throw createExpiredError();
        recordSignIn(tx, provedId, method);
        return session;
      });
    if (userId === null)
      return recordFailures(deps, { userId: undefined, method }, () =>
        complete(tx => findPasskeyOwner(tx, deps, assertion)),
      );
    const isKnown = await knowsNetwork(deps.db, userId, visitor.network, new Date(deps.now()));
    const attempt = { account: userId, network: visitor.network, isKnown };
    const limits = [getFactorLimit(attempt), ...listAccountLimits(attempt)];
    return limitFailures(deps, limits, () =>
      recordFailures(deps, { userId, method }, () =>
        complete(async tx => {
          await spendProof(tx, deps, userId, proof);
          return userId;
        }),
      ),
    );
  });
}

/** Returns the user of a passkey that signs in alone. Throws 401 unless its authenticator verified its owner. */
async function findPasskeyOwner(tx: Tx, deps: FactorDeps, assertion: Assertion | undefined): Promise<number> {
  const used = assertion && (await acceptAssertion(tx, deps, assertion));
  if (used?.isUserVerified === true) return used.passkey.user_id;
  throw createProofError(
    used === undefined
      ? 'No account here has this passkey.'
      : 'Unlock the passkey with a PIN, a fingerprint or your face to sign in with it alone.',
  );
}

/** Returns whether a session has started. */
export const isSession = (outcome: SignInOutcome): outcome is StartedSession => 'token' in outcome;
