// Lists and reads templates: shipped files, then workflows that were published for copying and workflows of the caller.
import { createPlan, type PlanNode, type PlanResult } from '../../graph/plan.ts';
import type { Graph, MediaRef } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { findNeededProvider } from '../../nodes/catalog.ts';
import { getWorkspaceId } from '../../services/accounts/access.ts';
import { type Actor, hasScope } from '../../services/accounts/actor.ts';
import { findActiveWorkspace } from '../../services/accounts/teams.ts';
import { listSuppliedProviders } from '../../services/catalog.ts';
import { byId, type Page, readPage } from '../../services/paging.ts';
import { presentPoster } from '../../services/workflows/present-workflow.ts';
import { getViewForReading, readGraphText } from '../../services/workflows/read-workflow.ts';
import { getPool } from '../../store/credits.ts';
import { TEMPLATES_WORKSPACE } from '../../store/media/media.ts';
import { NO_USER } from '../../store/media/samples.ts';
import { findTemplateRow, listTemplateWorkflows, type TemplateRow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { createCredentialGetter, priceForecast } from '../estimate/estimate-plan.ts';
import { forecastPaidNodes } from '../estimate/forecast-run.ts';
import type { RunToEstimate } from '../prepare/prepare-run.ts';
import { findRunVersion, toVersionKey } from '../prepare/run-version.ts';
import { ANYONE, presentStep } from '../read/present-execution.ts';
import { createTemplateNotFoundError, toSampleSteps, toWorkflowId } from './duplicate-template.ts';
import { findTranscriptionServer, HOSTED_TRANSCRIPTION } from './local-transcription.ts';
import type { TemplatesQuery } from './template.schema.ts';
import { CARD_PATH, type SampleFile, type ShippedTemplate } from './template-files.ts';

export type Template = Awaited<ReturnType<typeof presentShipped>>;

const SHIPPED_CURSOR = 'shipped:';

/**
 * Lists shipped templates by shelf, then published ones, newest first. A key without read access sees what any visitor
 * sees. With `runsNow`, a page with published templates may be shorter than its limit although another one follows.
 */
export async function listTemplatePage(
  deps: RunDeps,
  actor: Actor,
  query: TemplatesQuery,
): Promise<Page<Template>> {
  const { limit = DEFAULT_LIMIT, cursor } = query;
  const shipped = filterShipped(deps, query);
  const startIndex = readShippedCursor(cursor, shipped);
  const reader = await findReader(deps, actor);
  const data: Template[] = [];
  let index = startIndex ?? shipped.length;
  for (; index < shipped.length && data.length < limit; index++) {
    const template = await presentShipped(deps, shipped[index] as ShippedTemplate, reader);
    if (isListed(template, query)) data.push(template);
  }
  const remaining = limit - data.length;
  const lastTemplate = shipped[index - 1];
  if (remaining === 0 && lastTemplate !== undefined)
    return { data, nextCursor: writeShippedCursor(lastTemplate) };
  // Published templates have no shelf.
  if (query.shelf !== undefined) return { data, nextCursor: null };
  const { cursor: _, ...filter } = query;
  const published = await listPublished(deps, actor, {
    ...filter,
    limit: remaining,
    ...(startIndex === undefined && cursor !== undefined ? { cursor } : {}),
  });
  return { ...published, data: [...data, ...published.data.filter(template => isListed(template, query))] };
}

const DEFAULT_LIMIT = 50;

const isListed = (template: Template, { runsNow }: TemplatesQuery): boolean =>
  runsNow !== true || template.runsNow;

function filterShipped(
  { shippedTemplates }: RunDeps,
  { shelf, category, query }: TemplatesQuery,
): readonly ShippedTemplate[] {
  const words = readWords(query);
  return shippedTemplates
    .list()
    .filter(
      template =>
        (shelf === undefined || template.shelf === shelf) &&
        (category === undefined || template.shelf === category) &&
        hasWords([template.title, template.description, ...template.tags].join(' '), words),
    );
}

/** Further words are ignored. */
const MAX_WORDS = 8;

const readWords = (query = ''): readonly string[] =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '')
    .slice(0, MAX_WORDS);

