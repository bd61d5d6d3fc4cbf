// The editor's heartbeat: while a tab holds the board, no write moves nodes under its user's hands.

import type { WorkflowRow } from '../../store/workflows/workflows.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import { touchHeartbeat } from '../../store/workflows/writes.ts';
import { authorize } from '../accounts/access.ts';
import type { Actor } from '../accounts/actor.ts';
import { requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';

/** How long one heartbeat holds the board (decisions.md §4). */
const HOLD_MS = 30_000;

export async function holdBoard(deps: Deps, actor: Actor, id: string) {
  const user = requireScope(actor, 'workflows:write');
  authorize(user, 'edit', await findWorkflow(deps.db, id, user.userId));
  const at = await touchHeartbeat(deps.db, id);
  return {
    lastEditorHeartbeatAt: at.toISOString(),
    heldUntil: new Date(at.getTime() + HOLD_MS).toISOString(),
  };
}

/** Whether an editor tab holds the workflow's board now. */
export function isHeld(deps: Pick<Deps, 'now'>, workflow: WorkflowRow): boolean {
  const at = workflow.last_editor_heartbeat_at;
  return at !== null && at.getTime() + HOLD_MS > deps.now();
}
