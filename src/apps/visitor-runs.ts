// Reads, streams and cancels the runs of an app for its visitors, and manages the gallery.
import type { Step } from '../engine/types.ts';
import { AppError } from '../lib/errors.ts';
import { isId } from '../lib/ids.ts';
import { JsonText, stringifyJson } from '../lib/json-text.ts';
import type { RunDeps } from '../runs/deps.ts';
import { cancelRuns } from '../runs/end/cancel-run.ts';
import { readBoundedSteps, readPlan } from '../runs/prepare/stored-run.ts';
import { ANYONE, presentStep } from '../runs/read/present-execution.ts';
import { watchChanges } from '../runs/read/watch-changes.ts';
import { requireScope } from '../services/accounts/actor.ts';
import { byId, type PageQuery, readPage } from '../services/paging.ts';
import { type ExecutionRow, type ExecutionStatus, findExecution } from '../store/executions.ts';
import type { AppRunStatus } from './app.schema.ts';
import { explainFailure } from './failures.ts';
import { type OpenedApp, openApp } from './open-app.ts';
import { presentAppOutputs } from './outputs.ts';
import { listOutputs, type RunOutputs, readOutputs } from './run-outputs.ts';
import {
  type AppRunRow,
  findAppRun,
  listCompletedAppRuns,
  listGalleryRuns,
  listRunsOfVisitor,
  setInGallery,
} from './store/apps.ts';
import type { VisitorRequest } from './visitor.ts';

/** Visitors cannot decide on approvals, so they see a waiting run as running. */
const VISITOR_STATUS: Readonly<Record<ExecutionStatus, AppRunStatus>> = {
  QUEUED: 'QUEUED',
  RUNNING: 'RUNNING',
  WAITING: 'RUNNING',
  CANCELLING: 'RUNNING',
  COMPLETED: 'COMPLETED',
  FAILED: 'FAILED',
  TIMEOUT: 'FAILED',
  CANCELLED: 'CANCELLED',
};

interface OpenedRun {
  readonly opened: OpenedApp;
  readonly run: AppRunRow;
  readonly execution: ExecutionRow;
}

/** Throws 404 if the run has expired, or if the visitor may not use the app. */
async function openRun(
  deps: RunDeps,
  slug: string,
  runId: string,
  request: VisitorRequest,
): Promise<OpenedRun> {
  return getAppRun(deps, await openApp(deps, slug, request), runId);
}

async function getAppRun(deps: RunDeps, opened: OpenedApp, runId: string): Promise<OpenedRun> {
  const run = isId('appRun', runId) ? await findAppRun(deps.db, opened.app.id, runId) : undefined;
  const isExpired = run !== undefined && !run.in_gallery && run.expires_at.getTime() <= deps.now();
  const execution =
    run === undefined || isExpired ? undefined : await findExecution(deps.db, run.execution_id);
  if (run === undefined || execution === undefined)
    throw new AppError('not_found', 'Result not found. Its link may have expired.');
  return { opened, run, execution };
}

/** The maximum size of the outputs of a run. Longer values are truncated. */
const MAX_RUN_BYTES = 4_000_000;
/** The maximum size on a page, whose markup is longer. */
const MAX_PAGE_BYTES = 1_000_000;

/** Returns a run of the app, its outputs, and whether the visitor started it. */
export async function readOpenRun(deps: RunDeps, opened: OpenedApp, runId: string) {
  const appRun = await getAppRun(deps, opened, runId);
  const isOwn = opened.visitor.ids.includes(appRun.run.visitor);
  const { presented, outputs } = await presentWithOutputs(deps, appRun, MAX_PAGE_BYTES);
  return { presented, outputs, isOwn, executionId: appRun.execution.id };
}

export async function readAppRun(deps: RunDeps, slug: string, runId: string, request: VisitorRequest) {
  return presentRun(deps, await openRun(deps, slug, runId, request));
}

export type PresentedAppRun = Awaited<ReturnType<typeof readAppRun>>;

const presentRun = async (deps: RunDeps, appRun: OpenedRun) =>
  (await presentWithOutputs(deps, appRun, MAX_RUN_BYTES)).presented;

async function presentWithOutputs(deps: RunDeps, appRun: OpenedRun, maxBytes: number) {
  const { opened, run, execution } = appRun;
  const { outputs, json, progress } = await readResults(deps, appRun, maxBytes);
  const presented = {
    runId: run.id,
    status: VISITOR_STATUS[execution.status],
    progress,
    outputs: json,
    error: explainFailure(execution),
    inGallery: run.in_gallery,
    createdAt: run.created_at.toISOString(),
    expiresAt: run.in_gallery ? null : run.expires_at.toISOString(),
    page: getRunPageUrl(deps, opened.app.slug, run.id),
  };
  return { presented, outputs };
}

async function readResults(
  deps: RunDeps,
  { opened: { outputs: appOutputs }, execution }: OpenedRun,
  maxBytes: number,
): Promise<RunOutputs & { readonly progress: number }> {
  if (execution.status === 'COMPLETED') {
    const results = await readOutputs(deps, { outputs: appOutputs, executionId: execution.id, maxBytes });
    return { ...results, progress: 1 };
  }
  const outputsOf = appOutputs.map(({ nodeId }) => nodeId);
  const steps = await readBoundedSteps(deps.db, execution.id, { outputsOf, maxBytes });
  const outputs = presentAppOutputs(appOutputs, steps);
  const progress = await computeProgress(deps, execution, steps);
  return { outputs, json: JsonText.trust(stringifyJson(outputs)), progress };
}

