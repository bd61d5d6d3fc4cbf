// Reads and changes the caller's account and active workspace, and looks up other users.
import { AppError, requireFound } from '../../lib/errors.ts';
import { recordAudit, toUserTarget } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import { haveCommonTeam } from '../../store/teams.ts';
import { findUser, type UserRow, updateActiveTeam, updateUser } from '../../store/users.ts';
import type { Deps } from '../deps.ts';
import { readStorageUsage } from '../media/storage-quota.ts';
import { presentColumns } from '../present-columns.ts';
import { getPersonalWorkspaceId } from './access.ts';
import type { UserRefInput } from './account.schema.ts';
import { type Actor, hasScope, requireScope, requireUser, type UserActor } from './actor.ts';
import { parseEmail, parseName } from './names.ts';
import { findActiveWorkspace, getWorkspace } from './teams.ts';

/** Returns the caller; any valid key may request this. */
export async function readMe(deps: Deps, actor: Actor) {
  return presentMe(deps, requireUser(actor));
}

/** Changes the caller's name. Throws 400 for a blank name. */
export async function changeMe(deps: Deps, actor: Actor, input: { readonly name: string }) {
  const user = requireScope(actor, 'account:admin');
  const name = parseName(input.name);
  await deps.db.transaction(async tx => {
    await updateUser(tx, user.userId, { name, plan: null, isAuthor: null, disabled: null });
    recordAudit(tx, user, { action: 'account.changed', target: toUserTarget(user.userId) });
  });
  return presentMe(deps, user);
}

/** Sets the workspace in which folders are listed and created. Throws 404 for a team that the caller is not in. */
export async function setActiveWorkspace(
  deps: Deps,
  actor: Actor,
  input: { readonly teamId: string | null },
) {
  const user = requireScope(actor, 'workflows:write');
  const { team_id } = await getWorkspace(deps.db, user, input.teamId);
  await updateActiveTeam(deps.db, user.userId, team_id);
  return presentMe(deps, user);
}

async function presentMe(deps: Deps, user: UserActor) {
  const row = requireFound(await findUser(deps.db, user.userId), 'Your account no longer exists.');
  const active = await findActiveWorkspace(deps.db, user);
  return {
    userId: row.id,
    ...presentColumns(row, 'email name plan is_author is_admin'),
    scopes: [...user.scopes],
    personalTeamId: getPersonalWorkspaceId(row.id),
    activeTeamId: active.team_id,
    activeRole: active.team_role ?? 'OWNER',
    storage: await readStorageUsage(deps, row.id),
    createdAt: row.created_at.toISOString(),
  };
}

/** A user named in a request. */
export type UserRef = { readonly userId: number } | { readonly email: string };

/** Parses the user of a request. Throws 400 for an invalid email, and unless exactly one of the fields is set. */
export function parseUserRef({ userId, email }: UserRefInput): UserRef {
  if (userId !== undefined && email === undefined) return { userId };
  if (userId === undefined && email !== undefined) return { email: parseEmail(email) };
  throw new AppError('invalid_request', 'Send either userId or email to identify the user.');
}

/**
 * Returns the user if the caller may know of the account: the caller's own account, a member of a common team, or, for
 * an administrator, any account. Throws 404 for any other id, whether or not it exists.
 */
export async function getKnownUser(tx: Tx, caller: UserActor, userId: number): Promise<UserRow> {
  const isKnown =
    hasScope(caller, 'instance:admin') ||
    caller.userId === userId ||
    (await haveCommonTeam(tx, caller.userId, userId));
  const row = isKnown ? await findUser(tx, userId) : undefined;
  return requireFound(row, 'User not found in any of your teams. Use the email address instead.');
}

/** Returns the name and email of the user; undefined if the account is deleted or disabled. */
export async function findActiveUser(
  { db }: Pick<Deps, 'db'>,
  userId: number,
): Promise<{ readonly name: string; readonly email: string } | undefined> {
  const user = await findUser(db, userId);
  return user === undefined || user.disabled ? undefined : { name: user.name, email: user.email };
}
