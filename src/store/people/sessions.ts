// Stores sessions, as hashes of their cookies, and the networks from which users signed in.
import type { Tx } from '../db.ts';
import { all, first, firstValue, matches, type PageRange } from '../rows.ts';

/** A session lasts at most 30 days, and 7 days without use. */
export const SESSION_MS = 30 * 86_400_000;
const IDLE = "interval '7 days'";

/** The columns of a session and its user that a request needs. */
export interface SessionRow {
  readonly id: string;
  readonly user_id: number;
  readonly plan: string;
  readonly is_admin: boolean;
  /** When the user last proved their identity. */
  readonly proved_at: Date;
  readonly has_second_factor: boolean;
  /** The user's teams that require a second factor, if the session has none. */
  readonly closed_teams: readonly string[];
  /** The end of the session's maximum duration or of its idle time, whichever is earlier. */
  readonly ends_at: Date;
}

/** Returns the session and its user, or undefined if the session is unknown or has ended, or the user is disabled. */
export function findSessionByHash(tx: Tx, hash: Buffer, now: Date): Promise<SessionRow | undefined> {
  return first(
    tx,
    `select s.id, s.user_id, u.plan, u.is_admin, coalesce(s.proved_at, s.created_at) as proved_at, s.has_second_factor,
       ${listClosedTeamsSql('s.user_id', 's.has_second_factor')} as closed_teams, least(s.expires_at, s.last_seen_at + ${IDLE}) as ends_at
     from sessions s join users u on u.id = s.user_id
     where s.hash = $1 and s.expires_at > $2 and s.last_seen_at + ${IDLE} > $2 and not u.disabled`,
    [hash, now],
  );
}

/** What was known about the browser of a new session before it. */
export interface NewSession {
  /** Whether the user had signed in before, and not in this browser. */
  readonly is_new_browser: boolean;
}

/** The most browsers of an account that are known. */
const MAX_BROWSERS = 100;

/**
 * Stores a session. Returns undefined if the user is disabled or `passwordHash` is no longer the current one. Locks the user's
 * row, so that a concurrent password change either ends this session or is seen here.
 */
export function insertSession(
  tx: Tx,
  session: {
    readonly id: string;
    readonly userId: number;
    readonly hash: Buffer;
    readonly userAgent: string | null;
    readonly ipAddress: string;
    readonly createdAt: Date;
    readonly expiresAt: Date;
    /** null if the user did not sign in with a password. */
    readonly passwordHash: string | null;
    readonly authenticatedAt: Date;
    readonly network: string;
    readonly hasSecondFactor: boolean;
    /** The hash of the browser's cookie. */
    readonly browserHash: Buffer;
  },
): Promise<NewSession | undefined> {
  // The last select sees the rows as they were before the statement.
  return first(
    tx,
    `with new_session as (
       insert into sessions (id, user_id, hash, user_agent, address, created_at, last_seen_at, expires_at, proved_at, has_second_factor)
       select $1, id, $3, $4, $5, $6, $6, $7, $9, $11 from users
       where id = $2 and not disabled and ($8::text is null or password = $8)
       for share
       returning user_id),
     network as (
       insert into sign_in_networks as n (user_id, network, seen_at) select user_id, $10, $6 from new_session
       on conflict (user_id, network) do update set seen_at = greatest(n.seen_at, excluded.seen_at)),
     browser as (
       insert into known_browsers as b (user_id, hash, seen_at) select user_id, $12, $6 from new_session
       on conflict (user_id, hash) do update set seen_at = greatest(b.seen_at, excluded.seen_at)),
     forgotten as (
       delete from known_browsers b using new_session
       where b.user_id = new_session.user_id and b.hash in (
         select o.hash from known_browsers o where o.user_id = $2 and o.hash <> $12 order by o.seen_at desc offset ${MAX_BROWSERS - 1}))
     select case
       when exists (select from known_browsers where user_id = $2)
         then not exists (select from known_browsers where user_id = $2 and hash = $12)
       -- The account has not signed in since browsers are known.
       else exists (select from sign_in_networks where user_id = $2) and not ${isKnownNetworkSql('$2', '$10', '$6')}
     end as is_new_browser from new_session`,
    [
      session.id,
      session.userId,
      session.hash,
      session.userAgent,
      session.ipAddress,
      session.createdAt,
      session.expiresAt,
      session.passwordHash,
      session.authenticatedAt,
      session.network,
      session.hasSecondFactor,
      session.browserHash,
    ],
  );
}

export interface ListedSession {
  readonly id: string;
  readonly user_agent: string | null;
  readonly address: string;
  readonly created_at: Date;
  readonly last_seen_at: Date;
  readonly expires_at: Date;
}

