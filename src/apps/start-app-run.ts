// Starts a run of an app for a visitor: checks inputs, proof of work and limits, then starts an ordinary run with the
// permissions of the user who saved the app.
import { startForUser } from '../automation/start-for-user.ts';
import type { JsonObject } from '../graph/types.ts';
import { sha256Hex } from '../lib/crypto.ts';
import { AppError, OutageError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { JsonText, stringifyJson } from '../lib/json-text.ts';
import { createLimiter, type Limiter } from '../lib/limiter.ts';
import { findReplay, parseIdempotencyKey, requireIdempotencyKey } from '../runs/accept/idempotency.ts';
import { startRun } from '../runs/accept/start-run.ts';
import type { RunDeps } from '../runs/deps.ts';
import { estimateWorkflow } from '../runs/estimate/estimate-run.ts';
import { isPayerPolicyError } from '../runs/estimate/run-issues.ts';
import { getRemaining, isLimitError } from '../runs/payments/spender-limit.ts';
import { canInWorkspace, getWorkspaceId } from '../services/accounts/access.ts';
import { requireScope, toSpender } from '../services/accounts/actor.ts';
import { getActiveWorkspace } from '../services/accounts/teams.ts';
import { getUserActor } from '../services/accounts/user-actor.ts';
import { VISITOR_FILE_MS } from '../services/media/serve-media.ts';
import { getPool } from '../store/credits.ts';
import { listLimits } from '../store/spenders.ts';
import { listExampleMedia } from './examples.ts';
import { explainRefusal } from './failures.ts';
import { createInputIssue, createInvalidInputsError, type ParsedInputs, parseFieldValues } from './fields.ts';
import { createOutOfOrderError, type OpenedApp, openApp } from './open-app.ts';
import { requireProof } from './proof.ts';
import { reportOutOfOrder, reportRefusal } from './report-failures.ts';
import { countRun, uncountRun } from './runs-per-visitor.ts';
import {
  type AppRunRow,
  deleteAppRun,
  findAppRunOfExecution,
  insertAppRun,
  listAppUploads,
} from './store/apps.ts';
import { isAnonymous, type VisitorRequest } from './visitor.ts';

const DAY_MS = 86_400_000;
/** The lifetime of the link to a result. */
const LINK_LIFETIME_MS = 30 * DAY_MS;
const ANONYMOUS_LINK_LIFETIME_MS = DAY_MS;

export interface RunAppInput {
  readonly inputs: JsonObject;
  readonly proof?: string | undefined;
  /** The maximum that the visitor agreed to pay. */
  readonly maxCredits?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface StartedAppRun {
  readonly run: Pick<AppRunRow, 'id'>;
  readonly replayed: boolean;
}

/** The maximum number of runs of one app that start concurrently. It keeps many visitors from delaying other requests. */
const CONCURRENT_STARTS = 8;
const MAX_WAITING_STARTS = 1000;
/** The limiters of apps with open requests, by slug. */
const limitersBySlug = new Map<string, { readonly limit: Limiter; requests: number }>();

/**
 * Throws 400 `invalid_inputs`, 401, 402 `app_out_of_credits` or the code of a visitor's own limit, 403 `invalid_proof`, 404, 429 `app_limit_reached`, 503
 * `app_out_of_order`.
 */
export async function runApp(
  deps: RunDeps,
  slug: string,
  { request, input }: { readonly request: VisitorRequest; readonly input: RunAppInput },
  signal: AbortSignal,
): Promise<StartedAppRun> {
  const limiter = limitersBySlug.get(slug) ?? {
    limit: createLimiter({ concurrency: CONCURRENT_STARTS, maxWaiting: MAX_WAITING_STARTS }),
    requests: 0,
  };
  limitersBySlug.set(slug, limiter);
  limiter.requests++;
  const start = () => limiter.limit(() => checkAndStart(deps, slug, request, input), signal);
  try {
    const { idempotencyKey: key } = input;
    return await (key === undefined ? start() : startAfterOthers(`${slug} ${key}`, start));
  } finally {
    limiter.requests--;
    if (limiter.requests === 0) limitersBySlug.delete(slug);
  }
}

const pendingKeys = new Map<string, Promise<StartedAppRun>>();

/** Requests with the same key follow each other, so that the later ones find the run instead of needing a proof of work. */
async function startAfterOthers(key: string, start: () => Promise<StartedAppRun>): Promise<StartedAppRun> {
  const previous = pendingKeys.get(key);
  const current = previous === undefined ? start() : previous.then(start, start);
  pendingKeys.set(key, current);
  try {
    return await current;
  } finally {
    if (pendingKeys.get(key) === current) pendingKeys.delete(key);
  }
}

async function checkAndStart(
  deps: RunDeps,
  slug: string,
  request: VisitorRequest,
  input: RunAppInput,
): Promise<StartedAppRun> {
  const opened = await openApp(deps, slug, request);
  const { app, visitor, version } = opened;
  if (visitor.user !== undefined) requireScope(visitor.user, 'workflows:execute');
  const payer = await findPayer(deps, opened);
  if (version === undefined || opened.issues.length > 0) {
    await reportOutOfOrder(deps, app, opened.issues[0]?.message ?? '');
    throw createOutOfOrderError();
  }
  const parsed = parseFieldValues(opened.fields, input.inputs);
  await requireAllowedMedia(deps, opened, parsed);
  const prepared = prepareRun(opened, version.number, parsed, input);
  const earlierRun = await findRepeatedRun(deps, opened, prepared);
  if (earlierRun !== undefined) return earlierRun;
  if (isAnonymous(visitor)) await requireProof(deps, app, input.proof);
  const counts = await countRun(deps, opened);
  try {
    const acceptedRun = await startVisitorRun(deps, { ...opened, payer }, prepared);
    if (acceptedRun.replayed) await uncountRun(deps, counts);
    return acceptedRun;
  } catch (err) {
    // If the outcome is unknown, the run may have started.
    if (!(err instanceof OutageError) && !(err instanceof AppError && err.code === 'internal_error'))
      await uncountRun(deps, counts);
    const isOfVisitor =
      app.payer === 'visitor' &&
      err instanceof AppError &&
      (err.code === 'insufficient_credits' || isLimitError(err) || isPayerPolicyError(err));
    if (err instanceof AppError && !isOfVisitor) await reportRefusal(deps, app, err);
    throw explainRefusal(err, app.payer === 'visitor');
  }
}

/**
 * Estimates what a run with these inputs would cost the visitor's workspace. Throws 404 if the owner pays, because visitors
 * must not see the owner's prices.
 */
export async function estimateAppRun(
  deps: RunDeps,
  slug: string,
  request: VisitorRequest,
  inputs: JsonObject,
) {
  const opened = await openApp(deps, slug, request);
  const { app, version, visitor } = opened;
  if (app.payer !== 'visitor') throw new AppError('not_found', 'The owner of this app pays for its runs.');
  const payer = await findPayer(deps, opened);
  if (version === undefined || opened.issues.length > 0 || visitor.user === undefined || payer === undefined)
    throw createOutOfOrderError();
  const { values } = parseFieldValues(opened.fields, inputs);
  try {
    const { credits, exact } = await estimateWorkflow(deps, await getUserActor(deps, app.user_id), {
      workflowId: app.workflow_id,
      versionNumber: version.number,
      request: { inputs: new JsonText<JsonObject>(stringifyJson(values)) },
    });
    const [pool, limits] = await Promise.all([
      getPool(deps.db, payer),
      listLimits(deps.db, [{ workspace: payer, ...toSpender(visitor.user) }], 'read'),
    ]);
    return { credits, exact, availableCredits: Math.min(pool.balance, ...limits.map(getRemaining)) };
  } catch (err) {
    throw explainRefusal(err, true);
  }
}

/**
 * Returns the active workspace of a visitor who pays; undefined if the owner pays. Throws 401 if the visitor has no account, and
 * 403 if the visitor may not spend the workspace's credits.
 */
async function findPayer({ db }: RunDeps, { app, visitor }: OpenedApp): Promise<string | undefined> {
  if (app.payer !== 'visitor') return undefined;
  if (visitor.user === undefined)
    throw new AppError(
      'unauthorized',
      'Runs of this app are paid for by your workspace. Sign in to run it.',
      {
        headers: { 'www-authenticate': 'Bearer' },
      },
    );
  const workspace = await getActiveWorkspace(db, visitor.user);
  if (!canInWorkspace(visitor.user, 'edit', workspace))
    throw new AppError(
      'forbidden',
      'A VIEWER cannot spend the credits of the team. Choose another workspace, or ask an OWNER of the team for the role EDITOR.',
    );
  return getWorkspaceId(workspace);
}

/** Throws 400 unless the files were uploaded to the app or belong to its examples. */
async function requireAllowedMedia(deps: RunDeps, opened: OpenedApp, { media }: ParsedInputs): Promise<void> {
  if (media.length === 0) return;
  const ids = media.map(({ mediaId }) => mediaId);
  const uploads = await listAppUploads(deps.db, opened.app.id, ids, new Date(deps.now() - VISITOR_FILE_MS));
  const missing = media.filter(({ mediaId }) => !uploads.has(mediaId));
  if (missing.length === 0) return;
  const exampleMedia = await listExampleMedia(deps, opened);
  const issues = missing
    .filter(({ mediaId }) => !exampleMedia.has(mediaId))
    .map(({ key }) => createInputIssue(key, 'The file was deleted. Upload it again.'));
  if (issues.length > 0) throw createInvalidInputsError(issues);
}

interface PreparedRun {
  readonly version: number;
  readonly inputs: JsonText<JsonObject>;
  readonly maxCredits: number | undefined;
  readonly idempotencyKey: string | undefined;
}

function prepareRun(
  { app, visitor }: OpenedApp,
  version: number,
  { values }: ParsedInputs,
  { maxCredits, idempotencyKey }: RunAppInput,
): PreparedRun {
  const limits = [app.max_credits_per_run, maxCredits].filter(limit => typeof limit === 'number');
  // Throws if the key is malformed. The stored key is a hash that includes the visitor's id, so visitors do not share keys.
  requireIdempotencyKey(idempotencyKey);
  return {
    version,
    inputs: new JsonText<JsonObject>(stringifyJson(values)),
    maxCredits: limits.length === 0 ? undefined : Math.min(...limits),
    idempotencyKey:
      idempotencyKey === undefined ? undefined : sha256Hex(`${app.id} ${visitor.ids[0]} ${idempotencyKey}`),
  };
}

const toRequest = ({ inputs, maxCredits }: PreparedRun) => ({
  inputs,
  ...(maxCredits === undefined ? {} : { maxCredits }),
});

/** Returns the run of an earlier request with the same idempotency key. */
async function findRepeatedRun(
  deps: RunDeps,
  { app }: OpenedApp,
  prepared: PreparedRun,
): Promise<StartedAppRun | undefined> {
  const idempotency = await parseIdempotencyKey('app', prepared.idempotencyKey, {
    ...toRequest(prepared),
    webhook: null,
  });
  const replay = await findReplay(deps, app.user_id, app.workflow_id, idempotency);
  const run = replay && (await findAppRunOfExecution(deps.db, replay.executionId));
  return run && { run, replayed: true };
}

async function startVisitorRun(
  deps: RunDeps,
  opened: OpenedApp & { readonly payer: string | undefined },
  prepared: PreparedRun,
): Promise<StartedAppRun> {
  const { app, visitor, workflow } = opened;
  const actor = await getUserActor(deps, app.user_id);
  const payer = opened.payer === getWorkspaceId(workflow) ? undefined : opened.payer;
  const nowMs = deps.now();
  const executionId = newId('execution', nowMs);
  const run = {
    id: newId('appRun', nowMs),
    app_id: app.id,
    execution_id: executionId,
    visitor: visitor.ids[0],
    created_at: new Date(nowMs),
    expires_at: new Date(nowMs + (isAnonymous(visitor) ? ANONYMOUS_LINK_LIFETIME_MS : LINK_LIFETIME_MS)),
  };
  await insertAppRun(deps.db, run);
  try {
    // Visitors use up the limits of the app instead of the daily executions of its user.
    const start = opened.canEdit ? startForUser : startRun;
    const accepted = await start(deps, actor, {
      workflowId: app.workflow_id,
      versionNumber: prepared.version,
      idempotencyScope: 'app',
      request: toRequest(prepared),
      idempotencyKey: prepared.idempotencyKey ?? run.id,
      trigger: 'app',
      origin: {
        id: app.id,
        key: run.id,
        executionId,
        ...(payer === undefined ? {} : { payer }),
        spender:
          app.payer === 'visitor' && visitor.user !== undefined
            ? toSpender(visitor.user)
            : { userId: app.user_id, keyId: app.key_id },
      },
    });
    if (accepted.executionId === executionId) return { run, replayed: false };
    await deleteAppRun(deps.db, run.id);
    return { run: (await findAppRunOfExecution(deps.db, accepted.executionId)) ?? run, replayed: true };
  } catch (err) {
    if (err instanceof AppError && err.status < 500) await deleteAppRun(deps.db, run.id);
    throw err;
  }
}
