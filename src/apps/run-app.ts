// Starts a run of an app for a visitor: checks inputs, proof of work and limits, then starts an ordinary run with the
// rights of the user who saved the app.
import { startForUser } from '../automation/start-for-user.ts';
import type { JsonObject } from '../graph/types.ts';
import { sha256Hex } from '../lib/crypto.ts';
import { AppError, OutageError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { JsonText, stringifyJson } from '../lib/json-text.ts';
import { createLimiter, type Limiter } from '../lib/limiter.ts';
import type { RunDeps } from '../runs/deps.ts';
import { estimateWorkflow } from '../runs/estimate/estimate-run.ts';
import { findReplay, toIdempotency } from '../runs/idempotency.ts';
import { getWorkspaceId } from '../services/accounts/access.ts';
import { requireScope } from '../services/accounts/actor.ts';
import { getActiveWorkspace } from '../services/accounts/teams.ts';
import { getUserActor } from '../services/accounts/user-actor.ts';
import {
  type AppRunRow,
  deleteAppRun,
  findAppRunOfExecution,
  insertAppRun,
  listAppUploads,
} from '../store/apps.ts';
import { getPool } from '../store/credits.ts';
import { listExampleMedia } from './examples.ts';
import { explainRefusal } from './failures.ts';
import { inputIssue, invalidInputs, type ParsedInputs, parseInputs } from './fields.ts';
import { type OpenApp, openApp, outOfOrder } from './open-app.ts';
import { requireProof } from './proof.ts';
import { reportFault, reportRefusal } from './report-failures.ts';
import { countRun, returnRuns } from './runs-per-visitor.ts';
import type { Visitor, VisitorRequest } from './visitor.ts';

const DAY_MS = 86_400_000;
/** How long a link to a result works. */
const KEPT_MS = 30 * DAY_MS;
const KEPT_ANONYMOUS_MS = DAY_MS;

export interface RunAppInput {
  readonly inputs: JsonObject;
  readonly proof?: string | undefined;
  /** The most that the visitor agreed to pay. */
  readonly maxCredits?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface StartedAppRun {
  readonly run: Pick<AppRunRow, 'id'>;
  readonly replayed: boolean;
}

/** Starts of an app at the same time, so that a crowd of visitors does not delay the other requests of the process. */
const CONCURRENT_STARTS = 8;
const MAX_WAITING_STARTS = 1000;
/** Apps that are being started, by slug. */
const startsBySlug = new Map<string, { readonly limit: Limiter; requests: number }>();

/**
 * Throws 400 `invalid_inputs`, 401, 402 `app_out_of_credits`, 403 `invalid_proof`, 404, 429 `app_limit_reached`, 503
 * `app_out_of_order`.
 */
export async function runApp(
  deps: RunDeps,
  slug: string,
  { request, input }: { readonly request: VisitorRequest; readonly input: RunAppInput },
  signal: AbortSignal,
): Promise<StartedAppRun> {
  const starts = startsBySlug.get(slug) ?? {
    limit: createLimiter({ concurrency: CONCURRENT_STARTS, maxWaiting: MAX_WAITING_STARTS }),
    requests: 0,
  };
  startsBySlug.set(slug, starts);
  starts.requests++;
  try {
    return await starts.limit(() => startInTurn(deps, slug, request, input), signal);
  } finally {
    starts.requests--;
    if (starts.requests === 0) startsBySlug.delete(slug);
  }
}

async function startInTurn(
  deps: RunDeps,
  slug: string,
  request: VisitorRequest,
  input: RunAppInput,
): Promise<StartedAppRun> {
  const open = await openApp(deps, slug, request);
  const { app, visitor, version } = open;
  if (visitor.user !== undefined) requireScope(visitor.user, 'workflows:execute');
  requirePayer(open);
  if (version === undefined || open.faults.length > 0) {
    await reportFault(deps, app, open.faults[0]?.message ?? '');
    throw outOfOrder();
  }
  const parsed = parseInputs(open.fields, input.inputs);
  await requireOwnMedia(deps, open, parsed);
  const start = prepareStart(open, version.number, parsed, input);
  const repeated = await findRepeated(deps, open, start);
  if (repeated !== undefined) return repeated;
  if (visitor.user === undefined && !visitor.isVouched) await requireProof(deps, app, input.proof);
  const allowances = await countRun(deps, open);
  try {
    const started = await startCounted(deps, open, start);
    if (started.replayed) returnRuns(deps, allowances);
    return started;
  } catch (err) {
    // If the outcome is unknown, the run may have started.
    if (!(err instanceof OutageError) && !(err instanceof AppError && err.code === 'internal_error'))
      returnRuns(deps, allowances);
    if (err instanceof AppError && (app.payer === 'owner' || err.code !== 'insufficient_credits'))
      await reportRefusal(deps, app, err);
    throw explainRefusal(err, app.payer === 'visitor');
  }
}

/**
 * Returns what a run with these inputs would cost the visitor's workspace. Throws 404 if the owner pays, because prices
 * are then nobody else's business.
 */
export async function estimateAppRun(
  deps: RunDeps,
  slug: string,
  request: VisitorRequest,
  inputs: JsonObject,
) {
  const open = await openApp(deps, slug, request);
  const { app, version, visitor } = open;
  if (app.payer !== 'visitor') throw new AppError('not_found', 'The owner of this app pays for its runs.');
  requirePayer(open);
  if (version === undefined || open.faults.length > 0 || visitor.user === undefined) throw outOfOrder();
  const { values } = parseInputs(open.fields, inputs);
  try {
    const { credits, exact } = await estimateWorkflow(deps, await getUserActor(deps, app.user_id), {
      workflowId: app.workflow_id,
      version: version.number,
      request: { inputs: new JsonText<JsonObject>(stringifyJson(values)) },
    });
    const pool = await getPool(deps.db, getWorkspaceId(await getActiveWorkspace(deps.db, visitor.user)));
    return { credits, exact, availableCredits: pool.balance };
  } catch (err) {
    throw explainRefusal(err, true);
  }
}

/** Throws 401 if the visitor would pay and has no account. */
function requirePayer({ app, visitor }: Pick<OpenApp, 'app' | 'visitor'>): void {
  if (app.payer === 'visitor' && visitor.user === undefined)
    throw new AppError(
      'unauthorized',
      'Runs of this app are paid for by your workspace. Sign in to run it.',
      {
        headers: { 'www-authenticate': 'Bearer' },
      },
    );
}

/** Visitors may use files that were uploaded to the app and those of its examples, no others of its owner. */
async function requireOwnMedia(deps: RunDeps, open: OpenApp, { media }: ParsedInputs): Promise<void> {
  if (media.length === 0) return;
  const ids = media.map(({ mediaId }) => mediaId);
  const uploads = await listAppUploads(deps.db, open.app.id, ids);
  const missing = media.filter(({ mediaId }) => !uploads.has(mediaId));
  if (missing.length === 0) return;
  const ofExamples = await listExampleMedia(deps, open);
  const issues = missing
    .filter(({ mediaId }) => !ofExamples.has(mediaId))
    .map(({ key }) => inputIssue(key, 'The file was deleted. Upload it again.'));
  if (issues.length > 0) throw invalidInputs(issues);
}

interface Start {
  readonly version: number;
  readonly inputs: JsonText<JsonObject>;
  readonly maxCredits: number | undefined;
  readonly idempotencyKey: string | undefined;
}

function prepareStart(
  { app, visitor }: OpenApp,
  version: number,
  { values }: ParsedInputs,
  { maxCredits, idempotencyKey }: RunAppInput,
): Start {
  const limits = [app.max_credits_per_run, maxCredits].filter(limit => typeof limit === 'number');
  // Checked before it is hashed with the name of the visitor, so that visitors do not share keys.
  toIdempotency('app', idempotencyKey, {});
  return {
    version,
    inputs: new JsonText<JsonObject>(stringifyJson(values)),
    maxCredits: limits.length === 0 ? undefined : Math.min(...limits),
    idempotencyKey:
      idempotencyKey === undefined ? undefined : sha256Hex(`${app.id} ${visitor.names[0]} ${idempotencyKey}`),
  };
}

const toRequest = ({ inputs, maxCredits }: Start) => ({
  inputs,
  ...(maxCredits === undefined ? {} : { maxCredits }),
});

/** Returns the run of an earlier request with the same idempotency key. */
async function findRepeated(
  deps: RunDeps,
  { app }: OpenApp,
  start: Start,
): Promise<StartedAppRun | undefined> {
  const idempotency = toIdempotency('app', start.idempotencyKey, { ...toRequest(start), webhook: null });
  const first = await findReplay(deps, app.user_id, app.workflow_id, idempotency);
  const run = first && (await findAppRunOfExecution(deps.db, first.executionId));
  return run && { run, replayed: true };
}

async function startCounted(deps: RunDeps, open: OpenApp, start: Start): Promise<StartedAppRun> {
  const { app, visitor } = open;
  const actor = await getUserActor(deps, app.user_id);
  const payer = await findPayer(deps, open);
  const nowMs = deps.now();
  const executionId = newId('execution', nowMs);
  const run = {
    id: newId('appRun', nowMs),
    app_id: app.id,
    execution_id: executionId,
    visitor: visitor.names[0],
    created_at: new Date(nowMs),
    expires_at: new Date(nowMs + (isAnonymous(visitor) ? KEPT_ANONYMOUS_MS : KEPT_MS)),
  };
  await insertAppRun(deps.db, run);
  try {
    const accepted = await startForUser(deps, actor, {
      workflowId: app.workflow_id,
      version: start.version,
      route: 'app',
      request: toRequest(start),
      idempotencyKey: start.idempotencyKey ?? run.id,
      trigger: 'app',
      origin: { id: app.id, key: run.id, executionId, ...(payer === undefined ? {} : { payer }) },
    });
    if (accepted.executionId === executionId) return { run, replayed: false };
    await deleteAppRun(deps.db, run.id);
    return { run: (await findAppRunOfExecution(deps.db, accepted.executionId)) ?? run, replayed: true };
  } catch (err) {
    if (err instanceof AppError && err.status < 500) await deleteAppRun(deps.db, run.id);
    throw err;
  }
}

const isAnonymous = ({ user, isVouched }: Visitor): boolean => user === undefined && !isVouched;

/** Returns the visitor's active workspace if it pays in place of the workflow's own. */
async function findPayer(deps: RunDeps, { app, visitor, workflow }: OpenApp): Promise<string | undefined> {
  if (app.payer !== 'visitor' || visitor.user === undefined) return undefined;
  const payer = getWorkspaceId(await getActiveWorkspace(deps.db, visitor.user));
  return payer === getWorkspaceId(workflow) ? undefined : payer;
}
