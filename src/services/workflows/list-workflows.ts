// Lists of workflows: the caller's own, or a team's for its members.
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { findTeam } from '../../store/teams.ts';
import type { WorkflowListRow } from '../../store/workflows/workflows.ts';
import { listWorkflows } from '../../store/workflows/workflows.ts';
import { countExecutions } from '../../store/workflows/writes.ts';
import { userWorkspace } from '../accounts/access.ts';
import type { Actor, UserActor } from '../accounts/actor.ts';
import { requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { presentListedWorkflow } from './present-workflow.ts';
import type { ListWorkflowsQuery } from './workflow.schema.ts';

/** From so many on, counting a workflow's new runs at each list costs more than keeping their number. */
const MAX_UNCOUNTED = 10_000;
/** A run whose id is older than this is committed, or never will be. */
const SETTLED_MS = 60_000;

/** One page, most recently updated first. Throws 404 for a team that the caller is not in. */
export async function listOwnWorkflows(deps: Deps, actor: Actor, query: ListWorkflowsQuery) {
  const user = requireScope(actor, 'workflows:read');
  const limit = query.limit ?? 100;
  const rows = await listWorkflows(deps.db, {
    userId: user.userId,
    isActive: query.isActive === undefined ? null : query.isActive === 'true',
    mediaId: query.mediaId ?? null,
    ...(await spaceOf(deps, user, query.teamId)),
    before: query.cursor === undefined ? null : parseCursor(query.cursor),
    limit: limit + 1,
  });
  await keepCounts(deps, rows);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  return {
    items: page.map(presentListedWorkflow),
    nextCursor: more ? formatCursor(last.updated_at, last.id) : null,
  };
}

async function spaceOf(
  deps: Deps,
  user: UserActor,
  teamId: string | undefined,
): Promise<{ readonly teamId: string | null; readonly isPersonal: boolean }> {
  if (teamId === undefined) return { teamId: null, isPersonal: false };
  if (teamId === userWorkspace(user.userId)) return { teamId: null, isPersonal: true };
  if ((await findTeam(deps.db, user.userId, teamId)) !== undefined) return { teamId, isPersonal: false };
  throw new AppError('not_found', 'You are in no team with this id.');
}

async function keepCounts(deps: Deps, rows: readonly WorkflowListRow[]): Promise<void> {
  const behind = rows.filter(({ uncounted }) => uncounted > MAX_UNCOUNTED).map(({ id }) => id);
  if (behind.length === 0) return;
  await countExecutions(deps.db, behind, newId('execution', deps.now() - SETTLED_MS));
}

function formatCursor(updatedAt: string, id: string): string {
  return Buffer.from(`${Date.parse(updatedAt)}:${id}`).toString('base64url');
}

function parseCursor(cursor: string): { readonly updatedAt: Date; readonly id: string } {
  const match = /^(\d{1,15}):(wf_[0-9a-z]{26})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (match?.[1] === undefined || match[2] === undefined) {
    throw new AppError(
      'invalid_request',
      'cursor is not one that a list gave: take it from the Link header.',
    );
  }
  return { updatedAt: new Date(Number(match[1])), id: match[2] };
}
