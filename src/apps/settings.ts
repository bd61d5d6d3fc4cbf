// Reads, saves and deletes the app of a workflow, and lists apps.
import { indexInputs } from '../graph/input-names.ts';
import { toJsonPointer } from '../graph/issues.ts';
import type { Plan } from '../graph/plan.ts';
import type { Graph } from '../graph/types.ts';
import { encrypt, generateToken } from '../lib/crypto.ts';
import { AppError, type Issue, ignoreNotFound } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { RunDeps } from '../runs/deps.ts';
import { toVersionKey } from '../runs/prepare/run-version.ts';
import { presentSecretWarnings } from '../runs/prepare/secret-warnings.ts';
import { readPlan } from '../runs/prepare/stored-run.ts';
import { authorize, listClosedTeams } from '../services/accounts/access.ts';
import { type Actor, requireScope, toSpender } from '../services/accounts/actor.ts';
import type { Deps } from '../services/deps.ts';
import { byId, readPage } from '../services/paging.ts';
import { presentColumns } from '../services/present-columns.ts';
import { presentPoster } from '../services/workflows/present-workflow.ts';
import type { AuditAction } from '../store/audit/actions.ts';
import { recordAudit } from '../store/audit/record-audit.ts';
import type { Tx } from '../store/db.ts';
import type { Spender } from '../store/spenders.ts';
import { lockVersions } from '../store/workflows/versions.ts';
import { findWorkflow, lockWorkflow, type ReadWorkflowRow } from '../store/workflows/workflows.ts';
import { type AppBody, DEFAULT_RUNS_PER_VISITOR, type ListApps } from './app.schema.ts';
import { findAppIssues, listAccountIssues } from './app-issues.ts';
import { readAppLimits } from './day-limits.ts';
import {
  type AppRow,
  type AppSettings,
  deleteApp,
  findAppOfWorkflow,
  type ListedApp,
  listApps,
  listCompletedRuns,
  type NewApp,
  saveApp,
  setEmbedKey,
} from './store/apps.ts';

/** Returns the app of a workflow to its owners. Throws 403, and 404 if the workflow has none. */
export async function readApp(deps: RunDeps, actor: Actor, workflowId: string) {
  const user = requireScope(actor, 'workflows:read');
  const { workflow } = authorize(user, 'publish', await findWorkflow(deps.db, workflowId, user.userId));
  return presentApp(deps, await requireApp(deps.db, workflowId), workflow);
}

async function requireApp(tx: Tx, workflowId: string): Promise<AppRow> {
  const app = await findAppOfWorkflow(tx, workflowId);
  if (app !== undefined) return app;
  throw new AppError('not_found', 'The workflow has no app. Create one with PUT /workflows/{id}/app.');
}

/**
 * Creates or replaces the app of a workflow. Throws 400 `invalid_request` with an issue for each field that is invalid or
 * that the version cannot serve, 403, 404, 409 `slug_taken`.
 */
export async function writeApp(deps: RunDeps, actor: Actor, workflowId: string, body: AppBody) {
  const user = requireScope(actor, 'workflows:write');
  const { app, workflow } = await deps.db.transaction(async tx => {
    const { workflow } = authorize(user, 'publish', await lockWorkflow(tx, workflowId, user.userId));
    const settings = await parseBody(deps, tx, workflow, body);
    const before = await findAppOfWorkflow(tx, workflowId);
    if (!(await saveApp(tx, toRow(settings, workflow, toSpender(user))))) throw createSlugTakenError();
    const app = await requireApp(tx, workflowId);
    recordAudit(tx, user, {
      ...describeTarget(before === undefined ? 'app.created' : 'app.changed', app, workflow),
      ...(before === undefined ? {} : { before: describeFields(before) }),
      after: describeFields(app),
    });
    return { app, workflow };
  });
  return presentApp(deps, app, workflow);
}

