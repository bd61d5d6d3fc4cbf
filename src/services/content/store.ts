// Reads and writes content pages.
import type { Tx } from '../../store/db.ts';
import { all, first, firstNumber, firstValue } from '../../store/rows.ts';

export const CONTENT_TYPES = ['TOOL', 'FEATURE', 'APP', 'MODEL', 'ARTICLE'] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];
export const CONTENT_CATEGORIES = ['features', 'models', 'articles'] as const;
export type ContentCategory = (typeof CONTENT_CATEGORIES)[number];

/** The fields that a write sets. */
export interface ContentFields {
  readonly slug: string;
  readonly title: string;
  readonly type: ContentType;
  readonly parent_category: ContentCategory;
  readonly is_published: boolean;
  readonly subtitle: string | null;
  readonly meta_description: string | null;
  readonly hero_image: string | null;
  readonly pillar: string | null;
  readonly subcategory: string | null;
  readonly seo_keywords: readonly string[];
  readonly workflow_id: string | null;
  /** The fields without a column of their own. */
  readonly content: Readonly<Record<string, unknown>>;
  readonly rendered: readonly string[];
  readonly rendered_format: number;
}

export interface ContentRow extends ContentFields {
  readonly id: number;
  readonly author_name: string;
  readonly published_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = `p.id, p.slug, p.title, p.type, p.parent_category, p.is_published, p.subtitle, p.meta_description,
  p.hero_image, p.pillar, p.subcategory, p.seo_keywords, p.workflow_id, p.content, p.rendered, p.rendered_format,
  p.published_at, p.created_at, p.updated_at, u.name as author_name`;

const FIELDS = `slug, title, type, parent_category, is_published, subtitle, meta_description, hero_image, pillar, subcategory,
  seo_keywords, workflow_id, content, rendered, rendered_format`;

/** Returns the first author who is not disabled. */
export function findAuthor(tx: Tx): Promise<number | undefined> {
  return firstValue(tx, 'select id from users where is_author and not disabled order by id limit 1');
}

/** Throws a unique violation of `content_pages_slug_key` or `content_pages_title_key`. */
export async function insertContent(tx: Tx, page: ContentFields, authorId: number): Promise<ContentRow> {
  return (await first(tx, INSERT_CONTENT, [JSON.stringify(page), authorId])) as ContentRow;
}

const INSERT_CONTENT = `
with site as (update content_site set revision = revision + 1 returning revision),
p as (
  insert into content_pages (${FIELDS}, author_id, revision, published_at)
  select ${FIELDS}, $2::integer, site.revision, case when is_published then now() end
  from site, json_populate_record(null::content_pages, $1::json) page returning *)
select ${COLUMNS} from p join users u on u.id = p.author_id`;

/** Sets every field of the page with that slug. Throws a unique violation of `content_pages_title_key`. */
export async function updateContent(tx: Tx, page: ContentFields): Promise<ContentRow> {
  return (await first(tx, UPDATE_CONTENT, [JSON.stringify(page)])) as ContentRow;
}

// A page keeps its first publication date, even if it is unpublished for a while.
const UPDATE_CONTENT = `
with site as (update content_site set revision = revision + 1 returning revision),
p as (
  update content_pages c set (${FIELDS}) = (select ${FIELDS} from json_populate_record(null::content_pages, $1::json)),
    revision = site.revision, updated_at = now(),
    published_at = coalesce(c.published_at, case when ($1::json ->> 'is_published')::boolean then now() end)
  from site where c.slug = $1::json ->> 'slug' returning c.*)
select ${COLUMNS} from p join users u on u.id = p.author_id`;

/** Locks the page until the transaction ends and returns it. */
export function lockContent(tx: Tx, slug: string): Promise<ContentRow | undefined> {
  return first(
    tx,
    `select ${COLUMNS} from content_pages p join users u on u.id = p.author_id where p.slug = $1 for update of p`,
    [slug],
  );
}

export function findContent(tx: Tx, id: number): Promise<ContentRow | undefined> {
  return first(
    tx,
    `select ${COLUMNS} from content_pages p join users u on u.id = p.author_id where p.id = $1`,
    [id],
  );
}

/** The columns that decide whether a rendered page is still valid. */
export interface ContentHeadRow {
  readonly id: number;
  readonly slug: string;
  readonly type: ContentType;
  readonly workflow_id: string | null;
  readonly site_revision: number;
}

/** Returns published pages among these slugs, in no particular order. */
export function listContentHeads(tx: Tx, slugs: readonly string[]): Promise<readonly ContentHeadRow[]> {
  return all(
    tx,
    `select p.id, p.slug, p.type, p.workflow_id, s.revision as site_revision
     from content_pages p cross join content_site s where p.slug = any($1) and p.is_published`,
    [slugs],
  );
}

export function readSiteRevision(tx: Tx): Promise<number> {
  return firstNumber(tx, 'select revision from content_site');
}

export interface ContentCardRow {
  readonly slug: string;
  readonly title: string;
  readonly type: ContentType;
  readonly subtitle: string | null;
  readonly meta_description: string | null;
  readonly hero_image: string | null;
  readonly published_at: Date;
  readonly updated_at: Date;
}

const CARD_COLUMNS = 'slug, title, type, subtitle, meta_description, hero_image, published_at, updated_at';

/** Lists published pages of a section, newest first. */
export function listContent(
  tx: Tx,
  category: ContentCategory,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly ContentCardRow[]> {
  return all(
    tx,
    `select ${CARD_COLUMNS} from content_pages where is_published and parent_category = $1
     order by published_at desc, id desc offset $2 limit $3`,
    [category, offset, limit],
  );
}

export function countContent(tx: Tx, category: ContentCategory): Promise<number> {
  return firstNumber(
    tx,
    'select count(*) as count from content_pages where is_published and parent_category = $1',
    [category],
  );
}

/** A page with the fields by which related pages are ranked. */
export interface RelatedContentRow extends ContentCardRow {
  readonly id: number;
  readonly pillar: string | null;
  readonly subcategory: string | null;
  readonly seo_keywords: readonly string[];
}

/** Lists the newest published pages of a section, with the fields by which related pages are ranked. */
export function listRelatedCandidates(
  tx: Tx,
  category: ContentCategory,
  limit: number,
): Promise<readonly RelatedContentRow[]> {
  return all(
    tx,
    `select id, pillar, subcategory, seo_keywords, ${CARD_COLUMNS} from content_pages
     where is_published and parent_category = $1 order by published_at desc, id desc limit $2`,
    [category, limit],
  );
}

/** Lists every published page, newest first. */
export function listSitemap(
  tx: Tx,
  limit: number,
): Promise<readonly Pick<ContentCardRow, 'slug' | 'type' | 'updated_at'>[]> {
  return all(
    tx,
    'select slug, type, updated_at from content_pages where is_published order by published_at desc, id desc limit $1',
    [limit],
  );
}
