// Shares which nodes of an open workflow someone has selected, while they follow it.
import { notifyFollowers, selectAsFollower } from '../../../store/workflows/followers.ts';
import { findWorkflow } from '../../../store/workflows/workflows.ts';
import { authorize } from '../../accounts/access.ts';
import { type Actor, requireScope } from '../../accounts/actor.ts';
import type { Deps } from '../../deps.ts';
import type { SelectionBody } from '../workflow.schema.ts';

/** Not part of the workflow. Does nothing for users who do not follow its events, or strangers of a public one. */
export async function selectNodes(deps: Deps, actor: Actor, id: string, { nodeIds }: SelectionBody) {
  const user = requireScope(actor, 'workflows:read');
  authorize(user, 'read', await findWorkflow(deps.db, id, user.userId));
  const isNew = await selectAsFollower(deps.db, { workflowId: id, userId: user.userId }, nodeIds);
  if (isNew) await notifyFollowers(deps.db, id);
  return { success: true as const };
}