const createSlugTakenError = (): AppError =>
  new AppError('slug_taken', 'Another app uses this slug. Choose a different one.', {
    issues: [{ path: '/slug', code: 'slug_taken', message: 'Another app uses this slug.' }],
  });

function toRow(body: AppBody, workflow: ReadWorkflowRow, { userId, keyId }: Spender): NewApp {
  const audience = body.audience ?? 'workspace';
  const settings: AppSettings = {
    title: body.title,
    description: body.description ?? null,
    inputs: body.inputs.map(input => ({ ...input, showsDefault: input.showsDefault ?? true })),
    outputs: body.outputs,
    outputLabels: body.outputLabels ?? {},
    examples: body.examples ?? [],
    showsGraph: body.showsGraph ?? false,
    allowsDuplicate: body.allowsDuplicate ?? false,
    showsGallery: body.showsGallery ?? false,
    embedOrigins: (body.embedOrigins ?? []).map(origin => URL.parse(origin)?.origin ?? origin),
  };
  const { runsPerVisitor = audience === 'anyone' ? DEFAULT_RUNS_PER_VISITOR : null } = body;
  return {
    id: newId('app'),
    workflow_id: workflow.id,
    slug: body.slug,
    user_id: userId,
    key_id: keyId,
    is_enabled: body.isEnabled ?? true,
    version: typeof body.version === 'number' ? body.version : null,
    audience,
    payer: body.payer ?? 'owner',
    max_credits_per_run: body.maxCreditsPerRun ?? null,
    daily_credits: body.dailyCredits ?? null,
    runs_per_visitor: runsPerVisitor,
    runs_per_day: body.runsPerDay ?? null,
    upload_bytes_per_day: body.uploadBytesPerDay ?? null,
    settings: JSON.stringify(settings),
  };
}

/** Returns the body with the ids of its input nodes in place of names. Throws 400 `invalid_request` with all issues. */
async function parseBody(
  deps: RunDeps,
  tx: Tx,
  workflow: ReadWorkflowRow,
  sentBody: AppBody,
): Promise<AppBody> {
  const number = typeof sentBody.version === 'number' ? sentBody.version : workflow.version;
  const versions = await lockVersions(tx, [{ workflow_id: workflow.id, version: number }]);
  if (versions.length === 0)
    throw createInvalidRequestError([
      createIssue('/version', `The workflow has no version ${number}. Choose another version.`),
    ]);
  const version = await deps.versions.get(tx, workflow.id, number);
  const body = withInputIds(sentBody, version.graph);
  const plan = await readPlan(deps, toVersionKey(workflow.id, number));
  const issues = [
    ...findAppIssues(body, version.graph),
    ...(plan.nodes.length > 0
      ? findPlanIssues(body, plan)
      : [createIssue('/version', 'This version cannot run. Choose another version.')]),
    ...findRepeatedNodes(body),
    ...findUnknownLabels(body),
    ...findCreditIssues(body, hasPaidNode(deps, plan)),
    ...findOriginIssues(body.embedOrigins ?? []),
    ...(await findExampleIssues(tx, workflow.id, body.examples ?? [])),
  ];
  if (issues.length > 0) throw createInvalidRequestError(issues);
  return body;
}

function withInputIds(body: AppBody, { nodes }: Graph): AppBody {
  const findInput = indexInputs(nodes);
  const inputs = body.inputs.map(input => ({ ...input, nodeId: findInput(input.nodeId) ?? input.nodeId }));
  return { ...body, inputs };
}

const createIssue = (path: string, message: string): Issue => ({ path, code: 'invalid_request', message });

function createInvalidRequestError(issues: readonly Issue[]): AppError {
  const [first] = issues;
  return new AppError('invalid_request', `${first?.path}: ${first?.message}`, { issues });
}

/** Finds outputs without results: notes and other nodes that are not part of a plan. */
function findPlanIssues({ outputs }: AppBody, { nodes }: Plan): readonly Issue[] {
  const ids = new Set(nodes.map(({ id }) => id));
  return outputs.flatMap((id, index) =>
    ids.has(id) ? [] : [createIssue(`/outputs/${index}`, 'This node has no results. Choose another one.')],
  );
}

