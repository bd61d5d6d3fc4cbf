// Reports the state of the instance for administrators: health, recent runs, spending of the month, low balances, disk.
import { Type } from 'typebox';
import { readVersion } from '../../lib/version.ts';
import { findDisplayName } from '../../providers/names.ts';
import { recordRead } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import {
  countRunsByHour,
  findSizes,
  type HourCount,
  listInstanceSpendingByType,
  listLowBalances,
  listOwnKeySpending,
  listSpendingByTeam,
  listSpendingByUser,
  MAX_COUNTED_PER_HOUR,
  type OwnKeySpending,
  type SpendingSum,
  sumSpending,
} from '../../store/overview.ts';
import { readServerVersion } from '../../store/server-version.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import { findLastBackup } from '../backups/store/backup-record.ts';
import type { Deps } from '../deps.ts';
import { readDiskSpace } from '../disk-space.ts';
import { presentColumns } from '../present-columns.ts';
import { checkReadiness } from '../readiness.ts';
import { Named, Nullable, Timestamp } from '../schema.ts';
import { LastBackup } from './backups.ts';

const Count = Type.Integer({ minimum: 0 });
const Usd = Type.Number({ minimum: 0, description: 'Without calls of unknown cost' });
const Spending = { credits: Count, charges: Count };
const MonthStart = Type.String({ format: 'date', description: 'First day of the month (UTC)' });

export const OverviewResponse = Named('Overview', 'The state of the instance', {
  version: Type.String({ description: 'Version of Graphwright' }),
  health: Type.Object(
    { database: Type.String(), queue: Type.String(), storage: Type.String() },
    { description: '`ok`, or what is wrong, by part' },
  ),
  database: Type.Object({
    version: Nullable(Type.String({ description: 'Version of PostgreSQL' })),
    bytes: Count,
  }),
  storage: Type.Object({
    kind: Type.Enum(['disk', 'bucket']),
    mediaBytes: Count,
    disk: Nullable(
      Type.Object(
        { freeBytes: Count, totalBytes: Count },
        { description: 'The disk of DATA_DIR; null if it cannot be read' },
      ),
    ),
  }),
  lastBackup: Nullable(LastBackup),
  runs: Type.Object({
    hours: Type.Array(
      Type.Object({
        from: Timestamp,
        completed: Count,
        failed: Type.Integer({ minimum: 0, description: 'FAILED or TIMEOUT' }),
        cancelled: Count,
        active: Type.Integer({ minimum: 0, description: 'Not ended' }),
      }),
      { description: 'Runs of the last 24 hours by the hour in which they were accepted, oldest first' },
    ),
    completed: Count,
    failed: Count,
    cancelled: Count,
    active: Count,
    isCut: Type.Boolean({ description: 'Whether there were more runs than were counted' }),
  }),
  spending: Type.Object({
    month: MonthStart,
    total: Count,
    lastMonth: Count,
    users: Type.Array(
      Type.Object({ userId: Nullable(Type.Integer()), name: Nullable(Type.String()), ...Spending }),
      { description: 'Who started the runs, most expensive first, at most 10' },
    ),
    teams: Type.Array(
      Type.Object({ teamId: Nullable(Type.String()), name: Nullable(Type.String()), ...Spending }),
      { description: 'Most expensive first, at most 10. `teamId` null: all personal workspaces' },
    ),
    models: Type.Array(
      Type.Object({
        nodeType: Nullable(
          Type.String({ description: 'Null for charges made before the type was recorded' }),
        ),
        label: Nullable(Type.String({ description: 'Null if the type is not in the catalog' })),
        provider: Nullable(Type.String()),
        ...Spending,
      }),
      { description: 'Most expensive first, at most 10' },
    ),
    providers: Type.Array(
      Type.Object({ name: Nullable(Type.String()), label: Nullable(Type.String()), ...Spending }),
      {
        description: 'Most expensive first. `name` null: no provider, or a model that is no longer known',
      },
    ),
    ownKeys: Type.Object(
      {
        costUsd: Usd,
        lastMonthUsd: Usd,
        providers: Type.Array(
          Type.Object({
            name: Type.String(),
            label: Nullable(Type.String()),
            costUsd: Usd,
            calls: Count,
            unpricedCalls: Type.Integer({ minimum: 0, description: 'Calls of unknown cost' }),
          }),
          { description: 'Most expensive first' },
        ),
      },
      { description: "Calls that were billed to workspaces' own credentials, in USD. They cost no credits" },
    ),
  }),
  lowBalances: Type.Array(
    Type.Object({
      teamId: Nullable(Type.String()),
      userId: Nullable(Type.Integer()),
      name: Type.String(),
      balance: Count,
    }),
    { description: 'Teams and users that spent credits this or last month and have fewer than 500 left' },
  ),
});

const HOURS = 24;
const HOUR_MS = 3_600_000;
const MAX_LISTED = 10;
/** Providers are summed over this many node types; the catalog has far fewer. */
const MAX_TYPES = 2000;
const LOW_BALANCE = 500;

