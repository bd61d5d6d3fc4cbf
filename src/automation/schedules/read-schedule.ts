// Reads and lists schedules and their firings.
import { JsonText } from '../../lib/json-text.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { authorize } from '../../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import { byId, type PageQuery, readPage } from '../../services/paging.ts';
import {
  findSchedule,
  type ListedFiring,
  listFirings,
  listSchedules,
  type ShownSchedule,
} from '../../store/automation/schedules.ts';
import { findWorkflow, type ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { authorizeAutomation } from '../access.ts';

export interface ScheduleView {
  readonly schedule: ShownSchedule;
  readonly workflow: ReadWorkflowRow;
}

/** Returns the schedule for users with the permission on its workflow. Throws 404 or 403. */
export async function getScheduleView(
  deps: RunDeps,
  user: UserActor,
  id: string,
  verb: 'edit' | 'run',
): Promise<ScheduleView> {
  const found = await findSchedule(deps.db, id);
  const { row, workflow } = await authorizeAutomation(deps, user, found, { verb, noun: 'schedule' });
  return { schedule: row, workflow };
}

export async function getSchedule(deps: RunDeps, actor: Actor, id: string) {
  const { schedule } = await getScheduleView(deps, requireScope(actor, 'workflows:read'), id, 'edit');
  return presentSchedule(schedule);
}

/** Lists, newest first, the schedules of a workflow, or those of all workflows that the caller may edit. */
export async function listSchedulePage(deps: RunDeps, actor: Actor, query: PageQuery, workflowId?: string) {
  const user = requireScope(actor, 'workflows:read');
  if (workflowId !== undefined)
    authorize(actor, 'edit', await findWorkflow(deps.db, workflowId, user.userId));
  const owner = workflowId === undefined ? { userId: user.userId } : { workflowId };
  return readPage(query, byId('schedule'), part => listSchedules(deps.db, owner, part), presentSchedule);
}

export function presentSchedule(row: ShownSchedule) {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    name: row.name,
    cron: row.cron,
    everySeconds: row.every_seconds,
    timeZone: row.time_zone,
    inputs: new JsonText(row.inputs),
    maxCredits: row.max_credits,
    version: row.runs_version,
    overlap: row.overlap,
    catchUp: row.catch_up,
    jitterSeconds: row.jitter_seconds,
    isActive: row.is_active,
    pausedReason: row.paused_reason,
    nextRunAt: row.next_run_at?.toISOString() ?? null,
    lastRunAt: row.last_run_at?.toISOString() ?? null,
    lastExecutionId: row.last_execution_id,
    createdBy: row.user_id,
    createdAt: row.created_at.toISOString(),
  };
}

/** Lists what came of each due time, newest first. */
export async function listFiringPage(deps: RunDeps, actor: Actor, id: string, query: PageQuery) {
  const { schedule } = await getScheduleView(deps, requireScope(actor, 'workflows:read'), id, 'edit');
  return readPage(query, byId('firing'), part => listFirings(deps.db, schedule.id, part), presentFiring);
}

function presentFiring(row: ListedFiring) {
  // The moment between a due time and its accepted run.
  const isStarting = row.outcome === 'starting';
  return {
    dueAt: row.due_at.toISOString(),
    acceptedAt: row.accepted_at?.toISOString() ?? null,
    kind: row.kind,
    outcome: isStarting ? 'waiting' : row.outcome,
    reason: row.reason,
    executionId: isStarting ? null : row.execution_id,
  };
}
