// Reads and lists triggers and their history.
import type { RunDeps } from '../../runs/deps.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import { byId, byNumber, type PageQuery, readPage } from '../../services/paging.ts';
import { presentColumns } from '../../services/present-columns.ts';
import { authorizeAutomation, authorizeList } from '../access.ts';
import { findTrigger, listEvents, listTriggers, type ReadTrigger } from './store.ts';

/** Returns the trigger if the user has the permission in its workflow. Throws 404 or 403. */
export async function authorizeTrigger(
  deps: RunDeps,
  actor: Actor,
  id: string,
  action: 'edit' | 'run',
): Promise<ReadTrigger> {
  const user = requireScope(actor, action === 'run' ? 'workflows:execute' : 'workflows:read');
  const triggerAndWorkflow = await findTrigger(deps.db, id);
  return (await authorizeAutomation(deps, user, triggerAndWorkflow, { action, noun: 'trigger' })).row;
}

export async function readTrigger(deps: RunDeps, actor: Actor, id: string) {
  return presentTrigger(await authorizeTrigger(deps, actor, id, 'edit'));
}

/** Lists, newest first, the triggers of a workflow, or of all workflows that the caller may edit. */
export async function listTriggerPage(deps: RunDeps, actor: Actor, query: PageQuery, workflowId?: string) {
  const owner = await authorizeList(deps, actor, workflowId);
  return readPage(query, byId('trigger'), page => listTriggers(deps.db, owner, page), presentTrigger);
}

/** Lists the trigger history, newest first. */
export async function listTriggerEvents(deps: RunDeps, actor: Actor, id: string, query: PageQuery) {
  const row = await authorizeTrigger(deps, actor, id, 'edit');
  return readPage(
    query,
    byNumber('id', Number.MAX_SAFE_INTEGER),
    page => listEvents(deps.db, row.id, page),
    event => presentColumns(event, 'at outcome reason execution_id'),
  );
}

export function presentTrigger(row: ReadTrigger) {
  const config = JSON.parse(row.config) as Readonly<Record<string, unknown>>;
  return {
    ...presentColumns(row, 'id workflow_id workflow_name kind name'),
    config: row.kind === 'hook' ? { ...config, hasSecret: row.secret !== null } : config,
    inputs: JSON.parse(row.inputs) as Readonly<Record<string, string>>,
    ...presentColumns(row, 'max_credits is_active paused_reason last_run_at last_execution_id'),
    createdBy: row.user_id,
    createdAt: row.created_at.toISOString(),
  };
}
