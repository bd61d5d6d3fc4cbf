// Users, and the facts of this installation that are kept beside them.
import type { Tx } from './db.ts';

export interface UserRow {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly plan: string;
  readonly is_author: boolean;
  readonly active_team_id: string | null;
  readonly created_at: Date;
}

export async function findUser(tx: Tx, id: number): Promise<UserRow | undefined> {
  const { rows } = await tx.query<UserRow>(
    'select id, email, name, plan, is_author, active_team_id, created_at from users where id = $1',
    [id],
  );
  return rows[0];
}

/** Whether anybody has an account yet. */
export async function hasUsers(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>('select exists (select from users) as found');
  return rows[0]?.found === true;
}

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

/** Serializes a piece of start-up over all processes, until the transaction ends. */
export async function lockStartUp(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('graphwright.start-up'))`);
}
