// Accepts many runs in one commit. Each run is stored with its idempotency key, job and reservation, or not at all. A run
// that cannot be paid for is rejected without affecting other runs. Credits are reserved in the order of the requests.
import type { Step } from '../../engine/types.ts';
import { isId } from '../../lib/ids.ts';
import { isTeamWorkspace } from '../../services/accounts/access.ts';
import { notifyRefusedLimit } from '../../services/credits/limit-notices.ts';
import {
  type BudgetOwner,
  type DailySpending,
  insertReservations,
  type LockedPool,
  listSpendingToday,
  lockApps,
  lockPools,
  type Reservation,
} from '../../store/credits.ts';
import type { Db, Tx } from '../../store/db.ts';
import { listUsedKeys } from '../../store/executions.ts';
import type { IdempotencyUse, NewRun, RunRow, RunSpec } from '../../store/runs.ts';
import { countActiveRuns, insertRunModels, insertRuns } from '../../store/runs.ts';
import { getMemberOwner, listLimits, type Spender, type SpenderLimit } from '../../store/spenders.ts';
import { lockVersions } from '../../store/workflows/versions.ts';
import { createWorkspaceSlots, type WorkspaceSlots } from '../slots/policy.ts';
import { createInitialTransition } from './lifecycle.ts';

export interface RunToAccept {
  readonly spec: RunSpec;
  readonly trigger: string;
  readonly steps: readonly Step[];
  readonly idempotency: IdempotencyUse | null;
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
  /** Whose monthly limits the run spends. */
  readonly spender: Spender;
  /** Whether the version is not the current one, so that the cleanup may be deleting the version. */
  readonly isOldVersion: boolean;
}

export type AcceptResult =
  | { readonly kind: 'accepted'; readonly row: RunRow }
  /** Another run of the last 24 hours used the idempotency key. */
  | { readonly kind: 'repeated' }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

export type Rejection =
  | { readonly code: 'insufficient_credits'; readonly balance: number }
  | {
      readonly code: 'daily_budget_exceeded';
      readonly owner: 'workflow' | 'workspace';
      readonly budget: number;
      readonly spent: number;
    }
  /** The app has spent or reserved its daily credits. */
  | { readonly code: 'app_limit_reached' }
  | { readonly code: 'member_limit_exceeded' | 'key_limit_exceeded'; readonly limit: SpenderLimit }
  /** The version of the workflow was deleted meanwhile. */
  | { readonly code: 'not_found' };

/** Accepts the runs in one statement, or in one transaction if credits, models or old versions are involved. */
export async function acceptGroup(
  db: Db,
  items: readonly RunToAccept[],
  maxConcurrent: number,
): Promise<readonly AcceptResult[]> {
  const slots = await loadWorkspaceSlots(db, items, maxConcurrent);
  const needsTransaction = items.some(
    ({ spec, models, isOldVersion }) => spec.is_paid || models.length > 0 || isOldVersion,
  );
  return needsTransaction ? db.transaction(tx => acceptAll(tx, items, slots)) : acceptAll(db, items, slots);
}

async function acceptAll(
  tx: Tx,
  items: readonly RunToAccept[],
  slots: WorkspaceSlots,
): Promise<readonly AcceptResult[]> {
  const paidRuns = items.filter(({ spec }) => spec.is_paid);
  const unaccepted = new Map<RunToAccept, AcceptResult>([
    ...(paidRuns.length === 0 ? [] : await findUnaccepted(tx, paidRuns)),
    ...(await rejectDeletedVersions(tx, items)),
  ]);
  const runs = items.filter(item => !unaccepted.has(item)).map(item => toNewRun(item, slots));
  const storedIds = runs.length === 0 ? new Set<string>() : await insertRuns(tx, runs);
  const storedPaidRuns = paidRuns.filter(({ spec }) => storedIds.has(spec.id));
  if (storedPaidRuns.length > 0) await insertReservations(tx, storedPaidRuns.map(toReservation));
  const storedItems = items.filter(({ spec }) => storedIds.has(spec.id));
  await insertRunModels(
    tx,
    storedItems.flatMap(({ spec, models }) => models.map(model => ({ execution_id: spec.id, model }))),
  );
  const rows = new Map(runs.filter(({ row }) => storedIds.has(row.id)).map(({ row }) => [row.id, row]));
  return items.map((item): AcceptResult => {
    const row = rows.get(item.spec.id);
    return unaccepted.get(item) ?? (row === undefined ? { kind: 'repeated' } : { kind: 'accepted', row });
  });
}

