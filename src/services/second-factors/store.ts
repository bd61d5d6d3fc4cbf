// Stores second factors and challenges.
import type { Tx } from '../../store/db.ts';
import { all, first, firstValue, insertRow, matches } from '../../store/rows.ts';

/** The factors that a user has set up. */
export interface FactorsRow {
  readonly has_totp: boolean;
  readonly passkeys: number;
  readonly recovery_codes: number;
}

export async function countFactors(tx: Tx, userId: number): Promise<FactorsRow> {
  return (await first<FactorsRow>(
    tx,
    `select exists (select from totp_secrets where user_id = $1 and secret is not null) as has_totp,
       (select count(*)::int from passkeys where user_id = $1) as passkeys,
       (select count(*)::int from recovery_codes where user_id = $1) as recovery_codes`,
    [userId],
  )) as FactorsRow;
}

export interface TotpRow {
  readonly secret: Buffer | null;
  readonly pending: Buffer | null;
}

export function findTotp(tx: Tx, userId: number): Promise<TotpRow | undefined> {
  return first(tx, 'select secret, pending from totp_secrets where user_id = $1', [userId]);
}

/** Stores a secret that no code has confirmed. Keeps the current one. */
export function upsertPendingTotp(
  tx: Tx,
  totp: { readonly id: string; readonly user_id: number; readonly pending: Buffer },
): Promise<void> {
  const onConflict = 'on conflict (user_id) do update set pending = excluded.pending';
  return insertRow(tx, 'totp_secrets', totp, onConflict);
}

/** Makes the pending secret the current one. Returns false if another secret is pending by now. */
export function confirmTotp(tx: Tx, userId: number, pending: Buffer, step: number): Promise<boolean> {
  return matches(
    tx,
    `update totp_secrets set secret = pending, pending = null, last_step = $3 where user_id = $1 and pending = $2`,
    [userId, pending, step],
  );
}

/** Marks the code of a time step as used. Returns false if it, or a newer one, was used before. */
export function spendTotpStep(tx: Tx, userId: number, secret: Buffer, step: number): Promise<boolean> {
  return matches(
    tx,
    `update totp_secrets set last_step = $3 where user_id = $1 and secret = $2 and (last_step is null or last_step < $3)`,
    [userId, secret, step],
  );
}

export function deleteTotp(tx: Tx, userId: number): Promise<boolean> {
  return matches(tx, 'delete from totp_secrets where user_id = $1 and secret is not null', [userId]);
}

