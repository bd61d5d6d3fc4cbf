// Stores triggers, the items that they have seen, and their history.
import type { Tx } from '../../store/db.ts';
import { EDITABLE, isNoneOfSql } from '../../store/permissions.ts';
import {
  all,
  allValues,
  first,
  firstNumber,
  firstValue,
  insertRow,
  limitPageBytes,
  lockName,
  matches,
  type PageRange,
  updateRow,
  valueSet,
} from '../../store/rows.ts';
import type { SpenderColumns } from '../../store/spenders.ts';
import {
  type AutomationOwner,
  listLeftOut,
  type Outcome,
  type PauseReason,
  selectWorkflowName,
} from '../store.ts';

export const TRIGGER_KINDS = ['hook', 'after', 'feed', 'bucket'] as const;
export type TriggerKind = (typeof TRIGGER_KINDS)[number];
export const ITEM_STATUSES = ['seen', 'candidate', 'waiting', 'running', 'done'] as const;
type ItemStatus = (typeof ITEM_STATUSES)[number];

export interface NewTrigger extends SpenderColumns {
  readonly id: string;
  readonly workflow_id: string;
  readonly user_id: number;
  readonly workspace: string;
  readonly kind: TriggerKind;
  readonly name: string;
  /** JSON text. */
  readonly config: string;
  /** JSON text: JSON pointers by input node id. */
  readonly inputs: string;
  readonly max_credits: number | null;
  readonly is_active: boolean;
  readonly token_hash: Buffer | null;
  /** Encrypted. */
  readonly secret: Buffer | null;
  /** The workflow that a trigger of the kind `after` follows. */
  readonly source_id: string | null;
  readonly statuses: readonly string[] | null;
  readonly poll_at: Date | null;
}

export interface TriggerRow extends NewTrigger {
  readonly paused_reason: PauseReason | null;
  readonly failures_in_a_row: number;
  /** Whether the trigger has been polled. The first poll starts nothing. */
  readonly has_baseline: boolean;
  readonly last_run_at: Date | null;
  readonly last_execution_id: string | null;
  readonly created_at: Date;
}

/** A trigger as people see it. */
export interface ReadTrigger extends TriggerRow {
  readonly workflow_name: string;
}

const COLUMNS = `t.id, t.workflow_id, t.user_id, t.spender_id, t.key_id, t.workspace, t.kind, t.name, t.config, t.inputs, t.max_credits, t.is_active,
  t.token_hash, t.secret, t.source_id, t.statuses, t.poll_at, t.paused_reason, t.failures_in_a_row, t.has_baseline,
  t.last_run_at, t.last_execution_id, t.created_at`;
const READ_COLUMNS = `${COLUMNS}, ${selectWorkflowName('t')}`;

export async function insertTrigger(tx: Tx, trigger: NewTrigger): Promise<ReadTrigger> {
  await insertRow(tx, 'triggers', trigger);
  return (await findTrigger(tx, trigger.id)) as ReadTrigger;
}

export function findTrigger(tx: Tx, id: string): Promise<ReadTrigger | undefined> {
  return first(tx, `select ${READ_COLUMNS} from triggers t where t.id = $1`, [id]);
}

export function findTriggerByToken(tx: Tx, tokenHash: Buffer): Promise<TriggerRow | undefined> {
  return first(tx, `select ${COLUMNS} from triggers t where t.token_hash = $1`, [tokenHash]);
}

/** Reads the trigger and locks it until the transaction ends. */
export function lockTrigger(tx: Tx, id: string): Promise<TriggerRow | undefined> {
  return first(tx, `select ${COLUMNS} from triggers t where t.id = $1 for no key update`, [id]);
}

/** Lists the triggers of a workflow, or of all workflows that the user may edit, newest first. */
export function listTriggers(
  tx: Tx,
  owner: AutomationOwner,
  { after, limit }: PageRange<string>,
): Promise<readonly ReadTrigger[]> {
  const [where, value] =
    'workflowId' in owner ? ['t.workflow_id = $1', owner.workflowId] : [EDITABLE, owner.userId];
  return all(
    tx,
    limitPageBytes(
      `select ${READ_COLUMNS} from triggers t join workflows w on w.id = t.workflow_id
       where ${where} and ${isNoneOfSql('w.team_id', '$4')} and ($2::text is null or t.id < $2) order by t.id desc limit $3`,
      ['config', 'inputs'],
    ),
    [value, after, limit, listLeftOut(owner)],
  );
}

/** Changes columns of a locked trigger. */
export function updateTrigger(
  tx: Tx,
  id: string,
  change: Partial<Omit<TriggerRow, 'id' | 'workflow_id' | 'kind' | 'created_at'>>,
): Promise<void> {
  return updateRow(tx, 'triggers', id, change);
}

