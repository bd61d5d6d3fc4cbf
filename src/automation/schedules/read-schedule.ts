// Reads and lists schedules and their firings.
import { JsonText } from '../../lib/json-text.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import { byId, type PageQuery, readPage } from '../../services/paging.ts';
import { presentColumns } from '../../services/present-columns.ts';
import type { ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { authorizeAutomation, authorizeList } from '../access.ts';
import {
  findSchedule,
  type ListedFiring,
  listFirings,
  listSchedules,
  type ScheduleWithLastRun,
} from './store.ts';

export interface AuthorizedSchedule {
  readonly schedule: ScheduleWithLastRun;
  readonly workflow: ReadWorkflowRow;
}

/** Returns the schedule if the user has the permission in its workflow. Throws 404 or 403. */
export async function authorizeSchedule(
  deps: RunDeps,
  user: UserActor,
  id: string,
  action: 'edit' | 'run',
): Promise<AuthorizedSchedule> {
  const scheduleAndWorkflow = await findSchedule(deps.db, id);
  const { row, workflow } = await authorizeAutomation(deps, user, scheduleAndWorkflow, {
    action,
    noun: 'schedule',
  });
  return { schedule: row, workflow };
}

export async function readSchedule(deps: RunDeps, actor: Actor, id: string) {
  const { schedule } = await authorizeSchedule(deps, requireScope(actor, 'workflows:read'), id, 'edit');
  return presentSchedule(schedule);
}

/** Lists, newest first, the schedules of a workflow, or of all workflows that the caller may edit. */
export async function listSchedulePage(deps: RunDeps, actor: Actor, query: PageQuery, workflowId?: string) {
  const owner = await authorizeList(deps, actor, workflowId);
  return readPage(query, byId('schedule'), page => listSchedules(deps.db, owner, page), presentSchedule);
}

export function presentSchedule(row: ScheduleWithLastRun) {
  return {
    ...presentColumns(row, 'id workflow_id workflow_name name cron every_seconds time_zone'),
    inputs: JsonText.trust(row.inputs),
    maxCredits: row.max_credits,
    version: row.runs_version,
    ...presentColumns(row, 'overlap catch_up jitter_seconds is_active paused_reason'),
    ...presentColumns(row, 'next_run_at last_run_at last_execution_id'),
    createdBy: row.user_id,
    createdAt: row.created_at.toISOString(),
  };
}

/** Lists the firings of a schedule, newest first. */
export async function listFiringPage(deps: RunDeps, actor: Actor, id: string, query: PageQuery) {
  const { schedule } = await authorizeSchedule(deps, requireScope(actor, 'workflows:read'), id, 'edit');
  return readPage(query, byId('firing'), page => listFirings(deps.db, schedule.id, page), presentFiring);
}

function presentFiring(row: ListedFiring) {
  // Starting takes moments, so readers see it as waiting.
  const isStarting = row.outcome === 'starting';
  return {
    ...presentColumns(row, 'due_at accepted_at kind'),
    outcome: isStarting ? 'waiting' : row.outcome,
    reason: row.reason,
    executionId: isStarting ? null : row.execution_id,
  };
}
