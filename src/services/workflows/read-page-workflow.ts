// Reads a workflow for the pages that draw it: its own page, its published page, and content pages.
import type { Graph } from '../../graph/types.ts';
import { AppError, ignoreNotFound } from '../../lib/errors.ts';
import { listPublished, summarizePublished } from '../../store/workflows/published.ts';
import { findRole, roleAllows } from '../accounts/access.ts';
import { type Actor, ANONYMOUS } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { toRevision, type WorkflowView } from './present-workflow.ts';
import {
  getPublishedVersion,
  getPublishedView,
  getViewForReading,
  getVisibleVersion,
  isPublicationOnly,
  readGraphText,
} from './read-workflow.ts';

export interface PageWorkflow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** The slug of the published page; null if the workflow is not published. */
  readonly slug: string | null;
  /** The slug of its app, if it is published and its readers may open the app. */
  readonly appSlug: string | null;
  /** The version that the reader sees. */
  readonly version: number;
  /** Identifies the drawing. The key changes whenever the drawing may look different. */
  readonly key: string;
  readonly visibility: 'public' | 'private';
  /** Whether the reader may edit the workflow. */
  readonly canEdit: boolean;
  /** Whether the reader has access only because the workflow is published. */
  readonly isPublicationOnly: boolean;
  /** Whether the publisher shows the results of the newest run. */
  readonly showsResults: boolean;
  /** Ids of the input nodes that the publication exposes; null if it exposes all. */
  readonly exposedInputs: readonly string[] | null;
  /** Reads the graph, redacted unless the reader may edit. */
  readGraph(): Promise<Graph>;
}

/** Reads the workflow for its own page. Throws 401, 403, 404. */
export async function readPageWorkflow(deps: Deps, actor: Actor, id: string): Promise<PageWorkflow> {
  const view = await getViewForReading(deps, actor, id);
  // A reader with access only to the publication is redirected to the published page, which counts the view.
  if (!roleAllows(view.role, 'edit') && !isPublicationOnly(view)) deps.views.count(view.workflow.id);
  return toPageWorkflow(deps, view);
}

/** Reads the published version for its page, as every visitor sees it. Throws 404. */
export async function readPublishedPageWorkflow(deps: Deps, slug: string): Promise<PageWorkflow> {
  const view = await getPublishedView(deps, slug);
  return toPageWorkflow(deps, view, getPublishedVersion(view));
}

/** Returns the workflow for a public page, or undefined if it is private or deleted. */
export async function findPublicPageWorkflow(deps: Deps, id: string): Promise<PageWorkflow | undefined> {
  try {
    return await toPageWorkflow(deps, await getViewForReading(deps, ANONYMOUS, id));
  } catch (err) {
    if (err instanceof AppError && err.code === 'unauthorized') return undefined;
    return ignoreNotFound(err);
  }
}

async function toPageWorkflow(
  deps: Deps,
  view: WorkflowView,
  version = getVisibleVersion(view),
): Promise<PageWorkflow> {
  const { id, is_published: isPublished, publish_settings: settings } = view.workflow;
  const appSlug = isPublished ? ((await deps.findPublicAppSlug(deps.db, id)) ?? null) : null;
  return {
    id,
    name: (isPublished && settings?.title) || view.workflow.name,
    description: (isPublished && settings?.description) || view.workflow.description,
    slug: isPublished ? view.workflow.published_slug : null,
    appSlug,
    version,
    key: `${id}.${version}.${toRevision(view.workflow)}.${view.role}.${appSlug}`,
    visibility: findRole(ANONYMOUS, view.workflow) === undefined ? 'private' : 'public',
    canEdit: roleAllows(view.role, 'edit'),
    isPublicationOnly: isPublicationOnly(view),
    showsResults: isPublished && settings?.showResults === true,
    exposedInputs: settings?.exposedInputs ?? null,
    readGraph: async () => JSON.parse(`{${await readGraphText(deps, view, version)}}`) as Graph,
  };
}

export interface WorkflowPublication {
  readonly slug: string;
  readonly publishedAt: string;
}

/** Lists the pages of published workflows, newest first. */
export async function listPublishedPages(
  { db }: Pick<Deps, 'db'>,
  limit: number,
): Promise<readonly WorkflowPublication[]> {
  const rows = await listPublished(db, limit);
  return rows.map(row => ({ slug: row.published_slug, publishedAt: row.published_at.toISOString() }));
}

/** Returns text that changes when a workflow is published or unpublished. */
export async function getPublicationRevision({ db }: Pick<Deps, 'db'>): Promise<string> {
  const { count, newest } = await summarizePublished(db);
  return `${count}.${newest?.getTime()}`;
}
