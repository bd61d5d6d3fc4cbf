// Creates and estimates batches.
import { newId } from '../../lib/ids.ts';
import { stringifyJson } from '../../lib/json-text.ts';
import {
  createInProgressError,
  parseIdempotencyKey,
  requireSameBody,
} from '../../runs/accept/idempotency.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { getWorkspaceId } from '../../services/accounts/access.ts';
import { type Actor, requireScope, toSpender, type UserActor } from '../../services/accounts/actor.ts';
import { encryptTarget, parseWebhook } from '../../services/webhooks/webhook-target.ts';
import { findIdempotencyKey } from '../../store/executions.ts';
import { toSpenderColumns } from '../../store/spenders.ts';
import { type CreateBatchBody, DEFAULT_CONCURRENCY, DEFAULT_STOP_AFTER_FAILURES } from './batch.schema.ts';
import { describeExpectedStops } from './expected-stops.ts';
import { type BatchEstimate, type PreparedBatch, prepareBatch } from './prepare-batch.ts';
import { findBatch, type StoredBatch } from './store/batches.ts';
import { type BatchKey, storeBatch } from './store-batch.ts';

/** Estimates the cost of a batch. Throws the errors of `createBatch`. */
export async function estimateBatch(
  deps: RunDeps,
  actor: Actor,
  workflowId: string,
  body: CreateBatchBody,
): Promise<PresentedEstimate> {
  const user = requireScope(actor, 'workflows:execute');
  parseWebhook(deps.settings, body.webhook, []);
  return presentEstimate(deps, user, await prepareBatch(deps, user, workflowId, body));
}

/** Adds warnings of limits that will stop the batch. */
async function presentEstimate(
  deps: RunDeps,
  user: UserActor,
  { workflow, estimate }: Pick<PreparedBatch, 'workflow' | 'estimate'>,
): Promise<PresentedEstimate> {
  const warnings = await describeExpectedStops(deps, user, { workflow, estimate });
  return { ...estimate, ...(warnings.length === 0 ? {} : { meta: { warnings } }) };
}

export interface PresentedEstimate extends BatchEstimate {
  readonly meta?: { readonly warnings: readonly string[] };
}

export interface CreatedBatch {
  readonly batch: StoredBatch;
  readonly estimate: PresentedEstimate;
  /** Whether an earlier request with the idempotency key created the batch. */
  readonly replayed: boolean;
}

/**
 * Stores a batch with all its rows; a job starts them. Throws 400 `invalid_rows` with the problems of the
 * rows, 413 `storage_quota_exceeded`, and the errors of starting one run.
 */
export async function createBatch(
  deps: RunDeps,
  actor: Actor,
  input: {
    readonly workflowId: string;
    readonly body: CreateBatchBody;
    readonly idempotencyKey: string | undefined;
  },
): Promise<CreatedBatch> {
  const user = requireScope(actor, 'workflows:execute');
  const { workflowId, body } = input;
  const webhook = parseWebhook(deps.settings, body.webhook, []);
  const idempotency = await parseIdempotencyKey('batch', input.idempotencyKey, body);
  const key = idempotency && { ...idempotency, userId: user.userId, workflowId };
  const earlierBatch = key && (await findRepeatedBatch(deps, key));
  if (earlierBatch !== null) return earlierBatch;
  const { workflow, readRows, estimate, bytes, axes } = await prepareBatch(deps, user, workflowId, body);
  const axesText = axes === null ? null : JSON.stringify(axes);
  const targets = body.targets === undefined ? null : JSON.stringify(body.targets);
  const metadata = body.metadata === undefined ? null : stringifyJson(body.metadata);
  const batch = {
    id: newId('batch', deps.now()),
    workflow_id: workflow.id,
    workflow_version: workflow.version,
    user_id: user.userId,
    ...toSpenderColumns(toSpender(user)),
    workspace: getWorkspaceId(workflow),
    total: estimate.rows,
    concurrency: body.concurrency ?? DEFAULT_CONCURRENCY,
    max_credits: body.maxCredits ?? null,
    stop_after_failures: body.stopAfterFailures ?? DEFAULT_STOP_AFTER_FAILURES,
    first_rows: body.firstRows ?? null,
    estimated_credits: estimate.credits,
    estimate_is_exact: estimate.exact,
    axes: axesText,
    targets,
    metadata,
    webhook: webhook === undefined ? null : encryptTarget(deps, webhook),
    bytes: bytes + Buffer.byteLength(`${axesText ?? ''}${targets ?? ''}${metadata ?? ''}`),
    created_at: new Date(deps.now()),
  };
  const presentedEstimate = await presentEstimate(deps, user, { workflow, estimate });
  const stored = await storeBatch(deps, { batch, readRows, key, tableId: body.tableId });
  deps.wakeTimers.wake('background');
  return { batch: stored, estimate: presentedEstimate, replayed: false };
}

/** Returns the batch of an earlier request with the idempotency key. Throws 409 if that request is not finished. */
async function findRepeatedBatch(deps: RunDeps, key: BatchKey): Promise<CreatedBatch | null> {
  const firstUse = await findIdempotencyKey(deps.db, key);
  if (firstUse === undefined) return null;
  requireSameBody(key, firstUse, 'batch');
  const batch = await findBatch(deps.db, firstUse.execution_id);
  if (batch === undefined) throw createInProgressError();
  const { total: rows, estimated_credits: credits, estimate_is_exact: exact } = batch;
  return { batch, estimate: { rows, credits, exact, perRow: null }, replayed: true };
}
