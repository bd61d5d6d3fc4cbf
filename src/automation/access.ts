// Checks access to batches, schedules and triggers, which depends on the user's role in the workflow.
import { AppError } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import {
  authorize,
  findRole,
  listClosedTeams,
  requireOpenTeam,
  roleAllows,
  type WorkflowAction,
} from '../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../services/accounts/actor.ts';
import { findWorkflow, type ReadWorkflowRow } from '../store/workflows/workflows.ts';
import type { AutomationOwner } from './store.ts';

interface RequiredAccess {
  /** The permission that the user needs on the workflow. */
  readonly action: Extract<WorkflowAction, 'edit' | 'run'>;
  readonly noun: 'batch' | 'schedule' | 'trigger';
  /** Whether the user created the row, and so may read it with any role in its workflow. */
  readonly isOwn?: boolean;
}

/**
 * Returns the row and its workflow if the user has the permission. Throws 404 if the row or its workflow does not exist, and
 * 403 without the permission.
 */
export async function authorizeAutomation<R extends { readonly workflow_id: string }>(
  deps: RunDeps,
  user: UserActor,
  row: R | undefined,
  { action, noun, isOwn = false }: RequiredAccess,
): Promise<{ readonly row: R; readonly workflow: ReadWorkflowRow }> {
  const workflow = row && (await findWorkflow(deps.db, row.workflow_id, user.userId));
  if (row === undefined || workflow === undefined)
    throw new AppError('not_found', `${noun[0]?.toUpperCase()}${noun.slice(1)} not found.`);
  requireOpenTeam(user, workflow.team_id);
  const role = findRole(user, workflow);
  const mayRead = isOwn && action === 'edit' && role !== undefined;
  if (mayRead || roleAllows(role, action)) return { row, workflow };
  throw new AppError(
    'forbidden',
    `You don't have permission for this ${noun}. Ask an owner of its workflow for the role EDITOR.`,
  );
}

/** Returns the workflow or the user whose rows to list. Throws 404 or 403 unless the actor may edit the workflow. */
export async function authorizeList(
  deps: RunDeps,
  actor: Actor,
  workflowId: string | undefined,
): Promise<AutomationOwner> {
  const { userId } = requireScope(actor, 'workflows:read');
  if (workflowId === undefined) return { userId, withoutTeams: listClosedTeams(actor) };
  authorize(actor, 'edit', await findWorkflow(deps.db, workflowId, userId));
  return { workflowId };
}