function hasWords(text: string, words: readonly string[]): boolean {
  const lowerText = text.toLowerCase();
  return words.every(word => lowerText.includes(word));
}

/** Returns the index to start from; undefined for a cursor into the published templates. */
function readShippedCursor(
  cursor: string | undefined,
  shipped: readonly ShippedTemplate[],
): number | undefined {
  if (cursor === undefined) return 0;
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!text.startsWith(SHIPPED_CURSOR)) return undefined;
  return shipped.findIndex(({ id }) => SHIPPED_CURSOR + id === text) + 1;
}

const writeShippedCursor = ({ id }: ShippedTemplate): string =>
  Buffer.from(SHIPPED_CURSOR + id, 'latin1').toString('base64url');

async function listPublished(deps: RunDeps, actor: Actor, query: TemplatesQuery): Promise<Page<Template>> {
  const filter = {
    userId: getReaderId(actor),
    category: query.category ?? null,
    words: readWords(query.query),
  };
  const { data, nextCursor } = await readPage(
    query,
    byId('workflow'),
    ({ after: before, limit }) => listTemplateWorkflows(deps.db, { ...filter, before, limit }),
    row => row,
  );
  const templates: Template[] = [];
  // The templates are presented one after the other, so that a page of large graphs does not block the process.
  const reader = await findReader(deps, actor);
  for (const row of data) templates.push(await presentPublished(deps, row, reader));
  return { data: templates, nextCursor };
}

const getReaderId = (actor: Actor): number | null =>
  actor.kind === 'user' && hasScope(actor, 'workflows:read') ? actor.userId : null;

/** Reads a template with its graph and recorded results. Throws 404. */
export async function readTemplate(deps: RunDeps, actor: Actor, id: string) {
  const shipped = deps.shippedTemplates.find(id);
  const reader = await findReader(deps, actor);
  if (shipped !== undefined) {
    const { nodes, edges } = withFileUrls(deps, shipped);
    const template = await presentShipped(deps, shipped, reader);
    return { ...template, nodes, edges, sample: presentSample(deps, shipped) };
  }
  const workflowId = toWorkflowId(id);
  const row = isId('workflow', workflowId)
    ? await findTemplateRow(deps.db, workflowId, getReaderId(actor))
    : undefined;
  if (row === undefined) throw createTemplateNotFoundError();
  const { nodes, edges } = await readTemplateGraph(deps, actor, id);
  return { ...(await presentPublished(deps, row, reader)), nodes, edges, sample: null };
}

/** Reads the graph of a listed template. Throws 404, and 403 for a workflow that the actor may not read. */
export async function readTemplateGraph(deps: RunDeps, actor: Actor, id: string): Promise<Graph> {
  const shipped = deps.shippedTemplates.find(id);
  if (shipped !== undefined) return withFileUrls(deps, shipped);
  const text = await readGraphText(deps, await getViewForReading(deps, actor, toWorkflowId(id)));
  return JSON.parse(`{${text}}`) as Graph;
}

/** Returns the graph with the URLs of the sample's files. */
const withFileUrls = (deps: RunDeps, template: ShippedTemplate): Graph =>
  template.resolveGraph(name => {
    const file = template.sample?.files[name];
    return file && buildSampleUrl(deps, template, name, file);
  });

function presentSample(deps: RunDeps, template: ShippedTemplate) {
  const { sample } = template;
  const planned = createPlan(template.graph, deps.catalog);
  if (sample === undefined || !planned.ok) return null;
  const find = (name: string): MediaRef => {
    const { files } = sample;
    const file = files[name] as (typeof files)[string];
    return { ...file, mediaId: '', url: buildSampleUrl(deps, template, name, file) };
  };
  const { nodes } = planned.plan;
  const steps = new Map(toSampleSteps(sample, { nodes, atMs: 0, find }).map(step => [step.nodeId, step]));
  return {
    nodeStates: nodes.map(node => ({
      ...presentStep(node, steps.get(node.id), ANYONE),
      startedAt: null,
      finishedAt: null,
    })),
  };
}

