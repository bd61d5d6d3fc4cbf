// Stores schedules and their firings. A transaction that locks schedules and firings locks the schedules first.
import { CHANNELS, SCHEDULES_CHANGED, type Tx } from '../../store/db.ts';
import { EDITABLE, isNoneOfSql } from '../../store/permissions.ts';
import {
  all,
  first,
  firstNumber,
  firstValue,
  insertRow,
  limitPageBytes,
  lockName,
  matches,
  type PageRange,
  updateRow,
} from '../../store/rows.ts';
import type { SpenderColumns } from '../../store/spenders.ts';
import {
  type AutomationOwner,
  listLeftOut,
  OUTCOMES,
  type PauseReason,
  selectWorkflowName,
} from '../store.ts';

export const OVERLAPS = ['skip', 'queue', 'allow', 'cancel_previous'] as const;
export type Overlap = (typeof OVERLAPS)[number];
export const CATCH_UPS = ['latest', 'all', 'none'] as const;
export type CatchUp = (typeof CATCH_UPS)[number];
export const RUNS_VERSIONS = ['published', 'current'] as const;
export type RunsVersion = (typeof RUNS_VERSIONS)[number];

/** The columns that a user sets. */
export interface ScheduleSettings {
  readonly name: string;
  readonly cron: string | null;
  readonly every_seconds: number | null;
  readonly time_zone: string;
  /** JSON text of the inputs by node id. */
  readonly inputs: string;
  readonly max_credits: number | null;
  readonly runs_version: RunsVersion;
  readonly overlap: Overlap;
  readonly catch_up: CatchUp;
  readonly jitter_seconds: number;
  /** The delay that is added to every due time; at most `jitter_seconds`. */
  readonly offset_seconds: number;
  readonly is_active: boolean;
  /** The start of the first interval. */
  readonly anchor_at: Date;
}

interface ScheduleState {
  readonly paused_reason: PauseReason | null;
  readonly next_run_at: Date | null;
  readonly failures_in_a_row: number;
}

export interface ScheduleRow extends ScheduleSettings, ScheduleState, SpenderColumns {
  readonly id: string;
  readonly workflow_id: string;
  readonly user_id: number;
  readonly created_at: Date;
}

export type NewSchedule = Omit<ScheduleRow, 'paused_reason' | 'failures_in_a_row' | 'created_at'>;

const COLUMNS = `s.id, s.workflow_id, s.user_id, s.spender_id, s.key_id, s.name, s.cron, s.every_seconds, s.time_zone, s.inputs, s.max_credits,
  s.runs_version, s.overlap, s.catch_up, s.jitter_seconds, s.offset_seconds, s.is_active, s.paused_reason, s.anchor_at,
  s.next_run_at, s.failures_in_a_row, s.created_at`;

/** A schedule with its last run. */
export interface ScheduleWithLastRun extends ScheduleRow {
  readonly workflow_name: string;
  readonly last_run_at: Date | null;
  readonly last_execution_id: string | null;
}

const COLUMNS_WITH_LAST_RUN = `${COLUMNS}, ${selectWorkflowName('s')}, l.due_at as last_run_at, l.execution_id as last_execution_id`;
const SCHEDULES_WITH_LAST_RUN = `schedules s left join lateral (
  select f.due_at, f.execution_id from firings f where f.schedule_id = s.id and f.outcome = 'accepted'
  order by f.id desc limit 1) l on true`;

/** Returns the time of the database, which decides what is due. */
export async function readNow(tx: Tx): Promise<Date> {
  return (await first<{ now: Date }>(tx, 'select now()::timestamptz(3) as now'))?.now ?? new Date(Number.NaN);
}

export async function insertSchedule(tx: Tx, schedule: NewSchedule): Promise<void> {
  await insertRow(tx, 'schedules', schedule);
  await notifyClocks(tx);
}

/** Changes columns of the schedule. The caller must hold the schedule's lock. */
export async function updateSchedule(
  tx: Tx,
  id: string,
  change: Partial<ScheduleSettings & ScheduleState & SpenderColumns>,
): Promise<void> {
  await updateRow(tx, 'schedules', id, change);
  if (change.next_run_at !== undefined && change.next_run_at !== null) await notifyClocks(tx);
}

/** Wakes the clocks of all workers, because a schedule may now be due earlier than the clocks expect. */
async function notifyClocks(tx: Tx): Promise<void> {
  await tx.query(`select pg_notify('${CHANNELS.schedules}', '${SCHEDULES_CHANGED}')`);
}

