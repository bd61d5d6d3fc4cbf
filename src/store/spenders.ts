// Stores the monthly limits of those who spend credits: members of teams and API keys.
import type { Tx } from './db.ts';
import { all, firstNumber, firstValue, matches } from './rows.ts';

/** Who a run spends for. */
export interface Spender {
  readonly userId: number;
  /** The API key that started the run. */
  readonly keyId: string | null;
}

/** The columns of an automation that say whose limits its runs spend. */
export interface SpenderColumns {
  /** Who created the automation, or last changed what it runs. Null: who created it. */
  readonly spender_id: number | null;
  /** The API key with which this was done. */
  readonly key_id: string | null;
}

export const toSpenderColumns = ({ userId, keyId }: Spender): SpenderColumns => ({
  spender_id: userId,
  key_id: keyId,
});

/** Returns whose limits the runs of an automation spend. */
export const getSpender = ({
  user_id,
  spender_id,
  key_id,
}: SpenderColumns & { readonly user_id: number }): Spender => ({
  userId: spender_id ?? user_id,
  keyId: key_id,
});

/** A spender together with the workspace that pays. */
export interface PayingSpender extends Spender {
  readonly workspace: string;
}

/** How the ledger writes that no API key started a run. */
export const NO_KEY = '';

export interface SpenderLimit {
  /** `member` limits what a person spends in one team, `key` what an API key spends in all workspaces. */
  readonly kind: 'member' | 'key';
  /** The id of the key, or the team and the user. */
  readonly owner: string;
  /** The user that the limit applies to, or whose key it is. */
  readonly user_id: number;
  /** The name of the member, or of the API key. */
  readonly name: string;
  readonly team_id: string | null;
  readonly team_name: string | null;
  readonly limit: number;
  /** Credits charged to and reserved for the runs that were accepted in the month. */
  readonly spent: number;
  readonly charged: number;
}

export const getMemberOwner = (teamId: string, userId: number): string => `${teamId} ${userId}`;

/** SQL: the first day of this month (UTC). */
export const MONTH_NOW = `date_trunc('month', now() at time zone 'UTC')::date`;

/**
 * Selects the limits that apply to the rows of `spenders (month, workspace, user_id, key_id)`, each with the credits spent in the
 * month.
 */
const SELECT_LIMITS = `
  select s.month, 'member' as kind, m.team_id || ' ' || m.user_id as owner, m.user_id, u.name, t.id as team_id, t.name as team_name,
    m.monthly_credits as "limit", coalesce(x.spent, 0)::bigint as spent, coalesce(x.charged, 0)::bigint as charged
  from (select distinct month, workspace, user_id from spenders) s
  join member_limits m on m.team_id = s.workspace and m.user_id = s.user_id
  join users u on u.id = m.user_id join teams t on t.id = m.team_id
  cross join lateral (select sum(n.spent) as spent, sum(n.charged) as charged from spender_months n
    where n.month = s.month and n.workspace = m.team_id and n.user_id = m.user_id) x
  union all
  select s.month, 'key', k.id, k.user_id, k.name, null, null, k.monthly_credits, coalesce(x.spent, 0)::bigint,
    coalesce(x.charged, 0)::bigint
  from (select distinct month, key_id from spenders where key_id <> '') s
  join api_keys k on k.id = s.key_id and k.monthly_credits is not null
  cross join lateral (select sum(n.spent) as spent, sum(n.charged) as charged from spender_months n
    where n.month = s.month and n.key_id = k.id and n.key_id <> '') x`;

/**
 * Lists the limits that apply to the spenders in this month (UTC). With `lock`, no other transaction spends on the limits until
 * this one ends; the pools must be locked before, which is enough for members.
 */
export async function listLimits(
  tx: Tx,
  spenders: readonly PayingSpender[],
  lock: 'lock' | 'read',
): Promise<readonly SpenderLimit[]> {
  if (lock === 'lock') await lockKeys(tx, spenders);
  return all(
    tx,
    `with spenders as (
       select ${MONTH_NOW} as month, workspace, "userId" as user_id, coalesce("keyId", '') as key_id
       from json_to_recordset($1::json) as i(workspace text, "userId" int, "keyId" text)
     ) ${SELECT_LIMITS}`,
    [JSON.stringify(spenders)],
  );
}

/** Locks the keys with a limit. A key may spend the credits of several workspaces, so their pools do not lock it. */
async function lockKeys(tx: Tx, spenders: readonly Spender[]): Promise<void> {
  const ids = [...new Set(spenders.flatMap(({ keyId }) => keyId ?? []))];
  if (ids.length === 0) return;
  await tx.query(
    `select from api_keys where id = any ($1::text[]) and monthly_credits is not null order by id for no key update`,
    [ids],
  );
}

const SPENDERS_OF_RUNS = `
  select distinct date_trunc('month', created_at at time zone 'UTC')::date as month, workspace, user_id, key_id
  from run_credits where execution_id = any ($1::text[]) and user_id is not null`;

/** Lists the limits that apply to a run, in the month in which it was accepted, and locks them like `listLimits`. */
export async function lockLimitsOfRun(tx: Tx, executionId: string): Promise<readonly SpenderLimit[]> {
  const keyId = await firstValue<string>(
    tx,
    `select key_id from run_credits where execution_id = $1 and key_id <> ''`,
    [executionId],
  );
  if (keyId !== undefined) await lockKeys(tx, [{ userId: 0, keyId }]);
  return all(tx, `with spenders as (${SPENDERS_OF_RUNS}) ${SELECT_LIMITS}`, [[executionId]]);
}

export interface ReachedLimit extends SpenderLimit {
  /** The highest share of the limit that was not reached before. */
  readonly percent: number;
}

/**
 * Returns the limits of which the runs have now charged 50%, 80% or 100%, each share once a month. Call it in the transaction of
 * the charges.
 */
export function claimReachedLimits(
  tx: Tx,
  executionIds: readonly string[],
): Promise<readonly ReachedLimit[]> {
  return all(
    tx,
    `with spenders as (${SPENDERS_OF_RUNS}), limits as (${SELECT_LIMITS}), reached as (
       select l.month, l.owner, p.percent from limits l cross join (values (50), (80), (100)) p(percent)
       where l.charged * 100 >= l."limit" * p.percent order by 1, 2, 3
     ), claimed as (
       insert into limit_notices (month, owner, percent) select * from reached on conflict do nothing returning *
     )
     select l.*, c.percent from limits l
     join (select month, owner, max(percent) as percent from claimed group by 1, 2) c using (month, owner)`,
    [executionIds],
  );
}

/** Returns whether the limit refused no run in this month before, and had not been reached. */
export function claimRefusedLimit(tx: Tx, owner: string): Promise<boolean> {
  return matches(
    tx,
    `with old as (delete from limit_notices where month < ${MONTH_NOW} - interval '2 months')
     insert into limit_notices (month, owner, percent) values (${MONTH_NOW}, $1, 100) on conflict do nothing`,
    [owner],
  );
}

/** Returns the credits charged to and reserved for the user's runs in the workspace that were accepted this month (UTC). */
export function findSpentThisMonth(tx: Tx, workspace: string, userId: number): Promise<number> {
  return firstNumber(
    tx,
    `select coalesce(sum(spent), 0)::bigint as spent from spender_months
     where month = ${MONTH_NOW} and workspace = $1 and user_id = $2`,
    [workspace, userId],
  );
}
