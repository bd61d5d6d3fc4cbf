// Lists, sets up and removes the second factors of an account.
import { AppError, requireFound } from '../../lib/errors.ts';
import type { AuditFields } from '../../store/audit/audit-json.ts';
import { recordAudit, toUserTarget } from '../../store/audit/record-audit.ts';
import type { Transaction, Tx } from '../../store/db.ts';
import { lockUser } from '../../store/people/delete-user.ts';
import { deleteUserSessions } from '../../store/people/sessions.ts';
import { findUser, findUserByEmail, type UserRow } from '../../store/users.ts';
import { type Actor, requireScope, requireSession, type UserActor } from '../accounts/actor.ts';
import { parseName } from '../accounts/names.ts';
import type { Deps } from '../deps.ts';
import { presentColumns } from '../present-columns.ts';
import { proveSession } from '../sessions/reauthenticate.ts';
import { notifyOfFactor } from '../sessions/security-notices.ts';
import { openChallenge } from './challenges.ts';
import { type Attestation, getRelyingParty, readToken, requestNewPasskey, storePasskey } from './passkeys.ts';
import { createExpiredError, createProofError, hasFactor } from './prove-factor.ts';
import { createRecoveryCodes } from './recovery-codes.ts';
import {
  countFactors,
  deleteChallenge,
  deleteFactors,
  deletePasskey,
  deleteTotp,
  findTeamRequiringFactor,
  listPasskeys,
  type PasskeyRow,
} from './store.ts';
import { confirmNewTotp, createTotp, type TotpSetup } from './totp.ts';

/** Returns the caller's second factors, and what requires the caller to have one. */
export async function readSecondFactors(deps: Deps, actor: Actor) {
  const { userId } = requireSession(actor).user;
  const [factors, passkeys, requiredBy] = await Promise.all([
    countFactors(deps.db, userId),
    listPasskeys(deps.db, userId),
    findRequirement(deps.db, deps, userId),
  ]);
  return {
    totp: factors.has_totp,
    passkeys: passkeys.map(presentPasskey),
    recoveryCodes: factors.recovery_codes,
    requiredBy: requiredBy ?? null,
    passkeysAvailable: getRelyingParty(deps) !== undefined,
  };
}

const presentPasskey = (passkey: PasskeyRow) => presentColumns(passkey, 'id name created_at last_used_at');

/** Returns who requires that the user has a second factor: the instance, or a team by its name. */
async function findRequirement(
  tx: Tx,
  { settings }: Pick<Deps, 'settings'>,
  userId: number,
): Promise<string | undefined> {
  if (settings.REQUIRE_SECOND_FACTOR === 'on') return 'this service';
  return findTeamRequiringFactor(tx, userId);
}

/** Creates a secret for an authenticator app. It has no effect before `confirmTotp`. */
export async function setUpTotp(deps: Deps, actor: Actor): Promise<TotpSetup> {
  const user = await requireOwnUser(deps, actor);
  const issuer = new URL(deps.settings.BASE_URL).host;
  return createTotp(deps.db, deps, user.id, { issuer: `Graphwright (${issuer})`, label: user.email });
}

/** Makes the new secret the account's authenticator app. Throws 401 `invalid_credentials` if the code is wrong. */
export async function confirmTotp(
  deps: Deps,
  actor: Actor,
  { code }: { readonly code: string },
): Promise<void> {
  await addFactor(deps, actor, { method: 'totp' }, async (tx, userId) => {
    if (await confirmNewTotp(tx, deps, userId, code)) return;
    throw createProofError(
      'The code does not match. Check the time of the device, and enter the code that the app shows now.',
    );
  });
}

/** Adds a factor, which proves it too. Does nothing and throws 401 if the session has ended in the meantime. */
async function addFactor<T>(
  deps: Deps,
  actor: Actor,
  factor: AuditFields & { readonly method: 'totp' | 'passkey' },
  add: (tx: Tx, userId: number) => Promise<T>,
): Promise<T> {
  const { user, sessionId } = requireSession(actor);
  const [added, hash] = await deps.db.transaction(async tx => {
    await lockUser(tx, user.userId);
    const sessionHash = await proveSession(tx, sessionId, { atMs: deps.now(), byFactor: true });
    recordAudit(tx, user, { action: 'factor.added', target: toUserTarget(user.userId), after: factor });
    const newFactor = await add(tx, user.userId);
    await notifyOfFactor(tx, user.userId, `${factor.method}_added`);
    return [newFactor, sessionHash] as const;
  });
  deps.sessions.forget([hash]);
  return added;
}

/** Removes the authenticator app. Throws 404, and 403 if the account needs it. */
export function removeTotp(deps: Deps, actor: Actor): Promise<void> {
  return removeFactor(deps, actor, 'totp', 'You have no authenticator app.', deleteTotp);
}