function findRepeatedNodes({ inputs, outputs }: AppBody): readonly Issue[] {
  const ids = inputs.map(({ nodeId }) => nodeId);
  return [
    ...ids.flatMap((id, index) =>
      ids.indexOf(id) === index
        ? []
        : [createIssue(`/inputs/${index}/nodeId`, 'This node is in the form already.')],
    ),
    ...outputs.flatMap((id, index) =>
      outputs.indexOf(id) === index
        ? []
        : [createIssue(`/outputs/${index}`, 'This output is in the list already.')],
    ),
  ];
}

function findUnknownLabels({ outputs, outputLabels = {} }: AppBody): readonly Issue[] {
  return Object.keys(outputLabels).flatMap(id =>
    outputs.includes(id)
      ? []
      : [
          createIssue(
            toJsonPointer('outputLabels', id),
            'This node is not in outputs. Add it, or remove its label.',
          ),
        ],
  );
}

const hasPaidNode = ({ catalog }: Pick<Deps, 'catalog'>, { nodes }: Plan): boolean =>
  nodes.some(({ nodeType }) => catalog.find(nodeType)?.executionCost === 'paid');

/** Finds missing limits. An app for anonymous visitors must limit what they spend of the owner's credits. */
function findCreditIssues(body: AppBody, isPaid: boolean): readonly Issue[] {
  const { audience, payer = 'owner', maxCreditsPerRun, dailyCredits, runsPerVisitor } = body;
  if (audience !== 'anyone') return [];
  const issues: Issue[] = [];
  if (runsPerVisitor === null)
    issues.push(createIssue('/runsPerVisitor', 'Set how many runs an anonymous visitor may start in a day.'));
  if (payer !== 'owner' || !isPaid) return issues;
  if ((dailyCredits ?? 0) < 1)
    issues.push(
      createIssue('/dailyCredits', 'Set a limit of at least 1, because anyone can spend your credits.'),
    );
  if ((maxCreditsPerRun ?? 0) < 1)
    issues.push(
      createIssue('/maxCreditsPerRun', 'Set a limit of at least 1, because anyone can spend your credits.'),
    );
  return issues;
}

function findOriginIssues(origins: readonly string[]): readonly Issue[] {
  return origins.flatMap((text, index) => {
    const url = URL.parse(text);
    const isOrigin =
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      text.replace(/\/$/, '') === url.origin &&
      !/[;,\s*]/.test(text);
    return isOrigin
      ? []
      : [
          createIssue(
            `/embedOrigins/${index}`,
            'Write an origin such as https://example.com, without a path.',
          ),
        ];
  });
}

async function findExampleIssues(
  tx: Tx,
  workflowId: string,
  ids: readonly string[],
): Promise<readonly Issue[]> {
  if (ids.length === 0) return [];
  const completedIds = await listCompletedRuns(tx, workflowId, ids);
  return ids.flatMap((id, index) =>
    completedIds.has(id)
      ? []
      : [
          createIssue(
            `/examples/${index}`,
            'This is not a completed run of the workflow. Choose another run.',
          ),
        ],
  );
}

/** Deletes the app of a workflow. Its executions stay. Throws 403, 404. */
export async function removeApp(deps: Deps, actor: Actor, workflowId: string): Promise<void> {
  const user = requireScope(actor, 'workflows:write');
  await deps.db.transaction(async tx => {
    const { workflow } = authorize(user, 'publish', await findWorkflow(tx, workflowId, user.userId));
    const app = await findAppOfWorkflow(tx, workflowId);
    if (app === undefined || !(await deleteApp(tx, workflowId)))
      throw new AppError('not_found', 'The workflow has no app.');
    recordAudit(tx, user, describeTarget('app.deleted', app, workflow));
  });
}