export const getRunPageUrl = ({ settings }: Pick<RunDeps, 'settings'>, slug: string, runId: string): string =>
  `${settings.BASE_URL}/a/${slug}/runs/${runId}`;

/** Returns the completed share of the work, from 0 to 1, rounded down to 1/20 to hide the number of nodes. */
async function computeProgress(
  deps: RunDeps,
  execution: ExecutionRow,
  steps: ReadonlyMap<string, Step>,
): Promise<number> {
  const { nodes } = await readPlan(deps, execution);
  const done = nodes.reduce((sum, node) => sum + presentStep(node, steps.get(node.id), ANYONE).progress, 0);
  return nodes.length === 0 ? 0 : Math.floor((done / nodes.length) * 20) / 20;
}

export interface AppRunEvent {
  readonly event: 'run';
  readonly data: PresentedAppRun;
}

/** Streams the run after each change, until it has ended. */
export async function watchAppRun(
  deps: RunDeps,
  {
    slug,
    runId,
    request,
  }: { readonly slug: string; readonly runId: string; readonly request: VisitorRequest },
  signal: AbortSignal,
): Promise<AsyncGenerator<AppRunEvent>> {
  return follow(deps, await openRun(deps, slug, runId, request), signal);
}

async function* follow(
  deps: RunDeps,
  openedRun: OpenedRun,
  signal: AbortSignal,
): AsyncGenerator<AppRunEvent> {
  let sentText = '';
  for await (const _ of watchChanges(deps, openedRun.execution.id, signal)) {
    const execution = await findExecution(deps.db, openedRun.execution.id);
    if (execution === undefined) return;
    const data = await presentRun(deps, { ...openedRun, execution });
    const text = stringifyJson(data);
    if (text !== sentText) yield { event: 'run', data };
    sentText = text;
    if (execution.finished_at !== null) return;
  }
}

/** Cancels a run. Only the visitor who started it and editors of the workflow may. Throws 403, 404. */
export async function cancelAppRun(deps: RunDeps, slug: string, runId: string, request: VisitorRequest) {
  const { opened, run, execution } = await openRun(deps, slug, runId, request);
  if (!opened.canEdit && !opened.visitor.ids.includes(run.visitor))
    throw new AppError('forbidden', 'Only the visitor who started this run can cancel it.');
  if (execution.finished_at === null) await cancelRuns(deps, [execution.id]);
  return readAppRun(deps, slug, runId, request);
}

/** Adds a run to the gallery, or removes it from there. Throws 403 unless the caller may edit the workflow. */
export async function changeAppRun(
  deps: RunDeps,
  runId: string,
  {
    slug,
    inGallery,
    request,
  }: { readonly slug: string; readonly inGallery: boolean; readonly request: VisitorRequest },
) {
  requireScope(request.actor, 'workflows:write');
  const { opened, run } = await openRun(deps, slug, runId, request);
  if (!opened.canEdit)
    throw new AppError('forbidden', 'Only editors of the workflow can change the gallery of its app.');
  await setInGallery(deps.db, run.id, inGallery);
  return readAppRun(deps, slug, runId, request);
}

/** Lists the results in the gallery, newest first. Throws 404 if the app shows no gallery. */
export async function listGallery(deps: RunDeps, slug: string, request: VisitorRequest, query: PageQuery) {
  const opened = await openApp(deps, slug, request);
  if (!opened.settings.showsGallery) throw new AppError('not_found', 'This app has no gallery.');
  const runPage = await readPage(
    query,
    byId('appRun'),
    page => listGalleryRuns(deps.db, opened.app.id, page),
    row => row,
  );
  return { ...runPage, data: await presentResults(deps, opened, runPage.data) };
}

/** Presents runs without their progress. */
async function presentResults(deps: RunDeps, { app, outputs }: OpenedApp, runs: readonly AppRunRow[]) {
  const ids = runs.map(({ execution_id }) => execution_id);
  const lists = await listOutputs(deps, outputs, ids);
  return runs.map((run, index) => ({
    runId: run.id,
    outputs: lists[index] ?? {},
    createdAt: run.created_at.toISOString(),
    page: getRunPageUrl(deps, app.slug, run.id),
  }));
}

const MAX_HISTORY = 12;

/** Lists the newest results of all visitors, for editors of the workflow. */
export async function listResultsOfVisitors(deps: RunDeps, opened: OpenedApp) {
  return presentResults(deps, opened, await listCompletedAppRuns(deps.db, opened.app.id, MAX_HISTORY));
}

/** Lists the newest results of the visitor. */
export async function listOwnResults(deps: RunDeps, opened: OpenedApp) {
  const filter = { appId: opened.app.id, visitors: opened.visitor.ids.slice(0, 1) };
  return presentResults(deps, opened, await listRunsOfVisitor(deps.db, filter, MAX_HISTORY));
}