const buildSampleUrl = (
  { settings }: Pick<RunDeps, 'settings'>,
  { id }: ShippedTemplate,
  name: string,
  { sha256 }: SampleFile,
): string => `${settings.BASE_URL}/api/v1/templates/${id}/sample/${name}?v=${sha256.slice(0, 12)}`;

async function presentShipped(deps: RunDeps, template: ShippedTemplate, reader: TemplateReader) {
  const { id, title, description, shelf, tags, card, sample } = template;
  return {
    id,
    source: 'shipped' as 'shipped' | 'published',
    workflowId: null as string | null,
    slug: null as string | null,
    title,
    description: description as string | null,
    shelf: shelf as string | null,
    category: shelf as string | null,
    tags,
    card: buildSampleUrl(deps, template, CARD_PATH, card) as string | null,
    poster: null as string | null,
    preview: null as ReturnType<typeof presentPreview>,
    ...(await summarizeGraph(deps, {
      key: template,
      plan: () => createPlan(withFileUrls(deps, template), deps.catalog),
      owner: { userId: NO_USER, workspace: TEMPLATES_WORKSPACE },
      reader,
    })),
    hasSample: sample !== undefined,
    views: 0,
    canDuplicate: true,
    isOwner: false,
    isPublished: true,
    publishedAt: null as string | null,
  };
}

async function presentPublished(deps: RunDeps, row: TemplateRow, reader: TemplateReader): Promise<Template> {
  const { title, description, category, allowDuplicate } = row.publish_settings ?? {};
  const isOwner = row.is_own;
  const version = await findRunVersion(deps, toVersionKey(row.id, row.published_version ?? row.version));
  const poster = presentPoster(deps, row.poster);
  return {
    id: row.id.replace(/^wf_/, 'tpl_'),
    source: 'published',
    workflowId: row.id,
    slug: row.published_slug,
    title: title ?? row.name,
    description: description ?? row.description,
    shelf: null,
    category: category ?? null,
    tags: row.tags,
    card: poster,
    poster,
    preview: presentPreview(deps, row.preview),
    ...(await summarizeGraph(deps, {
      key: version ?? row,
      plan: () => version?.plan(),
      owner: { userId: row.user_id, workspace: getWorkspaceId(row) },
      // Only copies of shipped templates use a server that transcribes.
      reader: {
        ...reader,
        suppliedProviders: reader.suppliedProviders.filter(name => name !== TRANSCRIPTIONS),
      },
    })),
    hasSample: false,
    views: row.views,
    canDuplicate: isOwner || row.link_permission === 'DUPLICATE' || allowDuplicate !== false,
    isOwner,
    isPublished: row.is_published,
    publishedAt: row.published_at?.toISOString() ?? null,
  };
}

function presentPreview(deps: Pick<RunDeps, 'settings'>, preview: TemplateRow['preview']) {
  if (preview === null) return null;
  return { url: presentPoster(deps, preview.path), contentType: preview.contentType };
}

/** What a server that a copy of the template uses supplies. */
const TRANSCRIPTIONS = 'transcriptions';

interface GraphSummary {
  /** The number of nodes that are neither notes nor groups. */
  readonly nodeCount: number;
  /** The providers that the graph's nodes need. */
  readonly needs: readonly string[];
  /** For each node that this service cannot run, what it lacks: one of these. Null if the graph cannot run for another reason. */
  readonly missing: readonly (readonly string[])[] | null;
  /** The price of a run with the stored inputs; null if the graph cannot run as it is. */
  readonly credits: number | null;
  /** False if a price is known only at run time. */
  readonly creditsExact: boolean;
}

/** Summaries by version or template, which never change. Each is valid for the catalog entries that it was computed from. */
const summaryByGraph = new WeakMap<object, { readonly entries: unknown; readonly summary: GraphSummary }>();

