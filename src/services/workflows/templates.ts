// Templates: published workflows that ask to be copied, and the caller's own.
import type { TemplateRow } from '../../store/workflows/workflows.ts';
import { listTemplates } from '../../store/workflows/workflows.ts';
import type { Actor } from '../accounts/actor.ts';
import { hasScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import type { Page } from '../paging.ts';
import { idCursor, readPage } from '../paging.ts';
import { presentPoster } from './present-workflow.ts';
import type { TemplatesQuery } from './workflow.schema.ts';

/** Newest first. A key that cannot read sees what any visitor sees. */
export async function listTemplatePage(
  deps: Deps,
  actor: Actor,
  query: TemplatesQuery,
): Promise<Page<unknown>> {
  const userId = actor.kind === 'user' && hasScope(actor, 'workflows:read') ? actor.userId : null;
  return readPage(query, {
    cursor: idCursor('workflow'),
    fetch: (before, limit) =>
      listTemplates(deps.db, { userId, category: query.category ?? null, before, limit }),
    keyOf: row => row.id,
    present: row => presentTemplate(deps, row, userId),
  });
}

/** A template's id is its workflow's under another prefix. */
function templateIdOf(workflowId: string): string {
  return workflowId.replace(/^wf_/, 'tpl_');
}

function presentTemplate(deps: Deps, row: TemplateRow, userId: number | null) {
  const { title, description, category, allowDuplicate } = row.publish_settings ?? {};
  const isOwner = row.user_id === userId;
  return {
    id: templateIdOf(row.id),
    workflowId: row.id,
    slug: row.published_slug,
    title: title ?? row.name,
    description: description ?? row.description,
    category: category ?? null,
    tags: row.tags,
    poster: presentPoster(deps, row.poster),
    views: row.views,
    canDuplicate: isOwner || row.link_permission === 'DUPLICATE' || allowDuplicate !== false,
    isOwner,
    isPublished: row.is_published,
    publishedAt: row.published_at?.toISOString() ?? null,
  };
}
