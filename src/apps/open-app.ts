// Opens an app for a visitor: finds it, checks the audience, and reads the version that it runs.
import type { Plan } from '../graph/plan.ts';
import type { Graph } from '../graph/types.ts';
import { AppError, type Issue, ignoreNotFound } from '../lib/errors.ts';
import type { RunDeps } from '../runs/deps.ts';
import { toVersionKey } from '../runs/prepare/run-version.ts';
import { readPlan } from '../runs/prepare/stored-run.ts';
import { findRole, hasOwnRole, roleAllows } from '../services/accounts/access.ts';
import { findWorkflow, type ReadWorkflowRow } from '../store/workflows/workflows.ts';
import { findAppIssues, listAccountIssues } from './app-issues.ts';
import { type AppField, type AppOutput, listAppOutputs, listFields } from './fields.ts';
import { type AppRow, type AppSettings, findAppBySlug } from './store/apps.ts';
import { identifyVisitor, type Visitor, type VisitorRequest } from './visitor.ts';

export interface OpenedApp {
  readonly app: AppRow;
  readonly settings: AppSettings;
  readonly workflow: ReadWorkflowRow;
  readonly visitor: Visitor;
  /** Whether the visitor may edit the workflow. */
  readonly canEdit: boolean;
  /** The version that runs. Undefined if the version was deleted or has no nodes that can run. */
  readonly version: { readonly number: number; readonly graph: Graph; readonly plan: Plan } | undefined;
  readonly fields: readonly AppField[];
  readonly outputs: readonly AppOutput[];
  /** The reasons why the app cannot run. */
  readonly issues: readonly Issue[];
}

/** An id that no user has. */
const NO_USER_ID = 0;

/**
 * Throws 404 if there is no such app or the visitor may not use it, 401 for an invalid token, and 308 `app_moved` for an
 * earlier slug.
 */
export async function openApp(deps: RunDeps, slug: string, request: VisitorRequest): Promise<OpenedApp> {
  const app = await findAppBySlug(deps.db, slug);
  if (app === undefined) throw createNotFoundError();
  const { actor } = request;
  const userId = actor.kind === 'user' ? actor.userId : NO_USER_ID;
  const workflow = await findWorkflow(deps.db, app.workflow_id, userId);
  if (workflow === undefined) throw createNotFoundError();
  const isOwn = actor.kind === 'user' && hasOwnRole(actor, workflow);
  const canEdit = isOwn && roleAllows(findRole(actor, workflow), 'edit');
  if (!canEdit && !(app.is_enabled && (isOwn || isInAudience(app, request)))) throw createNotFoundError();
  const visitor = await identifyVisitor(deps, app, request);
  if (app.slug !== slug) throw createMovedError(app.slug, request);
  const settings = JSON.parse(app.settings) as AppSettings;
  const version = await readVersion(deps, app, workflow);
  if (version === undefined) {
    const issues = [
      { path: '/version', code: 'not_found', message: 'The version was deleted or cannot run.' },
    ];
    return { app, settings, workflow, visitor, canEdit, version, fields: [], outputs: [], issues };
  }
  const issues = [...findAppIssues(settings, version.graph), ...(await listAccountIssues(deps.db, app))];
  const canRun = issues.length === 0;
  return {
    app,
    settings,
    workflow,
    visitor,
    canEdit,
    version,
    fields: canRun ? listFields(settings, version.graph) : [],
    outputs: canRun ? listAppOutputs(settings, version.plan) : [],
    issues,
  };
}

/** Lists the origins that may show the pages of the app in a frame. */
export async function listEmbedOrigins(
  { db }: Pick<RunDeps, 'db'>,
  slug: string,
): Promise<readonly string[]> {
  const app = await findAppBySlug(db, slug);
  return app === undefined ? [] : (JSON.parse(app.settings) as AppSettings).embedOrigins;
}

const createNotFoundError = (): AppError => new AppError('not_found', 'App not found.');

function createMovedError(slug: string, { toAddress }: VisitorRequest): AppError {
  const location = toAddress?.(slug);
  // The response is not cached, because the owner may restore the slug.
  const headers = { 'cache-control': 'no-store', ...(location === undefined ? {} : { location }) };
  return new AppError('app_moved', `This app has a new slug: ${slug}. Use it instead.`, { headers });
}

/** Must be called before the token is verified, so that an invalid token does not reveal the app. */
function isInAudience({ audience, embed_key: embedKey }: AppRow, { actor, token }: VisitorRequest): boolean {
  if (audience === 'anyone') return true;
  return audience === 'signed_in' && (actor.kind === 'user' || (token !== undefined && embedKey !== null));
}

async function readVersion(
  deps: RunDeps,
  app: AppRow,
  workflow: ReadWorkflowRow,
): Promise<OpenedApp['version']> {
  const number = app.version ?? workflow.version;
  try {
    const version = await deps.versions.get(deps.db, app.workflow_id, number);
    const plan = await readPlan(deps, toVersionKey(workflow.id, number));
    return plan.nodes.length === 0 ? undefined : { number, graph: version.graph, plan };
  } catch (err) {
    return ignoreNotFound(err);
  }
}

export const OUT_OF_ORDER = 'This app is out of order. Its owner has been notified. Try again later.';

/** Creates the error 503 `app_out_of_order`, which does not reveal the reason. */
export const createOutOfOrderError = (cause?: unknown): AppError =>
  new AppError('app_out_of_order', OUT_OF_ORDER, { cause });