/** Lists active sessions, newest first, before the cursor. */
export function listSessions(
  tx: Tx,
  userId: number,
  now: Date,
  page: PageRange<string>,
): Promise<readonly ListedSession[]> {
  return all(
    tx,
    `select id, user_agent, address, created_at, last_seen_at, expires_at from sessions
     where user_id = $1 and ($2::text is null or id < $2) and expires_at > $4 and last_seen_at + ${IDLE} > $4
     order by id desc limit $3`,
    [userId, page.after, page.limit, now],
  );
}

/** Returns the session, or undefined if the user has no such session. */
export function findSession(
  tx: Tx,
  id: string,
  userId: number,
): Promise<{ readonly expires_at: Date } | undefined> {
  return first(tx, 'select expires_at from sessions where id = $1 and user_id = $2', [id, userId]);
}

/** Ends the session and returns its hash, or undefined if the user has no such session. */
export function deleteSession(tx: Tx, id: string, userId: number): Promise<Buffer | undefined> {
  return firstValue(tx, 'delete from sessions where id = $1 and user_id = $2 returning hash', [id, userId]);
}

export async function deleteUserSessions(tx: Tx, userId: number): Promise<void> {
  await tx.query('delete from sessions where user_id = $1', [userId]);
}

/**
 * Updates the time of last use in batches, so that requests write nothing. Ordered, so that processes cannot deadlock.
 */
export async function touchSessions(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  await tx.query(
    `update sessions s set last_seen_at = greatest(s.last_seen_at, $2)
     from (select id from sessions where id = any ($1::text[]) order by id for no key update) used
     where s.id = used.id`,
    [ids, now],
  );
}

/** How the user of a session can prove their identity, and when the user last proved it. */
export interface ProofRow {
  readonly proved_at: Date;
  readonly has_password: boolean;
  /** Whether the user is linked to an identity at an OpenID provider. */
  readonly has_identity: boolean;
  readonly has_second_factor: boolean;
  readonly has_totp: boolean;
  readonly passkeys: number;
  readonly recovery_codes: number;
}

/** Returns undefined if the session has ended. */
export function findProof(tx: Tx, id: string): Promise<ProofRow | undefined> {
  return first(
    tx,
    `select coalesce(s.proved_at, s.created_at) as proved_at, s.has_second_factor, u.password is not null as has_password,
       exists (select from identities i where i.user_id = u.id) as has_identity,
       exists (select from totp_secrets t where t.user_id = u.id and t.secret is not null) as has_totp,
       (select count(*)::int from passkeys p where p.user_id = u.id) as passkeys,
       (select count(*)::int from recovery_codes c where c.user_id = u.id) as recovery_codes
     from sessions s join users u on u.id = s.user_id where s.id = $1`,
    [id],
  );
}

/** Records that the user has proved their identity. Returns the session's hash, or undefined if the session has ended. */
export function recordProof(tx: Tx, id: string, at: Date, byFactor: boolean): Promise<Buffer | undefined> {
  return firstValue(
    tx,
    `update sessions set proved_at = greatest(coalesce(proved_at, created_at), $2),
       has_second_factor = has_second_factor or $3
     where id = $1 returning hash`,
    [id, at, byFactor],
  );
}

/** Builds the SQL condition that the user has set up a second factor. */
export const hasFactorSql = (userId: string): string =>
  `(exists (select from totp_secrets where user_id = ${userId} and secret is not null)
    or exists (select from passkeys where user_id = ${userId}))`;

/** Builds the SQL that lists the teams whose second factor the user has not proved, as an array. */
export const listClosedTeamsSql = (userId: string, hasFactor: string): string =>
  `case when ${hasFactor} then '{}' else array(
     select t.id from team_members m join teams t on t.id = m.team_id
     where m.user_id = ${userId} and t.requires_second_factor) end`;

/** For how many days a network is known after a sign-in from it. */
export const KNOWN_DAYS = 30;

/** Returns the SQL condition that the user recently signed in from the network. */
export const isKnownNetworkSql = (userId: string, network: string, now: string): string =>
  `exists (select from sign_in_networks n where n.user_id = ${userId} and n.network = ${network}
     and n.seen_at > ${now}::timestamptz - interval '${KNOWN_DAYS} days')`;

export function knowsNetwork(tx: Tx, userId: number, network: string, now: Date): Promise<boolean> {
  return matches(tx, `select where ${isKnownNetworkSql('$1::int', '$2::text', '$3')}`, [
    userId,
    network,
    now,
  ]);
}
