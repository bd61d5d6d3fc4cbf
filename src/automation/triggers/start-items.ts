// Starts the runs of a trigger's items, and settles runs that have ended. The id of an item's execution is stored before
// the run starts, so that the run starts exactly once even if the process dies in between.
import type { JsonObject } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { JsonText } from '../../lib/json-text.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { readExecution } from '../../runs/read/executions.ts';
import type { UserActor } from '../../services/accounts/actor.ts';
import { getUserActor } from '../../services/accounts/user-actor.ts';
import type { Tx } from '../../store/db.ts';
import { getSpender } from '../../store/spenders.ts';
import { findPauseReason, MAX_FAILURES, notifyPause, updateFailureCount } from '../auto-pause.ts';
import { startForUser, toRefusal } from '../start-for-user.ts';
import type { PauseReason } from '../store.ts';
import { mapRecord } from './map-record.ts';
import {
  claimItem,
  countChain,
  type ItemRow,
  insertEvent,
  listWaitingItems,
  lockTrigger,
  recordItemOutcome,
  settleItems,
  type TriggerRow,
  updateTrigger,
} from './store.ts';

const PAGE_SIZE = 20;
/** The maximum number of runs in a chain in which the end of one run triggers the next. */
const MAX_CHAIN = 5;

/** Settles the items whose runs have ended, and pauses the trigger after too many failures in a row. */
export async function settleTrigger(deps: RunDeps, id: string): Promise<TriggerRow | undefined> {
  return deps.runDb.transaction(async tx => {
    const trigger = await lockTrigger(tx, id);
    if (trigger === undefined) return undefined;
    const statuses = await settleItems(tx, id);
    const failures = statuses.reduce(updateFailureCount, trigger.failures_in_a_row);
    if (failures === trigger.failures_in_a_row) return trigger;
    await updateTrigger(tx, id, { failures_in_a_row: failures });
    const updated = { ...trigger, failures_in_a_row: failures };
    return failures >= MAX_FAILURES ? pauseTrigger(tx, updated, 'failures') : updated;
  });
}

/** Pauses a locked trigger and notifies its creator. */
async function pauseTrigger(tx: Tx, trigger: TriggerRow, reason: PauseReason): Promise<TriggerRow> {
  if (!trigger.is_active) return trigger;
  await updateTrigger(tx, trigger.id, { is_active: false, paused_reason: reason });
  await notifyPause(tx, 'trigger_paused', trigger, reason);
  return { ...trigger, is_active: false, paused_reason: reason };
}

/** Starts the runs of all waiting items. Items of a paused trigger wait until the trigger is active again. */
export async function startItems(deps: RunDeps, trigger: TriggerRow): Promise<void> {
  while (trigger.is_active) {
    const items = await listWaitingItems(deps.runDb, trigger.id, PAGE_SIZE);
    for (const item of items) {
      const outcome = await startItem(deps, trigger, item);
      // The next items would be refused as well.
      if (outcome instanceof AppError && findPauseReason(outcome) !== undefined) return;
    }
    if (items.length < PAGE_SIZE) return;
  }
}

/**
 * Starts the run of a waiting item and records it in the history. Returns the id of the execution, or the error of a
 * refused run. This or another process may repeat the call for the same item.
 */
export async function startItem(
  deps: RunDeps,
  trigger: TriggerRow,
  item: ItemRow,
): Promise<string | AppError> {
  const executionId = await claimItem(deps.runDb, trigger.id, item.item, newId('execution', deps.now()));
  // Another process has started it.
  if (executionId === undefined) return item.execution_id ?? '';
  const refusal = await startItemRun(deps, trigger, { ...item, execution_id: executionId }).then(
    () => undefined,
    toRefusal,
  );
  if (refusal !== undefined && STARTED_ELSEWHERE.has(refusal.code)) return executionId;
  await deps.runDb.transaction(async tx => {
    const current = await lockTrigger(tx, trigger.id);
    if (current === undefined) return;
    if (!(await recordItemOutcome(tx, trigger.id, item.item, refusal === undefined ? 'running' : 'done')))
      return;
    if (refusal === undefined) {
      await recordStart(tx, trigger.id, executionId, item.label ?? undefined);
    } else {
      const prefix = item.label === null ? '' : `${item.label}: `;
      await insertEvent(tx, trigger.id, { outcome: 'refused', reason: `${prefix}${refusal.message}` });
      // A chain that is too long is not a failure of this trigger.
      if (refusal.code !== 'conflict') await countRefusal(tx, current, refusal);
    }
  });
  return refusal ?? executionId;
}

/** The codes of refusals that mean that another process starts and records the run of the same item. */
const STARTED_ELSEWHERE: ReadonlySet<string> = new Set(['idempotency_in_progress', 'idempotency_key_reused']);

async function countRefusal(tx: Tx, trigger: TriggerRow, refusal: AppError): Promise<void> {
  const failures = trigger.failures_in_a_row + 1;
  await updateTrigger(tx, trigger.id, { failures_in_a_row: failures });
  const reason = findPauseReason(refusal) ?? (failures >= MAX_FAILURES ? 'failures' : undefined);
  if (reason !== undefined) await pauseTrigger(tx, trigger, reason);
}

async function startItemRun(
  deps: RunDeps,
  trigger: TriggerRow,
  item: ItemRow & { readonly execution_id: string },
): Promise<void> {
  const actor = await getUserActor(deps, trigger.user_id);
  const inputs = item.inputs ?? (await readFollowedRun(deps, actor, trigger, item.item));
  await startForUser(deps, actor, toRunInput(trigger, inputs, item.item, item.execution_id));
}

/** Returns the input of `startRun` for an item. Its idempotency key makes sure that the item starts one run. */
export function toRunInput(trigger: TriggerRow, inputs: string, item: string, executionId: string) {
  return {
    workflowId: trigger.workflow_id,
    idempotencyScope: 'trigger',
    request: {
      inputs: new JsonText<JsonObject>(inputs),
      ...(trigger.max_credits === null ? {} : { maxCredits: trigger.max_credits }),
    },
    idempotencyKey: `${trigger.id}:${item}`,
    trigger: trigger.kind,
    origin: { id: trigger.id, key: item, executionId, spender: getSpender(trigger) },
  } as const;
}

/** Records in the history that a run was accepted. */
export async function recordStart(tx: Tx, id: string, executionId: string, reason?: string): Promise<void> {
  await updateTrigger(tx, id, { last_run_at: new Date(), last_execution_id: executionId });
  await insertEvent(tx, id, { outcome: 'accepted', executionId, reason });
}

/** Reads the inputs from the record of the followed run. Throws unless the trigger's creator may read that run. */
async function readFollowedRun(
  deps: RunDeps,
  actor: UserActor,
  trigger: TriggerRow,
  executionId: string,
): Promise<string> {
  if ((await countChain(deps.runDb, executionId, MAX_CHAIN)) >= MAX_CHAIN) {
    const reason = `The run ${executionId} is already the result of ${MAX_CHAIN} triggers in a row, which is the limit.`;
    throw new AppError('conflict', reason);
  }
  const record = await readExecution(deps, actor, executionId);
  return mapRecord(trigger.inputs, record);
}