/** Deletes the schedule with its history; its executions stay. */
export async function deleteSchedule(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from schedules where id = $1', [id]);
}

export function findSchedule(tx: Tx, id: string): Promise<ScheduleWithLastRun | undefined> {
  return first(tx, `select ${COLUMNS_WITH_LAST_RUN} from ${SCHEDULES_WITH_LAST_RUN} where s.id = $1`, [id]);
}

/** Returns a schedule that must exist, because this transaction has inserted or locked it. */
export async function getStoredSchedule(tx: Tx, id: string): Promise<ScheduleWithLastRun> {
  return (await findSchedule(tx, id)) as ScheduleWithLastRun;
}

/** Reads the schedule and locks it until the transaction ends. */
export function lockSchedule(tx: Tx, id: string): Promise<ScheduleRow | undefined> {
  return first(tx, `select ${COLUMNS} from schedules s where s.id = $1 for no key update`, [id]);
}

/** Lists the schedules of a workflow, or of all workflows that the user may edit, newest first. */
export function listSchedules(
  tx: Tx,
  owner: AutomationOwner,
  { after, limit }: PageRange<string>,
): Promise<readonly ScheduleWithLastRun[]> {
  const [where, value] =
    'workflowId' in owner ? ['s.workflow_id = $1', owner.workflowId] : [EDITABLE, owner.userId];
  return all(
    tx,
    limitPageBytes(
      `select ${COLUMNS_WITH_LAST_RUN} from ${SCHEDULES_WITH_LAST_RUN} join workflows w on w.id = s.workflow_id
       where ${where} and ${isNoneOfSql('w.team_id', '$4')} and ($2::text is null or s.id < $2) order by s.id desc limit $3`,
      ['inputs'],
    ),
    [value, after, limit, listLeftOut(owner)],
  );
}

/** Counts the active schedules of a workspace. Other transactions that count them wait until this transaction ends. */
export async function countActiveSchedules(tx: Tx, workspace: string): Promise<number> {
  await lockName(tx, `schedules:${workspace}`);
  return firstNumber(
    tx,
    `select count(*) as count from schedules s join workflows w on w.id = s.workflow_id
     where s.is_active and w.deleted_at is null and coalesce(w.team_id, 'user:' || w.user_id) = $1`,
    [workspace],
  );
}

export const FIRING_KINDS = ['scheduled', 'catch_up', 'backfill', 'manual'] as const;
export type FiringKind = (typeof FIRING_KINDS)[number];
export const FIRING_OUTCOMES = ['starting', 'waiting', ...OUTCOMES] as const;
export type FiringOutcome = (typeof FIRING_OUTCOMES)[number];

/** A firing: a due time of a schedule, or a manual run of it, with the outcome. */
export interface NewFiring {
  readonly id: string;
  readonly schedule_id: string;
  readonly kind: FiringKind;
  readonly due_at: Date;
  readonly outcome: FiringOutcome;
  readonly reason: string | null;
  /** The execution to start; null if there is none yet. */
  readonly execution_id: string | null;
}

/** A firing whose run is about to start, with the columns of its schedule that describe the run. */
export interface StartableFiring
  extends Pick<
    ScheduleRow,
    | 'workflow_id'
    | 'user_id'
    | 'spender_id'
    | 'key_id'
    | 'name'
    | 'inputs'
    | 'max_credits'
    | 'runs_version'
    | 'overlap'
  > {
  readonly id: string;
  readonly schedule_id: string;
  readonly kind: FiringKind;
  readonly due_at: Date;
  readonly execution_id: string;
  /** How many processes have tried to start the run. */
  readonly attempts: number;
  readonly is_accepted: boolean;
}

const STARTABLE = `f.id, f.schedule_id, f.kind, f.due_at, f.execution_id, f.attempts, s.workflow_id, s.user_id, s.spender_id, s.key_id, s.name,
  s.inputs, s.max_credits, s.runs_version, s.overlap,
  exists (select from executions e where e.id = f.execution_id) as is_accepted`;

/**
 * Returns the milliseconds until the next schedule is due or a firing of a dead process may be retried, or undefined if
 * there is neither. Costs two index lookups.
 */
export function readNextDueMs(tx: Tx): Promise<number | undefined> {
  return firstValue(
    tx,
    `select ceil(extract(epoch from least(
       (select next_run_at from schedules where is_active and next_run_at is not null order by next_run_at limit 1),
       (select retry_at from firings where outcome = 'starting' order by retry_at limit 1)
     ) - clock_timestamp()) * 1000)::float8 as ms`,
  );
}

