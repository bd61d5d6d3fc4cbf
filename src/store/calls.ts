// Stores provider calls. Runs save calls together with the steps of their nodes, and pollers claim calls that are due.
import type { Tx } from './db.ts';
import { all, allValues, first, setExcluded } from './rows.ts';

/** The calls in the newest step of one node. The table may have rows of calls that the step does not contain yet. */
export interface NodeCalls {
  readonly execution_id: string;
  readonly node_id: string;
  readonly workspace: string;
  readonly calls: readonly NewCall[];
  /** The items whose calls have ended; null if all calls of the node have ended. */
  readonly ended_items: readonly number[] | null;
}

/** The values from which a call's charge is computed. */
export interface CallTerms {
  readonly nodeType: string;
  readonly values: Readonly<Record<string, string | number | boolean>>;
  readonly isExact: boolean;
}

export interface NewCall {
  readonly item: number;
  readonly provider: string;
  /** The stored credential and the value that submits the call; null for the environment's credential. */
  readonly credential_id: string | null;
  readonly value_id: string | null;
  readonly model: string | null;
  /** null until the call is submitted. */
  readonly job_id: string | null;
  readonly state: string | null;
  readonly token: string | null;
  /** How many fetches after the reported end have found no result. */
  readonly asks: number;
  /** Whether the call has a slot at its provider. A call without a slot waits for one. */
  readonly has_slot: boolean;
  /** The credits reserved for the call. */
  readonly credits: number;
  readonly terms: CallTerms | null;
  /** For ComfyUI: the pool, and how often the call had gone back to the queue. */
  readonly pool: string | null;
  readonly moves: number;
  readonly submitted_at: Date;
  readonly due_at: Date;
  readonly deadline_at: Date;
}

/** Makes the rows match the steps of the nodes. A call whose last poll had no result is polled again. */
export async function saveCalls(tx: Tx, nodes: readonly NodeCalls[]): Promise<void> {
  await tx.query(SAVE_CALLS, [JSON.stringify(nodes)]);
}

/** The columns that saving a call replaces. */
const SAVED_COLUMNS = `credential_id, value_id, model, job_id, state, token, asks, submitted_at, due_at, deadline_at, credits,
  terms, pool, moves`;
const NEW_COLUMNS = `execution_id, node_id, item, workspace, provider, ${SAVED_COLUMNS}`;

const SAVE_CALLS = `
with input as materialized (
  select * from json_to_recordset($1::json) as i(execution_id text, node_id text, workspace text, calls json, ended_items int[])
), wanted as materialized (
  select i.execution_id, i.node_id, i.workspace, c.*
  from input i cross join lateral json_to_recordset(i.calls) as c(
    item int, provider text, credential_id text, value_id text, model text, job_id text, state text, token text, asks int, has_slot bool, credits bigint, terms jsonb, pool text, moves int,
    submitted_at timestamptz, due_at timestamptz, deadline_at timestamptz)
), gone as (
  delete from calls c using input i
  where c.execution_id = i.execution_id and c.node_id = i.node_id and (i.ended_items is null or c.item = any (i.ended_items))
)
insert into calls as c (${NEW_COLUMNS}, slot_at)
select ${NEW_COLUMNS}, case when has_slot then now() end from wanted
on conflict (execution_id, node_id, item) do update
  -- A slot may have been granted after the node's step was saved.
  set ${setExcluded(SAVED_COLUMNS)}, slot_at = coalesce(c.slot_at, excluded.slot_at), ended_at = null
  where ((c.job_id, c.asks, c.value_id) is distinct from (excluded.job_id, excluded.asks, excluded.value_id)
      -- The call was submitted, and can be polled from now on.
      or (c.pool is not null and c.due_at = c.deadline_at and excluded.due_at < c.due_at and c.ended_at is null))
    -- The row says where a call to ComfyUI is: a step may be older than its move, or than its server.
    and c.moves <= excluded.moves and (excluded.pool is null or excluded.credential_id is not null)`;

