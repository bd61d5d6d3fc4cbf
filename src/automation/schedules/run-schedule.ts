// Runs a schedule now, or for its due times in the past.
import type { JsonObject } from '../../graph/types.ts';
import { AppError, createFieldError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { JsonText } from '../../lib/json-text.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { estimateWorkflow } from '../../runs/estimate/estimate-run.ts';
import { type Actor, requireScope, toSpender, type UserActor } from '../../services/accounts/actor.ts';
import { parseIsoTime } from '../../services/schema.ts';
import type { Tx } from '../../store/db.ts';
import { enqueue } from '../../store/queue.ts';
import { toSpenderColumns } from '../../store/spenders.ts';
import { authorizeSchedule } from './read-schedule.ts';
import type { BackfillBody } from './schedule.schema.ts';
import { requirePublished, startManually } from './start-firings.ts';
import {
  insertFirings,
  listBackfilled,
  listOpenFirings,
  lockSchedule,
  readNow,
  updateSchedule,
} from './store.ts';
import { listLastTimes } from './times.ts';

const MAX_BACKFILL = 100;

/** Starts a run of the schedule as the caller, even if the schedule is paused or a run has not ended. */
export async function runScheduleNow(deps: RunDeps, actor: Actor, id: string) {
  const user = requireScope(actor, 'workflows:execute');
  const { schedule } = await authorizeSchedule(deps, user, id, 'run');
  const executionId = newId('execution', deps.now());
  const [firing] = await deps.db.transaction(async tx =>
    insertFirings(
      tx,
      [
        {
          id: newId('firing', deps.now()),
          schedule_id: schedule.id,
          kind: 'manual',
          due_at: await readNow(tx),
          outcome: 'starting',
          reason: null,
          execution_id: executionId,
        },
      ],
      deps.timing.firingRetryMs,
    ),
  );
  if (firing === undefined) throw new AppError('not_found', 'Schedule not found.');
  await startManually(deps, user, firing);
  return { executionId, scheduleId: schedule.id };
}

/**
 * Runs the schedule for its due times in a past range, one after the other. Leaves out times that a backfill has run, so that
 * a repeated request starts nothing twice, unless `repeat` is set. `dryRun` only estimates. Throws 400 if the range has no
 * due time or more than 100, and 409 while an earlier backfill still has runs to start.
 */
export async function backfillSchedule(deps: RunDeps, actor: Actor, id: string, body: BackfillBody) {
  const user = requireScope(actor, 'workflows:execute');
  const { schedule, workflow } = await authorizeSchedule(deps, user, id, 'run');
  const times = listLastTimes(schedule, parseRange(body, await readNow(deps.db)), MAX_BACKFILL + 1);
  if (times.length === 0)
    throw createFieldError('/from', 'has no due time between from and to', 'The schedule');
  if (times.length > MAX_BACKFILL)
    throw createFieldError(
      '/from',
      `has more than ${MAX_BACKFILL} due times between from and to. Choose a shorter range`,
      'The schedule',
    );
  const { credits, exact } = await estimateWorkflow(deps, actor, {
    workflowId: workflow.id,
    request: { inputs: new JsonText<JsonObject>(schedule.inputs) },
    ...(schedule.runs_version === 'published' ? { versionNumber: requirePublished(workflow) } : {}),
  });
  const isRepeat = body.repeat === true;
  const newTimes =
    body.dryRun === true
      ? await listTimesToRun(deps.db, id, times, isRepeat)
      : await storeBackfill(deps, user, { id, times, isRepeat });
  return {
    runs: newTimes.length,
    dueAt: newTimes.map(time => time.toISOString()),
    alreadyRun: times.length - newTimes.length,
    estimate: { credits: credits * newTimes.length, exact, perRun: credits },
  };
}

async function listTimesToRun(
  tx: Tx,
  id: string,
  times: readonly Date[],
  isRepeat: boolean,
): Promise<readonly Date[]> {
  if (isRepeat) return times;
  const earlier = await listBackfilled(tx, id, times);
  return times.filter(time => !earlier.has(time.getTime()));
}

function parseRange({ from, to }: BackfillBody, now: Date): { readonly from: Date; readonly to: Date } {
  const range = { from: parseIsoTime(from), to: parseIsoTime(to) };
  if (range.from === undefined) throw createFieldError('/from', 'must be a time in ISO 8601');
  if (range.to === undefined) throw createFieldError('/to', 'must be a time in ISO 8601');
  if (range.to > now) throw createFieldError('/to', 'must be in the past');
  return { from: range.from, to: range.to };
}

/** Returns the times whose runs will start. */
async function storeBackfill(
  deps: RunDeps,
  user: UserActor,
  {
    id,
    times,
    isRepeat,
  }: { readonly id: string; readonly times: readonly Date[]; readonly isRepeat: boolean },
): Promise<readonly Date[]> {
  const newTimes = await deps.db.transaction(async tx => {
    if ((await lockSchedule(tx, id)) === undefined) throw new AppError('not_found', 'Schedule not found.');
    const timesToRun = await listTimesToRun(tx, id, times, isRepeat);
    if (timesToRun.length === 0) return [];
    const openFirings = await listOpenFirings(tx, [id]);
    if (openFirings.some(({ kind, is_waiting }) => kind === 'backfill' && is_waiting))
      throw new AppError(
        'conflict',
        'An earlier backfill of this schedule still has runs to start. Try again when they have started.',
      );
    // They spend the limits of the caller, like a change of the schedule.
    await updateSchedule(tx, id, toSpenderColumns(toSpender(user)));
    await insertFirings(
      tx,
      timesToRun.map((due_at, index) => ({
        id: newId('firing', deps.now() + index),
        schedule_id: id,
        kind: 'backfill',
        due_at,
        outcome: 'waiting',
        reason: null,
        execution_id: null,
      })),
      deps.timing.firingRetryMs,
    );
    await enqueue(tx, 'automation', [id]);
    return timesToRun;
  });
  deps.wakeTimers.wake('background');
  return newTimes;
}
