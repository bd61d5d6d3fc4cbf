// Starts the runs of firings, and records whether they were accepted or refused.
//
// Two commits make sure that each firing starts exactly one run. The first commit stores the firing with the id of its
// execution: in claim-due.ts, which also sets the next due time of the schedule, in run-schedule.ts, or, for a firing that
// waited, in advance-schedule.ts. The index `firings_due` rejects a due time that was stored before. The second commit
// accepts the execution, whose id is a primary key and whose idempotency key contains the due time or the id of the firing.
// If the process dies between the commits, the firing stays `starting`. Another worker claims it later (claimLostFirings)
// and repeats the second commit, which has no effect if it was made already.
import type { JsonObject } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { getOrCreate } from '../../lib/get-or-create.ts';
import { JsonText } from '../../lib/json-text.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { cancelRuns } from '../../runs/end/cancel-run.ts';
import { toSpender, type UserActor } from '../../services/accounts/actor.ts';
import { getUserActor } from '../../services/accounts/user-actor.ts';
import { findWorkflowGrouped } from '../../services/workflows/read-workflow.ts';
import type { Tx } from '../../store/db.ts';
import { enqueue } from '../../store/queue.ts';
import { getSpender, type Spender } from '../../store/spenders.ts';
import type { ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { findPauseReason, MAX_FAILURES, notifyPause } from '../auto-pause.ts';
import { startForUser, toRefusal } from '../start-for-user.ts';
import type { PauseReason } from '../store.ts';
import { SKIP_REASONS } from './plan-firings.ts';
import {
  acceptFirings,
  listOpenFirings,
  lockSchedule,
  refuseFiring,
  type ScheduleRow,
  type StartableFiring,
  skipWaiting,
  updateSchedule,
} from './store.ts';

/** After this many attempts that failed with errors of the service, the firing counts as refused. */
const MAX_ATTEMPTS = 20;

interface Refusal {
  readonly message: string;
  /** Set if the schedule pauses immediately. */
  readonly pauseReason: PauseReason | undefined;
}

/** Starts the runs. After an error of the service, another worker claims the firing and tries again. */
export async function startFirings(deps: RunDeps, firings: readonly StartableFiring[]): Promise<void> {
  const accepted: string[] = [];
  // Many firings may have the same creator.
  const actors = new Map<number, Promise<UserActor>>();
  const refused: { readonly firing: StartableFiring; readonly refusal: Refusal }[] = [];
  await Promise.all(
    firings.map(async firing => {
      try {
        const refusal = firing.is_accepted ? undefined : await startFiring(deps, firing, actors);
        if (refusal === undefined) accepted.push(firing.id);
        else refused.push({ firing, refusal });
      } catch (err) {
        deps.log.warn({ err, firing: firing.id, schedule: firing.schedule_id }, 'a firing was not started');
        if (firing.attempts >= MAX_ATTEMPTS)
          refused.push({
            firing,
            refusal: { message: 'The service failed to start it.', pauseReason: undefined },
          });
      }
    }),
  );
  if (accepted.length > 0) await acceptFirings(deps.runDb, accepted);
  for (const { firing, refusal } of refused) await recordRefusal(deps, firing, refusal);
}

/** Starts the run of a firing as the user who requested it. Throws the error of a refused run. */
export async function startManually(deps: RunDeps, actor: UserActor, firing: StartableFiring): Promise<void> {
  try {
    await startFiringRun(deps, actor, firing, toSpender(actor));
    await acceptFirings(deps.runDb, [firing.id]);
  } catch (err) {
    const { message } = toRefusal(err);
    await deps.runDb.transaction(async tx => {
      await lockSchedule(tx, firing.schedule_id);
      await refuseFiring(tx, firing.id, message);
    });
    throw err;
  }
}

/** Starts the run as the creator of the schedule. Returns the reason if the run was refused. */
async function startFiring(
  deps: RunDeps,
  firing: StartableFiring,
  actors: Map<number, Promise<UserActor>>,
): Promise<Refusal | undefined> {
  if (firing.overlap === 'cancel_previous' && firing.kind === 'scheduled') await cancelPrevious(deps, firing);
  try {
    const actor = getOrCreate(actors, firing.user_id, () => getUserActor(deps, firing.user_id));
    await startFiringRun(deps, await actor, firing, getSpender(firing));
    return undefined;
  } catch (err) {
    const refusal = toRefusal(err);
    return { message: refusal.message, pauseReason: findPauseReason(refusal) };
  }
}

async function startFiringRun(
  deps: RunDeps,
  actor: UserActor,
  firing: StartableFiring,
  spender: Spender,
): Promise<void> {
  const version =
    firing.runs_version === 'current'
      ? {}
      : { versionNumber: await getPublishedVersion(deps, actor, firing) };
  const { id, schedule_id, execution_id: executionId, max_credits: maxCredits } = firing;
  const due = firing.due_at.toISOString();
  // Backfills and manual runs may repeat a due time.
  const idempotencyKey =
    firing.kind === 'scheduled' || firing.kind === 'catch_up'
      ? `${schedule_id}:${due}`
      : `${schedule_id}:${id}`;
  await startForUser(deps, actor, {
    workflowId: firing.workflow_id,
    ...version,
    idempotencyScope: 'schedule',
    request: {
      inputs: new JsonText<JsonObject>(firing.inputs),
      ...(maxCredits === null ? {} : { maxCredits }),
    },
    idempotencyKey,
    trigger: 'schedule',
    origin: { id: schedule_id, key: due, executionId, spender },
  });
}

async function getPublishedVersion(
  deps: RunDeps,
  { userId }: UserActor,
  { workflow_id: id }: StartableFiring,
): Promise<number> {
  const workflow = await findWorkflowGrouped(deps, { id, userId });
  if (workflow === undefined) throw new AppError('not_found', 'Workflow not found.');
  return requirePublished(workflow);
}

/** Returns the published version. Throws 409 `not_published`. */
export function requirePublished({
  is_published,
  published_version,
}: Pick<ReadWorkflowRow, 'is_published' | 'published_version'>): number {
  if (is_published && published_version !== null) return published_version;
  throw new AppError(
    'not_published',
    'The workflow is not published. Publish it, or let the schedule run the current version.',
  );
}

/** Cancels the earlier runs of the schedule, except catch-ups and backfills. */
async function cancelPrevious(deps: RunDeps, firing: StartableFiring): Promise<void> {
  const openFirings = await listOpenFirings(deps.runDb, [firing.schedule_id]);
  const ids = openFirings.flatMap(({ kind, due_at, execution_id }) =>
    (kind === 'scheduled' || kind === 'manual') && execution_id !== null && due_at < firing.due_at
      ? [execution_id]
      : [],
  );
  if (ids.length > 0) await cancelRuns(deps, ids);
}

async function recordRefusal(
  deps: RunDeps,
  firing: StartableFiring,
  { message, pauseReason }: Refusal,
): Promise<void> {
  await deps.runDb.transaction(async tx => {
    const schedule = await lockSchedule(tx, firing.schedule_id);
    if (schedule === undefined || !(await refuseFiring(tx, firing.id, message))) return;
    if (firing.kind === 'backfill') {
      // The other runs of the backfill would be refused as well.
      if (pauseReason !== undefined) await skipWaiting(tx, schedule.id, message, ['backfill']);
    } else if (firing.kind !== 'manual') {
      const failures = schedule.failures_in_a_row + 1;
      await updateSchedule(tx, schedule.id, { failures_in_a_row: failures });
      const reason = pauseReason ?? (failures >= MAX_FAILURES ? 'failures' : undefined);
      if (reason !== undefined) await pauseSchedule(tx, schedule, reason);
    }
    await enqueue(tx, 'automation', [schedule.id]);
  });
  deps.wakeTimers.wake('background');
}

/** Pauses the schedule, which must be locked, if it is active. */
export async function pauseSchedule(tx: Tx, schedule: ScheduleRow, reason: PauseReason): Promise<void> {
  if (!schedule.is_active) return;
  await updateSchedule(tx, schedule.id, { is_active: false, paused_reason: reason, next_run_at: null });
  await skipWaiting(tx, schedule.id, SKIP_REASONS.paused);
  await notifyPause(tx, 'schedule_paused', schedule, reason);
}
