// Stores the tokens of the authorization server, as hashes.
import type { Tx } from '../../../store/db.ts';
import { hasFactorSql, listClosedTeamsSql } from '../../../store/people/sessions.ts';
import { first, matches } from '../../../store/rows.ts';

export const TOKEN_KINDS = ['AccessToken', 'RefreshToken', 'AuthorizationCode'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

export interface TokenRow {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly consumed_at: Date | null;
}

export interface TokenKey {
  readonly kind: TokenKind;
  readonly hash: Buffer;
}

/** Returns the token, or undefined if it is unknown or expired. */
export function findToken(tx: Tx, { kind, hash }: TokenKey, now: Date): Promise<TokenRow | undefined> {
  return first(
    tx,
    'select payload, consumed_at from oauth_tokens where hash = $1 and kind = $2 and expires_at > $3',
    [hash, kind, now],
  );
}

/** Stores the token, unless the grant no longer exists. */
export async function insertToken(
  tx: Tx,
  token: TokenKey & {
    readonly grantId: string;
    readonly payload: Readonly<Record<string, unknown>>;
    readonly expiresAt: Date;
  },
): Promise<void> {
  await tx.query(
    `insert into oauth_tokens (hash, kind, grant_id, payload, expires_at)
     select $1, $2, id, $4, $5 from oauth_grants where id = $3 for key share`,
    [token.hash, token.kind, token.grantId, JSON.stringify(token.payload), token.expiresAt],
  );
}

/** Marks the token as used. Returns false if it was already used or no longer exists. */
export function consumeToken(tx: Tx, { kind, hash }: TokenKey, now: Date): Promise<boolean> {
  return matches(
    tx,
    'update oauth_tokens set consumed_at = $3 where hash = $1 and kind = $2 and consumed_at is null',
    [hash, kind, now],
  );
}

export async function deleteToken(tx: Tx, { kind, hash }: TokenKey): Promise<void> {
  await tx.query('delete from oauth_tokens where hash = $1 and kind = $2', [hash, kind]);
}

export async function deleteGrantTokens(tx: Tx, grantId: string, kind: TokenKind): Promise<void> {
  await tx.query('delete from oauth_tokens where grant_id = $1 and kind = $2', [grantId, kind]);
}

export interface AccessTokenRow {
  readonly grant_id: string;
  readonly user_id: number;
  readonly plan: string;
  readonly has_second_factor: boolean;
  /** The user's teams that require a second factor, if the user has none. */
  readonly closed_teams: readonly string[];
  /** Separated by spaces. */
  readonly scope: string | null;
  readonly expires_at: Date;
}

/** Returns an access token with its user, or undefined if the token is unknown or expired or the user is disabled. */
export function findAccessToken(tx: Tx, hash: Buffer, now: Date): Promise<AccessTokenRow | undefined> {
  return first(
    tx,
    `select t.grant_id, g.user_id, u.plan, t.payload->>'scope' as scope, t.expires_at, f.has_second_factor,
       ${listClosedTeamsSql('u.id', 'f.has_second_factor')} as closed_teams
     from oauth_tokens t join oauth_grants g on g.id = t.grant_id join users u on u.id = g.user_id,
       lateral (select g.has_second_factor or ${hasFactorSql('u.id')} as has_second_factor) f
     where t.hash = $1 and t.kind = 'AccessToken' and t.expires_at > $2 and not u.disabled`,
    [hash, now],
  );
}
