// Stores the access that users granted to OAuth clients.
import type { Tx } from '../../../store/db.ts';
import { all, first, firstValue, insertRow, type PageRange } from '../../../store/rows.ts';

export interface GrantRow {
  readonly id: string;
  readonly user_id: number;
  readonly client_id: string;
  readonly client_name: string;
  readonly redirect_host: string;
  readonly scopes: readonly string[];
  readonly refused: readonly string[];
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const COLUMNS =
  'id, user_id, client_id, client_name, redirect_host, scopes, refused, created_at, last_used_at';

export function findGrant(tx: Tx, id: string): Promise<GrantRow | undefined> {
  return first(tx, `select ${COLUMNS} from oauth_grants where id = $1`, [id]);
}

/** Returns the user's newest grant to the client with all these scopes and this redirect host. */
export function findGrantTo(
  tx: Tx,
  request: {
    readonly userId: number;
    readonly clientId: string;
    readonly redirectHost: string;
    readonly scopes: readonly string[];
  },
): Promise<GrantRow | undefined> {
  return first(
    tx,
    `select ${COLUMNS} from oauth_grants
     where user_id = $1 and client_id = $2 and redirect_host = $3 and scopes @> $4::text[]
     order by id desc limit 1`,
    [request.userId, request.clientId, request.redirectHost, request.scopes],
  );
}

export function insertGrant(
  tx: Tx,
  grant: Omit<GrantRow, 'last_used_at'> & { readonly has_second_factor: boolean },
): Promise<void> {
  return insertRow(tx, 'oauth_grants', grant);
}

/** Lists a user's grants, newest first. */
export function listGrants(tx: Tx, userId: number, page: PageRange<string>): Promise<readonly GrantRow[]> {
  return all(
    tx,
    `select ${COLUMNS} from oauth_grants
     where user_id = $1 and ($2::text is null or id < $2) order by id desc limit $3`,
    [userId, page.after, page.limit],
  );
}

/** Deletes the grant with all its tokens. */
export async function deleteGrant(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from oauth_grants where id = $1', [id]);
}

/** Deletes a grant of the user with all its tokens. Returns the client's name; undefined if the user has no such grant. */
export function deleteUserGrant(tx: Tx, id: string, userId: number): Promise<string | undefined> {
  return firstValue(tx, 'delete from oauth_grants where id = $1 and user_id = $2 returning client_name', [
    id,
    userId,
  ]);
}

/** Deletes all grants of the user, with their tokens. */
export async function deleteUserGrants(tx: Tx, userId: number): Promise<void> {
  await tx.query('delete from oauth_grants where user_id = $1', [userId]);
}

/**
 * Updates the time of last use of many grants, so that not every request writes. Locks them in order of their ids, so
 * that processes cannot deadlock.
 */
export async function touchGrants(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update oauth_grants g set last_used_at = now()
     from (select id from oauth_grants where id = any ($1::text[]) order by id for no key update) used
     where g.id = used.id`,
    [ids],
  );
}
