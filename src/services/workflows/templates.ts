// Lists templates: workflows published for copying, and the caller's own.
import { listTemplates, type TemplateRow } from '../../store/workflows/workflows.ts';
import { type Actor, hasScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { byId, type Page, readPage } from '../paging.ts';
import { presentPoster } from './present-workflow.ts';
import type { TemplatesQuery } from './workflow.schema.ts';

/** The price of a template's run; null: its graph cannot run as it is. */
export interface TemplatePrice {
  readonly credits: number;
  /** False if a price is known only at run time. */
  readonly exact: boolean;
}
export type PriceTemplate = (row: TemplateRow) => Promise<TemplatePrice | null>;

export type Template = ReturnType<typeof presentTemplate> & {
  readonly credits: number | null;
  readonly creditsExact: boolean;
};

/**
 * Newest first. A key without read access sees what any visitor sees. `priceOf` is passed in, because it plans runs.
 */
export async function listTemplatePage(
  deps: Deps,
  actor: Actor,
  query: TemplatesQuery & { readonly query?: string | undefined },
  priceOf: PriceTemplate,
): Promise<Page<Template>> {
  const userId = actor.kind === 'user' && hasScope(actor, 'workflows:read') ? actor.userId : null;
  const filter = { userId, category: query.category ?? null, query: query.query ?? null };
  const { data, nextCursor } = await readPage(
    query,
    byId('workflow'),
    ({ after: before, limit }) => listTemplates(deps.db, { ...filter, before, limit }),
    row => row,
  );
  const priced: Template[] = [];
  // One after the other, so that a page of large graphs does not block the process.
  for (const row of data) {
    const price = await priceOf(row);
    priced.push({
      ...presentTemplate(deps, row),
      credits: price?.credits ?? null,
      creditsExact: price?.exact ?? false,
    });
  }
  return { data: priced, nextCursor };
}

/** The workflow id of a template id; any other id is returned unchanged. */
export const toWorkflowId = (templateId: string): string => templateId.replace(/^tpl_/, 'wf_');

/** A template's id is its workflow's with another prefix. */
function toTemplateId(workflowId: string): string {
  return workflowId.replace(/^wf_/, 'tpl_');
}

function presentTemplate(deps: Deps, row: TemplateRow) {
  const { title, description, category, allowDuplicate } = row.publish_settings ?? {};
  const isOwner = row.is_own;
  return {
    id: toTemplateId(row.id),
    workflowId: row.id,
    slug: row.published_slug,
    title: title ?? row.name,
    description: description ?? row.description,
    category: category ?? null,
    tags: row.tags,
    poster: presentPoster(deps, row.poster),
    preview: presentPreview(deps, row.preview),
    views: row.views,
    canDuplicate: isOwner || row.link_permission === 'DUPLICATE' || allowDuplicate !== false,
    isOwner,
    isPublished: row.is_published,
    publishedAt: row.published_at?.toISOString() ?? null,
  };
}

function presentPreview(deps: Pick<Deps, 'settings'>, preview: TemplateRow['preview']) {
  if (preview === null) return null;
  return { url: presentPoster(deps, preview.path), contentType: preview.contentType };
}
