// Checks access to what starts runs of a workflow by itself: batches, schedules and triggers.
import { AppError } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import { canDo, findRole, type WorkflowVerb } from '../services/accounts/access.ts';
import type { UserActor } from '../services/accounts/actor.ts';
import { findWorkflow, type ReadWorkflowRow } from '../store/workflows/workflows.ts';

export interface Access {
  /** The permission that the user needs on the workflow. */
  readonly verb: Extract<WorkflowVerb, 'edit' | 'run'>;
  readonly noun: 'batch' | 'schedule' | 'trigger';
  /** Whether the user, who started it, may read it with any role on its workflow. */
  readonly isOwn?: boolean;
}

/** Returns the workflow of the row if the user has the permission on it. Throws 404 or 403. */
export async function authorizeAutomation<R extends { readonly workflow_id: string }>(
  deps: RunDeps,
  user: UserActor,
  row: R | undefined,
  { verb, noun, isOwn = false }: Access,
): Promise<{ readonly row: R; readonly workflow: ReadWorkflowRow }> {
  const workflow = row && (await findWorkflow(deps.db, row.workflow_id, user.userId));
  const role = workflow && findRole(user, workflow);
  // Whoever may not know the workflow does not learn that the row exists.
  if (row === undefined || (role === undefined && !isOwn))
    throw new AppError('not_found', `${noun[0]?.toUpperCase()}${noun.slice(1)} not found.`);
  const mayRead = isOwn && verb === 'edit' && role !== undefined;
  if (workflow !== undefined && (mayRead || canDo(role, verb))) return { row, workflow };
  throw new AppError(
    'forbidden',
    `You do not have permission for this ${noun}. Ask an owner of its workflow for the role EDITOR.`,
  );
}