export function deleteTrigger(tx: Tx, id: string): Promise<boolean> {
  return matches(tx, 'delete from triggers where id = $1', [id]);
}

/** Until this transaction ends, prevents other transactions from adding active triggers, or triggers of kind `after`. */
export function lockTriggers(tx: Tx): Promise<void> {
  return lockName(tx, 'graphwright.triggers');
}

export function countActiveTriggers(tx: Tx, workspace: string): Promise<number> {
  return firstNumber(tx, 'select count(*)::int as count from triggers where workspace = $1 and is_active', [
    workspace,
  ]);
}

/** Returns whether runs of the workflow start runs of the source, directly or through other workflows. */
export function startsRunsOf(tx: Tx, workflowId: string, sourceId: string): Promise<boolean> {
  return matches(
    tx,
    `with recursive reached (id) as (
       select $1::text
       union
       select t.workflow_id from triggers t join reached r on t.source_id = r.id)
     select from reached where id = $2 limit 1`,
    [workflowId, sourceId],
  );
}

/** An item of a feed, folder or workflow, or a request to a hook, that starts a run. */
export interface NewItem {
  readonly item: string;
  readonly label: string | null;
  /** JSON text; null if the inputs are computed when the run starts. */
  readonly inputs: string | null;
  readonly execution_id?: string;
}

/**
 * Stores items that wait to start a run. Returns the items that were not seen before. A candidate does not count as seen,
 * because a concurrent poll may have recorded it.
 */
export function insertWaiting(
  tx: Tx,
  triggerId: string,
  items: readonly NewItem[],
): Promise<ReadonlySet<string>> {
  return valueSet(
    tx,
    `insert into trigger_items (trigger_id, item, status, label, inputs, execution_id, position)
     select distinct on (item) $1, item, 'waiting', label, inputs, execution_id, position
     from json_to_recordset($2::json) as i(item text, label text, inputs text, execution_id text, position int)
     order by item, position
     on conflict (trigger_id, item) do update set status = excluded.status, label = excluded.label,
       inputs = excluded.inputs, execution_id = excluded.execution_id, position = excluded.position
       where trigger_items.status = 'candidate'
     returning item`,
    [triggerId, JSON.stringify(items.map((item, position) => ({ ...item, position })))],
  );
}

/** Stores items that start no run. For stored items, updates when they were last seen. */
export async function markSeen(tx: Tx, triggerId: string, items: readonly string[]): Promise<void> {
  await tx.query(
    `insert into trigger_items (trigger_id, item, status) select $1, item, 'seen' from unnest($2::text[]) as item
     on conflict (trigger_id, item) do update set seen_at = now(),
       status = case trigger_items.status when 'candidate' then excluded.status else trigger_items.status end`,
    [triggerId, [...new Set(items)]],
  );
}

/** Returns which of the items were seen before. */
export function listSeen(tx: Tx, triggerId: string, items: readonly string[]): Promise<ReadonlySet<string>> {
  return valueSet(
    tx,
    `select item from trigger_items where trigger_id = $1 and item = any ($2::text[]) and status <> 'candidate'`,
    [triggerId, items],
  );
}

/** Records the sizes of files. Returns the files whose size has not changed since the previous poll. */
export function recordCandidates(
  tx: Tx,
  triggerId: string,
  files: readonly { readonly item: string; readonly size: number }[],
): Promise<ReadonlySet<string>> {
  return valueSet(
    tx,
    `with input as (
       select * from json_to_recordset($2::json) as i(item text, size bigint)
     ), same as (
       delete from trigger_items t using input i
       where t.trigger_id = $1 and t.item = i.item and t.status = 'candidate' and t.size_bytes = i.size
       returning t.item
     ), recorded as (
       insert into trigger_items (trigger_id, item, status, size_bytes)
       select $1, item, 'candidate', size from input where item not in (select item from same)
       on conflict (trigger_id, item) do update set size_bytes = excluded.size_bytes
         where trigger_items.status = 'candidate')
     select item from same`,
    [triggerId, JSON.stringify(files)],
  );
}

/** Deletes all items except the current items of the feed or bucket, the `keepCount` newest, and those that wait or run. */
export async function trimItems(
  tx: Tx,
  triggerId: string,
  currentItems: readonly string[],
  keepCount: number,
): Promise<void> {
  await tx.query(
    `delete from trigger_items where trigger_id = $1 and status in ('seen', 'candidate', 'done') and seen_at < (
       select seen_at from trigger_items where trigger_id = $1 order by seen_at desc offset $2 - 1 limit 1)
       and item <> all ($3::text[])`,
    [triggerId, keepCount, currentItems],
  );
}

export interface ItemRow {
  readonly item: string;
  readonly status: ItemStatus;
  readonly label: string | null;
  readonly inputs: string | null;
  readonly execution_id: string | null;
}

