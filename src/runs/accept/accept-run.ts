// Commits a validated run with its job and idempotency key, and returns the response for the caller.
import { AppError, OutageError, toError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { getCurrentScope } from '../../lib/span.ts';
import { getWorkspaceId } from '../../services/accounts/access.ts';
import { toSpender, type UserActor } from '../../services/accounts/actor.ts';
import { toCredentialRecord } from '../../services/credentials/run-credentials.ts';
import { encryptTarget, type WebhookTarget } from '../../services/webhooks/webhook-target.ts';
import { findExecution } from '../../store/executions.ts';
import type { IdempotencyUse, RunSpec } from '../../store/runs.ts';
import type { Spender } from '../../store/spenders.ts';
import type { ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import type { AcceptResult, RunToAccept } from '../change/accept-group.ts';
import type { RunDeps } from '../deps.ts';
import type { Estimate } from '../estimate/estimate-plan.ts';
import type { PreparedRun } from '../prepare/prepare-run.ts';
import type { RunRequest } from '../prepare/run.schema.ts';
import { toRequestText } from '../prepare/run-request.ts';
import { type AcceptedRun, toAcceptedRun } from './accepted-run.ts';
import { createInProgressError, findReplay } from './idempotency.ts';
import { requireWithinMaxCredits, toRejectionError } from './rejections.ts';

/** The batch, schedule, trigger or app that starts a run (store/origins.ts). */
export interface RunOrigin {
  readonly id: string;
  /** Identifies the run: the row of a batch, the due time of a schedule, the item of a trigger, or the run of an app. */
  readonly key: string;
  /** The id of the run, which the origin chooses and stores before the run starts. */
  readonly executionId: string;
  /** The workspace of an app's visitor, if it pays instead of the workflow's workspace. */
  readonly payer?: string | undefined;
  /** Whose monthly limits the run spends, if not those of the user who runs it. */
  readonly spender?: Spender | undefined;
}

/** A run that passed validation. */
export interface ValidatedRun {
  readonly workflow: ReadWorkflowRow;
  readonly prepared: PreparedRun;
  readonly request: RunRequest;
  readonly estimate: Estimate;
  readonly webhook: WebhookTarget | undefined;
  readonly trigger: string;
  readonly origin?: RunOrigin | undefined;
  readonly idempotency: IdempotencyUse | null;
}

/**
 * Resolves once the run is certain to execute. If another request used the idempotency key first, resolves to the
 * response to that request.
 */
export async function acceptRun(deps: RunDeps, user: UserActor, run: ValidatedRun): Promise<AcceptedRun> {
  const { workflow, prepared, idempotency } = run;
  requireWithinMaxCredits(run.estimate, run.request.maxCredits);
  const spec = toRunSpec(deps, user, run);
  const result = await commitRun(deps, {
    spec,
    trigger: run.trigger,
    steps: [...prepared.steps.values()],
    idempotency,
    credits: run.estimate.credits,
    models: run.estimate.models,
    // The budget limits what the workflow costs its own workspace.
    hasBudget: workflow.daily_credit_budget !== null && run.origin?.payer === undefined,
    payer: run.origin?.payer ?? spec.workspace,
    spender: getSpender(user, run.origin),
    isOldVersion: prepared.version.number !== workflow.version,
  });
  if (result.kind === 'rejected')
    throw toRejectionError(result.rejection, { version: prepared.version.number, estimate: run.estimate });
  if (result.kind !== 'repeated') return toAcceptedRun(spec, run.estimate.credits);
  const firstResponse = await findReplay(deps, user.userId, workflow.id, idempotency);
  if (firstResponse === undefined) throw createInProgressError();
  return firstResponse;
}

const getSpender = (user: UserActor, origin: RunOrigin | undefined): Spender =>
  origin?.spender ?? toSpender(user);

function toRunSpec(deps: RunDeps, user: UserActor, run: ValidatedRun): RunSpec {
  const { workflow, prepared, webhook, origin } = run;
  const id = origin?.executionId ?? newId('execution');
  const spender = getSpender(user, origin);
  const span = getCurrentScope()?.span;
  span?.set({ 'graphwright.execution.id': id, 'graphwright.workflow.id': workflow.id });
  return {
    id,
    workflow_id: workflow.id,
    workflow_version: prepared.version.number,
    user_id: user.userId,
    // Not the key of an app's visitor.
    key_id: spender.userId === user.userId ? spender.keyId : null,
    workspace: getWorkspaceId(workflow),
    request: toRequestText(run.request),
    webhook: webhook === undefined ? null : encryptTarget(deps, webhook),
    // With an external database, another process may execute the run while a caller of this process waits for it.
    watched: deps.settings.DATABASE_URL !== undefined,
    is_paid: run.estimate.isPaid,
    nodes_total: prepared.plan.nodes.length,
    resumed_from_id: prepared.resumedFromId ?? null,
    credentials: toCredentialRecord(prepared.credentials),
    components: prepared.version.components,
    traceparent: span?.traceparent ?? null,
    origin_id: origin?.id ?? null,
    origin_key: origin?.key ?? null,
    created_at: new Date(deps.now()),
  };
}

/** Commits the run, in a local slot if one is free. `found`: the commit's outcome was unknown, but the run is stored. */
async function commitRun(
  deps: RunDeps,
  runToAccept: Omit<RunToAccept, 'workerId'>,
): Promise<AcceptResult | { readonly kind: 'found' }> {
  const { id, workspace } = runToAccept.spec;
  const slot = deps.placement.reserve(workspace);
  try {
    const result = await deps.commit.accept({ ...runToAccept, workerId: slot?.workerId ?? null });
    if (slot !== undefined && result.kind === 'accepted' && result.row.worker_id !== null)
      slot.start(deps, result.row);
    else slot?.release();
    return result;
  } catch (err) {
    slot?.release();
    if (err instanceof AppError || (err instanceof OutageError && !err.mayHaveCommitted)) throw err;
    const execution = await findExecution(deps.db, id).catch((lookupError: unknown) => {
      throw createUnknownOutcomeError(id, new AggregateError([toError(err), toError(lookupError)]));
    });
    if (execution !== undefined) return { kind: 'found' };
    // If only the connection was lost, the server may still commit.
    throw err instanceof OutageError ? createUnknownOutcomeError(id, err) : err;
  }
}

function createUnknownOutcomeError(executionId: string, cause: Error): AppError {
  return new AppError(
    'internal_error',
    'The database connection was lost, and the outcome is unknown. Look up executionId before you start the run again.',
    { cause, details: { executionId } },
  );
}
