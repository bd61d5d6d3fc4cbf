// Records heartbeats of the editor. While a workflow is open in an editor, writes do not move its nodes.

import { findWorkflow, type WorkflowRow } from '../../../store/workflows/workflows.ts';
import { touchHeartbeat } from '../../../store/workflows/writes.ts';
import { authorize } from '../../accounts/access.ts';
import { type Actor, requireScope } from '../../accounts/actor.ts';
import type { Deps } from '../../deps.ts';

/** How long after a heartbeat the workflow counts as open. */
const HEARTBEAT_TTL_MS = 30_000;

/** Records that an editor has the workflow open. Throws 404, 403. */
export async function recordHeartbeat(deps: Deps, actor: Actor, id: string) {
  const user = requireScope(actor, 'workflows:write');
  authorize(user, 'edit', await findWorkflow(deps.db, id, user.userId));
  const heartbeatAt = await touchHeartbeat(deps.db, id);
  return {
    lastEditorHeartbeatAt: heartbeatAt.toISOString(),
    heldUntil: new Date(heartbeatAt.getTime() + HEARTBEAT_TTL_MS).toISOString(),
  };
}

/** Returns whether an editor has the workflow open. */
export function isBeingEdited(deps: Pick<Deps, 'now'>, workflow: WorkflowRow): boolean {
  const heartbeatAt = workflow.last_editor_heartbeat_at;
  return heartbeatAt !== null && heartbeatAt.getTime() + HEARTBEAT_TTL_MS > deps.now();
}
