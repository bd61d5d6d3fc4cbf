// Users, and the facts of this installation that are kept beside them.
import type { Tx } from './db.ts';

export interface UserRow {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly plan: string;
  readonly is_author: boolean;
  readonly disabled: boolean;
  readonly active_team_id: string | null;
  readonly created_at: Date;
}

const USER = 'select id, email, name, plan, is_author, disabled, active_team_id, created_at from users';

export async function findUser(tx: Tx, id: number): Promise<UserRow | undefined> {
  const { rows } = await tx.query<UserRow>(`${USER} where id = $1`, [id]);
  return rows[0];
}

/** Upper and lower case are the same. */
export async function findUserByEmail(tx: Tx, email: string): Promise<UserRow | undefined> {
  const { rows } = await tx.query<UserRow>(`${USER} where lower(email) = lower($1)`, [email]);
  return rows[0];
}

/** By id, after the cursor. */
export async function listUsers(
  tx: Tx,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly UserRow[]> {
  const { rows } = await tx.query<UserRow>(`${USER} where id > $1 order by id limit $2`, [
    page.after,
    page.limit,
  ]);
  return rows;
}

/** Whether anybody has an account yet. */
export async function hasUsers(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>('select exists (select from users) as found');
  return rows[0]?.found === true;
}

/** Throws a unique violation of `users_email_key` where the address is taken. */
export async function insertUser(
  tx: Tx,
  user: { readonly email: string; readonly name: string; readonly plan: string; readonly isAuthor: boolean },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    'insert into users (email, name, plan, is_author) values ($1, $2, $3, $4) returning id',
    [user.email, user.name, user.plan, user.isAuthor],
  );
  return (rows[0] as { id: number }).id;
}

/** Writes the members that are not null. Returns undefined where there is no such user. */
export async function updateUser(
  tx: Tx,
  id: number,
  change: {
    readonly name?: string | null;
    readonly plan: string | null;
    readonly isAuthor: boolean | null;
    readonly disabled: boolean | null;
  },
): Promise<UserRow | undefined> {
  const { rows } = await tx.query<UserRow>(
    `update users set plan = coalesce($2, plan), is_author = coalesce($3, is_author), disabled = coalesce($4, disabled),
       name = coalesce($5, name)
     where id = $1
     returning id, email, name, plan, is_author, disabled, active_team_id, created_at`,
    [id, change.plan, change.isAuthor, change.disabled, change.name ?? null],
  );
  return rows[0];
}

export async function updateActiveTeam(tx: Tx, userId: number, teamId: string | null): Promise<void> {
  await tx.query('update users set active_team_id = $2 where id = $1', [userId, teamId]);
}

/** Serializes a piece of start-up over all processes, until the transaction ends. */
export async function lockStartUp(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('graphwright.start-up'))`);
}
