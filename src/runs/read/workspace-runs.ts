// Lists runs and failures of the active workspace, and of the instance for administrators.
import { AppError } from '../../lib/errors.ts';
import {
  getPersonalWorkspaceId,
  getWorkspaceId,
  isTeamWorkspace,
  toTeamId,
} from '../../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import { getActiveWorkspace } from '../../services/accounts/teams.ts';
import { byId, type Page, parseTimeFilter, readPage, resumeAfter } from '../../services/paging.ts';
import { recordRead, toUserTarget } from '../../store/audit/record-audit.ts';
import { EXECUTION_STATUSES } from '../../store/executions.ts';
import {
  listFailureGroups,
  listWorkspaceRunRows as listRows,
  MAX_GROUPED,
  type WorkspaceRunFilter,
  type WorkspaceRunRow,
} from '../../store/workspace-runs.ts';
import type { RunDeps } from '../deps.ts';
import type { FailuresQuery, WorkspaceRunsQuery } from '../prepare/run.schema.ts';
import { presentDetails, presentListedExecution } from './present-execution.ts';
import { readRunWords } from './run-words.ts';

/** The workspaces whose runs are listed. */
type WorkspaceSelection = Pick<WorkspaceRunFilter, 'readerId' | 'workspace' | 'includesPersonal'>;

/** Lists the runs of the active workspace, newest first. Throws 403 for a team's VIEWER. */
export async function listWorkspaceRuns(deps: RunDeps, actor: Actor, query: WorkspaceRunsQuery) {
  return listSelectedRuns(deps, await selectActiveWorkspace(deps, actor), query);
}

/** Groups the failed runs of the active workspace. */
export async function listWorkspaceFailures(deps: RunDeps, actor: Actor, query: FailuresQuery) {
  return groupFailures(deps, await selectActiveWorkspace(deps, actor), query);
}

/** Lists the runs of all workspaces. Runs of other users' personal workspaces are included only on request. */
export async function listInstanceRuns(deps: RunDeps, actor: Actor, query: WorkspaceRunsQuery) {
  const selection = selectFromInstance(actor, query);
  await recordInstanceRead(deps, actor, query);
  return listSelectedRuns(deps, selection, query);
}

export async function listInstanceFailures(deps: RunDeps, actor: Actor, query: FailuresQuery) {
  const selection = selectFromInstance(actor, query);
  await recordInstanceRead(deps, actor, query);
  return groupFailures(deps, selection, query);
}

async function recordInstanceRead({ db }: RunDeps, actor: Actor, query: FailuresQuery): Promise<void> {
  const { teamId = null, userId } = query;
  await recordRead(db, requireScope(actor, 'instance:admin'), {
    what: query.personal === true ? 'runs of all workspaces' : 'runs of teams',
    target: userId === undefined ? teamId : toUserTarget(userId),
  });
}

async function selectActiveWorkspace(deps: RunDeps, actor: Actor): Promise<WorkspaceSelection> {
  const user = requireScope(actor, 'workflows:read');
  const activeWorkspace = await getActiveWorkspace(deps.db, user);
  if (activeWorkspace.team_role === 'VIEWER')
    throw new AppError(
      'forbidden',
      "You don't have permission to list the runs of this workspace. Ask its owner for the role EDITOR or OWNER.",
    );
  return { readerId: user.userId, workspace: getWorkspaceId(activeWorkspace), includesPersonal: true };
}

function selectFromInstance(actor: Actor, { teamId, personal = false }: FailuresQuery): WorkspaceSelection {
  const { userId: readerId }: UserActor = requireScope(actor, 'instance:admin');
  if (teamId === undefined) return { readerId, workspace: null, includesPersonal: personal };
  const workspace = teamId === 'personal' ? getPersonalWorkspaceId(readerId) : teamId;
  // A personal workspace such as `user:7` requires `personal`.
  if (teamId !== 'personal' && !isTeamWorkspace(workspace) && !personal)
    throw new AppError('invalid_request', 'Set personal to list runs of a personal workspace.');
  return { readerId, workspace, includesPersonal: true };
}

const toFilter = (selection: WorkspaceSelection, query: FailuresQuery) => ({
  ...selection,
  workflowId: query.workflowId ?? null,
  userId: query.userId ?? null,
  model: query.model ?? null,
  errorCode: query.errorCode ?? null,
  failedNodeType: query.failedNodeType ?? null,
  trigger: null,
  createdAfter: parseTimeFilter('createdAfter', query.createdAfter),
  createdBefore: parseTimeFilter('createdBefore', query.createdBefore),
  before: null,
});

/** The statuses of runs with an error. */
const ERROR_STATUSES = ['FAILED', 'TIMEOUT', 'CANCELLED'] as const;

async function listSelectedRuns(
  deps: RunDeps,
  selection: WorkspaceSelection,
  query: WorkspaceRunsQuery,
): Promise<Page<PresentedRun>> {
  const hasError = query.errorCode !== undefined || query.failedNodeType !== undefined;
  const possibleStatuses = hasError ? ERROR_STATUSES : EXECUTION_STATUSES;
  const statuses =
    query.status === undefined ? possibleStatuses : possibleStatuses.filter(each => each === query.status);
  const words = await readRunWords(deps, query.q, {
    scope: query.workflowId ?? selection.workspace,
    workspace: selection.workspace,
  });
  const filter = { ...toFilter(selection, query), trigger: query.trigger ?? null, statuses };
  let resumeBeforeId: string | undefined;
  const page = await readPage(
    query,
    byId('execution'),
    async ({ after: before, limit }) => {
      const options = { limit, words, groupsBatches: query.groupBatches ?? false };
      const result = await listRows(deps.db, { ...filter, before }, options);
      resumeBeforeId = result.resumeBeforeId;
      return result.rows;
    },
    presentRun,
  );
  return resumeAfter(page, resumeBeforeId);
}

type PresentedRun = ReturnType<typeof presentRun>;

function presentRun(row: WorkspaceRunRow) {
  const { id, workflowId, status, trigger, error, progress, credits, createdAt, startedAt, finishedAt } =
    presentListedExecution(row);
  return {
    id,
    workflowId,
    workflowName: row.workflow_name,
    userId: row.user_id,
    userName: row.user_name,
    teamId: toTeamId(row.workspace),
    workspaceName: row.workspace_name,
    status,
    trigger,
    models: row.models,
    ...presentDetails(row.may_open ? row : { ...row, preview: null }),
    error,
    progress,
    credits,
    createdAt,
    startedAt,
    finishedAt,
    mayOpen: row.may_open,
  };
}

async function groupFailures(deps: RunDeps, selection: WorkspaceSelection, query: FailuresQuery) {
  const groups = await listFailureGroups(deps.db, toFilter(selection, query));
  return {
    groups: groups.map(({ code, node_type: nodeType, runs, workflows, users, last_at, message }) => ({
      code,
      nodeType,
      label: nodeType === null ? null : (deps.catalog.find(nodeType)?.label ?? null),
      runs,
      workflows,
      users,
      lastAt: last_at.toISOString(),
      message,
    })),
    isCut: groups.reduce((sum, { runs }) => sum + runs, 0) >= MAX_GROUPED,
  };
}
