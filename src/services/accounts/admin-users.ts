// Creates, lists and changes accounts for administrators.
import { generateApiKey } from '../../lib/crypto.ts';
import { AppError, createFieldError, requireFound } from '../../lib/errors.ts';
import { clearDeactivation, notifyAccount } from '../../store/accounts.ts';
import { recordAudit, recordRead, toUserTarget } from '../../store/audit/record-audit.ts';
import { grant } from '../../store/credits.ts';
import type { Db, Transaction } from '../../store/db.ts';
import { lockUser } from '../../store/people/delete-user.ts';
import type { ListedUserRow, UserRow } from '../../store/users.ts';
import { findUser, insertUser, listUsers, updateEmail, updateUser } from '../../store/users.ts';
import type { Deps } from '../deps.ts';
import { byNumber, type PageQuery, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import { createInvitation } from '../sessions/password-links.ts';
import { notifyOfEmail } from '../sessions/security-notices.ts';
import { getPersonalWorkspaceId } from './access.ts';
import type { ChangeUserBody, CreateUserBody } from './account.schema.ts';
import { type Actor, requireScope, type UserActor } from './actor.ts';
import { requireOtherAdministrator } from './administrators.ts';
import { endSignIns, forgetUser } from './end-access.ts';
import { recordNewKey, requireGrantableScopes, storeKey } from './keys.ts';
import { parseEmail, parseName, translateEmailConflict } from './names.ts';

/** A small part of `Deps`, because the command line also creates accounts, without a running service. */
type UserDeps = {
  readonly db: Db;
  readonly now: () => number;
  readonly settings: Pick<Deps['settings'], 'plans' | 'DEFAULT_PLAN' | 'DEFAULT_CREDITS' | 'BASE_URL'>;
  readonly secretsKey?: Buffer;
};

const NOT_FOUND = 'User not found.';

export async function listAllUsers(
  deps: UserDeps,
  actor: Actor,
  query: PageQuery & { readonly query?: string | undefined; readonly disabled?: boolean | undefined },
) {
  const admin = requireScope(actor, 'instance:admin');
  await recordRead(deps.db, admin, { what: 'the list of accounts' });
  return readPage(
    query,
    byNumber('id'),
    page => listUsers(deps.db, { query: query.query ?? null, isDisabled: query.disabled ?? null }, page),
    presentListedUser,
  );
}

/** Creates an account, with an invitation or a key if requested. Throws 409 if the email is taken. */
export async function createUser(deps: UserDeps, actor: Actor, input: CreateUserBody) {
  const admin = requireScope(actor, 'instance:admin');
  if (input.invite === true && input.keyScopes !== undefined)
    throw new AppError(
      'invalid_request',
      'Send either invite or keyScopes, not both. An invited user creates their own keys.',
    );
  if (input.keyScopes !== undefined) requireGrantableScopes(admin, input.keyScopes);
  const user = {
    email: parseEmail(input.email),
    name: parseName(input.name),
    plan: parsePlan(deps, input.plan ?? deps.settings.DEFAULT_PLAN),
    isAuthor: input.isAuthor ?? false,
    isAdmin: input.isAdmin ?? false,
  };
  return translateEmailConflict(
    deps.db.transaction(async tx => {
      const userId = await insertUser(tx, user);
      const credits = input.credits ?? deps.settings.DEFAULT_CREDITS;
      if (credits > 0) await grant(tx, getPersonalWorkspaceId(userId), credits, 'opening balance');
      const row = (await findUser(tx, userId)) as UserRow;
      recordAudit(tx, admin, {
        action: 'user.created',
        target: toUserTarget(userId),
        after: { ...describeFields(row), credits, keyScopes: input.keyScopes },
      });
      return { ...presentUser(row), ...(await createFirstCredential(tx, deps, admin, userId, input)) };
    }),
  );
}

async function createFirstCredential(
  tx: Transaction,
  deps: UserDeps,
  admin: UserActor,
  userId: number,
  { invite, next, keyScopes }: CreateUserBody,
): Promise<{ readonly apiKey?: string; readonly inviteUrl?: string; readonly isMailed?: boolean }> {
  if (invite === true) {
    const { url, isMailed } = await createInvitation(tx, deps, admin, { userId, next });
    return { inviteUrl: url, isMailed };
  }
  if (keyScopes === undefined) return {};
  const key = generateApiKey();
  const row = await storeKey(tx, { userId, name: 'first key', scopes: keyScopes, expiresAt: null, key });
  recordNewKey(tx, admin, row, userId);
  return { apiKey: key };
}

/** Returns the account. Throws 404. */
export async function readUser(deps: Pick<UserDeps, 'db'>, actor: Actor, userId: number) {
  const admin = requireScope(actor, 'instance:admin');
  const user = requireFound(await findUser(deps.db, userId), NOT_FOUND);
  await recordRead(deps.db, admin, { what: 'an account', target: toUserTarget(userId) });
  return presentUser(user);
}

/** The authenticators of this process. The command line has none. */
type Authenticators = Partial<Pick<Deps, 'keys' | 'sessions' | 'accessTokens'>>;

/**
 * Changes an account. The change takes effect in this process with the next request, and in other processes within five
 * seconds. Throws 404 for an unknown user, 409 if administrators would lock themselves out.
 */
export async function changeUser(
  deps: UserDeps & Authenticators,
  actor: Actor,
  userId: number,
  input: ChangeUserBody,
) {
  const admin = requireScope(actor, 'instance:admin');
  if (input.disabled === true && userId === admin.userId)
    throw new AppError('conflict', "You can't disable your own account.");
  if (input.isAdmin === false && userId === admin.userId)
    throw new AppError(
      'conflict',
      "You can't remove your own administrator role. Ask another administrator.",
    );
  const email = input.email === undefined ? undefined : parseEmail(input.email);
  const change = {
    name: input.name === undefined ? null : parseName(input.name),
    plan: input.plan === undefined ? null : parsePlan(deps, input.plan),
    isAuthor: input.isAuthor ?? null,
    isAdmin: input.isAdmin ?? null,
    disabled: input.disabled ?? null,
  };
  const row = await translateEmailConflict(
    deps.db.transaction(async tx => {
      if (!(await lockUser(tx, userId))) throw new AppError('not_found', NOT_FOUND);
      const before = requireFound(await findUser(tx, userId), NOT_FOUND);
      if (change.isAdmin === false || change.disabled === true) await requireOtherAdministrator(tx, before);
      if (email !== undefined) await updateEmail(tx, userId, email);
      await notifyOfEmail(tx, userId, before.email, 'administrator');
      const after = requireFound(await updateUser(tx, userId, change), NOT_FOUND);
      if (input.disabled !== undefined) await clearDeactivation(tx, userId);
      if (input.disabled === true) await endSignIns(tx, userId);
      await notifyAccount(tx, userId);
      recordAudit(tx, admin, {
        action: 'user.changed',
        target: toUserTarget(userId),
        before: describeFields(before),
        after: describeFields(after),
      });
      return after;
    }),
  );
  forgetUser(deps, userId);
  return presentUser(row);
}

/** The fields that the audit log shows: no name and email, which may have to be forgotten. */
const describeFields = ({ plan, is_author, is_admin, disabled }: UserRow) => ({
  plan,
  isAuthor: is_author,
  isAdmin: is_admin,
  disabled,
});

function parsePlan({ settings }: UserDeps, plan: string): string {
  // Excludes the plan of anonymous callers.
  const plans = Object.keys(settings.plans).filter(name => name !== 'anonymous');
  if (plans.includes(plan)) return plan;
  throw createFieldError('/plan', `must be one of ${plans.join(', ')}`, 'The plan');
}

function presentListedUser({
  has_password,
  has_second_factor,
  balance,
  held,
  last_seen_at,
  ...user
}: ListedUserRow) {
  return {
    ...presentUser(user),
    hasPassword: has_password,
    hasSecondFactor: has_second_factor,
    credits: { balance, held },
    lastSeenAt: last_seen_at?.toISOString() ?? null,
  };
}

const presentUser = (user: UserRow) => ({
  userId: user.id,
  ...presentColumns(user, 'email name plan is_author is_admin disabled created_at'),
});
