// Creates and estimates batches.
import { AppError, type Issue } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { joinMembers } from '../../lib/json-scan.ts';
import { JsonText, stringifyJson } from '../../lib/json-text.ts';
import { pause } from '../../lib/pause.ts';
import type { RunDeps } from '../../runs/deps.ts';
import {
  createCredentialGetter,
  createMissingInputFinder,
  findNodesOverMax,
  findUnavailableNodes,
  findUnpricedNodes,
  hasPaidNode,
  priceForecast,
  requireBounded,
  requirePriced,
  requireProviders,
} from '../../runs/estimate/estimate-plan.ts';
import { forecastPaidNodes } from '../../runs/estimate/forecast-run.ts';
import { parseIdempotencyKey } from '../../runs/idempotency.ts';
import { type PlanWithCredentials, resolvePlan } from '../../runs/plan-credentials.ts';
import type { RunConfig } from '../../runs/run.schema.ts';
import { configureVersion, requireValidConfig } from '../../runs/run-config.ts';
import { createInputReader, planRequest } from '../../runs/run-request.ts';
import { type CallingWorkflow, expandForUser } from '../../runs/run-version.ts';
import { requireActive } from '../../runs/start-run.ts';
import { authorize, getWorkspaceId } from '../../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import type { RunCredentials } from '../../services/credentials/credential.ts';
import { encryptTarget, parseWebhook } from '../../services/webhooks/webhook-target.ts';
import type { GraphVersion } from '../../services/workflows/graph-versions.ts';
import type { NewRow } from '../../store/automation/batch-rows.ts';
import {
  countRunningBatches,
  findBatch,
  insertBatch,
  lockRunningBatches,
  type StoredBatch,
} from '../../store/automation/batches.ts';
import type { Tx } from '../../store/db.ts';
import { findIdempotencyKey, saveIdempotencyKey } from '../../store/executions.ts';
import { findWorkflow, type ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { type CreateBatchBody, DEFAULT_CONCURRENCY, DEFAULT_STOP_AFTER_FAILURES } from './batch.schema.ts';
import { type Axis, type ExpandedRow, expandRows, RowIssues } from './expand-rows.ts';

export interface BatchEstimate {
  readonly rows: number;
  readonly credits: number;
  readonly exact: boolean;
  /** The credits of each row, or null if rows differ. */
  readonly perRow: number | null;
}

interface PricedBatch {
  readonly workflow: ReadWorkflowRow;
  /** Reads all rows from the start at each call, because they may not fit in memory. Throws 404 if their table was deleted. */
  readonly readRows: (tx: Tx) => AsyncGenerator<NewRow>;
  readonly estimate: BatchEstimate;
  readonly axes: readonly Axis[] | null;
}

/** Estimates the cost of a batch. Throws the errors of `createBatch`. */
export async function estimateBatch(
  deps: RunDeps,
  actor: Actor,
  workflowId: string,
  body: CreateBatchBody,
): Promise<BatchEstimate> {
  const user = requireScope(actor, 'workflows:execute');
  parseWebhook(deps.settings, body.webhook);
  return (await priceBatch(deps, user, workflowId, body)).estimate;
}

export interface CreatedBatch {
  readonly batch: StoredBatch;
  readonly estimate: BatchEstimate;
  /** Whether an earlier request with the idempotency key created the batch. */
  readonly replayed: boolean;
}

/**
 * Stores a batch with all its rows; a job starts them. Throws 400 `invalid_rows` with the problems of the
 * rows, and the errors of starting one run.
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
  const webhook = parseWebhook(deps.settings, body.webhook);
  const idempotency = parseIdempotencyKey('batch', input.idempotencyKey, body);
  const key = idempotency && { userId: user.userId, workflowId, route: 'batch', key: idempotency.key };
  const earlierBatch = key && (await findRepeatedBatch(deps, key, idempotency.body_hash));
  if (earlierBatch !== null) return earlierBatch;
  const { workflow, readRows, estimate, axes } = await priceBatch(deps, user, workflowId, body);
  const id = newId('batch', deps.now());
  const batch = {
    id,
    workflow_id: workflow.id,
    workflow_version: workflow.version,
    user_id: user.userId,
    workspace: getWorkspaceId(workflow),
    total: estimate.rows,
    concurrency: body.concurrency ?? DEFAULT_CONCURRENCY,
    max_credits: body.maxCredits ?? null,
    stop_after_failures: body.stopAfterFailures ?? DEFAULT_STOP_AFTER_FAILURES,
    first_rows: body.firstRows ?? null,
    estimated_credits: estimate.credits,
    estimate_is_exact: estimate.exact,
    axes: axes === null ? null : JSON.stringify(axes),
    metadata: body.metadata === undefined ? null : stringifyJson(body.metadata),
    webhook: webhook === undefined ? null : encryptTarget(deps, webhook),
    created_at: new Date(deps.now()),
  };
  const stored = await deps.db.transaction(async tx => {
    await requireBatchSlot(tx, batch.workspace);
    const inserted = await insertBatch(tx, batch, readRows(tx));
    if (key !== null)
      await saveIdempotencyKey(tx, { ...key, body_hash: idempotency?.body_hash ?? '', executionId: id });
    // A concurrent request may have used the key first.
    const firstUse = key && (await findIdempotencyKey(tx, key));
    if (firstUse !== null && firstUse?.execution_id !== id)
      throw new AppError(
        'idempotency_in_progress',
        'The first request with this Idempotency-Key is still being processed. Try again in a second.',
        { headers: { 'retry-after': '1' } },
      );
    return inserted;
  });
  deps.wakeTimers.wake('background');
  return { batch: stored, estimate, replayed: false };
}

const MAX_RUNNING_BATCHES = 20;

/** Throws 409 `conflict` if the workspace has as many running batches as allowed. */
export async function requireBatchSlot(tx: Tx, workspace: string): Promise<void> {
  await lockRunningBatches(tx, workspace);
  if ((await countRunningBatches(tx, workspace)) < MAX_RUNNING_BATCHES) return;
  throw new AppError(
    'conflict',
    `The workspace has ${MAX_RUNNING_BATCHES} running batches, the most allowed. Wait until one ends, or stop one.`,
  );
}

type IdempotencyKey = Parameters<typeof findIdempotencyKey>[1];

/** Returns the batch of an earlier request with the idempotency key. */
async function findRepeatedBatch(
  deps: RunDeps,
  key: IdempotencyKey,
  bodyHash: string,
): Promise<CreatedBatch | null> {
  const firstUse = await findIdempotencyKey(deps.db, key);
  if (firstUse === undefined) return null;
  if (firstUse.body_hash.toString('hex') !== bodyHash)
    throw new AppError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another body in the last 24 hours. Use a new key for a new batch.',
    );
  const batch = await findBatch(deps.db, firstUse.execution_id);
  if (batch === undefined) return null;
  const { total: rows, estimated_credits: credits, estimate_is_exact: exact } = batch;
  return { batch, estimate: { rows, credits, exact, perRow: null }, replayed: true };
}