/** Returns the state of the instance. Throws 401 without the scope `instance:admin`. */
export async function readOverview(deps: Deps, actor: Actor) {
  const admin = requireScope(actor, 'instance:admin');
  await recordRead(deps.db, admin, { what: 'the spending of all accounts' });
  const nowMs = deps.now();
  const [{ parts }, sizes, version, lastBackup, disk] = await Promise.all([
    checkReadiness(deps),
    findSizes(deps.db),
    readServerVersion(deps.db),
    findLastBackup(deps.db),
    readDiskSpace(deps.settings.DATA_DIR),
  ]);
  // The queries run in sequence, so that they need only one connection.
  const [runs, spending, lowBalances] = await deps.db.inSequence(async tx => [
    await countRuns(tx, nowMs),
    await readSpending(deps, tx, nowMs),
    await listLowBalances(tx, getMonthStart(nowMs, -1), LOW_BALANCE, MAX_LISTED),
  ]);
  const { database = '', queue = '', storage = '' } = parts;
  return {
    version: readVersion(),
    health: { database, queue, storage },
    database: { version: version ?? null, bytes: sizes.database_bytes },
    storage: {
      kind: deps.bucket === undefined ? ('disk' as const) : ('bucket' as const),
      mediaBytes: sizes.media_bytes,
      disk: disk ?? null,
    },
    lastBackup: lastBackup ?? null,
    runs,
    spending,
    lowBalances: lowBalances.map(row => presentColumns(row, 'team_id user_id name balance')),
  };
}

type Outcome = 'completed' | 'failed' | 'cancelled' | 'active';

const OUTCOME_BY_STATUS: Readonly<Record<HourCount['status'], Outcome>> = {
  QUEUED: 'active',
  RUNNING: 'active',
  WAITING: 'active',
  CANCELLING: 'active',
  COMPLETED: 'completed',
  FAILED: 'failed',
  TIMEOUT: 'failed',
  CANCELLED: 'cancelled',
};

async function countRuns(tx: Tx, nowMs: number) {
  const firstMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS;
  const starts = Array.from({ length: HOURS }, (_, hour) => firstMs + hour * HOUR_MS);
  const counts = await countRunsByHour(tx, starts, firstMs + HOURS * HOUR_MS);
  const byHour = Map.groupBy(counts, ({ hour }) => hour);
  return {
    hours: starts.map((ms, hour) => ({
      from: new Date(ms).toISOString(),
      ...sumByOutcome(byHour.get(hour) ?? []),
    })),
    ...sumByOutcome(counts),
    isCut: counts.some(({ count }) => count >= MAX_COUNTED_PER_HOUR),
  };
}

function sumByOutcome(counts: readonly HourCount[]): Readonly<Record<Outcome, number>> {
  const sums = { completed: 0, failed: 0, cancelled: 0, active: 0 };
  for (const { status, count } of counts) sums[OUTCOME_BY_STATUS[status]] += count;
  return sums;
}

/** Returns the first day of the month (UTC) that is `offset` months after the month of the time. */
export function getMonthStart(nowMs: number, offset = 0): string {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)).toISOString().slice(0, 10);
}

async function readSpending(deps: Deps, tx: Tx, nowMs: number) {
  const month = getMonthStart(nowMs);
  const types = await listInstanceSpendingByType(tx, month, MAX_TYPES);
  const models = types.map(({ node_type, ...spent }) => ({
    nodeType: node_type === '' ? null : node_type,
    label: deps.catalog.find(node_type)?.label ?? null,
    provider: findProvider(deps, node_type) ?? null,
    ...spent,
  }));
  return {
    month,
    total: (await sumSpending(tx, month)).credits,
    lastMonth: (await sumSpending(tx, getMonthStart(nowMs, -1))).credits,
    users: (await listSpendingByUser(tx, month, MAX_LISTED)).map(({ user_id, ...rest }) => ({
      userId: user_id === 0 ? null : user_id,
      ...rest,
    })),
    teams: (await listSpendingByTeam(tx, month, MAX_LISTED)).map(({ team_id, ...rest }) => ({
      teamId: team_id,
      ...rest,
    })),
    models: models.slice(0, MAX_LISTED),
    providers: sumProviders(models),
    ownKeys: await readOwnKeys(tx, nowMs),
  };
}

async function readOwnKeys(tx: Tx, nowMs: number) {
  const [lastMonth, month, nextMonth] = [
    getMonthStart(nowMs, -1),
    getMonthStart(nowMs),
    getMonthStart(nowMs, 1),
  ];
  const spent = await listOwnKeySpending(tx, month, nextMonth);
  const sumUsd = (rows: readonly OwnKeySpending[]): number => rows.reduce((sum, { usd }) => sum + usd, 0);
  return {
    costUsd: sumUsd(spent),
    lastMonthUsd: sumUsd(await listOwnKeySpending(tx, lastMonth, month)),
    providers: spent.map(({ kind, usd, calls, unpriced_calls }) => ({
      name: kind,
      label: findDisplayName(kind) ?? null,
      costUsd: usd,
      calls,
      unpricedCalls: unpriced_calls,
    })),
  };
}

/** Returns the provider that a node type calls with its default config; undefined if it calls none. */
function findProvider({ findNode }: Pick<Deps, 'findNode'>, nodeType: string): string | undefined {
  const requirement = findNode(nodeType)?.requires({});
  return requirement !== undefined && findDisplayName(requirement) !== undefined ? requirement : undefined;
}

function sumProviders(models: readonly (SpendingSum & { readonly provider: string | null })[]) {
  const sums = [...Map.groupBy(models, ({ provider }) => provider)].map(([name, group]) => ({
    name,
    label: name === null ? null : (findDisplayName(name) ?? null),
    credits: group.reduce((sum, { credits }) => sum + credits, 0),
    charges: group.reduce((sum, { charges }) => sum + charges, 0),
  }));
  return sums.sort((a, b) => b.credits - a.credits);
}
