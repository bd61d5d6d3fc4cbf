// Sums what runs cost in a period by team, member, key, workflow, model, provider or credential.
import type { Tx } from './db.ts';
import { all } from './rows.ts';

/** How costs can be grouped and filtered, with the column of the ledger. */
const COLUMNS = {
  team: 'workspace',
  member: 'user_id::text',
  key: 'key_id',
  workflow: 'workflow_id',
  model: 'node_type',
  provider: 'provider',
  credential: 'credential_id',
} as const;

export type SpendingGroup = keyof typeof COLUMNS;
export const SPENDING_GROUPS = Object.keys(COLUMNS) as SpendingGroup[];

/** The providers of own credentials are not recorded with their calls. */
const CREDENTIAL_COLUMNS = {
  ...COLUMNS,
  provider: '(select k.kind from credentials k where k.id = c.credential_id)',
} as const;

export interface SpendingPeriod {
  /** The workspace that pays; null for all. */
  readonly workspace: string | null;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  /** Only costs with these values; null for costs whose value was not recorded. */
  readonly filters: Partial<Readonly<Record<SpendingGroup, string | null>>>;
}

/** Costs in credits, and in USD for calls that were billed to own credentials. */
export interface Costs {
  readonly credits: number;
  readonly usd: number;
  /** Charges, each of calls of a node that were delivered together, and calls with own credentials. */
  readonly calls: number;
  readonly runs: number;
}

export interface GroupCosts extends Costs {
  readonly key: string | null;
}

interface Built {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Builds the costs of the period: one row per charge. */
function buildCosts({ workspace, from, to, filters }: SpendingPeriod, group: SpendingGroup | 'none'): Built {
  const values: unknown[] = [from, to];
  const addValue = (value: unknown): string => `$${values.push(value)}`;
  const conditions: (readonly [SpendingGroup, string])[] = [];
  if (workspace !== null) conditions.push(['team', `= ${addValue(workspace)}`]);
  for (const name of SPENDING_GROUPS) {
    const value = filters[name];
    if (value !== undefined) conditions.push([name, value === null ? 'is null' : `= ${addValue(value)}`]);
  }
  const build = (table: string, columns: Readonly<Record<SpendingGroup, string>>, costs: string): string =>
    `select ${group === 'none' ? 'null::text' : columns[group]} as key, c.execution_id, c.created_at, ${costs} from ${table} c
     where c.created_at >= $1 and c.created_at < $2${table === 'credit_entries' ? ` and c.kind = 'charge'` : ''}
     ${conditions.map(([name, condition]) => `and ${columns[name]} ${condition}`).join(' ')}`;
  return {
    sql: `${build('credit_entries', COLUMNS, 'c.amount as credits, 0::numeric as usd')}
      union all
      ${build('credential_charges', CREDENTIAL_COLUMNS, '0::bigint, coalesce(c.usd, 0)')}`,
    values,
  };
}

/** Lists the most expensive groups. */
export function listGroupCosts(
  tx: Tx,
  period: SpendingPeriod,
  group: SpendingGroup,
  limit: number,
): Promise<readonly GroupCosts[]> {
  const { sql, values } = buildCosts(period, group);
  return all(
    tx,
    `select key, sum(credits)::bigint as credits, sum(usd)::float8 as usd, sum(calls)::int as calls, count(*)::int as runs
     from (select key, execution_id, sum(credits) as credits, sum(usd) as usd, count(*) as calls
       from (${sql}) costs group by 1, 2) runs
     group by 1 order by 2 desc, 3 desc, 1 limit $${values.length + 1}`,
    [...values, limit],
  );
}

/** Returns the costs of all groups together. Counts each run once. */
export async function sumCosts(tx: Tx, period: SpendingPeriod): Promise<Costs> {
  const { sql, values } = buildCosts(period, 'none');
  const [total] = await all<Costs>(
    tx,
    `select coalesce(sum(credits), 0)::bigint as credits, coalesce(sum(usd), 0)::float8 as usd,
       coalesce(sum(calls), 0)::int as calls, count(*)::int as runs
     from (select execution_id, sum(credits) as credits, sum(usd) as usd, count(*) as calls from (${sql}) costs group by 1) runs`,
    values,
  );
  return total ?? { credits: 0, usd: 0, calls: 0, runs: 0 };
}

export interface DayCosts {
  readonly date: string;
  readonly credits: number;
  readonly usd: number;
}

/** Lists the costs by UTC day. Days without costs are absent. */
export function listDayCosts(tx: Tx, period: SpendingPeriod): Promise<readonly DayCosts[]> {
  const { sql, values } = buildCosts(period, 'none');
  return all(
    tx,
    `select to_char(day, 'YYYY-MM-DD') as date, credits, usd from (
       select (created_at at time zone 'UTC')::date as day, sum(credits)::bigint as credits, sum(usd)::float8 as usd
       from (${sql}) costs group by 1) days order by 1`,
    values,
  );
}

/** The names of what is grouped, and whether it was deleted. */
const SELECT_NAMES = {
  team: `select k.key, coalesce(t.name, u.name) as name, t.id is null and (u.id is null or u.deleted_at is not null) as is_deleted
    from keys k left join teams t on t.id = k.key
    left join users u on u.id = case when k.key ~ '^user:[0-9]{1,9}$' then substr(k.key, 6)::int end`,
  member: `select k.key, u.name, u.id is null or u.deleted_at is not null as is_deleted
    from keys k left join users u on u.id = case when k.key ~ '^[0-9]{1,9}$' then k.key::int end`,
  key: `select k.key, a.name || ' (' || u.name || ')' as name, a.id is null or a.revoked_at is not null as is_deleted
    from keys k left join api_keys a on a.id = k.key left join users u on u.id = a.user_id`,
  workflow: `select k.key, coalesce(w.name, a.settings::json->>'title') as name,
      (w.id is null or w.deleted_at is not null) and a.id is null as is_deleted
    from keys k left join workflows w on w.id = k.key left join apps a on a.id = k.key`,
  credential: `select k.key, c.name, c.id is null or c.removed_at is not null as is_deleted,
      case when c.workspace is null then c.kind end as shared_kind
    from keys k left join credentials c on c.id = k.key`,
} as const;

export type NamedGroup = keyof typeof SELECT_NAMES;

export interface GroupName {
  readonly key: string;
  readonly name: string | null;
  readonly is_deleted: boolean;
  /** The provider of a credential of the instance. */
  readonly shared_kind?: string | null;
}

export function listGroupNames(
  tx: Tx,
  group: NamedGroup,
  keys: readonly string[],
): Promise<readonly GroupName[]> {
  return all(tx, `with keys as (select unnest($1::text[]) as key) ${SELECT_NAMES[group]}`, [keys]);
}
