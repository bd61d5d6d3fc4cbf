// Resumes runs: a waiting run continues with a decision, and an ended run is followed by a new one that reuses valid
// results.

import type { JsonObject } from '../graph/types.ts';
import { AppError } from '../lib/errors.ts';
import { JsonText, joinMembers, memberTexts } from '../lib/json-text.ts';
import { authorize, getWorkspaceId } from '../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../services/accounts/actor.ts';
import { parseWebhook } from '../services/webhooks/webhook-target.ts';
import { type ExecutionRow, findExecution, keepIdempotencyKey } from '../store/executions.ts';
import { findWorkflow, type ReadWorkflowRow } from '../store/workflows/workflows.ts';
import { acceptRun } from './accept-run.ts';
import type { RunDeps } from './deps.ts';
import { stepsOf } from './executed-graph.ts';
import { type AcceptedRun, type Idempotency, idempotencyOf, replay, toAccepted } from './idempotency.ts';
import { findReusedSteps } from './reused-steps.ts';
import type { ResumeRequest } from './run.schema.ts';
import { inputOverrides, parseRunRequest, planRequest } from './run-request.ts';
import { estimateForStart, requireActive } from './start-run.ts';

export interface ResumeRunInput {
  readonly executionId: string;
  readonly request: ResumeRequest;
  readonly idempotencyKey?: string | undefined;
}

/** Resolves once the run is certain to continue. Throws 409 `not_resumable` and the errors of `startRun`. */
export async function resumeRun(deps: RunDeps, actor: Actor, input: ResumeRunInput): Promise<AcceptedRun> {
  const user = requireScope(actor, 'workflows:execute');
  const { request } = input;
  parseWebhook(deps.settings, request.webhook);
  const row = await findExecution(deps.db, input.executionId);
  if (row === undefined) throw new AppError('not_found', 'Execution not found.');
  const { workflow, role } = authorize(
    actor,
    'run',
    await findWorkflow(deps.db, row.workflow_id, user.userId),
  );
  if (row.user_id !== user.userId && role !== 'OWNER')
    throw new AppError(
      'forbidden',
      'Only who started an execution, and owners of its workflow, may decide for it or resume it.',
    );
  const idempotency = idempotencyOf('resume', input.idempotencyKey, { ...request, executionId: row.id });
  const first = await replay(deps, user.userId, workflow.id, idempotency);
  if (first !== undefined) return first;
  if (isDecided(request)) return decide(deps, user, row, request, idempotency);
  if (row.finished_at === null || (row.status === 'COMPLETED' && request.fromNodeId === undefined))
    throw notResumable(row);
  return runAgain(deps, user, { row, workflow, request, idempotency });
}

function notResumable({ status }: { readonly status: ExecutionRow['status'] | 'gone' }): AppError {
  const why =
    status === 'WAITING'
      ? 'waits for a decision: send one'
      : status === 'COMPLETED'
        ? 'is complete: name the node to run again from in fromNodeId'
        : `is ${status}, and only one that waits or has ended can be resumed`;
  return new AppError('not_resumable', `The execution ${why}.`);
}

type Decided = ResumeRequest & Required<Pick<ResumeRequest, 'decision'>>;

const isDecided = (request: ResumeRequest): request is Decided => request.decision !== undefined;

async function decide(
  deps: RunDeps,
  user: UserActor,
  { id, workflow_id }: ExecutionRow,
  { decision, ...others }: Decided,
  idempotency: Idempotency | null,
): Promise<AcceptedRun> {
  const { nodeId, ...answer } = decision;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new AppError(
      'invalid_request',
      `${other} does not go with a decision: the run goes on as it began.`,
    );
  const [decided] = await deps.commit.change([id], async (row, tx) => {
    if (row.status !== 'WAITING' || row.worker_id !== null) throw notResumable(row);
    const state = (await stepsOf(tx, id)).get(nodeId);
    if (state?.status !== 'WAITING' || state.suspended?.kind !== 'decision')
      throw new AppError(
        'not_resumable',
        `No node ${JSON.stringify(nodeId)} of this execution waits for a decision.`,
      );
    const known = Object.entries(JSON.parse(row.decisions ?? '{}') as JsonObject);
    if (idempotency !== null)
      await keepIdempotencyKey(tx, {
        ...idempotency,
        userId: user.userId,
        workflowId: workflow_id,
        executionId: id,
      });
    return {
      kind: 'decide',
      decisions: JSON.stringify(Object.fromEntries([...known, [nodeId, answer]])),
    };
  });
  if (decided === undefined) throw notResumable({ status: 'gone' });
  deps.runNotifier.notify(id);
  return toAccepted(decided, 0);
}

interface RunAgain {
  readonly row: ExecutionRow;
  readonly workflow: ReadWorkflowRow;
  readonly request: ResumeRequest;
  readonly idempotency: Idempotency | null;
}

async function runAgain(
  deps: RunDeps,
  user: UserActor,
  { row, workflow, request, idempotency }: RunAgain,
): Promise<AcceptedRun> {
  requireActive(workflow);
  const before = parseRunRequest(row.request);
  const number = request.useLatestWorkflow === true ? workflow.version : row.workflow_version;
  const version = await deps.versions.get(deps.db, workflow.id, number);
  const known = new Set(version.graph.nodes.map(node => node.id));
  // Inputs of nodes that the latest graph no longer has are dropped. New ones must fit.
  const given = [...memberTexts(before.inputs?.text ?? '{}')].filter(([nodeId]) => known.has(nodeId));
  const sent = memberTexts(request.inputs?.text ?? '{}');
  const inputs = new JsonText<JsonObject>(joinMembers(new Map([...given, ...sent])));
  const next = { ...before, inputs };
  const plan = planRequest(deps, version, before);
  if (request.fromNodeId !== undefined && !plan.nodes.some(node => node.id === request.fromNodeId))
    throw new AppError(
      'invalid_request',
      `fromNodeId names ${JSON.stringify(request.fromNodeId)}, which is no node of the run.`,
    );
  const overrides = inputOverrides(deps, version.graph, next.inputs);
  const again = request.fromNodeId === undefined ? [] : [request.fromNodeId];
  const keep = { executionId: row.id, again };
  const reused = await findReusedSteps(deps, {
    workflowId: workflow.id,
    request: { ...next, keep },
    plan,
    overrides,
  });
  const owner = { userId: user.userId, workspace: getWorkspaceId(workflow) };
  return acceptRun(deps, user, {
    workflow,
    version: number,
    request: next,
    nodesTotal: plan.nodes.length,
    estimate: await estimateForStart(deps, user, { plan, overrides, owner, steps: reused.steps }),
    webhook: parseWebhook(deps.settings, request.webhook),
    trigger: 'resume',
    idempotency,
    reused,
  });
}
