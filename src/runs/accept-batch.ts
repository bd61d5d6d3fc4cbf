// Accepts many runs in one commit. Each is stored with its idempotency key, job and reservation, or not at all. Runs
// that cannot be paid for are rejected individually, in order of arrival.
import type { Step } from '../engine/types.ts';
import { isId } from '../lib/ids.ts';
import {
  type Budgeted,
  type DailySpending,
  insertReservations,
  type LockedPool,
  listSpentToday,
  lockApps,
  lockPools,
} from '../store/credits.ts';
import type { Db, Tx } from '../store/db.ts';
import { listUsedKeys } from '../store/executions.ts';
import type { IdempotencyClaim, NewRun, RunRow, RunSpec } from '../store/runs.ts';
import { countUnderWay, insertRunModels, insertRuns } from '../store/runs.ts';
import { createInitialTransition } from './lifecycle.ts';
import { createWorkspaceSlots, type WorkspaceSlots } from './policy.ts';

export interface NewAcceptance {
  readonly spec: RunSpec;
  readonly trigger: string;
  readonly steps: readonly Step[];
  readonly idempotency: IdempotencyClaim | null;
  /** The worker of this process if it has a slot for the run. */
  readonly workerId: string | null;
  /** The credits to reserve for a run that may cost. */
  readonly credits: number;
  /** The paid node types that the run may call. */
  readonly models: readonly string[];
  /** Whether the workflow has a daily budget that applies to the run. */
  readonly hasBudget: boolean;
  /** The workspace whose credits are reserved. */
  readonly payer: string;
}

export type Accepted =
  /** The new run. */
  | { readonly row: RunRow }
  /** Another run of the last 24 hours used the idempotency key. */
  | { readonly isRepeated: true }
  | { readonly rejection: Rejection };

export type Rejection =
  | { readonly code: 'insufficient_credits'; readonly balance: number }
  | {
      readonly code: 'daily_budget_exceeded';
      readonly of: 'workflow' | 'workspace';
      readonly budget: number;
      readonly spent: number;
    }
  /** The app has spent or reserved its daily credits. */
  | { readonly code: 'app_limit_reached' };

/** Accepts the runs in one statement or, if any of them may cost, in one transaction that reserves their credits. */
export async function acceptBatch(
  db: Db,
  items: readonly NewAcceptance[],
  maxConcurrent: number,
): Promise<readonly Accepted[]> {
  const admission = await countFreeSlots(db, items, maxConcurrent);
  const needsTransaction = items.some(({ spec, models }) => spec.is_paid || models.length > 0);
  return needsTransaction
    ? db.transaction(tx => acceptAll(tx, items, admission))
    : acceptAll(db, items, admission);
}

async function acceptAll(
  tx: Tx,
  items: readonly NewAcceptance[],
  admission: WorkspaceSlots,
): Promise<readonly Accepted[]> {
  const paidRuns = items.filter(({ spec }) => spec.is_paid);
  const unaccepted =
    paidRuns.length === 0 ? new Map<NewAcceptance, Accepted>() : await findUnaccepted(tx, paidRuns);
  const runs = items.filter(item => !unaccepted.has(item)).map(item => toNewRun(item, admission));
  const storedIds = runs.length === 0 ? new Set<string>() : await insertRuns(tx, runs);
  const payable = paidRuns.filter(({ spec }) => storedIds.has(spec.id));
  if (payable.length > 0) await insertReservations(tx, payable.map(toReservation));
  const usesModels = items.filter(({ spec, models }) => models.length > 0 && storedIds.has(spec.id));
  if (usesModels.length > 0) await insertRunModels(tx, usesModels.map(toModels));
  const rows = new Map(runs.filter(({ row }) => storedIds.has(row.id)).map(({ row }) => [row.id, { row }]));
  return items.map(item => unaccepted.get(item) ?? rows.get(item.spec.id) ?? { isRepeated: true });
}

/**
 * Counts the active runs of the workspaces. Not part of the transaction, so several processes together may exceed a
 * workspace's limit by a few runs.
 */
async function countFreeSlots(
  db: Db,
  items: readonly NewAcceptance[],
  maxConcurrent: number,
): Promise<WorkspaceSlots> {
  const workspaces = new Set(
    items.filter(({ workerId }) => workerId !== null).map(({ spec }) => spec.workspace),
  );
  if (workspaces.size === 0) return NO_SLOTS;
  const loads = await countUnderWay(db, [...workspaces], maxConcurrent);
  // A new run must not overtake a deferred run of its workspace.
  const adjustedLoads = loads.map(load => (load.has_parked ? { ...load, under_way: maxConcurrent } : load));
  return createWorkspaceSlots(adjustedLoads, maxConcurrent);
}

const NO_SLOTS: WorkspaceSlots = { tryClaim: () => false };

function toNewRun(
  { spec, trigger, steps, idempotency, workerId }: NewAcceptance,
  admission: WorkspaceSlots,
): NewRun {
  const canStart = workerId !== null && admission.tryClaim(spec.workspace);
  const { row, effects } = createInitialTransition({ spec, steps, workerId: canStart ? workerId : null });
  return { row, trigger, steps, idempotency, has_job: effects.some(({ kind }) => kind === 'queue') };
}

const toModels = ({ spec, models }: NewAcceptance) => ({ executionId: spec.id, models });

function toReservation({ spec, credits, payer }: NewAcceptance) {
  const appId = toAppId(spec);
  // Whoever pays for a run of another workspace does not learn of its workflow.
  const workflowId = payer === spec.workspace ? spec.workflow_id : (appId ?? '');
  return { executionId: spec.id, workspace: payer, workflowId, appId, amount: credits };
}

