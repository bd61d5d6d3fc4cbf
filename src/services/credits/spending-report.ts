// Reports the spending of a workspace, or of the instance, in a period by team, member, key, workflow, model, provider or credential.
import Papa from 'papaparse';
import { type Static, Type } from 'typebox';
import { AppError, createFieldError } from '../../lib/errors.ts';
import { findDisplayName } from '../../providers/names.ts';
import { NO_KEY } from '../../store/spenders.ts';
import {
  type Costs,
  type GroupCosts,
  type GroupName,
  listDayCosts,
  listGroupCosts,
  listGroupNames,
  SPENDING_GROUPS,
  type SpendingGroup,
  type SpendingPeriod,
  sumCosts,
} from '../../store/spending-groups.ts';
import { getWorkspaceId } from '../accounts/access.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import { getActiveWorkspace } from '../accounts/teams.ts';
import type { Deps } from '../deps.ts';
import { Named, Nullable } from '../schema.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;
const MAX_ROWS = 1000;
const MAX_CSV_ROWS = 10_000;

const Day = Type.String({ format: 'date', maxLength: 10 });
const Filter = Type.Optional(Type.String({ maxLength: 200 }));

/** `key` is the id of an API key, or `none` for runs without one. */
const FILTERS = {
  member: Filter,
  key: Filter,
  workflow: Filter,
  model: Filter,
  provider: Filter,
  credential: Filter,
};

/** `null` as a filter selects what was not recorded. */
const NOT_RECORDED = 'null';
const WITHOUT_KEY = 'none';

export const ReportQuery = Type.Object({
  groupBy: Type.Optional(Type.Enum(SPENDING_GROUPS)),
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  format: Type.Optional(Type.Enum(['json', 'csv'])),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ROWS, default: 100 })),
  ...FILTERS,
});
export const InstanceReportQuery = Type.Object({
  ...ReportQuery.properties,
  team: Filter,
});
export type InstanceReportQuery = Static<typeof InstanceReportQuery>;

const COSTS = {
  credits: Type.Integer(),
  usd: Type.Number({ description: "Known cost in USD of calls with the workspace's own credentials" }),
  calls: Type.Integer({
    description: 'Charges of nodes, and calls with own credentials',
  }),
  runs: Type.Integer(),
};

export const SpendingReport = Named('SpendingReport', 'What runs cost in a period, by group', {
  teamId: Nullable(Type.String()),
  groupBy: Type.Enum(SPENDING_GROUPS),
  from: Day,
  to: Day,
  total: Type.Object(COSTS),
  data: Type.Array(
    Type.Object({
      key: Nullable(Type.String({ description: 'Null if it was not recorded' })),
      label: Type.String(),
      ...COSTS,
    }),
    { description: 'Most expensive first' },
  ),
  others: Type.Object(COSTS, { description: 'The groups beyond `limit`. `runs` is not known' }),
  days: Type.Array(Type.Object({ date: Day, credits: Type.Integer(), usd: Type.Number() })),
});
export type SpendingReport = Static<typeof SpendingReport>;

export interface CsvFile {
  readonly name: string;
  readonly text: string;
}

/** Returns the spending of the active workspace. Throws 400 for an invalid period. */
export async function readSpendingReport(
  deps: Deps,
  actor: Actor,
  query: Omit<InstanceReportQuery, 'team'>,
): Promise<SpendingReport | CsvFile> {
  const user = requireScope(actor, 'account:admin');
  const active = await getActiveWorkspace(deps.db, user);
  return readReport(deps, query, { workspace: getWorkspaceId(active), teamId: active.team_id });
}

/** Returns the spending of all workspaces. Throws 400 for an invalid period. */
export async function readInstanceSpending(
  deps: Deps,
  actor: Actor,
  query: InstanceReportQuery,
): Promise<SpendingReport | CsvFile> {
  requireScope(actor, 'instance:admin');
  return readReport(deps, query, { workspace: null, teamId: null });
}

interface Scope {
  /** null: all workspaces. */
  readonly workspace: string | null;
  readonly teamId: string | null;
}

async function readReport(
  deps: Deps,
  query: InstanceReportQuery,
  { workspace, teamId }: Scope,
): Promise<SpendingReport | CsvFile> {
  const { groupBy = 'model', format = 'json' } = query;
  const { from, to, days: dates } = parsePeriod(deps.now(), query);
  const period = {
    workspace,
    from: new Date(from),
    to: new Date(Date.parse(to) + DAY_MS),
    filters: parseFilters(query),
  };
  const limit = format === 'csv' ? MAX_CSV_ROWS : (query.limit ?? 100);
  const [groups, total, days] = await Promise.all([
    listGroupCosts(deps.db, period, groupBy, limit),
    sumCosts(deps.db, period),
    format === 'csv' ? [] : listDayCosts(deps.db, period),
  ]);
  const getLabel = await createLabels(deps, groupBy, groups, workspace === null);
  const data = groups.map(group => ({
    ...group,
    key: group.key === NO_KEY ? WITHOUT_KEY : group.key,
    label: getLabel(group.key),
  }));
  const others = subtract(total, groups);
  if (format === 'csv') return toCsv(`spending-by-${groupBy}-${from}-${to}.csv`, data, others);
  const byDate = new Map(days.map(day => [day.date, day]));
  return {
    teamId,
    groupBy,
    from,
    to,
    total,
    data,
    others,
    days: dates.map(date => byDate.get(date) ?? { date, credits: 0, usd: 0 }),
  };
}

