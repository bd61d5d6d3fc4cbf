// Reads the figures of the administrators' overview.
import { getFirstIdAt } from '../lib/ids.ts';
import type { Tx } from './db.ts';
import { EXECUTION_STATUSES, type ExecutionStatus } from './executions.ts';
import { all, first, type PageRange } from './rows.ts';

export interface HourCount {
  /** Position in the list of hours. */
  readonly hour: number;
  readonly status: ExecutionStatus;
  readonly count: number;
}

/** Counting stops at this number for each hour and status. */
export const MAX_COUNTED_PER_HOUR = 50_000;

/**
 * Counts runs by the hour in which they were accepted. `startsMs`: the starts of the hours; `toMs`: the end of the last
 * hour.
 */
export function countRunsByHour(
  tx: Tx,
  startsMs: readonly number[],
  toMs: number,
): Promise<readonly HourCount[]> {
  const bounds = [...startsMs, toMs].map(ms => getFirstIdAt('execution', ms));
  return all(
    tx,
    `select (h.position - 1)::int as hour, s.status, c.count::int
     from unnest($1::text[], $2::text[]) with ordinality as h(low, high, position)
       cross join unnest($3::text[]) as s(status)
       cross join lateral (select count(*) from (
         select from executions e where e.status = s.status and e.id collate "C" >= h.low and e.id collate "C" < h.high
         limit ${MAX_COUNTED_PER_HOUR}) r) c
     where c.count > 0`,
    [bounds.slice(0, -1), bounds.slice(1), EXECUTION_STATUSES],
  );
}

export interface SpendingSum {
  readonly credits: number;
  readonly charges: number;
}

/** Sums the charges of a month. `month` is its first day. */
export async function sumSpending(tx: Tx, month: string): Promise<SpendingSum> {
  const row = await first<SpendingSum>(
    tx,
    `select coalesce(sum(credits), 0)::bigint as credits, coalesce(sum(charges), 0)::int as charges
     from spending_months where month = $1::date`,
    [month],
  );
  return row ?? { credits: 0, charges: 0 };
}

/** Lists the most expensive node types. Old charges without a recorded type have the type ''. */
export function listInstanceSpendingByType(
  tx: Tx,
  month: string,
  limit: number,
): Promise<readonly (SpendingSum & { readonly node_type: string })[]> {
  return all(
    tx,
    `select node_type, sum(credits)::bigint as credits, sum(charges)::int as charges
     from spending_months where month = $1::date group by 1 order by credits desc, 1 limit $2`,
    [month, limit],
  );
}

export interface TeamSpending extends SpendingSum {
  /** null for all personal workspaces together. */
  readonly team_id: string | null;
  /** null if the team was deleted. */
  readonly name: string | null;
}

export function listSpendingByTeam(tx: Tx, month: string, limit: number): Promise<readonly TeamSpending[]> {
  return all(
    tx,
    `select s.team_id, t.name, s.credits, s.charges from (
       select case when workspace not like 'user:%' then workspace end as team_id, sum(credits)::bigint as credits,
         sum(charges)::int as charges
       from spending_months where month = $1::date group by 1 order by credits desc, 1 limit $2) s
     left join teams t on t.id = s.team_id order by s.credits desc, s.team_id`,
    [month, limit],
  );
}

export interface UserSpending extends SpendingSum {
  /** 0 if the user is unknown. */
  readonly user_id: number;
  readonly name: string | null;
}

export function listSpendingByUser(tx: Tx, month: string, limit: number): Promise<readonly UserSpending[]> {
  return all(
    tx,
    `select s.user_id, u.name, s.credits, s.charges from (
       select user_id, sum(credits)::bigint as credits, sum(charges)::int as charges
       from spending_months where month = $1::date group by 1 order by credits desc, 1 limit $2) s
     left join users u on u.id = s.user_id order by s.credits desc, s.user_id`,
    [month, limit],
  );
}

export interface OwnKeySpending {
  /** The provider. */
  readonly kind: string;
  readonly usd: number;
  readonly calls: number;
  /** Calls of unknown cost. */
  readonly unpriced_calls: number;
}

