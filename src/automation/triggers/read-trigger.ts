// Reads and lists triggers and their history.
import type { RunDeps } from '../../runs/deps.ts';
import { authorize } from '../../services/accounts/access.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import { byId, byNumber, type PageQuery, readPage } from '../../services/paging.ts';
import {
  type EventRow,
  findTrigger,
  listEvents,
  listTriggers,
  type TriggerRow,
} from '../../store/automation/triggers.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import { authorizeAutomation } from '../access.ts';

/** Returns the trigger if the actor has the permission on its workflow. Throws 404, 403. */
export async function getTriggerRow(
  deps: RunDeps,
  actor: Actor,
  id: string,
  verb: 'edit' | 'run',
): Promise<TriggerRow> {
  const user = requireScope(actor, verb === 'run' ? 'workflows:execute' : 'workflows:read');
  const found = await findTrigger(deps.db, id);
  return (await authorizeAutomation(deps, user, found, { verb, noun: 'trigger' })).row;
}

export async function getTrigger(deps: RunDeps, actor: Actor, id: string) {
  return presentTrigger(await getTriggerRow(deps, actor, id, 'edit'));
}

/** Lists, newest first, the triggers of a workflow, or those of all workflows that the caller may edit. */
export async function listTriggerPage(deps: RunDeps, actor: Actor, query: PageQuery, workflowId?: string) {
  const user = requireScope(actor, 'workflows:read');
  if (workflowId !== undefined) authorize(user, 'edit', await findWorkflow(deps.db, workflowId, user.userId));
  const owner = workflowId === undefined ? { userId: user.userId } : { workflowId };
  return readPage(query, byId('trigger'), part => listTriggers(deps.db, owner, part), presentTrigger);
}

/** Lists the history of a trigger, newest first. */
export async function listTriggerEvents(deps: RunDeps, actor: Actor, id: string, query: PageQuery) {
  const row = await getTriggerRow(deps, actor, id, 'edit');
  return readPage(
    query,
    byNumber('id', Number.MAX_SAFE_INTEGER),
    part => listEvents(deps.db, row.id, part),
    presentEvent,
  );
}

export function presentTrigger(row: TriggerRow) {
  const config = JSON.parse(row.config) as Readonly<Record<string, unknown>>;
  return {
    id: row.id,
    workflowId: row.workflow_id,
    kind: row.kind,
    name: row.name,
    config: row.kind === 'hook' ? { ...config, hasSecret: row.secret !== null } : config,
    inputs: JSON.parse(row.inputs) as Readonly<Record<string, string>>,
    maxCredits: row.max_credits,
    isActive: row.is_active,
    pausedReason: row.paused_reason,
    lastRunAt: row.last_run_at?.toISOString() ?? null,
    lastExecutionId: row.last_execution_id,
    createdBy: row.user_id,
    createdAt: row.created_at.toISOString(),
  };
}

function presentEvent({ at, outcome, reason, execution_id }: EventRow) {
  return { at: at.toISOString(), outcome, reason, executionId: execution_id };
}
