// Accounts as the operator makes and changes them.
import { mintApiKey } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { grant } from '../../store/credits.ts';
import type { Db } from '../../store/db.ts';
import { isUniqueViolation } from '../../store/db.ts';
import type { UserRow } from '../../store/users.ts';
import { findUser, insertUser, listUsers, updateUser } from '../../store/users.ts';
import type { Deps } from '../deps.ts';
import type { PageQuery } from '../paging.ts';
import { numberCursor, readPage } from '../paging.ts';
import { userWorkspace } from './access.ts';
import type { ChangeUserBody, CreateUserBody } from './account.schema.ts';
import type { Actor } from './actor.ts';
import { requireScope } from './actor.ts';
import { requireScopesToHandOn, storeKey } from './keys.ts';
import { parseName } from './names.ts';

/** What the command line has too, which makes accounts without a running service. */
type UserDeps = {
  readonly db: Db;
  readonly settings: Pick<Deps['settings'], 'plans' | 'DEFAULT_PLAN' | 'DEFAULT_CREDITS'>;
};

export async function listAllUsers(deps: UserDeps, actor: Actor, query: PageQuery) {
  requireScope(actor, 'instance:admin');
  return readPage(query, {
    cursor: numberCursor(),
    fetch: (after, limit) => listUsers(deps.db, { after: after ?? 0, limit }),
    keyOf: user => user.id,
    present: presentUser,
  });
}

/** Makes an account, and a key of it where `keyScopes` asks for one. Throws 409 where the email is taken. */
export async function createUser(deps: UserDeps, actor: Actor, input: CreateUserBody) {
  const operator = requireScope(actor, 'instance:admin');
  if (input.keyScopes !== undefined) requireScopesToHandOn(operator, input.keyScopes);
  const user = {
    email: parseEmail(input.email),
    name: parseName(input.name),
    plan: parsePlan(deps, input.plan ?? deps.settings.DEFAULT_PLAN),
    isAuthor: input.isAuthor ?? false,
  };
  try {
    return await deps.db.transaction(async tx => {
      const userId = await insertUser(tx, user);
      const credits = input.credits ?? deps.settings.DEFAULT_CREDITS;
      if (credits > 0) await grant(tx, userWorkspace(userId), credits, 'opening balance');
      const row = (await findUser(tx, userId)) as UserRow;
      if (input.keyScopes === undefined) return presentUser(row);
      const key = mintApiKey();
      await storeKey(tx, { userId, name: 'first key', scopes: input.keyScopes, expiresAt: null, key });
      return { ...presentUser(row), apiKey: key };
    });
  } catch (err) {
    if (!isUniqueViolation(err, 'users_email_key')) throw err;
    throw new AppError('conflict', 'There is an account with this email already.', { cause: err });
  }
}

/** Throws 404. */
export async function readUser(deps: Pick<UserDeps, 'db'>, actor: Actor, userId: number) {
  requireScope(actor, 'instance:admin');
  return presentFound(await findUser(deps.db, userId));
}

function presentFound(user: UserRow | undefined) {
  if (user === undefined) throw new AppError('not_found', 'There is no user with this id.');
  return presentUser(user);
}

/** Throws 404 for an unknown user, 409 where operators would shut themselves out. */
export async function changeUser(deps: UserDeps, actor: Actor, userId: number, input: ChangeUserBody) {
  const operator = requireScope(actor, 'instance:admin');
  if (input.disabled === true && userId === operator.userId)
    throw new AppError('conflict', 'You cannot disable your own account.');
  const row = await updateUser(deps.db, userId, {
    name: input.name === undefined ? null : parseName(input.name),
    plan: input.plan === undefined ? null : parsePlan(deps, input.plan),
    isAuthor: input.isAuthor ?? null,
    disabled: input.disabled ?? null,
  });
  return presentFound(row);
}

function parseEmail(text: string): string {
  const email = text.trim();
  if (/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)) return email;
  throw new AppError('invalid_request', 'The email must have the form name@host.', {
    issues: [{ path: '/email', code: 'invalid_request', message: 'must have the form name@host' }],
  });
}

function parsePlan({ settings }: UserDeps, plan: string): string {
  // Of those who have no account.
  const plans = Object.keys(settings.plans).filter(name => name !== 'anonymous');
  if (plans.includes(plan)) return plan;
  throw new AppError('invalid_request', `The plan must be one of ${plans.join(', ')}.`, {
    issues: [{ path: '/plan', code: 'invalid_request', message: `must be one of ${plans.join(', ')}` }],
  });
}

function presentUser(user: UserRow) {
  return {
    userId: user.id,
    email: user.email,
    name: user.name,
    plan: user.plan,
    isAuthor: user.is_author,
    disabled: user.disabled,
    createdAt: user.created_at.toISOString(),
  };
}