/** Locks due schedules that no other transaction has locked, the longest due first. */
export function lockDueSchedules(tx: Tx, limit: number): Promise<readonly ScheduleRow[]> {
  return all(
    tx,
    `select ${COLUMNS} from schedules s where s.is_active and s.next_run_at <= now()
     order by s.next_run_at limit $1 for no key update skip locked`,
    [limit],
  );
}

/** A firing that waits, or whose run has not ended. */
export interface OpenFiring {
  readonly id: string;
  readonly schedule_id: string;
  readonly kind: FiringKind;
  readonly due_at: Date;
  readonly is_waiting: boolean;
  readonly execution_id: string | null;
}

/** Lists the open firings of the schedules. */
export function listOpenFirings(tx: Tx, scheduleIds: readonly string[]): Promise<readonly OpenFiring[]> {
  return all(
    tx,
    `select f.id, f.schedule_id, f.kind, f.due_at, f.outcome = 'waiting' as is_waiting, f.execution_id from firings f
     where f.schedule_id = any ($1::text[]) and (f.outcome in ('starting', 'waiting')
       or f.outcome = 'accepted' and f.ended_at is null
         and exists (select from executions e where e.id = f.execution_id and e.finished_at is null))`,
    [scheduleIds],
  );
}

/** Lists which of the due times backfills of the schedule have run or will run. */
export async function listBackfilled(
  tx: Tx,
  scheduleId: string,
  times: readonly Date[],
): Promise<Set<number>> {
  const rows = await all<{ readonly due_at: Date }>(
    tx,
    `select distinct due_at from firings where schedule_id = $1 and kind = 'backfill' and due_at = any ($2::timestamptz[])
       and outcome in ('starting', 'waiting', 'accepted')`,
    [scheduleId, times],
  );
  return new Set(rows.map(row => row.due_at.getTime()));
}

/**
 * Stores firings, except for due times that are already stored. Returns the stored firings whose runs must start. After
 * `retryMs`, another process may claim a firing that was not started.
 */
export async function insertFirings(
  tx: Tx,
  firings: readonly NewFiring[],
  retryMs: number,
): Promise<readonly StartableFiring[]> {
  if (firings.length === 0) return [];
  await tx.query(
    `insert into firings (id, schedule_id, kind, due_at, outcome, reason, execution_id, retry_at)
     select id, schedule_id, kind, due_at, outcome, reason, execution_id,
       case when outcome = 'starting' then now() + $2::float8 * interval '1 millisecond' end
     from json_populate_recordset(null::firings, $1::json)
     on conflict do nothing`,
    [JSON.stringify(firings), retryMs],
  );
  const ids = firings.filter(({ outcome }) => outcome === 'starting').map(({ id }) => id);
  if (ids.length === 0) return [];
  return all(
    tx,
    `select ${STARTABLE} from firings f join schedules s on s.id = f.schedule_id where f.id = any ($1::text[])`,
    [ids],
  );
}

/** Stores the next run time of each schedule. The caller must hold the schedules' locks. */
export async function updateNextRuns(
  tx: Tx,
  rows: readonly Pick<ScheduleRow, 'id' | 'next_run_at'>[],
): Promise<void> {
  await tx.query(
    `update schedules s set next_run_at = i.next_run_at
     from json_to_recordset($2::json) as i(id text, next_run_at timestamptz)
     where s.id = any ($1::text[]) and s.id = i.id`,
    [rows.map(({ id }) => id), JSON.stringify(rows)],
  );
}

/** Claims a waiting firing for `retryMs` and sets its execution. The caller must hold the schedule's lock. */
export function claimWaitingFiring(
  tx: Tx,
  id: string,
  executionId: string,
  retryMs: number,
): Promise<StartableFiring | undefined> {
  return first(
    tx,
    `with claimed as (
       update firings set outcome = 'starting', execution_id = $2, retry_at = now() + $3::float8 * interval '1 millisecond'
       where id = $1 and outcome = 'waiting' returning *)
     select ${STARTABLE} from claimed f join schedules s on s.id = f.schedule_id`,
    [id, executionId, retryMs],
  );
}

/**
 * Claims firings whose process died before it started them. Each attempt gets `retryMs` more time than the previous one.
 */