const toAppId = ({ origin_id }: NewAcceptance['spec']): string | null =>
  origin_id !== null && isId('app', origin_id) ? origin_id : null;

/** Finds the runs that are not accepted. Locks the credit pools, so that other processes wait for this commit. */
async function findUnaccepted(
  tx: Tx,
  paidRuns: readonly NewAcceptance[],
): Promise<ReadonlyMap<NewAcceptance, Accepted>> {
  const pools = await lockPools(tx, [...new Set(paidRuns.map(({ payer }) => payer))]);
  // After the pools, as everywhere, so that transactions cannot deadlock.
  const appIds = new Set(paidRuns.flatMap(({ spec }) => toAppId(spec) ?? []));
  if (appIds.size > 0) await lockApps(tx, [...appIds]);
  const workflowIds = new Set(paidRuns.filter(item => item.hasBudget).map(({ spec }) => spec.workflow_id));
  const budgeted = [...pools].flatMap(([workspace, pool]) => (pool.daily_budget === null ? [] : [workspace]));
  const listSpent = async (of: Budgeted, ids: Iterable<string>) => {
    const list = [...ids];
    return list.length === 0 ? new Map<string, DailySpending>() : listSpentToday(tx, of, list);
  };
  const spending = {
    workflows: await listSpent('workflow', workflowIds),
    apps: await listSpent('app', appIds),
    workspaces: await listSpent('workspace', budgeted),
  };
  const repeated = await listRepeated(tx, paidRuns);
  const fresh = paidRuns.filter(item => !repeated.has(item));
  const rejections = findRejections(fresh, pools, spending);
  return new Map<NewAcceptance, Accepted>([
    ...Array.from(repeated, item => [item, { isRepeated: true }] as const),
    ...Array.from(rejections, ([item, rejection]) => [item, { rejection }] as const),
  ]);
}

interface Spending {
  readonly workflows: ReadonlyMap<string, DailySpending>;
  readonly apps: ReadonlyMap<string, DailySpending>;
  readonly workspaces: ReadonlyMap<string, DailySpending>;
}

/** Rejects, in order, each run that costs more than the credits or the daily limits that the runs before it leave. */
function findRejections(
  items: readonly NewAcceptance[],
  pools: ReadonlyMap<string, LockedPool>,
  spending: Spending,
): ReadonlyMap<NewAcceptance, Rejection> {
  const remaining = new Map(Array.from(pools, ([id, { balance }]) => [id, balance]));
  // The ids of workflows, apps and workspaces differ.
  const spent = new Map(
    Array.from([...spending.workflows, ...spending.apps, ...spending.workspaces], ([id, day]) => [
      id,
      day.spent,
    ]),
  );
  const rejections = new Map<NewAcceptance, Rejection>();
  for (const item of items) {
    const { workflow_id } = item.spec;
    const appId = toAppId(item.spec) ?? '';
    const balance = remaining.get(item.payer) ?? 0;
    const spentBefore = spent.get(workflow_id) ?? 0;
    const budget = item.hasBudget ? (spending.workflows.get(workflow_id)?.budget ?? null) : null;
    const spentByApp = spent.get(appId) ?? 0;
    const appBudget = spending.apps.get(appId)?.budget ?? null;
    const spentByPayer = spent.get(item.payer) ?? 0;
    const payerBudget = spending.workspaces.get(item.payer)?.budget ?? null;
    if (item.credits > balance) rejections.set(item, { code: 'insufficient_credits', balance });
    else if (budget !== null && spentBefore + item.credits > budget)
      rejections.set(item, { code: 'daily_budget_exceeded', of: 'workflow', budget, spent: spentBefore });
    else if (appBudget !== null && spentByApp + item.credits > appBudget)
      rejections.set(item, { code: 'app_limit_reached' });
    else if (payerBudget !== null && spentByPayer + item.credits > payerBudget)
      rejections.set(item, toBudgetRejection(item, payerBudget, spentByPayer));
    else {
      remaining.set(item.payer, balance - item.credits);
      if (item.hasBudget) spent.set(workflow_id, spentBefore + item.credits);
      if (appBudget !== null) spent.set(appId, spentByApp + item.credits);
      if (payerBudget !== null) spent.set(item.payer, spentByPayer + item.credits);
    }
  }
  return rejections;
}

/** Returns the rejection of a run whose payer has spent its daily budget, which is nobody else's business. */
function toBudgetRejection({ payer, spec }: NewAcceptance, budget: number, spent: number): Rejection {
  if (payer !== spec.workspace) return { code: 'app_limit_reached' };
  return { code: 'daily_budget_exceeded', of: 'workspace', budget, spent };
}

/** Lists runs whose key is in use by an earlier run or by another run of the batch. They consume no credits. */
async function listRepeated(tx: Tx, items: readonly NewAcceptance[]): Promise<ReadonlySet<NewAcceptance>> {
  const keyed = items.filter(({ idempotency }) => idempotency !== null);
  if (keyed.length === 0) return new Set();
  const keys = keyed.map(({ spec, idempotency }) => ({
    userId: spec.user_id,
    workflowId: spec.workflow_id,
    route: idempotency?.route ?? '',
    key: idempotency?.key ?? '',
  }));
  const usedKeys = await listUsedKeys(tx, keys);
  const repeated = new Set<NewAcceptance>();
  for (const [index, item] of keyed.entries()) {
    const name = JSON.stringify(Object.values(keys[index] ?? {}));
    if (usedKeys.has(name)) repeated.add(item);
    usedKeys.add(name);
  }
  return repeated;
}