/** Returns the days of the period, by default those of this month (UTC). */
function parsePeriod(nowMs: number, query: Pick<InstanceReportQuery, 'from' | 'to'>) {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const to = query.to ?? today;
  const from = query.from ?? `${to.slice(0, 8)}01`;
  for (const [name, text] of Object.entries({ from, to }))
    if (Number.isNaN(Date.parse(text)))
      throw createFieldError(`/${name}`, 'must be a date such as 2026-01-31');
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (count < 1) throw createFieldError('/to', 'must not be before from');
  if (count > MAX_DAYS)
    throw new AppError(
      'invalid_request',
      `The period must have at most ${MAX_DAYS} days. Send a later from.`,
    );
  const days = Array.from({ length: count }, (_, index) =>
    new Date(Date.parse(from) + index * DAY_MS).toISOString().slice(0, 10),
  );
  return { from, to, days };
}

function parseFilters(query: InstanceReportQuery): SpendingPeriod['filters'] {
  const filters: Partial<Record<SpendingGroup, string | null>> = {};
  for (const group of SPENDING_GROUPS) {
    const value = query[group];
    if (value === undefined) continue;
    if (value === NOT_RECORDED) filters[group] = null;
    else filters[group] = group === 'key' && value === WITHOUT_KEY ? NO_KEY : value;
  }
  return filters;
}

/** Returns the costs of the groups that are not listed. A run may be in several groups, so their number is not known. */
const subtract = (total: Costs, groups: readonly Costs[]): Costs => {
  const rest = (cost: 'credits' | 'usd' | 'calls'): number =>
    total[cost] - groups.reduce((sum, group) => sum + group[cost], 0);
  return {
    credits: rest('credits'),
    usd: rest('calls') === 0 ? 0 : Math.max(0, rest('usd')),
    calls: rest('calls'),
    runs: 0,
  };
};

const NOUNS: Readonly<Record<SpendingGroup, string>> = {
  team: 'workspace',
  member: 'member',
  key: 'API key',
  workflow: 'workflow',
  model: 'model',
  provider: 'provider',
  credential: 'credential',
};

const ENVIRONMENT_KEY = /^cred_environment_([a-z]+)(?:_(.+))?$/;

/** Returns a function that names groups. Only administrators see the names of credentials of the instance. */
async function createLabels(
  deps: Deps,
  group: SpendingGroup,
  groups: readonly GroupCosts[],
  isInstance: boolean,
): Promise<(key: string | null) => string> {
  const keys = groups.flatMap(({ key }) => key ?? []);
  const names =
    group === 'model' || group === 'provider'
      ? new Map<string, GroupName>()
      : new Map((await listGroupNames(deps.db, group, keys)).map(row => [row.key, row]));
  return key => {
    if (key === null) return 'Not recorded';
    if (group === 'model') return deps.catalog.find(key)?.label ?? `Removed model (${key})`;
    if (group === 'provider') return findDisplayName(key) ?? key;
    if (key === NO_KEY) return 'Without an API key';
    const environment = group === 'credential' ? ENVIRONMENT_KEY.exec(key) : null;
    if (environment !== null) return describeShared(environment[1] ?? '', environment[2]);
    const row = names.get(key);
    if (row?.shared_kind != null && !isInstance) return describeShared(row.shared_kind, undefined);
    if (row?.name == null) return `Deleted ${NOUNS[group]}`;
    const isPersonal = group === 'team' && key.startsWith('user:');
    const name = isPersonal ? `Personal workspace of ${row.name}` : row.name;
    return row.is_deleted ? `${name} (deleted)` : name;
  };
}

const describeShared = (kind: string, server: string | undefined): string =>
  `${findDisplayName(kind) ?? kind} key of the instance${server === undefined ? '' : ` (${server})`}`;

type ReportRow = SpendingReport['data'][number];

function toCsv(name: string, rows: readonly ReportRow[], others: Costs): CsvFile {
  const all = others.calls === 0 ? rows : [...rows, { key: '', label: 'Others', ...others }];
  const lines = all.map(({ key, label, credits, usd, calls, runs }) => [
    key ?? '',
    label,
    credits,
    usd,
    calls,
    runs,
  ]);
  const header = ['key', 'label', 'credits', 'usd', 'calls', 'runs'];
  return { name, text: `${Papa.unparse([header, ...lines], { escapeFormulae: true, newline: '\r\n' })}\r\n` };
}