/** Checks every row, and estimates its price. */
async function priceBatch(
  deps: RunDeps,
  user: UserActor,
  workflowId: string,
  body: CreateBatchBody,
): Promise<PricedBatch> {
  const { workflow } = authorize(user, 'run', await findWorkflow(deps.db, workflowId, user.userId));
  requireActive(workflow);
  const hasConfig = body.matrix?.config !== undefined || body.rows?.some(row => row.config !== undefined);
  if (hasConfig === true) {
    requireScope(user, 'workflows:write');
    authorize(user, 'edit', workflow);
  }
  const version = await deps.versions.get(deps.db, workflow.id, workflow.version);
  const owner = { userId: user.userId, workspace: getWorkspaceId(workflow) };
  const caller = { workflowId: workflow.id, versionNumber: workflow.version, userId: user.userId };
  const planRow = createRowPlanner(deps, { version, caller }, owner.workspace);
  if (hasConfig !== true) await planRow(null);
  const issues = new RowIssues();
  const prices: number[] = [];
  let isExact = true;
  const expanded = await expandRows(deps, user, version.graph, body);
  let index = -1;
  for await (const row of expanded.readRows(deps.db, issues)) {
    index++;
    try {
      const { plan, credentials, readInputs, findMissing, mayCost } = await planRow(row.config);
      const overrides = readInputs(row.inputs);
      const missing = findMissing(overrides);
      for (const issue of missing) issues.add(toRowIssue(index, row.path, issue));
      let credits = 0;
      if (missing.length === 0 && mayCost) {
        const forecasts = await forecastPaidNodes(deps, {
          plan,
          overrides,
          owner,
          credentials,
          steps: new Map(),
        });
        const getCredential = createCredentialGetter(deps, { credentials, overrides });
        requirePriced(findUnpricedNodes(deps, user, forecasts, overrides, getCredential));
        const price = priceForecast(forecasts, getCredential);
        requireBounded(findNodesOverMax(forecasts), price);
        credits = price.credits;
        isExact &&= price.exact;
      }
      prices.push(credits);
    } catch (err) {
      if (!(err instanceof AppError) || err.status !== 400) throw err;
      issues.add(toRowIssue(index, row.path, err.issues?.[0] ?? { code: err.code, message: err.message }));
    }
  }
  if (issues.total > 0) throw issues.toError();
  const [onlyPrice = 0] = prices;
  const credits = prices.reduce((sum, price) => sum + price, 0);
  const perRow = prices.every(price => price === onlyPrice) ? onlyPrice : null;
  const estimate = { rows: prices.length, credits, exact: isExact, perRow };
  const readRows = (tx: Tx) => toNewRows(expanded.readRows(tx, new RowIssues()), prices);
  return { workflow, readRows, estimate, axes: expanded.axes };
}