/** Creates the key that signs the tokens of visitors, and replaces an earlier key. Throws 403, 404. */
export async function createEmbedKey(deps: Deps, actor: Actor, workflowId: string) {
  const user = requireScope(actor, 'workflows:write');
  const key = generateToken();
  await deps.db.transaction(async tx => {
    const { workflow } = authorize(user, 'publish', await findWorkflow(tx, workflowId, user.userId));
    const app = await requireApp(tx, workflowId);
    await setEmbedKey(tx, app.id, encrypt(deps.secretsKey, key));
    recordAudit(tx, user, describeTarget('app.embed_key_created', app, workflow));
  });
  return { key };
}

const describeTarget = <A extends AuditAction>(
  action: A,
  app: AppRow,
  { name, team_id }: ReadWorkflowRow,
) => ({
  action,
  target: app.id,
  name,
  teamId: team_id,
});

const describeFields = (app: AppRow) => ({
  slug: app.slug,
  isEnabled: app.is_enabled,
  version: app.version,
  audience: app.audience,
  payer: app.payer,
  maxCreditsPerRun: app.max_credits_per_run,
  dailyCredits: app.daily_credits,
  runsPerVisitor: app.runs_per_visitor,
  runsPerDay: app.runs_per_day,
});

async function presentApp(deps: RunDeps, app: AppRow, workflow: ReadWorkflowRow) {
  const settings = JSON.parse(app.settings) as AppSettings;
  return {
    id: app.id,
    workflowId: app.workflow_id,
    url: getAppUrl(deps, app.slug),
    slug: app.slug,
    ...settings,
    inputs: settings.inputs.map(input => ({ ...input, showsDefault: input.showsDefault ?? false })),
    isEnabled: app.is_enabled,
    version: app.version ?? ('current' as const),
    ...presentColumns(
      app,
      'audience payer max_credits_per_run daily_credits runs_per_visitor runs_per_day upload_bytes_per_day',
    ),
    dayLimits: await readAppLimits(deps, app),
    hasEmbedKey: app.embed_key !== null,
    userId: app.user_id,
    issues: await listAppIssues(deps, app, workflow.version),
    ...(await presentSecretWarnings(deps, app.workflow_id, app.version ?? workflow.version)),
    ...presentColumns(app, 'created_at updated_at'),
  };
}

export const getAppUrl = ({ settings }: Pick<Deps, 'settings'>, slug: string): string =>
  `${settings.BASE_URL}/a/${slug}`;

/** Lists the reasons why the version cannot serve the app. */
async function listAppIssues(deps: Deps, app: AppRow, currentVersion: number): Promise<readonly Issue[]> {
  const number = app.version ?? currentVersion;
  const version = await deps.versions.get(deps.db, app.workflow_id, number).catch(ignoreNotFound);
  if (version === undefined)
    return [createIssue('/version', `Version ${number} was deleted. Choose another version.`)];
  const settings = JSON.parse(app.settings) as AppSettings;
  return [...findAppIssues(settings, version.graph), ...(await listAccountIssues(deps.db, app))];
}

/** Lists, newest first, the apps of the caller's workspaces and the apps for everyone who is signed in. */
export async function listAppPage(deps: Deps, actor: Actor, query: ListApps) {
  const { userId } = requireScope(actor, 'workflows:read');
  const filter = { userId, workflowId: query.workflowId ?? null, withoutTeams: listClosedTeams(actor) };
  return readPage(
    query,
    byId('app'),
    page => listApps(deps.db, filter, page),
    row => presentListed(deps, row),
  );
}

function presentListed(deps: Deps, row: ListedApp) {
  const { title, description } = JSON.parse(row.settings) as AppSettings;
  return {
    id: row.id,
    slug: row.slug,
    url: getAppUrl(deps, row.slug),
    title,
    description,
    ...presentColumns(row, 'audience payer is_enabled can_edit'),
    ...(row.can_edit
      ? { ...presentColumns(row, 'workflow_id runs credits'), poster: presentPoster(deps, row.poster) }
      : {}),
    updatedAt: row.updated_at.toISOString(),
  };
}