/** Locks the old workflow versions that the runs execute. Returns a rejection for each run whose version was deleted. */
async function rejectDeletedVersions(
  tx: Tx,
  items: readonly RunToAccept[],
): Promise<readonly (readonly [RunToAccept, AcceptResult])[]> {
  const runsOfOldVersions = items.filter(({ isOldVersion }) => isOldVersion);
  if (runsOfOldVersions.length === 0) return [];
  const toKey = ({ spec }: RunToAccept) => `${spec.workflow_id}@${spec.workflow_version}`;
  const missingVersions = new Map(
    runsOfOldVersions.map(item => [
      toKey(item),
      { workflow_id: item.spec.workflow_id, version: item.spec.workflow_version },
    ]),
  );
  const existingVersions = await lockVersions(tx, [...missingVersions.values()]);
  for (const { workflow_id, version } of existingVersions)
    missingVersions.delete(`${workflow_id}@${version}`);
  return runsOfOldVersions
    .filter(item => missingVersions.has(toKey(item)))
    .map(item => [item, { kind: 'rejected', rejection: { code: 'not_found' } }]);
}

/**
 * Counts the active runs of the workspaces. This is not part of the transaction, so several processes together may exceed
 * a workspace's limit by a few runs.
 */
async function loadWorkspaceSlots(
  db: Db,
  items: readonly RunToAccept[],
  maxConcurrent: number,
): Promise<WorkspaceSlots> {
  const workspaces = new Set(
    items.filter(({ workerId }) => workerId !== null).map(({ spec }) => spec.workspace),
  );
  if (workspaces.size === 0) return NO_SLOTS;
  const loads = await countActiveRuns(db, [...workspaces], maxConcurrent);
  // A new run must not overtake a parked run of its workspace.
  const adjustedLoads = loads.map(load => (load.has_parked ? { ...load, under_way: maxConcurrent } : load));
  return createWorkspaceSlots(adjustedLoads, maxConcurrent);
}

const NO_SLOTS: WorkspaceSlots = { tryClaim: () => false };

function toNewRun(
  { spec, trigger, steps, idempotency, workerId }: RunToAccept,
  slots: WorkspaceSlots,
): NewRun {
  const canStart = workerId !== null && slots.tryClaim(spec.workspace);
  const { row, effects } = createInitialTransition({ spec, steps, workerId: canStart ? workerId : null });
  return { row, trigger, steps, idempotency, has_job: effects.some(({ kind }) => kind === 'queue') };
}

const toReservation = ({ spec, credits, payer, spender }: RunToAccept): Reservation => ({
  executionId: spec.id,
  workspace: payer,
  workflowId: spec.workflow_id,
  appId: toAppId(spec),
  isPaidByVisitor: payer !== spec.workspace,
  spender,
  amount: credits,
});

const toAppId = ({ origin_id }: RunToAccept['spec']): string | null =>
  origin_id !== null && isId('app', origin_id) ? origin_id : null;

/** Returns the results of the runs that are not accepted. Locks the credit pools until this transaction commits. */
async function findUnaccepted(
  tx: Tx,
  paidRuns: readonly RunToAccept[],
): Promise<ReadonlyMap<RunToAccept, AcceptResult>> {
  const pools = await lockPools(tx, [...new Set(paidRuns.map(({ payer }) => payer))]);
  // Every transaction locks apps after pools, so that transactions cannot deadlock.
  const appIds = new Set(paidRuns.flatMap(({ spec }) => toAppId(spec) ?? []));
  if (appIds.size > 0) await lockApps(tx, [...appIds]);
  const workflowIds = new Set(paidRuns.filter(item => item.hasBudget).map(({ spec }) => spec.workflow_id));
  const workspacesWithBudget = [...pools].flatMap(([workspace, pool]) =>
    pool.daily_budget === null ? [] : [workspace],
  );
  const listSpent = async (owner: BudgetOwner, ids: Iterable<string>) => {
    const list = [...ids];
    return list.length === 0 ? new Map<string, DailySpending>() : listSpendingToday(tx, owner, list);
  };
  const spending = {
    workflows: await listSpent('workflow', workflowIds),
    apps: await listSpent('app', appIds),
    workspaces: await listSpent('workspace', workspacesWithBudget),
    // Locks keys after apps.
    limits: await loadLimits(tx, paidRuns),
  };
  const repeatedRuns = await findRepeatedRuns(tx, paidRuns);
  const newRuns = paidRuns.filter(item => !repeatedRuns.has(item));
  const rejections = findRejections(newRuns, pools, spending);
  await notifyRefusals(tx, [...rejections.values()]);
  return new Map<RunToAccept, AcceptResult>([
    ...Array.from(repeatedRuns, item => [item, { kind: 'repeated' }] as const),
    ...Array.from(rejections, ([item, rejection]) => [item, { kind: 'rejected', rejection }] as const),
  ]);
}

/** Loads the monthly limits of the runs' spenders, by their owner. */
async function loadLimits(tx: Tx, runs: readonly RunToAccept[]): Promise<ReadonlyMap<string, SpenderLimit>> {
  const spenders = new Map(
    runs
      .filter(({ payer, spender }) => isTeamWorkspace(payer) || spender.keyId !== null)
      .map(({ payer, spender: { userId, keyId } }) => [
        `${payer} ${userId} ${keyId}`,
        { workspace: payer, userId, keyId },
      ]),
  );
  const limits = spenders.size === 0 ? [] : await listLimits(tx, [...spenders.values()], 'lock');
  return new Map(limits.map(limit => [limit.owner, limit]));
}