async function* toNewRows(
  rows: AsyncIterable<ExpandedRow>,
  prices: readonly number[],
): AsyncGenerator<NewRow> {
  let number = 0;
  for await (const row of rows) {
    const estimated_credits = prices[number++];
    if (estimated_credits === undefined) break;
    const inputs = joinMembers(Array.from(row.inputs, ([nodeId, { text }]) => [nodeId, text]));
    yield { row_number: number, key: row.key, inputs, config: row.config, estimated_credits };
  }
  if (number !== prices.length)
    throw new AppError('not_found', 'Table not found. Tables are deleted after 24 hours.');
}

/** The maximum number of cached plans. Rows of a matrix repeat their configs. */
const MAX_CACHED_PLANS = 100;

interface PlannedRow extends PlanWithCredentials {
  readonly readInputs: ReturnType<typeof createInputReader>;
  readonly findMissing: ReturnType<typeof createMissingInputFinder>;
  readonly mayCost: boolean;
}

/** Returns a function that plans a row from its config as JSON text. Throws the errors of `requireValidConfig`. */
function createRowPlanner(
  deps: RunDeps,
  {
    version,
    caller,
  }: { readonly version: GraphVersion; readonly caller: CallingWorkflow & { readonly workflowId: string } },
  workspace: string,
): (config: string | null) => Promise<PlannedRow> {
  const plans = new Map<string | null, PlannedRow>();
  let credentials: RunCredentials | undefined;
  return async text => {
    const cached = plans.get(text);
    if (cached !== undefined) return cached;
    const config = text === null ? undefined : new JsonText<RunConfig>(text);
    requireValidConfig(deps, version, config);
    const { version: expanded } = await expandForUser(deps, configureVersion(deps, version, config), caller);
    const owner = { workspace, workflowId: caller.workflowId };
    const resolved = await resolvePlan(deps, planRequest(deps, expanded, {}), owner, credentials);
    if (resolved.credentials !== deps.environment) credentials = resolved.credentials;
    requireProviders(findUnavailableNodes(resolved.plan));
    if (plans.size >= MAX_CACHED_PLANS) plans.clear();
    const { plan } = resolved;
    const planned = {
      ...resolved,
      readInputs: createInputReader(deps, expanded.graph),
      findMissing: createMissingInputFinder(plan),
      mayCost: hasPaidNode(deps, plan),
    };
    plans.set(text, planned);
    await pause();
    return planned;
  };
}

function toRowIssue(index: number, path: string, issue: Issue): Issue {
  const isTable = path.startsWith('/tableId/');
  const location = isTable ? `Line ${path.slice('/tableId/'.length)}` : `Row ${index + 1}`;
  return {
    ...issue,
    path: isTable ? path : `${path}${issue.path ?? ''}`,
    message: `${location}: ${issue.message}`,
  };
}
