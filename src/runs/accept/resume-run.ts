// Resumes runs: a waiting run continues with a decision, and an ended run is followed by a new one that reuses its valid
// results.
import type { Decision } from '../../engine/types.ts';
import type { JsonObject } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { joinMembers, parseMemberTexts } from '../../lib/json-scan.ts';
import { JsonText } from '../../lib/json-text.ts';
import { authorize } from '../../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import { parseWebhook, type WebhookTarget } from '../../services/webhooks/webhook-target.ts';
import type { Tx } from '../../store/db.ts';
import { type ExecutionRow, findExecution, saveIdempotencyKey } from '../../store/executions.ts';
import type { IdempotencyUse } from '../../store/runs.ts';
import { findWorkflow, type ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { commitDecision, type Person, requireDecider } from '../approvals/decide.ts';
import type { ParsedApproval } from '../approvals/present-approval.ts';
import type { RunDeps } from '../deps.ts';
import { planRun, prepareVersion } from '../prepare/prepare-run.ts';
import type { ResumeRequest } from '../prepare/run.schema.ts';
import { parseRunRequest, readInputOverrides, withInputIds } from '../prepare/run-request.ts';
import { acceptRun } from './accept-run.ts';
import { type AcceptedRun, toAcceptedRun } from './accepted-run.ts';
import { findReplay, parseIdempotencyKey } from './idempotency.ts';
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
  const webhook = parseWebhook(deps.settings, request.webhook);
  const row = await findExecution(deps.db, input.executionId);
  if (row === undefined) throw new AppError('not_found', 'Execution not found.');
  const { workflow, role } = authorize(
    actor,
    'run',
    await findWorkflow(deps.db, row.workflow_id, user.userId),
  );
  const { nodeId } = request.decision ?? {};
  const person =
    nodeId === undefined ? undefined : await requireDecider(deps, user, { executionId: row.id, nodeId });
  if (person === undefined && row.user_id !== user.userId && role !== 'OWNER')
    throw new AppError(
      'forbidden',
      'Only the user who started an execution and the owners of its workflow can resume it or send a decision.',
    );
  const idempotency = await parseIdempotencyKey('resume', input.idempotencyKey, {
    ...request,
    executionId: row.id,
  });
  const firstResponse = await findReplay(deps, user.userId, workflow.id, idempotency);
  if (firstResponse !== undefined) return firstResponse;
  if (hasDecision(request) && person !== undefined)
    return decide(deps, user, { row, request, idempotency, person });
  if (row.finished_at === null || (row.status === 'COMPLETED' && request.fromNodeId === undefined))
    throw createNotResumableError(row);
  return startFollowUp(deps, user, { row, workflow, request, webhook, idempotency });
}

function createNotResumableError({ status }: { readonly status: ExecutionRow['status'] | 'gone' }): AppError {
  const reason =
    status === 'WAITING'
      ? 'is waiting for a decision. Send one'
      : status === 'COMPLETED'
        ? 'is complete. Set fromNodeId to the node to run again from'
        : `is ${status}. Only a waiting or ended execution can be resumed`;
  return new AppError('not_resumable', `The execution ${reason}.`);
}

type DecisionRequest = ResumeRequest & Required<Pick<ResumeRequest, 'decision'>>;

const hasDecision = (request: ResumeRequest): request is DecisionRequest => request.decision !== undefined;

interface ResumeDecision {
  readonly row: ExecutionRow;
  readonly request: DecisionRequest;
  readonly idempotency: IdempotencyUse | null;
  readonly person: Person;
}

async function decide(
  deps: RunDeps,
  user: UserActor,
  { row: { id, workflow_id }, request, idempotency, person }: ResumeDecision,
): Promise<AcceptedRun> {
  const { decision, ...otherFields } = request;
  const { nodeId, ...decisionValue } = decision;
  const [otherField] = Object.keys(otherFields);
  if (otherField !== undefined)
    throw new AppError('invalid_request', `${otherField} cannot be combined with a decision. Remove it.`);
  const key = { executionId: id, nodeId };
  const commit = {
    caller: user,
    toDecision: (approval: ParsedApproval | undefined): Decision => {
      if (decision.value !== undefined) requireReplaceable(approval);
      return { ...decisionValue, by: { via: 'account', ...person }, atMs: deps.now() };
    },
    onDecided: async (tx: Tx): Promise<void> => {
      if (idempotency === null) return;
      const use = { ...idempotency, userId: user.userId, workflowId: workflow_id, executionId: id };
      await saveIdempotencyKey(tx, use);
    },
  };
  return toAcceptedRun(await commitDecision(deps, key, commit).catch(throwNotResumable), 0);
}

/** This route has always reported a second decision like this. */
function throwNotResumable(err: unknown): never {
  if (err instanceof AppError && err.code === 'already_decided')
    throw new AppError('not_resumable', err.message, { details: err.details ?? {} });
  throw err;
}

/** Throws 400 if the approval asks assignees, and does not allow them to edit the value. */
function requireReplaceable(approval: ParsedApproval | undefined): void {
  if (approval === undefined || approval.isEditable || approval.request.assignees.length === 0) return;
  throw new AppError('invalid_request', 'The value of this approval cannot be edited. Remove `value`.');
}

interface FollowUp {
  readonly row: ExecutionRow;
  readonly workflow: ReadWorkflowRow;
  readonly request: ResumeRequest;
  readonly webhook: WebhookTarget | undefined;
  readonly idempotency: IdempotencyUse | null;
}

async function startFollowUp(
  deps: RunDeps,
  user: UserActor,
  { row, workflow, request, webhook, idempotency }: FollowUp,
): Promise<AcceptedRun> {
  requireActive(workflow);
  const earlierRequest = parseRunRequest(row.request);
  const isLatest = request.useLatestWorkflow === true;
  const version = await prepareVersion(deps, workflow.id, {
    number: isLatest ? workflow.version : row.workflow_version,
    config: earlierRequest.config,
    // Nodes of a component that was edited since would run, and be paid, again.
    earlierRun: { components: isLatest ? null : row.components },
  });
  const { graph } = version.runnable;
  const nodeIds = new Set(graph.nodes.map(node => node.id));
  // Earlier inputs of nodes that no longer exist are dropped. New inputs must be valid.
  const earlierInputs = [...parseMemberTexts(earlierRequest.inputs?.text ?? '{}')].filter(([nodeId]) =>
    nodeIds.has(nodeId),
  );
  readInputOverrides(deps, graph, request.inputs);
  const newInputs = parseMemberTexts(
    request.inputs === undefined ? '{}' : withInputIds(graph, request.inputs).text,
  );
  const inputs = new JsonText<JsonObject>(joinMembers(new Map([...earlierInputs, ...newInputs])));
  const keep = {
    executionId: row.id,
    again: request.fromNodeId === undefined ? [] : [request.fromNodeId],
  };
  const resumedRequest = { ...earlierRequest, inputs };
  const prepared = await planRun(deps, user.userId, workflow, {
    version,
    request: { ...resumedRequest, keep },
  });
  return acceptRun(deps, user, {
    workflow,
    prepared,
    request: resumedRequest,
    estimate: await estimateForStart(deps, user, prepared),
    webhook,
    trigger: 'resume',
    idempotency,
  });
}