/** Notifies of the limits that refused runs. */
async function notifyRefusals(tx: Tx, rejections: readonly Rejection[]): Promise<void> {
  const limits = new Map(
    rejections.flatMap(rejection => ('limit' in rejection ? [[rejection.limit.owner, rejection.limit]] : [])),
  );
  for (const limit of limits.values()) await notifyRefusedLimit(tx, limit);
}

interface Spending {
  readonly workflows: ReadonlyMap<string, DailySpending>;
  readonly apps: ReadonlyMap<string, DailySpending>;
  readonly workspaces: ReadonlyMap<string, DailySpending>;
  readonly limits: ReadonlyMap<string, SpenderLimit>;
}

/** Rejects each run that costs more credits than the accepted runs before it leave in the pool and the daily limits. */
function findRejections(
  items: readonly RunToAccept[],
  pools: ReadonlyMap<string, LockedPool>,
  spending: Spending,
): ReadonlyMap<RunToAccept, Rejection> {
  const balances = new Map(Array.from(pools, ([id, { balance }]) => [id, balance]));
  // One map holds all three, because the ids of workflows, apps and workspaces never collide.
  const spentById = new Map(
    Array.from([...spending.workflows, ...spending.apps, ...spending.workspaces], ([id, day]) => [
      id,
      day.spent,
    ]),
  );
  const limits = new Map(spending.limits);
  const rejections = new Map<RunToAccept, Rejection>();
  for (const item of items) {
    const { workflow_id } = item.spec;
    const appId = toAppId(item.spec) ?? '';
    const balance = balances.get(item.payer) ?? 0;
    const spentByWorkflow = spentById.get(workflow_id) ?? 0;
    const budget = item.hasBudget ? (spending.workflows.get(workflow_id)?.budget ?? null) : null;
    const spentByApp = spentById.get(appId) ?? 0;
    const appBudget = spending.apps.get(appId)?.budget ?? null;
    const spentByPayer = spentById.get(item.payer) ?? 0;
    const payerBudget = spending.workspaces.get(item.payer)?.budget ?? null;
    const ownLimits = listOwners(item).flatMap(owner => limits.get(owner) ?? []);
    const exceededLimit = ownLimits.find(({ limit, spent }) => spent + item.credits > limit);
    if (item.credits > balance) rejections.set(item, { code: 'insufficient_credits', balance });
    else if (budget !== null && spentByWorkflow + item.credits > budget)
      rejections.set(item, {
        code: 'daily_budget_exceeded',
        owner: 'workflow',
        budget,
        spent: spentByWorkflow,
      });
    else if (appBudget !== null && spentByApp + item.credits > appBudget)
      rejections.set(item, { code: 'app_limit_reached' });
    else if (payerBudget !== null && spentByPayer + item.credits > payerBudget)
      rejections.set(item, toBudgetRejection(item, payerBudget, spentByPayer));
    else if (exceededLimit !== undefined)
      rejections.set(item, { code: `${exceededLimit.kind}_limit_exceeded`, limit: exceededLimit });
    else {
      for (const limit of ownLimits) limits.set(limit.owner, { ...limit, spent: limit.spent + item.credits });
      balances.set(item.payer, balance - item.credits);
      if (item.hasBudget) spentById.set(workflow_id, spentByWorkflow + item.credits);
      if (appBudget !== null) spentById.set(appId, spentByApp + item.credits);
      if (payerBudget !== null) spentById.set(item.payer, spentByPayer + item.credits);
    }
  }
  return rejections;
}

const listOwners = ({ payer, spender: { userId, keyId } }: RunToAccept): readonly string[] => [
  getMemberOwner(payer, userId),
  ...(keyId === null ? [] : [keyId]),
];

/** Returns the rejection of a run whose payer has spent its daily budget. Only the payer's workspace sees the amounts. */
function toBudgetRejection({ payer, spec }: RunToAccept, budget: number, spent: number): Rejection {
  if (payer !== spec.workspace) return { code: 'app_limit_reached' };
  return { code: 'daily_budget_exceeded', owner: 'workspace', budget, spent };
}

/** Finds the runs whose key an earlier run, in the database or in the same commit, has used. These runs consume no credits. */
async function findRepeatedRuns(tx: Tx, items: readonly RunToAccept[]): Promise<ReadonlySet<RunToAccept>> {
  const runsWithKey = items.filter(({ idempotency }) => idempotency !== null);
  if (runsWithKey.length === 0) return new Set();
  const keys = runsWithKey.map(({ spec, idempotency }) => ({
    userId: spec.user_id,
    workflowId: spec.workflow_id,
    route: idempotency?.route ?? '',
    key: idempotency?.key ?? '',
  }));
  const usedKeys = await listUsedKeys(tx, keys);
  const repeatedRuns = new Set<RunToAccept>();
  for (const [index, item] of runsWithKey.entries()) {
    const keyText = JSON.stringify(Object.values(keys[index] ?? {}));
    if (usedKeys.has(keyText)) repeatedRuns.add(item);
    usedKeys.add(keyText);
  }
  return repeatedRuns;
}
