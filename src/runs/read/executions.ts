// Reads and lists executions.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { measureAtLeast } from '../../engine/output-size.ts';
import type { Step } from '../../engine/types.ts';
import { hideCalls } from '../../graph/components/hide-calls.ts';
import type { Plan } from '../../graph/plan.ts';
import { AppError } from '../../lib/errors.ts';
import { JsonText } from '../../lib/json-text.ts';
import {
  authorize,
  findRole,
  getWorkspaceId,
  hasOwnRole,
  isTeamWorkspace,
  listClosedTeams,
  requireOpenTeam,
  roleAllows,
  toTeamId,
} from '../../services/accounts/access.ts';
import { type Actor, requireScope, type Scope, type UserActor } from '../../services/accounts/actor.ts';
import { getActiveWorkspace } from '../../services/accounts/teams.ts';
import { listReadableComponents } from '../../services/components/readable-components.ts';
import { byId, parseTimeFilter, readPage, resumeAfter } from '../../services/paging.ts';
import { type GraphVersion, toGraphText } from '../../services/workflows/graph-versions.ts';
import { recordRead } from '../../store/audit/record-audit.ts';
import { searchExecutions } from '../../store/execution-lists.ts';
import { EXECUTION_STATUSES, type ExecutionRow, findExecution } from '../../store/executions.ts';
import { listStepsOfNode } from '../../store/steps.ts';
import { isOutsideTeam } from '../../store/teams.ts';
import { listWorkflowsVisibleInRuns } from '../../store/workflows/components.ts';
import { findWorkflow, type ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import type { ListExecutionsQuery } from '../prepare/run.schema.ts';
import { configureVersion } from '../prepare/run-config.ts';
import { parseRunRequest } from '../prepare/run-request.ts';
import { readBoundedSteps, readPlan } from '../prepare/stored-run.ts';
import type { ExecutionRecord, Viewer } from './present-execution.ts';
import {
  ANYONE,
  presentDetails,
  presentExecution,
  presentListedExecution,
  presentStep,
} from './present-execution.ts';
import { readRunWords } from './run-words.ts';

/**
 * Returns the execution to users who may edit its workflow, or who started it and have not left its team. Throws 404
 * or 403.
 */
export async function getExecutionRow(
  deps: RunDeps,
  actor: Actor,
  id: string,
  scope: Scope = 'workflows:read',
): Promise<ExecutionRow> {
  const user = requireScope(actor, scope);
  return authorizeExecution(deps, user, await findExecution(deps.db, id));
}

export interface ReadOptions {
  /** Whether to read as an administrator, who may read runs of all workspaces. Such reads are recorded in the audit log. */
  readonly asAdmin?: boolean | undefined;
}

/** Throws 404, and with `asAdmin` 401 without the scope `instance:admin`. */
async function getExecutionRowAs(
  deps: RunDeps,
  actor: Actor,
  id: string,
  { asAdmin = false }: ReadOptions,
): Promise<ExecutionRow> {
  if (!asAdmin) return getExecutionRow(deps, actor, id);
  const admin = requireScope(actor, 'instance:admin');
  const row = await findExecution(deps.db, id);
  if (row === undefined) throw createNotFoundError();
  await recordRead(deps.db, admin, {
    what: 'a run',
    target: id,
    teamId: toTeamId(row.workspace),
  });
  return row;
}

const createNotFoundError = (): AppError => new AppError('not_found', 'Execution not found.');

/** Returns the row to users who may read the execution. Throws 404, and 403, also like `requireOpenTeam`. */
export async function authorizeExecution(
  deps: RunDeps,
  user: UserActor,
  row: ExecutionRow | undefined,
): Promise<ExecutionRow> {
  if (row === undefined) throw createNotFoundError();
  requireOpenTeam(user, row.workspace);
  const isStarter = row.user_id === user.userId;
  if (
    isStarter &&
    !(isTeamWorkspace(row.workspace) && (await isOutsideTeam(deps.db, row.workspace, user.userId)))
  )
    return row;
  const workflow = await findWorkflow(deps.db, row.workflow_id, user.userId);
  // A user who starts a run of a team's workflow through a share is not a member of the team.
  const canRead = isStarter ? hasOwnRole : canEdit;
  if (workflow !== undefined) requireOpenTeam(user, workflow.team_id);
  if (workflow !== undefined && canRead(user, workflow)) return row;
  throw new AppError(
    'forbidden',
    "You don't have permission to view this execution. You cannot edit its workflow, and you did not start it.",
  );
}

const canEdit = (user: UserActor, workflow: ReadWorkflowRow): boolean =>
  roleAllows(findRole(user, workflow), 'edit');

/** About twice today's limit for a run, because nodes of older runs may have recorded more. */
const MAX_OUTPUT_BYTES = 64_000_000;

/** Returns the state of one node with complete values, and its size. Throws 404 for an unknown node. */
export async function readNodeOutputs(
  deps: RunDeps,
  actor: Actor,
  { id, nodeId }: { readonly id: string; readonly nodeId: string },
  readOptions: ReadOptions,
) {
  const row = await getExecutionRowAs(deps, actor, id, readOptions);
  const plan = await readPlan(deps, row);
  const node = plan.nodes.find(candidate => candidate.id === nodeId);
  if (node === undefined)
    throw new AppError('not_found', `The execution has no node ${JSON.stringify(nodeId)}.`);
  const rows = await listStepsOfNode(deps.db, row.id, nodeId, { maxBytes: MAX_OUTPUT_BYTES });
  const step = rows.at(-1)?.step as Step | undefined;
  const state = presentStep(node, step, await getViewer(deps, actor, row, plan, readOptions));
  return { state, bytes: measureAtLeast(state, Number.POSITIVE_INFINITY).bytes };
}

export async function readExecution(
  deps: RunDeps,
  actor: Actor,
  id: string,
  readOptions: ReadOptions = {},
): Promise<ExecutionRecord> {
  return buildRecord(deps, actor, await getExecutionRowAs(deps, actor, id, readOptions), readOptions);
}

/** Returns the record of a row. The caller has checked access. */
export async function buildRecord(
  deps: RunDeps,
  actor: Actor,
  row: ExecutionRow,
  readOptions: ReadOptions = {},
): Promise<ExecutionRecord> {
  const plan = await readPlan(deps, row);
  const steps = await readBoundedSteps(deps.db, row.id);
  const hasOwnerFields = [...steps.values()].some(
    ({ provider, log }) => provider !== undefined || log !== undefined,
  );
  const isSameForAllViewers = !hasOwnerFields && plan.nodes.every(({ component }) => component === undefined);
  const viewer = isSameForAllViewers ? ANYONE : await getViewer(deps, actor, row, plan, readOptions);
  const record = presentExecution(row, plan, steps, viewer);
  // Serializing a large record takes as long as building it, so other work may run in between.
  if (measureAtLeast(record, LARGE_BYTES).bytes > LARGE_BYTES) await nextTurn();
  return record;
}

const LARGE_BYTES = 1_000_000;

/** Returns what the caller may see of the run. A deleted workflow has no owner. */
export async function getViewer(
  deps: RunDeps,
  actor: Actor,
  row: ExecutionRow,
  { nodes }: Plan,
  { asAdmin = false }: ReadOptions = {},
): Promise<Viewer> {
  if (actor.kind === 'anonymous') return ANYONE;
  const workflow = await findWorkflow(deps.db, row.workflow_id, actor.userId);
  const ids = [...new Set(nodes.flatMap(({ component }) => component?.workflowIds ?? []))];
  return {
    isOwner: workflow !== undefined && findRole(actor, workflow) === 'OWNER',
    readableIds: new Set(asAdmin ? ids : await listWorkflowsVisibleInRuns(deps.db, ids, actor)),
  };
}

/** Returns the graph that the run executes. */
export async function readExecutionGraph(
  deps: RunDeps,
  actor: Actor,
  id: string,
  readOptions: ReadOptions,
): Promise<string> {
  const row = await getExecutionRowAs(deps, actor, id, readOptions);
  const version = await deps.versions.get(deps.db, row.workflow_id, row.workflow_version);
  const configuredVersion = configureVersion(deps, version, parseRunRequest(row.request).config);
  const text =
    readOptions.asAdmin === true
      ? configuredVersion.text
      : await toVisibleText(deps, actor, row, configuredVersion);
  return `{"workflowId":${JSON.stringify(row.workflow_id)},"workflowVersion":${row.workflow_version},${text}}`;
}

/** Returns the text of the graph. Users who may not edit it do not see components that they may not read. */
async function toVisibleText(
  deps: RunDeps,
  actor: Actor,
  { workflow_id }: ExecutionRow,
  version: GraphVersion,
): Promise<string> {
  if (version.componentCalls.length === 0 || actor.kind === 'anonymous') return version.text;
  const workflow = await findWorkflow(deps.db, workflow_id, actor.userId);
  if (workflow !== undefined && canEdit(actor, workflow)) return version.text;
  const readableIds = new Set(await listReadableComponents(deps, actor, version));
  return toGraphText(hideCalls(version.graph, readableIds));
}

/**
 * Lists, newest first, the runs of a workflow that the caller may edit, or all runs that the caller started and may
 * still read.
 */
export async function listReadableRuns(
  deps: RunDeps,
  actor: Actor,
  query: ListExecutionsQuery,
  workflowId?: string,
) {
  const user = requireScope(actor, 'workflows:read');
  if (workflowId !== undefined)
    authorize(actor, 'edit', await findWorkflow(deps.db, workflowId, user.userId));
  const filter = {
    workflowId: workflowId ?? null,
    userId: user.userId,
    statuses: query.status === undefined ? EXECUTION_STATUSES : [query.status],
    createdAfter: parseTimeFilter('createdAfter', query.createdAfter),
    createdBefore: parseTimeFilter('createdBefore', query.createdBefore),
    idempotencyKey: query.idempotencyKey ?? null,
    withoutTeams: listClosedTeams(user),
    trigger: query.trigger ?? null,
    isAutomated: query.automated ?? null,
    startedBy: query.userId ?? null,
    ownOfWorkflowId: query.workflowId ?? null,
    words: await readRunWords(deps, query.q, {
      scope: workflowId ?? query.workflowId ?? `by:${user.userId}`,
      workspace:
        workflowId === undefined && query.q !== undefined
          ? getWorkspaceId(await getActiveWorkspace(deps.db, user))
          : null,
    }),
    groupsBatches: query.groupBatches ?? false,
  };
  let resumeBeforeId: string | undefined;
  const page = await readPage(
    query,
    byId('execution'),
    async ({ after: before, limit }) => {
      const result = await searchExecutions(deps.db, { ...filter, before, limit });
      resumeBeforeId = result.resumeBeforeId;
      return result.rows;
    },
    ({ metadata, ...row }) => ({
      ...presentListedExecution(row, metadata === null ? null : JsonText.trust(metadata)),
      ...presentDetails(row),
      userName: row.user_name,
    }),
  );
  return resumeAfter(page, resumeBeforeId);
}