/** Marks the calls of ended runs as cancelled, so that pollers cancel them at their providers. */
export async function cancelCalls(tx: Tx, executionIds: readonly string[]): Promise<void> {
  await tx.query(
    `with waiting as (delete from calls where execution_id = any ($1::text[]) and slot_at is null)
     update calls set cancelled_at = now(), due_at = now(), ended_at = null
     where execution_id = any ($1::text[]) and slot_at is not null and cancelled_at is null`,
    [executionIds],
  );
}

export const toCallKey = ({ execution_id, node_id, item }: CallKey): CallKey => ({
  execution_id,
  node_id,
  item,
});

/** Returns the key as one text. */
export const toCallId = ({ execution_id, node_id, item }: CallKey): string =>
  `${execution_id} ${item} ${node_id}`;

export interface CallRow {
  readonly execution_id: string;
  readonly node_id: string;
  readonly item: number;
  readonly workspace: string;
  readonly provider: string;
  /** The key of the call's concurrency limit: the id of the stored credential, or the provider's name. */
  readonly limiter: string;
  /** The stored value that submitted the call; null for the environment's credential. */
  readonly value_id: string | null;
  readonly model: string | null;
  readonly job_id: string | null;
  readonly state: string | null;
  /** Identifies the call in the URL of its webhook; null without a webhook. */
  readonly token: string | null;
  readonly submitted_at: Date;
  readonly deadline_at: Date;
  readonly cancelled_at: Date | null;
  /** The credits reserved for the call. */
  readonly credits: number;
}

export type CallKey = Pick<CallRow, 'execution_id' | 'node_id' | 'item'>;

export interface DueCallQuery {
  readonly limit: number;
  /** The maximum number of calls of one limiter. */
  readonly perLimiter: number;
  /** Limiters whose calls are not claimed. */
  readonly excludedLimiters: readonly string[];
  readonly leaseMs: number;
}

/**
 * Claims due calls of the provider, the longest overdue first, alternating between limiters. For `leaseMs`, other pollers
 * cannot claim these calls.
 */
export function claimDueCalls(
  tx: Tx,
  provider: string,
  { limit, perLimiter, excludedLimiters, leaseMs }: DueCallQuery,
): Promise<readonly CallRow[]> {
  return all(
    tx,
    `with due as materialized (
       select execution_id, node_id, item, limiter, due_at from calls
       where provider = $1 and ended_at is null and slot_at is not null and due_at <= now() and limiter <> all ($5::text[])
       order by due_at limit ${MAX_CONSIDERED}
     ), ranked as (
       select *, row_number() over (partition by limiter order by due_at) as turn from due
     ), chosen as (
       select execution_id, node_id, item from ranked where turn <= $4 order by turn, due_at limit $2
     ), claimed as (
       select c.execution_id, c.node_id, c.item from calls c join chosen using (execution_id, node_id, item)
       where c.ended_at is null and c.due_at <= now() for update of c skip locked
     )
     update calls c set due_at = now() + $3 * interval '1 millisecond'
     from claimed d
     where c.execution_id = d.execution_id and c.node_id = d.node_id and c.item = d.item
     returning c.execution_id, c.node_id, c.item, c.workspace, c.provider, c.limiter, c.value_id, c.model, c.job_id, c.state, c.token,
       c.submitted_at, c.deadline_at, c.cancelled_at, c.credits`,
    [provider, limit, leaseMs, perLimiter, excludedLimiters],
  );
}

/** The number of due calls that one claim considers. If there are more, some limiters may wait for the next claim. */
const MAX_CONSIDERED = 1000;

/** Stores when to poll each call next. */
export async function postponeCalls(
  tx: Tx,
  calls: readonly (CallKey & { readonly due_at: Date })[],
): Promise<void> {
  await tx.query(
    `update calls c set due_at = i.due_at
     from json_to_recordset($1::json) as i(execution_id text, node_id text, item int, due_at timestamptz)
     where c.execution_id = i.execution_id and c.node_id = i.node_id and c.item = i.item and c.ended_at is null`,
    [JSON.stringify(calls)],
  );
}

export type EndedCall = CallKey & Pick<CallRow, 'value_id'>;

/**
 * Marks calls as ended, unless they have moved to another server since. The caller must lock the runs of these calls and wake
 * them in the same transaction.
 */
