// Lists and reads the approvals that a user is asked for or may view.
import { AppError, requireFound } from '../../lib/errors.ts';
import {
  findRole,
  isTeamWorkspace,
  listClosedTeams,
  requireOpenTeam,
  roleAllows,
} from '../../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import { byId, readPage } from '../../services/paging.ts';
import {
  type ApprovalRow,
  type AssigneeRow,
  findApproval,
  findApprovalOfNode,
  listApprovalsOf,
  listAssignees,
} from '../../store/approvals.ts';
import { listWorkflowsVisibleInRuns } from '../../store/workflows/components.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import type { ListApprovalsQuery } from './approval.schema.ts';
import { presentApproval } from './present-approval.ts';

interface NodeKey {
  readonly executionId: string;
  readonly nodeId: string;
}

/** Lists the approvals that wait for the caller, newest first, or those that no longer wait. */
export async function listApprovals(deps: RunDeps, actor: Actor, query: ListApprovalsQuery) {
  const user = requireScope(actor, 'workflows:read');
  const { db } = deps;
  const filter = {
    isWaiting: (query.status ?? 'waiting') === 'waiting',
    withoutTeams: listClosedTeams(user),
    hasValues: query.brief !== true,
  };
  const assignees = new Map<string, AssigneeRow[]>();
  let visibleIds: ReadonlySet<string> = new Set();
  return readPage(
    query,
    byId('approval'),
    async page => {
      const rows = await listApprovalsOf(db, user.userId, filter, page);
      const workflowIds = [...new Set(rows.map(row => row.workflow_id))];
      visibleIds = new Set(await listWorkflowsVisibleInRuns(db, workflowIds, user));
      const ids = rows.map(({ id }) => id);
      for (const row of await listAssignees(db, ids))
        assignees.set(row.approval_id, [...(assignees.get(row.approval_id) ?? []), row]);
      return rows;
    },
    row => presentApproval(row, assignees.get(row.id) ?? [], visibleIds.has(row.workflow_id)),
  );
}

/** Returns an approval to its assignees, to who started the run, and to those who may edit the workflow. Throws 404, 403. */
export async function readApproval(deps: RunDeps, actor: Actor, id: string) {
  const user = requireScope(actor, 'workflows:read');
  const row = requireFound(await findApproval(deps.db, id), NOT_FOUND);
  requireOpenTeam(user, row.workspace);
  const { assignees, role } = await readContext(deps, user, row);
  // Who has left the team no longer sees the runs that they started.
  const isStarter = row.user_id === user.userId && (role !== undefined || !isTeamWorkspace(row.workspace));
  const isAsked =
    isStarter || assignees.some(({ user_id, email }) => user_id === user.userId && email !== null);
  if (!isAsked && !roleAllows(role, 'edit'))
    throw new AppError('forbidden', "You don't have permission to view this approval.");
  return presentApproval(row, assignees, role !== undefined);
}

/** Returns the approval of a node. The caller has checked access. */
export async function readApprovalOfNode(deps: RunDeps, user: UserActor, { executionId, nodeId }: NodeKey) {
  const row = requireFound(await findApprovalOfNode(deps.db, executionId, nodeId), NOT_FOUND);
  const { assignees, role } = await readContext(deps, user, row);
  return presentApproval(row, assignees, role !== undefined);
}

const NOT_FOUND = 'Approval not found.';

/** Reads the assignees of an approval, and the user's role in its workflow. */
async function readContext({ db }: RunDeps, user: UserActor, { id, workflow_id }: ApprovalRow) {
  const workflow = await findWorkflow(db, workflow_id, user.userId);
  return {
    assignees: await listAssignees(db, [id]),
    role: workflow === undefined ? undefined : findRole(user, workflow),
  };
}