/** Lists what calls on workspaces' credentials cost between two dates, by provider, highest first. */
export function listOwnKeySpending(tx: Tx, from: string, to: string): Promise<readonly OwnKeySpending[]> {
  return all(
    tx,
    `select c.kind, coalesce(sum(s.usd), 0)::float8 as usd, sum(s.calls)::int as calls,
       sum(s.unpriced_calls)::int as unpriced_calls
     from credentials c cross join lateral (
       select sum(h.usd) as usd, count(*) as calls, count(*) filter (where h.usd is null) as unpriced_calls
       from credential_charges h
       where h.credential_id = c.id and h.created_at >= $1::date::timestamp at time zone 'UTC'
         and h.created_at < $2::date::timestamp at time zone 'UTC') s
     where c.workspace is not null and s.calls > 0
     group by 1 order by usd desc, 1`,
    [from, to],
  );
}

export interface LowBalance {
  /** null for a personal workspace. */
  readonly team_id: string | null;
  readonly user_id: number | null;
  readonly name: string;
  readonly balance: number;
}

/** Lists workspaces that spent credits since that month and whose balance is lower than `below`, lowest first. */
export function listLowBalances(
  tx: Tx,
  sinceMonth: string,
  below: number,
  limit: number,
): Promise<readonly LowBalance[]> {
  return all(
    tx,
    `select t.id as team_id, u.id as user_id, coalesce(t.name, u.name) as name, p.balance
     from (select distinct workspace from spending_months where month >= $1::date) s
     join credit_pools p using (workspace)
     left join teams t on t.id = p.workspace
     left join users u on u.id = case when p.workspace like 'user:%' then substr(p.workspace, 6)::int end
       and not u.disabled
     where p.balance < $2 and (t.id is not null or u.id is not null)
     order by p.balance, p.workspace limit $3`,
    [sinceMonth, below, limit],
  );
}

export interface Sizes {
  readonly database_bytes: number;
  /** Media of all accounts, with open uploads. */
  readonly media_bytes: number;
}

export async function findSizes(tx: Tx): Promise<Sizes> {
  const row = await first<Sizes>(
    tx,
    `select pg_database_size(current_database()) as database_bytes,
       ((select coalesce(sum(bytes), 0) from storage_usage) - (select coalesce(sum(bytes), 0) from batches)
         - (select coalesce(sum(bytes), 0) from tables))::bigint as media_bytes`,
  );
  return row ?? { database_bytes: 0, media_bytes: 0 };
}

export interface InstanceTeam {
  readonly id: string;
  readonly name: string;
  readonly members: number;
  /** The names of at most three owners. */
  readonly owners: readonly string[];
  readonly balance: number;
  readonly held: number;
  readonly spent: number;
  /** In credits, for all runs of a day (UTC); null if there is no limit. */
  readonly daily_budget: number | null;
  readonly spent_today: number;
  readonly created_at: Date;
}

/** Lists teams by id, with their spending in the month. `query` matches a part of the name. */
export function listInstanceTeams(
  tx: Tx,
  query: string | null,
  month: string,
  page: PageRange<string>,
): Promise<readonly InstanceTeam[]> {
  return all(
    tx,
    `select t.id, t.name, t.created_at, coalesce(p.balance, 0)::bigint as balance, coalesce(p.held, 0)::bigint as held,
       (select count(*)::int from team_members m where m.team_id = t.id) as members,
       array(select u.name from team_members m join users u on u.id = m.user_id
         where m.team_id = t.id and m.role = 'OWNER' order by m.created_at limit 3) as owners,
       (select coalesce(sum(s.credits), 0)::bigint from spending_months s
         where s.month = $2::date and s.workspace = t.id) as spent,
       p.daily_budget, (select coalesce(sum(r.charged + r.held), 0)::bigint from run_credits r
         where r.workspace = t.id and r.created_at >= date_trunc('day', now(), 'UTC')) as spent_today
     from teams t left join credit_pools p on p.workspace = t.id
     where ($1::text is null or strpos(lower(t.name), lower($1)) > 0) and ($3::text is null or t.id > $3)
     order by t.id limit $4`,
    [query, month, page.after, page.limit],
  );
}
