// Checks the rows of a new batch, and estimates their prices.
import { indexInputs } from '../../graph/input-names.ts';
import { Collector } from '../../lib/collector.ts';
import { AppError, type Issue } from '../../lib/errors.ts';
import { JsonText } from '../../lib/json-text.ts';
import { createLru } from '../../lib/lru.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import { requireActive } from '../../runs/accept/start-run.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { createCredentialGetter, hasPaidNode, priceForecast } from '../../runs/estimate/estimate-plan.ts';
import { forecastPaidNodes } from '../../runs/estimate/forecast-run.ts';
import {
  createMissingInputFinder,
  findDisallowedNodes,
  findNodesOverMax,
  findUnavailableNodes,
  findUnpricedNodes,
  requireAllowed,
  requireBounded,
  requirePriced,
  requireProviders,
} from '../../runs/estimate/run-issues.ts';
import { type PlanWithCredentials, resolvePlan } from '../../runs/prepare/plan-credentials.ts';
import { prepareVersion } from '../../runs/prepare/prepare-run.ts';
import type { RunConfig } from '../../runs/prepare/run.schema.ts';
import {
  createInputReader,
  planRequest,
  type RunInputs,
  resolveInputKeys,
} from '../../runs/prepare/run-request.ts';
import { authorize, getWorkspaceId } from '../../services/accounts/access.ts';
import { requireScope, type UserActor } from '../../services/accounts/actor.ts';
import type { RunCredentials } from '../../services/credentials/credential.ts';
import { resolveCredentials } from '../../services/credentials/run-credentials.ts';
import type { GraphVersion } from '../../services/workflows/graph-versions.ts';
import type { Tx } from '../../store/db.ts';
import { findWorkflow, type ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import { type CreateBatchBody, MAX_ROWS } from './batch.schema.ts';
import { type Axis, type ExpandedRow, expandRows, RowIssues } from './expand-rows.ts';
import { countStoredBytes, type DividedRow, RowDivider, toConfigText } from './row-values.ts';
import { type BatchToStore, countCharacters, type RowToStore } from './store-batch.ts';

export interface BatchEstimate {
  readonly rows: number;
  readonly credits: number;
  readonly exact: boolean;
  /** The credits of each row, or null if rows differ. */
  readonly perRow: number | null;
}

export interface PreparedBatch {
  readonly workflow: ReadWorkflowRow;
  /** Reads all rows, again if they may not fit in memory. Throws 404 if their table was deleted. */
  readonly readRows: BatchToStore['readRows'];
  readonly estimate: BatchEstimate;
  /** The bytes that the rows take in the database. */
  readonly bytes: number;
  readonly axes: readonly Axis[] | null;
}

/**
 * Checks every row, and estimates its price. Throws 400 `invalid_rows` with the problems of the rows, and the errors of
 * starting one run.
 */
export async function prepareBatch(
  deps: RunDeps,
  user: UserActor,
  workflowId: string,
  body: CreateBatchBody,
): Promise<PreparedBatch> {
  const { workflow } = authorize(user, 'run', await findWorkflow(deps.db, workflowId, user.userId));
  requireActive(workflow);
  const hasConfig = body.matrix?.config !== undefined || body.rows?.some(row => row.config !== undefined);
  if (hasConfig === true) {
    requireScope(user, 'workflows:write');
    authorize(user, 'edit', workflow);
  }
  const version = await deps.versions.get(deps.db, workflow.id, workflow.version);
  const owner = { userId: user.userId, workspace: getWorkspaceId(workflow) };
  const planRow = createRowPlanner(deps, workflow, { version, targets: body.targets });
  if (hasConfig !== true) await planRow(null);
  const issues = new RowIssues();
  const prices: RowPrice[] = [];
  const expanded = await expandRows(deps, user, version.graph, body);
  const repetition = body.matrix === undefined ? 'inputs' : 'rows';
  const findInput = indexInputs(version.graph.nodes);
  const createDivider = () => createRowDivider(repetition, findInput);
  const divide = createDivider();
  const kept = new Collector<RowToStore>({ items: MAX_ROWS, bytes: MAX_KEPT_CHARACTERS }, countCharacters);
  let bytes = 0;
  let index = -1;
  for await (const row of expanded.readRows(deps.db, issues)) {
    index++;
    const divided = divide(row);
    bytes += countStoredBytes(divided);
    await yieldTurn();
    try {
      const planned = await planRow(row.config === null ? null : toConfigText(row.config));
      const { missing, ...price } = await priceRow(deps, { user, owner }, planned, row.inputs);
      for (const issue of missing) issues.add(toRowIssue(index, row.path, issue));
      prices.push(price);
      kept.add(toUnstoredRow(index + 1, row, divided, price.credits));
    } catch (err) {
      if (!(err instanceof AppError) || err.status !== 400) throw err;
      issues.add(toRowIssue(index, row.path, err.issues?.[0] ?? { code: err.code, message: err.message }));
    }
  }
  if (issues.total > 0) throw issues.toError();
  const readRows = (tx: Tx) =>
    kept.total === kept.items.length
      ? kept.items
      : toUnstoredRows(expanded.readRows(tx, new RowIssues()), createDivider(), prices);
  return { workflow, readRows, estimate: sumPrices(prices), bytes, axes: expanded.axes };
}

/** Returns a function that divides rows, with their inputs by node id. */
function createRowDivider(
  repetition: 'rows' | 'inputs',
  findInput: ReturnType<typeof indexInputs>,
): (row: ExpandedRow) => DividedRow {
  const divider = new RowDivider(repetition);
  return ({ inputs, config }) => divider.divide({ inputs: resolveInputKeys(findInput, inputs), config });
}

/** A batch with at most this size is read once, and others a second time when they are stored. */
const MAX_KEPT_CHARACTERS = 2_000_000;

interface RowPrice {
  readonly credits: number;
  readonly exact: boolean;
}

/** Returns the price of a row, or the inputs that it lacks. */
async function priceRow(
  deps: RunDeps,
  { user, owner }: { readonly user: UserActor; readonly owner: { userId: number; workspace: string } },
  { plan, credentials, policy, readInputs, findMissing, mayCost }: PlannedRow,
  inputs: RunInputs,
): Promise<RowPrice & { readonly missing: readonly Issue[] }> {
  const overrides = readInputs(inputs);
  requireAllowed(findDisallowedNodes(deps, { plan, overrides, policy }));
  const missing = findMissing(overrides);
  if (missing.length > 0 || !mayCost) return { missing, credits: 0, exact: true };
  const forecasts = await forecastPaidNodes(deps, {
    plan,
    overrides,
    owner,
    credentials,
    policy,
    steps: new Map(),
  });
  const getCredential = createCredentialGetter(deps, { credentials, overrides });
  requirePriced(findUnpricedNodes(deps, user, forecasts, overrides, getCredential));
  const price = priceForecast(forecasts, getCredential);
  requireBounded(findNodesOverMax(forecasts, getCredential), price);
  return { missing, credits: price.credits, exact: price.exact };
}

function sumPrices(prices: readonly RowPrice[]): BatchEstimate {
  const first = prices[0]?.credits ?? 0;
  return {
    rows: prices.length,
    credits: prices.reduce((sum, { credits }) => sum + credits, 0),
    exact: prices.every(({ exact }) => exact),
    perRow: prices.every(({ credits }) => credits === first) ? first : null,
  };
}

async function* toUnstoredRows(
  rows: AsyncIterable<ExpandedRow>,
  divide: (row: ExpandedRow) => DividedRow,
  prices: readonly RowPrice[],
): AsyncGenerator<RowToStore> {
  let number = 0;
  for await (const row of rows) {
    const price = prices[number++];
    if (price === undefined) break;
    yield toUnstoredRow(number, row, divide(row), price.credits);
  }
  if (number !== prices.length)
    throw new AppError('not_found', 'Table not found. Tables are deleted after 24 hours.');
}

function toUnstoredRow(
  row_number: number,
  { key }: ExpandedRow,
  { newValues, ...values }: DividedRow,
  estimated_credits: number,
): RowToStore {
  return { row: { row_number, key, ...values, estimated_credits }, newValues };
}

/** The most characters that cached plans keep. Rows of a matrix repeat their configs. At least the last plan is kept. */
const MAX_CACHED_CHARACTERS = 10_000_000;
/** What a node of a plan takes in addition to its text. */
const NODE_CHARACTERS = 1000;

/** Returns what the plan of a row keeps. A component may expand to so much that the plans of two rows are never kept. */
function weighPlan({ componentCalls, characters, graph }: GraphVersion, config: string): number {
  if (componentCalls.length > 0) return MAX_CACHED_CHARACTERS;
  const total = characters + graph.nodes.length * NODE_CHARACTERS + config.length;
  return Math.min(MAX_CACHED_CHARACTERS, total);
}

interface PlannedRow extends PlanWithCredentials {
  readonly readInputs: ReturnType<typeof createInputReader>;
  readonly findMissing: ReturnType<typeof createMissingInputFinder>;
  readonly mayCost: boolean;
}

/** Returns a function that plans a row from its config as JSON text. Throws the errors of `prepareVersion`. */
function createRowPlanner(
  deps: RunDeps,
  workflow: ReadWorkflowRow,
  { version, targets }: { readonly version: GraphVersion; readonly targets: CreateBatchBody['targets'] },
): (config: string | null) => Promise<PlannedRow> {
  const plans = createLru<PlannedRow>(MAX_CACHED_CHARACTERS);
  const owner = { workspace: getWorkspaceId(workflow), workflowId: workflow.id };
  let credentials: Promise<RunCredentials> | undefined;
  const resolve = (): Promise<RunCredentials> => {
    credentials ??= resolveCredentials(deps, deps.db, owner);
    return credentials;
  };
  return async text => {
    const key = text ?? '';
    const cached = plans.get(key);
    if (cached !== undefined) return cached;
    const config = text === null ? undefined : new JsonText<RunConfig>(text);
    const { runnable } = await prepareVersion(deps, workflow.id, { number: workflow.version, config });
    await yieldTurn();
    const basePlan = planRequest(deps, runnable, targets === undefined ? {} : { targets });
    const resolved = await resolvePlan(deps, basePlan, owner, resolve);
    requireProviders(findUnavailableNodes(resolved.plan));
    requireAllowed(findDisallowedNodes(deps, { ...resolved, overrides: new Map() }));
    const { plan } = resolved;
    const planned = {
      ...resolved,
      readInputs: createInputReader(deps, runnable.graph),
      findMissing: createMissingInputFinder(plan),
      mayCost: hasPaidNode(deps, plan),
    };
    plans.set(key, planned, weighPlan(version, key));
    await yieldTurn();
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