const ITEM_COLUMNS = 'i.item, i.status, i.label, i.inputs, i.execution_id';

/** Lists the oldest items that wait to start a run. */
export function listWaitingItems(tx: Tx, triggerId: string, limit: number): Promise<readonly ItemRow[]> {
  return all(
    tx,
    `select ${ITEM_COLUMNS} from trigger_items i where i.trigger_id = $1 and i.status = 'waiting'
     order by i.seen_at, i.position limit $2`,
    [triggerId, limit],
  );
}

export function findItem(tx: Tx, triggerId: string, item: string): Promise<ItemRow | undefined> {
  return first(tx, `select ${ITEM_COLUMNS} from trigger_items i where i.trigger_id = $1 and i.item = $2`, [
    triggerId,
    item,
  ]);
}

/** Sets the execution of a waiting item that has none. Returns the execution, or undefined if the item does not wait. */
export function claimItem(
  tx: Tx,
  triggerId: string,
  item: string,
  executionId: string,
): Promise<string | undefined> {
  return firstValue(
    tx,
    `update trigger_items set execution_id = coalesce(execution_id, $3)
     where trigger_id = $1 and item = $2 and status = 'waiting' returning execution_id`,
    [triggerId, item, executionId],
  );
}

/** Records whether a waiting item's run was accepted or refused. Returns false if another process has done so. */
export function recordItemOutcome(
  tx: Tx,
  triggerId: string,
  item: string,
  status: 'running' | 'done',
): Promise<boolean> {
  return matches(
    tx,
    `update trigger_items set status = $3, inputs = null where trigger_id = $1 and item = $2 and status = 'waiting'`,
    [triggerId, item, status],
  );
}

/** Deletes an item whose run was refused, so that the sender can retry it. */
export async function deleteItem(tx: Tx, triggerId: string, item: string): Promise<void> {
  await tx.query(`delete from trigger_items where trigger_id = $1 and item = $2 and status <> 'running'`, [
    triggerId,
    item,
  ]);
}

/** Deletes an item that was seen over 24 hours ago and whose run has ended, so that the same item can start a run again. */
export async function deleteExpiredItem(tx: Tx, triggerId: string, item: string): Promise<void> {
  await tx.query(
    `delete from trigger_items where trigger_id = $1 and item = $2 and status = 'done'
       and seen_at < now() - interval '24 hours'`,
    [triggerId, item],
  );
}

/** Settles the items whose runs have ended. Returns the runs' statuses in the order in which the runs ended. */
export function settleItems(tx: Tx, triggerId: string): Promise<readonly string[]> {
  return allValues(
    tx,
    `with settled as (
       update trigger_items i set status = 'done' from executions e
       where i.trigger_id = $1 and i.status = 'running' and e.id = i.execution_id and e.finished_at is not null
       returning e.status, e.finished_at)
     select status from settled order by finished_at`,
    [triggerId],
  );
}

/** Counts the consecutive triggers of the kind `after` that led to the execution, up to `max`. */
export function countChain(tx: Tx, executionId: string, max: number): Promise<number> {
  return firstNumber(
    tx,
    `with recursive chain (id, depth) as (
       select $1::text, 0
       union all
       select e.origin_key, c.depth + 1 from chain c join executions e on e.id = c.id
       where e.trigger = 'after' and c.depth < $2)
     select max(depth)::int as count from chain`,
    [executionId, max],
  );
}

export interface NewEvent {
  readonly outcome: Outcome;
  readonly reason?: string | undefined;
  readonly executionId?: string | undefined;
}

const MAX_EVENTS = 100;
const MAX_REASON_CHARS = 500;

/** Adds an entry to the trigger's history and keeps only the newest 100. */
export async function insertEvent(
  tx: Tx,
  triggerId: string,
  { outcome, reason, executionId }: NewEvent,
): Promise<void> {
  await insertRow(tx, 'trigger_events', {
    trigger_id: triggerId,
    outcome,
    reason: reason?.slice(0, MAX_REASON_CHARS) ?? null,
    execution_id: executionId ?? null,
  });
  await tx.query(
    `delete from trigger_events where trigger_id = $1 and id <= (
       select id from trigger_events where trigger_id = $1 order by id desc offset ${MAX_EVENTS} limit 1)`,
    [triggerId],
  );
}

export interface EventRow {
  readonly id: number;
  readonly at: Date;
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly execution_id: string | null;
}

/** Lists the history, newest first. */
export function listEvents(
  tx: Tx,
  triggerId: string,
  { after, limit }: PageRange<number>,
): Promise<readonly EventRow[]> {
  return all(
    tx,
    `select id, at, outcome, reason, execution_id from trigger_events
     where trigger_id = $1 and ($2::bigint is null or id < $2) order by id desc limit $3`,
    [triggerId, after, limit],
  );
}