export async function endCalls(tx: Tx, calls: readonly EndedCall[]): Promise<void> {
  await tx.query(
    `update calls c set ended_at = now()
     from json_to_recordset($1::json) as i(execution_id text, node_id text, item int, value_id text)
     where c.execution_id = i.execution_id and c.node_id = i.node_id and c.item = i.item and c.ended_at is null
       and c.cancelled_at is null and c.value_id is not distinct from i.value_id`,
    [JSON.stringify(calls)],
  );
}

export interface DroppedCall extends CallKey {
  readonly workspace: string;
  readonly provider: string;
  /** The stored credential of the call. */
  readonly credential_id: string | null;
  readonly credits: number;
  readonly terms: CallTerms | null;
}

/** Deletes cancelled calls whose outcome is known, and returns them. */
export function dropCalls(tx: Tx, calls: readonly CallKey[]): Promise<readonly DroppedCall[]> {
  return all(
    tx,
    `delete from calls c using json_to_recordset($1::json) as i(execution_id text, node_id text, item int)
     where c.execution_id = i.execution_id and c.node_id = i.node_id and c.item = i.item and c.cancelled_at is not null
     returning c.execution_id, c.node_id, c.item, c.workspace, c.provider, c.credential_id, c.credits, c.terms`,
    [JSON.stringify(calls)],
  );
}

/** Lists the woken calls of the run: calls that have ended, and calls that were granted a slot and can be submitted. */
export function listWokenCalls(
  tx: Tx,
  executionId: string,
): Promise<readonly Pick<CallRow, 'node_id' | 'item'>[]> {
  return all(
    tx,
    `select node_id, item from calls
     where execution_id = $1 and (ended_at is not null or (slot_at is not null and job_id is null))`,
    [executionId],
  );
}

export interface CallState extends CallKey {
  /** Whether the call was not woken: it is active at its provider or waits for a slot. */
  readonly is_awaited: boolean;
}

/** Lists all call rows of the runs. */
export function listCalls(tx: Tx, executionIds: readonly string[]): Promise<readonly CallState[]> {
  return all(
    tx,
    `select execution_id, node_id, item, ended_at is null and (slot_at is null or job_id is not null) as is_awaited
     from calls where execution_id = any ($1::text[])`,
    [executionIds],
  );
}

/** Lists runs that wait for calls although no call is left to wake them. */
export function listRunsWithoutCalls(tx: Tx, limit: number): Promise<readonly string[]> {
  return allValues(
    tx,
    `select e.id from executions e
     where e.under_way and e.worker_id is null and e.wake_at is null and e.running_since < now() - interval '1 minute'
       and not exists (select from calls c where c.execution_id = e.id and c.ended_at is null and c.cancelled_at is null)
     limit $1`,
    [limit],
  );
}

export type WebhookCall = CallKey & Pick<CallRow, 'provider' | 'value_id' | 'model' | 'submitted_at'>;

/** Returns the call to which a provider's webhook belongs, or undefined if the call was cancelled or deleted. */
export function findCallByToken(tx: Tx, provider: string, token: string): Promise<WebhookCall | undefined> {
  return first(
    tx,
    `select execution_id, node_id, item, provider, value_id, model, submitted_at
     from calls where token = $2 and provider = $1 and cancelled_at is null`,
    [provider, token],
  );
}

/** When a provider's next call is due, and the limiters whose calls wait for slots. */
export interface PollSchedule {
  readonly due_at: Date | null;
  readonly waiting_limiters: readonly string[];
}

export async function getPollSchedule(tx: Tx, provider: string): Promise<PollSchedule> {
  const schedule = await first<PollSchedule>(
    tx,
    `with recursive waiting as (
       (select limiter from calls where provider = $1 and slot_at is null order by limiter limit 1)
       union all
       select (select c.limiter from calls c where c.provider = $1 and c.slot_at is null and c.limiter > w.limiter
               order by c.limiter limit 1)
       from waiting w where w.limiter is not null
     )
     select (select min(due_at) from calls where provider = $1 and ended_at is null and slot_at is not null) as due_at,
       array(select limiter from waiting where limiter is not null limit ${MAX_WAITING_LIMITERS}) as waiting_limiters`,
    [provider],
  );
  return schedule as PollSchedule;
}

const MAX_WAITING_LIMITERS = 1000;
