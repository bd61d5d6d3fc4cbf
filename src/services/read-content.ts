// Content pages as visitors read them: published ones by slug, by section, and all of them for machines.
import { createBatcher } from '../lib/batch.ts';
import { AppError } from '../lib/errors.ts';
import type { ContentCategory, ContentHeadRow, ContentType } from '../store/content.ts';
import {
  countContent,
  findContent,
  findContentHeads,
  findSiteRevision,
  listContent,
  listRelated,
  listSitemap,
} from '../store/content.ts';
import type { MarkdownRenderer } from './content.ts';
import { renderParts } from './content.ts';
import type { Deps } from './deps.ts';
import type { ContentCard, ContentPage } from './present-content.ts';
import { presentCard, presentContent } from './present-content.ts';

export interface ContentHead {
  readonly id: number;
  readonly slug: string;
  readonly type: ContentType;
  readonly workflowId: string | null;
  /** Raised by every write of any page: what was rendered under one is right while it is the current one. */
  readonly siteRevision: number;
}

export interface ReadContent extends ContentPage {
  readonly publishedAt: string;
  /** Sanitized markup of the body and of each markdown block, in this order. */
  readonly rendered: readonly string[];
  readonly related: readonly ContentCard[];
}

const PAGE_SIZE = 12;
const MAX_PAGE = 10_000;
const FEED_SIZE = 20;
const MAX_RELATED = 3;
/** So many of the newest pages are looked through for related ones. */
const RELATED_AMONG = 200;

/** Finds published pages by slug; look-ups that arrive together share a query. Throws 404. */
export function createContentFinder(deps: Pick<Deps, 'db'>): (slug: string) => Promise<ContentHead> {
  const find = createBatcher<string, ContentHeadRow | undefined>(
    async slugs => {
      const rows = await findContentHeads(deps.db, [...new Set(slugs)]);
      const bySlug = new Map(rows.map(row => [row.slug, row]));
      return slugs.map(slug => bySlug.get(slug));
    },
    { maxItems: 100, concurrency: 2 },
  );
  return async slug => {
    const row = await find(slug);
    if (row === undefined) throw notFound();
    const { id, type, workflow_id: workflowId, site_revision: siteRevision } = row;
    return { id, slug, type, workflowId, siteRevision };
  };
}

/** All that its page shows. Markup of another format is rendered anew. Throws 404. */
export async function readContent(deps: Deps, id: number, renderer: MarkdownRenderer): Promise<ReadContent> {
  const row = await findContent(deps.db, id);
  if (row === undefined || !row.is_published || row.published_at === null) throw notFound();
  const related = await listRelated(deps.db, row, { among: RELATED_AMONG, limit: MAX_RELATED });
  return {
    ...presentContent(row),
    publishedAt: row.published_at.toISOString(),
    rendered: row.rendered_format === renderer.format ? row.rendered : renderParts(row.content, renderer),
    related: related.map(presentCard),
  };
}

export interface ContentList {
  readonly category: ContentCategory;
  readonly cards: readonly ContentCard[];
  readonly page: number;
  readonly pageCount: number;
}

/** Twelve pages of a section, newest first; `page` counts from 1. Throws 404 past the last. */
export async function listContentPage(
  deps: Deps,
  category: ContentCategory,
  page: number,
): Promise<ContentList> {
  if (page > MAX_PAGE) throw notFound();
  const [count, rows] = await Promise.all([
    countContent(deps.db, category),
    listContent(deps.db, category, { offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE }),
  ]);
  if (page > 1 && rows.length === 0) throw notFound();
  return { category, cards: rows.map(presentCard), page, pageCount: Math.ceil(count / PAGE_SIZE) };
}

/** The newest articles. */
export async function listFeed(deps: Deps): Promise<readonly ContentCard[]> {
  const rows = await listContent(deps.db, 'articles', { offset: 0, limit: FEED_SIZE });
  return rows.map(presentCard);
}

/** Every published page, the newest ones where there are more than `limit`. */
export async function listAllContent(
  deps: Deps,
  limit: number,
): Promise<readonly Pick<ContentCard, 'slug' | 'type' | 'updatedAt'>[]> {
  const rows = await listSitemap(deps.db, limit);
  return rows.map(({ slug, type, updated_at }) => ({ slug, type, updatedAt: updated_at.toISOString() }));
}

/** The state of all pages together; see `ContentHead.siteRevision`. */
export function getSiteRevision(deps: Pick<Deps, 'db'>): Promise<number> {
  return findSiteRevision(deps.db);
}

function notFound(): AppError {
  return new AppError('not_found', 'It may have moved, or it was never here.');
}
