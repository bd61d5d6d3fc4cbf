// Lists workflows: the caller's own, those shared with the caller, or a team's for its members.
import { AppError } from '../../lib/errors.ts';
import { isId, newId } from '../../lib/ids.ts';
import {
  listWorkflows,
  type WorkflowFilter,
  type WorkflowListKey,
  type WorkflowListRow,
} from '../../store/workflows/lists.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import { advanceExecutionCounts } from '../../store/workflows/writes.ts';
import { authorize, getPersonalWorkspaceId, listClosedTeams } from '../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import { getTeam } from '../accounts/teams.ts';
import type { Deps } from '../deps.ts';
import { ARRAY_LIMIT, type Order, readPage } from '../paging.ts';
import { presentListedWorkflow } from './present-workflow.ts';
import type { ListWorkflowsQuery } from './workflow.schema.ts';
import { requireUsableMedia } from './workflow-location.ts';

/** With more uncounted runs, counting them for each list costs more than storing the count once. */
const MAX_UNCOUNTED = 10_000;
/** After this time, the insert of a run has been committed or has failed. */
const SETTLED_MS = 60_000;

/**
 * Lists one page, most recently updated first. Throws 404 for a team that the caller is not in, 403 for media or a
 * `callableFrom` that the caller may not read.
 */
export async function listOwnWorkflows(deps: Deps, actor: Actor, query: ListWorkflowsQuery) {
  const user = requireScope(actor, 'workflows:read');
  await requireUsableMedia(deps.db, user, query.mediaId);
  const closedTeams = listClosedTeams(user);
  const filter = {
    userId: user.userId,
    isActive: parseFlag(query.isActive),
    isPublished: parseFlag(query.isPublished),
    isComponent: parseFlag(query.isComponent),
    callableFrom: await requireReadableCaller(deps, user, query.callableFrom),
    mediaId: query.mediaId ?? null,
    query: query.query ?? null,
    tag: query.tag ?? null,
    folderId: query.folderId ?? null,
    status: query.status ?? null,
    withoutTeams: closedTeams.length === 0 ? null : closedTeams,
    form: query.include ?? ('line' as const),
    ...(await getOwnerFilter(deps, user, query)),
  };
  return readPage(
    { ...query, limit: query.limit ?? ARRAY_LIMIT },
    LIST_ORDER,
    async ({ after: before, limit }) => {
      const rows = await listWorkflows(deps.db, { ...filter, before, limit });
      await updateCounts(deps, rows);
      return rows;
    },
    row => presentListedWorkflow(deps, user, row),
  );
}

/** Returns the id of the workflow. Throws 403, 404, because the filter reveals which workflows call it. */
async function requireReadableCaller(
  deps: Deps,
  user: UserActor,
  id: string | undefined,
): Promise<string | null> {
  if (id === undefined) return null;
  return authorize(user, 'read', await findWorkflow(deps.db, id, user.userId)).workflow.id;
}

const parseFlag = (text: 'true' | 'false' | undefined): boolean | null =>
  text === undefined ? null : text === 'true';

const LIST_ORDER: Order<WorkflowListRow, WorkflowListKey> = {
  keyOf: ({ updated_at, id }) => ({ updatedAtMs: Date.parse(updated_at), id }),
  encode: ({ updatedAtMs, id }) => `${updatedAtMs}:${id}`,
  decode: text => {
    const [time = '', id = '', extra] = text.split(':');
    const isKey = /^\d{1,15}$/.test(time) && isId('workflow', id) && extra === undefined;
    return isKey ? { updatedAtMs: Number(time), id } : undefined;
  },
};

async function getOwnerFilter(
  deps: Deps,
  user: UserActor,
  { teamId, shared }: ListWorkflowsQuery,
): Promise<Pick<WorkflowFilter, 'teamId' | 'ownership'>> {
  if (shared === true) {
    if (teamId === undefined) return { teamId: null, ownership: 'shared' };
    throw new AppError('invalid_request', 'Send either `teamId` or `shared=true`.');
  }
  if (teamId === undefined) return { teamId: null, ownership: 'own' };
  if (teamId === getPersonalWorkspaceId(user.userId)) return { teamId: null, ownership: 'personal' };
  await getTeam(deps.db, user, teamId);
  return { teamId, ownership: 'own' };
}

async function updateCounts(deps: Deps, rows: readonly WorkflowListRow[]): Promise<void> {
  const ids = rows.filter(({ uncounted }) => uncounted > MAX_UNCOUNTED).map(({ id }) => id);
  if (ids.length === 0) return;
  await advanceExecutionCounts(deps.db, ids, newId('execution', deps.now() - SETTLED_MS));
}
