// The caller's own account and the workspace it works in.
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import { findUser, findUserByEmail, type UserRow, updateActiveTeam, updateUser } from '../../store/users.ts';
import type { Deps } from '../deps.ts';
import { userWorkspace } from './access.ts';
import type { Somebody } from './account.schema.ts';
import { type Actor, requireScope, requireUser, type UserActor } from './actor.ts';
import { parseName } from './names.ts';
import { getActiveWorkspace, getWorkspace } from './teams.ts';

/** Who the caller is; any valid key may ask. */
export async function getMe(deps: Deps, actor: Actor) {
  return presentMe(deps.db, requireUser(actor));
}

/** Changes the caller's name. Throws 400 for one that shows nothing. */
export async function changeMe(deps: Deps, actor: Actor, input: { readonly name: string }) {
  const user = requireScope(actor, 'account:admin');
  const name = parseName(input.name);
  await updateUser(deps.db, user.userId, { name, plan: null, isAuthor: null, disabled: null });
  return presentMe(deps.db, user);
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
  return presentMe(deps.db, user);
}

async function presentMe(tx: Tx, user: UserActor) {
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
    createdAt: row.created_at.toISOString(),
  };
}

/** Somebody with a role: a member of a team, or whom a workflow is shared with. */
export function presentRole<R>(row: {
  readonly user_id: number;
  readonly name: string;
  readonly role: R;
  readonly created_at: Date;
}) {
  return { userId: row.user_id, name: row.name, role: row.role, createdAt: row.created_at.toISOString() };
}

/** The user that a request names by id or by email. Throws 400 where it names both or neither, 404 where there is none. */
export async function getSomebody(tx: Tx, { userId, email }: Somebody): Promise<UserRow> {
  if ((userId === undefined) === (email === undefined)) {
    throw new AppError('invalid_request', 'Name the user by userId or by email: one of the two.');
  }
  const row =
    userId === undefined ? await findUserByEmail(tx, (email ?? '').trim()) : await findUser(tx, userId);
  if (row === undefined) {
    throw new AppError('not_found', `There is no user with this ${userId === undefined ? 'email' : 'id'}.`);
  }
  return row;
}