export function claimLostFirings(
  tx: Tx,
  limit: number,
  retryMs: number,
): Promise<readonly StartableFiring[]> {
  return all(
    tx,
    `with claimed as (
       update firings set attempts = attempts + 1, retry_at = now() + attempts * $2::float8 * interval '1 millisecond'
       where id in (select id from firings where outcome = 'starting' and retry_at <= now()
         order by retry_at limit $1 for no key update skip locked)
       returning *)
     select ${STARTABLE} from claimed f join schedules s on s.id = f.schedule_id`,
    [limit, retryMs],
  );
}

/** Records that the runs of firings were accepted. */
export async function acceptFirings(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update firings set outcome = 'accepted', accepted_at = now(), retry_at = null
     where id in (select id from firings where id = any ($1::text[]) and outcome = 'starting' order by id for no key update)`,
    [ids],
  );
}

/**
 * Marks a firing as refused. Returns false if another process has started its run. The caller must hold the schedule's
 * lock.
 */
export function refuseFiring(tx: Tx, id: string, reason: string): Promise<boolean> {
  return matches(
    tx,
    `update firings f set outcome = 'refused', reason = $2, execution_id = null, retry_at = null
     where f.id = $1 and f.outcome = 'starting' and not exists (select from executions e where e.id = f.execution_id)`,
    [id, reason],
  );
}

/** Skips the waiting firings of these kinds. The caller must hold the schedule's lock. */
export async function skipWaiting(
  tx: Tx,
  scheduleId: string,
  reason: string,
  kinds: readonly FiringKind[] = FIRING_KINDS,
): Promise<void> {
  await tx.query(
    `update firings set outcome = 'skipped', reason = $2
     where schedule_id = $1 and outcome = 'waiting' and kind = any ($3::text[])`,
    [scheduleId, reason, kinds],
  );
}

export interface EndedFiring {
  readonly kind: FiringKind;
  /** The status of the firing's run. */
  readonly status: string;
}

/**
 * Records which runs of firings have ended. Returns these firings in the order in which their runs ended. The caller must
 * hold the schedule's lock.
 */
export function settleFirings(tx: Tx, scheduleId: string): Promise<readonly EndedFiring[]> {
  return all(
    tx,
    `with ended as (
       update firings f set outcome = 'accepted', accepted_at = coalesce(f.accepted_at, now()), retry_at = null,
         ended_at = e.finished_at
       from executions e
       where f.schedule_id = $1 and f.outcome in ('starting', 'accepted') and f.ended_at is null
         and e.id = f.execution_id and e.finished_at is not null
       returning f.id, f.kind, e.status, e.finished_at)
     select kind, status from ended order by finished_at, id`,
    [scheduleId],
  );
}

/**
 * Settles the firings if all these runs completed, the schedule's previous run did not fail and no firing waits.
 * Otherwise changes nothing and returns false. Needs no lock, because whoever stores a waiting firing also queues a job.
 */
export async function settleCompleted(tx: Tx, scheduleId: string): Promise<boolean> {
  const row = await first<{ is_settled: boolean }>(
    tx,
    `with ended as materialized (
       select f.id, e.status, e.finished_at from firings f join executions e on e.id = f.execution_id
       where f.schedule_id = $1 and f.outcome in ('starting', 'accepted') and f.ended_at is null
         and e.finished_at is not null
     ), eligible as materialized (
       select s.id from schedules s where s.id = $1 and s.failures_in_a_row = 0
         and not exists (select from firings w where w.schedule_id = $1 and w.outcome = 'waiting')
         and not exists (select from ended where status <> 'COMPLETED')
     ), settled as (
       update firings f set outcome = 'accepted', accepted_at = coalesce(f.accepted_at, now()), retry_at = null,
         ended_at = i.finished_at
       from ended i, eligible
       where f.id = any (array(select id from ended order by id)) and f.id = i.id
       returning f.id)
     select exists (select from eligible) as is_settled, (select count(*) from settled) as count`,
    [scheduleId],
  );
  return row?.is_settled === true;
}

export interface ListedFiring {
  readonly id: string;
  readonly kind: FiringKind;
  readonly due_at: Date;
  readonly accepted_at: Date | null;
  readonly outcome: FiringOutcome;
  readonly reason: string | null;
  readonly execution_id: string | null;
}

/** Lists the firings of a schedule, newest first. */
export function listFirings(
  tx: Tx,
  scheduleId: string,
  { after, limit }: PageRange<string>,
): Promise<readonly ListedFiring[]> {
  return all(
    tx,
    `select id, kind, due_at, accepted_at, outcome, reason, execution_id from firings
     where schedule_id = $1 and ($2::text is null or id < $2) order by id desc limit $3`,
    [scheduleId, after, limit],
  );
}
