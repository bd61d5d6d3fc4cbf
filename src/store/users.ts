// Stores users.
import type { Tx } from './db.ts';
import { hasFactorSql, isKnownNetworkSql } from './people/sessions.ts';
import { all, first, firstValue, matches, type PageRange } from './rows.ts';

export interface UserRow {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly plan: string;
  readonly is_author: boolean;
  /** Whether the user administers this installation. Sessions of administrators have the scope `instance:admin`. */
  readonly is_admin: boolean;
  readonly disabled: boolean;
  readonly active_team_id: string | null;
  readonly created_at: Date;
}

const COLUMNS = 'id, email, name, plan, is_author, is_admin, disabled, active_team_id, created_at';
const USER = `select ${COLUMNS} from users`;

/** Returns undefined for a deleted account. */
export function findUser(tx: Tx, id: number): Promise<UserRow | undefined> {
  return first(tx, `${USER} where id = $1 and deleted_at is null`, [id]);
}

/** Finds a user by email, ignoring case. */
export function findUserByEmail(tx: Tx, email: string): Promise<UserRow | undefined> {
  return first(tx, `${USER} where lower(email) = lower($1)`, [email]);
}

/** A user as administrators see it in lists. */
export interface ListedUserRow extends UserRow {
  readonly has_password: boolean;
  readonly has_second_factor: boolean;
  /** The balance of the personal pool. */
  readonly balance: number;
  readonly held: number;
  /** The last use of a session; null if there is no session. */
  readonly last_seen_at: Date | null;
}

/** Lists users by id. `query` matches a part of the name or email; null matches all users. Leaves out deleted ones. */
export function listUsers(
  tx: Tx,
  { query, isDisabled }: { readonly query: string | null; readonly isDisabled: boolean | null },
  page: PageRange<number>,
): Promise<readonly ListedUserRow[]> {
  return all(
    tx,
    `select ${COLUMNS}, password is not null as has_password, ${hasFactorSql('users.id')} as has_second_factor, coalesce(p.balance, 0) as balance,
       coalesce(p.held, 0) as held,
       (select max(s.last_seen_at) from sessions s where s.user_id = users.id) as last_seen_at
     from users left join credit_pools p on p.workspace = 'user:' || users.id
     where id > $1 and deleted_at is null and ($4::bool is null or disabled = $4) and ($3::text is null or strpos(lower(name), lower($3)) > 0 or strpos(lower(email), lower($3)) > 0)
     order by id limit $2`,
    [page.after ?? 0, page.limit, query, isDisabled],
  );
}

/** Returns whether any account exists. */
export function hasUsers(tx: Tx): Promise<boolean> {
  return matches(tx, 'select from users limit 1');
}

/** Inserts a user. Throws a unique violation of `users_email_key` if the address is in use. */
export async function insertUser(
  tx: Tx,
  user: {
    readonly email: string;
    readonly name: string;
    readonly plan: string;
    readonly isAuthor: boolean;
    readonly isAdmin?: boolean;
  },
): Promise<number> {
  return (await firstValue(
    tx,
    'insert into users (email, name, plan, is_author, is_admin) values ($1, $2, $3, $4, $5) returning id',
    [user.email, user.name, user.plan, user.isAuthor, user.isAdmin ?? false],
  )) as number;
}

/** Changes the columns that are not null. Returns undefined if there is no such user. */
export function updateUser(
  tx: Tx,
  id: number,
  change: {
    readonly name?: string | null;
    readonly plan: string | null;
    readonly isAuthor: boolean | null;
    readonly isAdmin?: boolean | null;
    readonly disabled: boolean | null;
  },
): Promise<UserRow | undefined> {
  return first(
    tx,
    `update users set plan = coalesce($2, plan), is_author = coalesce($3, is_author), disabled = coalesce($4, disabled),
       name = coalesce($5, name), is_admin = coalesce($6, is_admin)
     where id = $1 and deleted_at is null
     returning ${COLUMNS}`,
    [id, change.plan, change.isAuthor, change.disabled, change.name ?? null, change.isAdmin ?? null],
  );
}

/**
 * Changes the email. Shares and invitations for the old email follow, unless the new email has some for the same workflow or
 * team, and links for the old email stop working. Throws like `insertUser`.
 */
export async function updateEmail(tx: Tx, id: number, email: string): Promise<void> {
  const values = [id, email];
  for (const [table, column] of [
    ['workflow_email_shares', 'workflow_id'],
    ['team_invitations', 'team_id'],
  ])
    await tx.query(
      `update ${table} s set email = $2 from users u
       where u.id = $1 and lower(s.email) = lower(u.email) and lower(u.email) <> lower($2) and not exists (
         select from ${table} o where o.${column} = s.${column} and lower(o.email) = lower($2))`,
      values,
    );
  await tx.query('delete from password_links where user_id = $1', [id]);
  await tx.query('update users set email = $2 where id = $1 and deleted_at is null', values);
}

/** Returns whether another account is an active administrator. */
export function hasOtherAdmin(tx: Tx, id: number): Promise<boolean> {
  return matches(tx, 'select from users where is_admin and not disabled and id <> $1 limit 1', [id]);
}

/** Returns whether any user has a password or an identity at a sign-in provider. */
export function canAnyUserSignIn(tx: Tx): Promise<boolean> {
  return matches(
    tx,
    'select where exists (select from users where password is not null) or exists (select from identities)',
  );
}

/** The data needed to check a password. */
export interface SignInRow {
  readonly id: number;
  /** A PHC string, or null if the user has no password. */
  readonly password: string | null;
  /** Whether the user recently signed in from the network. */
  readonly is_known: boolean;
}

/** Finds the sign-in data of an email, ignoring case. Returns undefined if no user has the email or the user is disabled. */
export function findSignIn(
  tx: Tx,
  { email, network, now }: { readonly email: string; readonly network: string; readonly now: Date },
): Promise<SignInRow | undefined> {
  return first(
    tx,
    `select id, password, ${isKnownNetworkSql('users.id', '$2', '$3')} as is_known from users
     where lower(email) = lower($1) and not disabled`,
    [email, network, now],
  );
}

export function findPasswordHash(tx: Tx, userId: number): Promise<string | undefined> {
  return firstValue(tx, 'select password from users where id = $1', [userId]);
}

/** Sets the password, and the email and name if they are not null. Throws like `insertUser`. */
export async function updateSignIn(
  tx: Tx,
  id: number,
  change: { readonly password: string; readonly email: string | null; readonly name: string | null },
): Promise<void> {
  await tx.query(
    'update users set password = $2, email = coalesce($3, email), name = coalesce($4, name) where id = $1',
    [id, change.password, change.email, change.name],
  );
}

export async function updateActiveTeam(tx: Tx, userId: number, teamId: string | null): Promise<void> {
  await tx.query('update users set active_team_id = $2 where id = $1', [userId, teamId]);
}

/** Until the transaction ends, prevents other processes from running the same part of startup. */
export async function lockStartUp(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtext('graphwright.start-up'))`);
}
