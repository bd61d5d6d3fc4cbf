// Stores what calls cost on the credentials of workspaces, which may have daily limits.
import type { CallKey } from './calls.ts';
import type { Tx } from './db.ts';
import { all, first, insertRow } from './rows.ts';

export interface CredentialCharge extends CallKey {
  readonly credential_id: string;
  readonly workspace: string;
  /** Who started the run; null if that was not recorded. */
  readonly user_id: number | null;
  /** The API key that started the run; empty if none did, null if that was not recorded. */
  readonly key_id: string | null;
  readonly workflow_id: string;
  readonly node_type: string;
  /** null if the cost is unknown. */
  readonly usd: number | null;
}

/** A credential's daily limit and the cost of its calls today (UTC), in USD. */
export interface DailyUsd {
  readonly limit: number | null;
  readonly spent: number;
}

const SPENT_TODAY = `coalesce((
  select sum(h.usd) from credential_charges h
  where h.credential_id = c.id and h.created_at >= date_trunc('day', now(), 'UTC')), 0)::float8`;

/** Returns the credential's spending. Until the transaction ends, other transactions cannot reserve on the credential. */
export async function lockDailyUsd(tx: Tx, credentialId: string): Promise<DailyUsd | undefined> {
  await tx.query('select from credentials where id = $1 for no key update', [credentialId]);
  // A separate statement, because it must see reservations that were committed while the previous statement waited.
  return first(
    tx,
    `select c.daily_usd_limit::float8 as limit, ${SPENT_TODAY} as spent from credentials c where c.id = $1`,
    [credentialId],
  );
}

export async function listDailyUsd(
  tx: Tx,
  credentialIds: readonly string[],
): Promise<ReadonlyMap<string, DailyUsd>> {
  const rows = await all<DailyUsd & { readonly id: string }>(
    tx,
    `select c.id, c.daily_usd_limit::float8 as limit, ${SPENT_TODAY} as spent
     from credentials c where c.id = any ($1::text[]) and c.daily_usd_limit is not null`,
    [credentialIds],
  );
  return new Map(rows.map(row => [row.id, row]));
}

/** Reserves the cost of a call. If the call is repeated after a crash, replaces its reservation. */
export function insertCharge(tx: Tx, charge: CredentialCharge): Promise<void> {
  return insertRow(
    tx,
    'credential_charges',
    charge,
    'on conflict (execution_id, node_id, item) do update set usd = excluded.usd',
  );
}

export interface ChargeChange extends CallKey {
  /** null if the cost is unknown. */
  readonly usd: number | null;
  /** Whether the call cost nothing. */
  readonly is_free: boolean;
}

/** Replaces reservations with the actual costs, and deletes the reservations of free calls. */
export async function settleCharges(tx: Tx, changes: readonly ChargeChange[]): Promise<void> {
  await tx.query(
    `with input as (
       select * from json_to_recordset($1::json) as i(execution_id text, node_id text, item int, usd numeric, is_free bool)
     ), freed as (
       delete from credential_charges c using input i
       where i.is_free and c.execution_id = i.execution_id and c.node_id = i.node_id and c.item = i.item
     )
     update credential_charges c set usd = i.usd from input i
     where not i.is_free and c.execution_id = i.execution_id and c.node_id = i.node_id and c.item = i.item`,
    [JSON.stringify(changes)],
  );
}

export interface CredentialSpending {
  readonly credential_id: string;
  readonly name: string;
  readonly kind: string;
  readonly usd: number;
  readonly calls: number;
  /** Calls of unknown cost. */
  readonly unpriced_calls: number;
}

/** Lists the workspace's credentials with the cost of their calls, the most expensive first. */
export function listCredentialSpending(
  tx: Tx,
  { workspace, from }: { readonly workspace: string; readonly from: Date },
  limit: number,
): Promise<readonly CredentialSpending[]> {
  return all(
    tx,
    `select c.id as credential_id, c.name, c.kind, s.usd, s.calls, s.unpriced_calls from (
       select credential_id, coalesce(sum(usd), 0)::float8 as usd, count(*)::int as calls,
         (count(*) filter (where usd is null))::int as unpriced_calls
       from credential_charges where workspace = $1 and created_at >= $2
       group by 1 order by 2 desc, 1 limit $3) s
     join credentials c on c.id = s.credential_id order by s.usd desc, c.id`,
    [workspace, from, limit],
  );
}