async function summarizeGraph(
  deps: RunDeps,
  {
    key,
    plan,
    owner,
    reader,
  }: {
    readonly key: object;
    readonly plan: () => PlanResult | undefined;
    readonly owner: RunToEstimate['owner'];
    readonly reader: TemplateReader;
  },
) {
  const { entries } = deps.catalog;
  const cached = summaryByGraph.get(key);
  const summary = cached?.entries === entries ? cached.summary : await computeSummary(deps, plan(), owner);
  summaryByGraph.set(key, { entries, summary });
  const { missing, ...rest } = summary;
  const { suppliedProviders } = reader;
  const canRun =
    missing?.every(choices => choices.some(choice => suppliedProviders.includes(choice))) ?? false;
  const isCovered = hasCredits(rest, reader);
  return { ...rest, runsNow: canRun && isCovered, needsCredits: canRun && !isCovered };
}

/** Returns whether the reader can pay for a run. Calls with the workspace's own keys cost no credits. */
function hasCredits(
  { needs, credits }: Pick<GraphSummary, 'needs' | 'credits'>,
  { suppliedProviders, credits: available }: TemplateReader,
): boolean {
  if (available === null || credits === null) return true;
  return credits <= available || needs.every(provider => suppliedProviders.includes(provider));
}

/** What the reader's active workspace can use. */
interface TemplateReader {
  /** The providers for which it has keys of its own, and whether it has a server that transcribes. */
  readonly suppliedProviders: readonly string[];
  /** The credits that it can spend; null for a visitor. */
  readonly credits: number | null;
}

async function findReader(deps: RunDeps, actor: Actor): Promise<TemplateReader> {
  const suppliedProviders = await listSuppliedProviders(deps, actor);
  if (actor.kind !== 'user') return { suppliedProviders, credits: null };
  const workspace = getWorkspaceId(await findActiveWorkspace(deps.db, actor));
  const { balance, held } = await getPool(deps.db, workspace);
  const server = await findTranscriptionServer(deps, deps.db, workspace);
  const supplied = server === undefined ? suppliedProviders : [...suppliedProviders, TRANSCRIPTIONS];
  return { suppliedProviders: supplied, credits: balance - held };
}

async function computeSummary(
  deps: RunDeps,
  planned: PlanResult | undefined,
  owner: RunToEstimate['owner'],
): Promise<GraphSummary> {
  const nodes = planned?.ok === true ? planned.plan.nodes : [];
  const findProvider = ({ nodeType, config }: PlanNode): string | undefined =>
    findNeededProvider(deps.findNode(nodeType), config);
  const needs = nodes.flatMap(node => findProvider(node) ?? []);
  const blockedNodes = nodes.filter(({ nodeType, unavailableReason }) => {
    const entry = deps.catalog.find(nodeType);
    return unavailableReason !== undefined || entry === undefined || entry.isAvailable === false;
  });
  const missing = blockedNodes.flatMap(node => {
    const provider = findProvider(node);
    if (provider === undefined) return [];
    return [node.nodeType === HOSTED_TRANSCRIPTION ? [provider, TRANSCRIPTIONS] : [provider]];
  });
  const price =
    planned?.ok === true
      ? await forecastPrice(deps, {
          plan: planned.plan,
          overrides: new Map(),
          owner,
          credentials: deps.environmentCredentials,
          policy: undefined,
          steps: new Map(),
        })
      : null;
  return {
    nodeCount: nodes.length,
    needs: [...new Set(needs)].sort(),
    missing: planned?.ok === true && missing.length === blockedNodes.length ? missing : null,
    credits: price?.credits ?? null,
    creditsExact: price?.exact ?? false,
  };
}

async function forecastPrice(deps: RunDeps, run: RunToEstimate) {
  try {
    return priceForecast(await forecastPaidNodes(deps, run), createCredentialGetter(deps, run));
  } catch (err) {
    if (err instanceof AppError) return null;
    throw err;
  }
}
