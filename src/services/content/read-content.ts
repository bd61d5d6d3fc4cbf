// Reads published content pages by slug and by section, and lists them for sitemap and feed.
import { createBatcher } from '../../lib/batcher.ts';
import { AppError } from '../../lib/errors.ts';
import type { Deps } from '../deps.ts';
import { presentColumns } from '../present-columns.ts';
import type { MarkdownRenderer } from './content.ts';
import { listMarkdownParts } from './content-fields.ts';
import type { ContentCard, ContentList, PublishedPage } from './present-content.ts';
import { presentCard, presentContent } from './present-content.ts';
import type { ContentCategory, ContentHeadRow, ContentRow, ContentType, RelatedContentRow } from './store.ts';
import {
  countContent,
  findContent,
  listContent,
  listContentHeads,
  listRelatedCandidates,
  listSitemap,
  readSiteRevision,
} from './store.ts';

export interface ContentHead {
  readonly id: number;
  readonly slug: string;
  readonly type: ContentType;
  readonly workflowId: string | null;
  /** Incremented by every write of any page. A rendered page is valid until the next write. */
  readonly siteRevision: number;
}

const PAGE_SIZE = 12;
const MAX_PAGE = 10_000;
const FEED_SIZE = 20;
const MAX_RELATED = 3;
/** Related pages are chosen from this many newest pages of the section. */
const MAX_RELATED_CANDIDATES = 200;

export interface ContentReader {
  /** Returns the head of the published page with that slug. Concurrent lookups share a query. Throws 404. */
  find(slug: string): Promise<ContentHead>;
  /** Reads everything that the page shows. Renders markup of another format again. Throws 404. */
  read(head: ContentHead): Promise<PublishedPage>;
}

export function createContentReader(deps: Pick<Deps, 'db'>, renderer: MarkdownRenderer): ContentReader {
  const findHead = createBatcher<string, ContentHeadRow | undefined>(
    async slugs => {
      const rows = await listContentHeads(deps.db, [...new Set(slugs)]);
      const bySlug = new Map(rows.map(row => [row.slug, row]));
      return slugs.map(slug => bySlug.get(slug));
    },
    { maxItems: 100, concurrency: 2 },
  );
  // All pages of a section have the same candidates for related pages, which are read once per site revision.
  const relatedCandidates = new Map<
    ContentCategory,
    { revision: number; rows: Promise<readonly RelatedContentRow[]> }
  >();
  const getRelatedCandidates = (
    category: ContentCategory,
    revision: number,
  ): Promise<readonly RelatedContentRow[]> => {
    const cached = relatedCandidates.get(category);
    if (cached?.revision === revision) return cached.rows;
    const rows = listRelatedCandidates(deps.db, category, MAX_RELATED_CANDIDATES);
    relatedCandidates.set(category, { revision, rows });
    // Failures are not cached.
    rows.catch(() => relatedCandidates.delete(category));
    return rows;
  };
  return {
    async find(slug) {
      const row = await findHead(slug);
      if (row === undefined) throw createNotFoundError();
      const { id, type, workflow_id: workflowId, site_revision: siteRevision } = row;
      return { id, slug, type, workflowId, siteRevision };
    },
    async read({ id, siteRevision }) {
      const row = await findContent(deps.db, id);
      if (row === undefined || !row.is_published || row.published_at === null) throw createNotFoundError();
      const related = rankRelated(row, await getRelatedCandidates(row.parent_category, siteRevision));
      return {
        ...presentContent(row),
        publishedAt: row.published_at.toISOString(),
        rendered:
          row.rendered_format === renderer.format
            ? row.rendered
            : await renderer.render(listMarkdownParts(row.content)),
        related: related.slice(0, MAX_RELATED).map(presentCard),
      };
    },
  };
}

/** Sorts the candidates by similarity. Equally similar pages stay in order, newest first. */
function rankRelated(
  page: ContentRow,
  candidates: readonly RelatedContentRow[],
): readonly RelatedContentRow[] {
  const keywords = new Set(page.seo_keywords);
  const score = (other: RelatedContentRow): number =>
    (page.pillar !== null && other.pillar === page.pillar ? 4 : 0) +
    (page.subcategory !== null && other.subcategory === page.subcategory ? 2 : 0) +
    other.seo_keywords.filter(keyword => keywords.has(keyword)).length;
  const scored = candidates.filter(({ id }) => id !== page.id).map(other => ({ other, score: score(other) }));
  return scored.sort((a, b) => b.score - a.score).map(({ other }) => other);
}

/** Lists twelve pages of a section, newest first. `page` counts from 1. Throws 404 after the last page. */
export async function listContentPage(
  deps: Deps,
  category: ContentCategory,
  page: number,
): Promise<ContentList> {
  if (page > MAX_PAGE) throw createNotFoundError();
  const [count, rows] = await Promise.all([
    countContent(deps.db, category),
    listContent(deps.db, category, { offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE }),
  ]);
  if (page > 1 && rows.length === 0) throw createNotFoundError();
  return { category, cards: rows.map(presentCard), page, pageCount: Math.ceil(count / PAGE_SIZE) };
}

/** Lists the newest articles. */
export async function listFeed(deps: Deps): Promise<readonly ContentCard[]> {
  const rows = await listContent(deps.db, 'articles', { offset: 0, limit: FEED_SIZE });
  return rows.map(presentCard);
}

/** Lists the published pages, at most `limit`, newest first. */
export async function listAllContent(
  deps: Deps,
  limit: number,
): Promise<readonly Pick<ContentCard, 'slug' | 'type' | 'updatedAt'>[]> {
  const rows = await listSitemap(deps.db, limit);
  return rows.map(row => presentColumns(row, 'slug type updated_at'));
}

/** Returns the revision of all pages together; see `ContentHead.siteRevision`. */
export function getSiteRevision(deps: Pick<Deps, 'db'>): Promise<number> {
  return readSiteRevision(deps.db);
}

function createNotFoundError(): AppError {
  return new AppError('not_found', 'Page not found.');
}
