// Which nodes of an open workflow somebody has selected: for the others who have it open, as long as they follow it.
import { notifyFollowers, selectAsFollower } from '../../../store/workflows/followers.ts';
import { findWorkflow } from '../../../store/workflows/workflows.ts';
import { authorize } from '../../accounts/access.ts';
import { type Actor, requireScope } from '../../accounts/actor.ts';
import type { Deps } from '../../deps.ts';
import type { SelectionBody } from '../workflow.schema.ts';

/** No part of the workflow. It does nothing for whoever follows no events of it, and nothing for strangers of a public one. */
export async function selectNodes(deps: Deps, actor: Actor, id: string, { nodeIds }: SelectionBody) {
  const user = requireScope(actor, 'workflows:read');
  authorize(user, 'read', await findWorkflow(deps.db, id, user.userId));
  const isNew = await selectAsFollower(deps.db, { workflowId: id, userId: user.userId }, nodeIds);
  if (isNew) await notifyFollowers(deps.db, id);
  return { success: true as const };
}
