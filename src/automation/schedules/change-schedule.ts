// Creates, changes, pauses and deletes schedules.
import { randomInt } from 'node:crypto';
import type { JsonObject } from '../../graph/types.ts';
import { AppError, createFieldError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { JsonText } from '../../lib/json-text.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { readInputOverrides, withInputIds } from '../../runs/prepare/run-request.ts';
import { readRunVersion, toVersionKey } from '../../runs/prepare/run-version.ts';
import { presentSecretWarnings } from '../../runs/prepare/secret-warnings.ts';
import { authorize, getWorkspaceId } from '../../services/accounts/access.ts';
import { type Actor, requireScope, toSpender } from '../../services/accounts/actor.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import { toSpenderColumns } from '../../store/spenders.ts';
import { findWorkflow, type ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { findNewSpender } from '../spender.ts';
import { SKIP_REASONS } from './plan-firings.ts';
import { authorizeSchedule, presentSchedule } from './read-schedule.ts';
import type { CreateScheduleBody, PreviewBody, UpdateScheduleBody } from './schedule.schema.ts';
import { requirePublished } from './start-firings.ts';
import {
  countActiveSchedules,
  deleteSchedule,
  getStoredSchedule,
  insertSchedule,
  lockSchedule,
  readNow,
  type ScheduleRow,
  type ScheduleSettings,
  skipWaiting,
  updateSchedule,
} from './store.ts';
import { findNextTime, listNextTimes, requireTiming, type Timing } from './times.ts';

const MAX_ACTIVE_SCHEDULES = 100;
const MAX_SCHEDULE_INPUT_BYTES = 262_144;
const PREVIEW_COUNT = 5;

/** Stores a schedule that runs as the caller. */
export async function createSchedule(
  deps: RunDeps,
  actor: Actor,
  workflowId: string,
  body: CreateScheduleBody,
) {
  const user = requireScope(actor, 'workflows:execute');
  const { workflow } = authorize(actor, 'run', await findWorkflow(deps.db, workflowId, user.userId));
  const id = newId('schedule', deps.now());
  const row = await deps.db.transaction(async tx => {
    const settings = await resolveSettings(deps, tx, workflow, body, undefined);
    if (settings.is_active) await requireScheduleSlot(tx, workflow);
    await insertSchedule(tx, {
      ...settings,
      id,
      workflow_id: workflow.id,
      user_id: user.userId,
      ...toSpenderColumns(toSpender(user)),
      next_run_at: await findNextRun(tx, settings),
    });
    recordAudit(tx, user, {
      action: 'schedule.created',
      target: id,
      name: settings.name,
      teamId: workflow.team_id,
      after: describeFields(settings),
    });
    return getStoredSchedule(tx, id);
  });
  const warnings = await presentSecretWarnings(deps, workflow.id, workflow.version);
  return { ...presentSchedule(row), ...warnings };
}

/** Changes settings. Activating a schedule resets its failure count. Due times that passed during its pause do not run. */
export async function changeSchedule(deps: RunDeps, actor: Actor, id: string, body: UpdateScheduleBody) {
  const user = requireScope(actor, 'workflows:execute');
  const { workflow } = await authorizeSchedule(deps, user, id, 'run');
  const row = await deps.db.transaction(async tx => {
    const schedule = await lockSchedule(tx, id);
    if (schedule === undefined) throw new AppError('not_found', 'Schedule not found.');
    const settings = await resolveSettings(deps, tx, workflow, body, schedule);
    const isActivated = settings.is_active && !schedule.is_active;
    if (isActivated) await requireScheduleSlot(tx, workflow);
    const isRescheduled = TIMING_COLUMNS.some(column => settings[column] !== schedule[column]);
    const next_run_at = isRescheduled ? await findNextRun(tx, settings) : schedule.next_run_at;
    await updateSchedule(tx, id, {
      ...settings,
      next_run_at,
      ...(body.isActive === undefined ? {} : { paused_reason: null }),
      ...(isActivated ? { failures_in_a_row: 0 } : {}),
      ...findNewSpender(user, body),
    });
    if (!settings.is_active && schedule.is_active)
      await skipWaiting(tx, id, SKIP_REASONS.paused, ['scheduled', 'catch_up']);
    recordAudit(tx, user, {
      action: 'schedule.changed',
      target: id,
      name: settings.name,
      teamId: workflow.team_id,
      before: describeFields(schedule),
      after: describeFields(settings),
    });
    return getStoredSchedule(tx, id);
  });
  return presentSchedule(row);
}

/** The settings that decide when a schedule is due next. */
const TIMING_COLUMNS = ['cron', 'every_seconds', 'time_zone', 'offset_seconds', 'is_active'] as const;

async function findNextRun(tx: Tx, settings: ScheduleSettings): Promise<Date | null> {
  return settings.is_active ? (findNextTime(settings, await readNow(tx)) ?? null) : null;
}

/** Deletes the schedule with its history. Its executions stay. */
export async function removeSchedule(deps: RunDeps, actor: Actor, id: string): Promise<void> {
  const user = requireScope(actor, 'workflows:execute');
  const { workflow } = await authorizeSchedule(deps, user, id, 'run');
  await deps.db.transaction(async tx => {
    const schedule = await lockSchedule(tx, id);
    if (schedule === undefined) throw new AppError('not_found', 'Schedule not found.');
    await deleteSchedule(tx, id);
    recordAudit(tx, user, {
      action: 'schedule.deleted',
      target: id,
      name: schedule.name,
      teamId: workflow.team_id,
      before: describeFields(schedule),
    });
  });
}

/** The fields that the audit log shows. Inputs may be long, and may be confidential. */
const describeFields = (settings: ScheduleSettings) => ({
  name: settings.name,
  cron: settings.cron,
  everySeconds: settings.every_seconds,
  timeZone: settings.time_zone,
  maxCredits: settings.max_credits,
  version: settings.runs_version,
  isActive: settings.is_active,
});

/** Returns the next times of a schedule with this timing. Stores nothing. */
export async function previewSchedule(deps: RunDeps, actor: Actor, body: PreviewBody) {
  requireScope(actor, 'workflows:read');
  const now = await readNow(deps.db);
  const timing: Timing = { ...resolveTiming(body, undefined, now), offset_seconds: 0 };
  requireTiming(timing, now);
  return { times: listNextTimes(timing, now, PREVIEW_COUNT).map(time => time.toISOString()) };
}

/** Checks a request and returns all settings. Settings that the request omits keep their value or get their default. */
async function resolveSettings(
  deps: RunDeps,
  tx: Tx,
  workflow: ReadWorkflowRow,
  body: UpdateScheduleBody,
  before: ScheduleRow | undefined,
): Promise<ScheduleSettings> {
  const now = await readNow(tx);
  const jitter_seconds = body.jitterSeconds ?? before?.jitter_seconds ?? 0;
  const isSameJitter = jitter_seconds === before?.jitter_seconds;
  const settings: ScheduleSettings = {
    name: body.name ?? before?.name ?? workflow.name,
    ...resolveTiming(body, before, now),
    inputs: body.inputs === undefined ? (before?.inputs ?? '{}') : JsonText.of(body.inputs).text,
    max_credits: body.maxCredits === undefined ? (before?.max_credits ?? null) : body.maxCredits,
    runs_version: body.version ?? before?.runs_version ?? 'current',
    overlap: body.overlap ?? before?.overlap ?? 'skip',
    catch_up: body.catchUp ?? before?.catch_up ?? 'latest',
    jitter_seconds,
    offset_seconds: isSameJitter ? before.offset_seconds : randomInt(0, jitter_seconds + 1),
    is_active: body.isActive ?? before?.is_active ?? true,
  };
  requireTiming(settings, now);
  const isActivated = settings.is_active && before?.is_active !== true;
  if (settings.runs_version === 'published' && (body.version !== undefined || isActivated))
    requirePublished(workflow);
  if (body.inputs === undefined) return settings;
  return { ...settings, inputs: await parseInputs(deps, workflow, settings) };
}

function resolveTiming(
  body: PreviewBody,
  before: ScheduleRow | undefined,
  now: Date,
): Pick<Timing, 'cron' | 'every_seconds' | 'time_zone' | 'anchor_at'> {
  const { cron, everySeconds } = body;
  if (cron !== undefined && everySeconds !== undefined)
    throw createFieldError('/everySeconds', 'cannot be combined with cron. Send one of them');
  const time_zone = body.timeZone ?? before?.time_zone ?? 'UTC';
  if (cron !== undefined) return { cron, every_seconds: null, time_zone, anchor_at: now };
  if (everySeconds !== undefined && everySeconds !== before?.every_seconds)
    return { cron: null, every_seconds: everySeconds, time_zone, anchor_at: now };
  if (before === undefined)
    throw createFieldError('/cron', 'is missing. Send cron, or everySeconds for an interval');
  return { cron: before.cron, every_seconds: before.every_seconds, time_zone, anchor_at: before.anchor_at };
}

/** Returns the inputs by node id. Throws 400 if they do not match the version that the schedule runs. */
async function parseInputs(
  deps: RunDeps,
  workflow: ReadWorkflowRow,
  { inputs: text, runs_version }: ScheduleSettings,
): Promise<string> {
  if (Buffer.byteLength(text) > MAX_SCHEDULE_INPUT_BYTES)
    throw createFieldError(
      '/inputs',
      `must be at most ${MAX_SCHEDULE_INPUT_BYTES / 1024} KB. Upload media, and send its URL`,
    );
  const number = runs_version === 'published' ? requirePublished(workflow) : workflow.version;
  const { graph } = await readRunVersion(deps, toVersionKey(workflow.id, number));
  const inputs = new JsonText<JsonObject>(text);
  readInputOverrides(deps, graph, inputs);
  return withInputIds(graph, inputs).text;
}

/** Throws 409 `conflict` if the workspace has as many active schedules as allowed. */
async function requireScheduleSlot(tx: Tx, workflow: ReadWorkflowRow): Promise<void> {
  if ((await countActiveSchedules(tx, getWorkspaceId(workflow))) < MAX_ACTIVE_SCHEDULES) return;
  throw new AppError(
    'conflict',
    `The workspace has ${MAX_ACTIVE_SCHEDULES} active schedules, which is the limit. Pause or delete one of them.`,
  );
}