export async function beginPasskey(deps: Deps, actor: Actor) {
  return requestNewPasskey(deps.db, deps, await requireOwnUser(deps, actor));
}

/** Stores the passkey that the browser created for `beginPasskey`. Throws 401 if the request has expired. */
export async function addPasskey(
  deps: Deps,
  actor: Actor,
  { name, attestation }: { readonly name: string; readonly attestation: Attestation },
) {
  const { userId } = requireSession(actor).user;
  const passkeyName = parseName(name);
  const challenge = await openChallenge(deps.db, deps, readToken(attestation) ?? '', ['registration']);
  if (challenge?.user_id !== userId) throw createExpiredError();
  const passkey = await addFactor(deps, actor, { method: 'passkey', name: passkeyName }, async tx => {
    if (!(await deleteChallenge(tx, challenge.hash))) throw createExpiredError();
    return storePasskey(tx, deps, { userId, name: passkeyName, attestation });
  });
  return presentPasskey(passkey);
}

export function removePasskey(deps: Deps, actor: Actor, id: string): Promise<void> {
  return removeFactor(deps, actor, 'passkey', 'Passkey not found.', (tx, userId) =>
    deletePasskey(tx, id, userId),
  );
}

async function removeFactor(
  deps: Deps,
  actor: Actor,
  method: 'totp' | 'passkey',
  missing: string,
  remove: (tx: Tx, userId: number) => Promise<boolean>,
): Promise<void> {
  const { user } = requireSession(actor);
  const { userId } = user;
  await deps.db.transaction(async tx => {
    // Two requests might otherwise remove the last two factors, each because of the other one.
    await lockUser(tx, userId);
    if (!(await remove(tx, userId))) throw new AppError('not_found', missing);
    recordAudit(tx, user, { action: 'factor.removed', target: toUserTarget(userId), before: { method } });
    await notifyOfFactor(tx, userId, `${method}_removed`);
    if (hasFactor(await countFactors(tx, userId))) return;
    const requiredBy = await findRequirement(tx, deps, userId);
    if (requiredBy !== undefined)
      throw new AppError(
        'second_factor_required',
        `This is your only second factor, and ${requiredBy} requires one. Add another one first.`,
      );
    // Recovery codes replace a second factor, so they end with the last one.
    await deleteFactors(tx, userId);
  });
  forgetUser(deps, userId);
}

function forgetUser({ sessions, accessTokens }: Deps, userId: number): void {
  for (const authenticator of [sessions, accessTokens]) authenticator?.forgetUser(userId);
}

/** Replaces the recovery codes. Throws 409 without a second factor. */
export async function renewRecoveryCodes(
  deps: Deps,
  actor: Actor,
): Promise<{ readonly codes: readonly string[] }> {
  const { user } = requireSession(actor);
  const { userId } = user;
  return deps.db.transaction(async tx => {
    const factors = await countFactors(tx, userId);
    if (hasFactor(factors)) {
      if (factors.recovery_codes > 0) await notifyOfFactor(tx, userId, 'recovery_codes_created');
      recordAudit(tx, user, { action: 'factor.codes_created', target: toUserTarget(userId) });
      return { codes: await createRecoveryCodes(tx, userId) };
    }
    const message = 'Recovery codes replace a second factor. Add an authenticator app or a passkey first.';
    throw new AppError('conflict', message);
  });
}

/** Removes all factors of a user who lost them, and ends the user's sessions. Throws 404. */
export async function resetSecondFactor(deps: Deps, actor: Actor, userId: number): Promise<void> {
  const admin = requireScope(actor, 'instance:admin');
  await deps.db.transaction(async tx => {
    requireFound(await findUser(tx, userId), 'User not found.');
    await removeAllFactors(tx, admin, userId);
  });
  forgetUser(deps, userId);
}

async function removeAllFactors(tx: Transaction, admin: UserActor, userId: number): Promise<void> {
  await lockUser(tx, userId);
  await deleteUserSessions(tx, userId);
  await deleteFactors(tx, userId);
  recordAudit(tx, admin, { action: 'factor.reset', target: toUserTarget(userId) });
  await notifyOfFactor(tx, userId, 'reset');
}

/** Removes all factors of the account with this email, for the command line. Throws 404. */
export async function resetByEmail({ db }: Pick<Deps, 'db'>, actor: Actor, email: string): Promise<void> {
  const admin = requireScope(actor, 'instance:admin');
  await db.transaction(async tx => {
    const user = requireFound(await findUserByEmail(tx, email), `No account has the email ${email}.`);
    await removeAllFactors(tx, admin, user.id);
  });
}

async function requireOwnUser({ db }: Deps, actor: Actor): Promise<UserRow> {
  const { userId } = requireSession(actor).user;
  return requireFound(await findUser(db, userId), 'The account was deleted.');
}