export interface PasskeyRow {
  readonly id: string;
  readonly user_id: number;
  readonly credential_id: string;
  readonly public_key: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly name: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const PASSKEY =
  'select id, user_id, credential_id, public_key, counter::float8 as counter, transports, name, created_at, last_used_at from passkeys';

export function listPasskeys(tx: Tx, userId: number): Promise<readonly PasskeyRow[]> {
  return all(tx, `${PASSKEY} where user_id = $1 order by id`, [userId]);
}

export function findPasskey(tx: Tx, credentialId: string): Promise<PasskeyRow | undefined> {
  return first(tx, `${PASSKEY} where credential_id = $1`, [credentialId]);
}

/** Stores a passkey unless the user has the maximum number. Throws a unique violation if it is already registered. */
export function insertPasskey(
  tx: Tx,
  passkey: Omit<PasskeyRow, 'last_used_at'>,
  maxPasskeys: number,
): Promise<boolean> {
  const { id, user_id, credential_id, public_key, counter, transports, name, created_at } = passkey;
  return matches(
    tx,
    `with owner as (select id from users where id = $2 for no key update)
     insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
     select $1, id, $3, $4, $5, $6, $7, $8 from owner
     where (select count(*) from passkeys where user_id = $2) < $9`,
    [id, user_id, credential_id, public_key, counter, transports, name, created_at, maxPasskeys],
  );
}

/** Records a use. Returns false if another use has counted as far, as with a copied authenticator. */
export function countPasskeyUse(tx: Tx, id: string, counter: number, at: Date): Promise<boolean> {
  return matches(
    tx,
    `update passkeys set counter = $2, last_used_at = $3 where id = $1 and (counter < $2 or ($2 = 0 and counter = 0))`,
    [id, counter, at],
  );
}

export function deletePasskey(tx: Tx, id: string, userId: number): Promise<boolean> {
  return matches(tx, 'delete from passkeys where id = $1 and user_id = $2', [id, userId]);
}

export async function replaceRecoveryCodes(tx: Tx, userId: number, hashes: readonly Buffer[]): Promise<void> {
  await tx.query('delete from recovery_codes where user_id = $1', [userId]);
  await tx.query('insert into recovery_codes (user_id, hash) select $1, unnest($2::bytea[])', [
    userId,
    hashes,
  ]);
}

/** Deletes the code. Returns false if the user has no such code. */
export function deleteRecoveryCode(tx: Tx, userId: number, hash: Buffer): Promise<boolean> {
  return matches(tx, 'delete from recovery_codes where user_id = $1 and hash = $2', [userId, hash]);
}

/** Deletes all factors, also from what the user's sessions and connections have proved. */
export async function deleteFactors(tx: Tx, userId: number): Promise<void> {
  for (const table of ['totp_secrets', 'passkeys', 'recovery_codes', 'factor_challenges'])
    await tx.query(`delete from ${table} where user_id = $1`, [userId]);
  for (const table of ['sessions', 'oauth_grants'])
    await tx.query(`update ${table} set has_second_factor = false where user_id = $1 and has_second_factor`, [
      userId,
    ]);
}

/** Ends sign-ins and confirmations of the user that have begun. */
export async function deleteUserChallenges(tx: Tx, userId: number): Promise<void> {
  await tx.query('delete from factor_challenges where user_id = $1', [userId]);
}

/** What a challenge is for: the second step of a sign-in, a sign-in by passkey alone, a confirmation, or a new passkey. */
export type ChallengeKind = 'second factor' | 'passkey' | 'confirmation' | 'registration';

export interface ChallengeRow {
  readonly user_id: number | null;
  readonly password_hash: string | null;
}

export interface NewChallenge extends ChallengeRow {
  readonly hash: Buffer;
  readonly kind: ChallengeKind;
  /** The client's network if it is known to the account, else null. */
  readonly network: string | null;
  readonly expires_at: Date;
}

export function insertChallenge(tx: Tx, challenge: NewChallenge): Promise<void> {
  return insertRow(tx, 'factor_challenges', challenge);
}

/**
 * Stores a challenge of a user, unless as many that expire after `since` were not completed, from the same network or from all
 * unknown ones.
 */
export function insertUserChallenge(
  tx: Tx,
  { hash, kind, user_id, password_hash, network, expires_at }: NewChallenge,
  { since, max }: { readonly since: Date; readonly max: number },
): Promise<boolean> {
  return matches(
    tx,
    `with owner as (select id from users where id = $3 for no key update)
     insert into factor_challenges (hash, kind, user_id, password_hash, network, expires_at)
     select $1, $2, id, $4, $5, $6 from owner
     where (select count(*) from factor_challenges
            where user_id = $3 and kind = $2 and expires_at > $7 and network is not distinct from $5) < $8`,
    [hash, kind, user_id, password_hash, network, expires_at, since, max],
  );
}

/** Counts a try. Returns undefined if there is no such challenge, it has expired, or it had all of its tries. */
export function tryChallenge(
  tx: Tx,
  hash: Buffer,
  {
    kinds,
    now,
    maxTries,
  }: { readonly kinds: readonly ChallengeKind[]; readonly now: Date; readonly maxTries: number },
): Promise<(ChallengeRow & { readonly kind: ChallengeKind }) | undefined> {
  return first(
    tx,
    `update factor_challenges set tries = tries + 1
     where hash = $1 and kind = any ($2::text[]) and expires_at > $3 and tries < $4
     returning kind, user_id, password_hash`,
    [hash, kinds, now, maxTries],
  );
}

/** Uses up the challenge. Returns false if another request did. */
export function deleteChallenge(tx: Tx, hash: Buffer): Promise<boolean> {
  return matches(tx, 'delete from factor_challenges where hash = $1', [hash]);
}

export function findTeamRequiringFactor(tx: Tx, userId: number): Promise<string | undefined> {
  return firstValue(
    tx,
    `select t.name from team_members m join teams t on t.id = m.team_id
     where m.user_id = $1 and t.requires_second_factor order by t.id limit 1`,
    [userId],
  );
}
