// The caller's own account and the workspace it works in.
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import { shareTeam, type TeamRole } from '../../store/teams.ts';
import { findUser, type UserRow, updateActiveTeam, updateUser } from '../../store/users.ts';
import type { Deps } from '../deps.ts';
import { readStorageUsage } from '../media/storage-quota.ts';
import { userWorkspace } from './access.ts';
import type { SomebodyInput } from './account.schema.ts';
import { type Actor, hasScope, requireScope, requireUser, type UserActor } from './actor.ts';
import { parseEmail, parseName } from './names.ts';
import { getActiveWorkspace, getWorkspace } from './teams.ts';

/** Who the caller is; any valid key may ask. */
export async function getMe(deps: Deps, actor: Actor) {
  return presentMe(deps, requireUser(actor));
}

/** Changes the caller's name. Throws 400 for one that shows nothing. */
export async function changeMe(deps: Deps, actor: Actor, input: { readonly name: string }) {
  const user = requireScope(actor, 'account:admin');
  const name = parseName(input.name);
  await updateUser(deps.db, user.userId, { name, plan: null, isAuthor: null, disabled: null });
  return presentMe(deps, user);
}

/** Chooses the workspace that folders are listed and created in. Throws 404 for a team the caller is not in. */
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
  const { db: tx } = deps;
  const row = await findUser(tx, user.userId);
  if (row === undefined) throw new AppError('not_found', 'Your account is gone.');
  const active = await getActiveWorkspace(tx, user);
  return {
    userId: row.id,
    email: row.email,
    name: row.name,
    plan: row.plan,
    isAuthor: row.is_author,
    isAdmin: row.is_admin,
    scopes: [...user.scopes],
    personalTeamId: userWorkspace(row.id),
    activeTeamId: active.team_id,
    activeRole: active.team_role ?? 'OWNER',
    storage: await readStorageUsage(deps, row.id),
    createdAt: row.created_at.toISOString(),
  };
}

/** A member of a team. */
export function presentMember(row: {
  readonly user_id: number;
  readonly name: string;
  readonly role: TeamRole;
  readonly created_at: Date;
}) {
  return { userId: row.user_id, name: row.name, role: row.role, createdAt: row.created_at.toISOString() };
}

/** Whom a request names. */
export type Somebody = { readonly userId: number } | { readonly email: string };

/** Throws 400 for a request that names both or neither, or an email that is none. */
export function parseSomebody({ userId, email }: SomebodyInput): Somebody {
  if (userId !== undefined && email === undefined) return { userId };
  if (userId === undefined && email !== undefined) return { email: parseEmail(email) };
  throw new AppError('invalid_request', 'Send either userId or email to identify the user.');
}

/**
 * The user, if the caller knows of them: oneself, a member of a common team, and anybody for an administrator. Throws 404
 * for every other id, whether or not somebody has it.
 */
export async function getAcquaintance(tx: Tx, caller: UserActor, userId: number): Promise<UserRow> {
  const isKnown =
    hasScope(caller, 'instance:admin') ||
    caller.userId === userId ||
    (await shareTeam(tx, caller.userId, userId));
  const row = isKnown ? await findUser(tx, userId) : undefined;
  if (row !== undefined) return row;
  throw new AppError('not_found', 'User not found in any of your teams. Use the email address instead.');
}
