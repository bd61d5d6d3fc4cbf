// Creates and updates content pages for the content webhook. Their markdown is rendered when they are written.
import { safeEqual } from '../../lib/crypto.ts';
import { AppError, createFieldError, requireFound } from '../../lib/errors.ts';
import { recordAudit, SERVICE_CALLER } from '../../store/audit/record-audit.ts';
import { isUniqueViolation } from '../../store/db.ts';
import { createUnauthorizedError } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import type { CreateContentBody, UpdateContentBody } from './content.schema.ts';
import { CONTENT_EVENTS } from './content.schema.ts';
import type { SentContent } from './content-fields.ts';
import { listMarkdownParts, parseContent } from './content-fields.ts';
import type { ContentPage } from './present-content.ts';
import { presentContent } from './present-content.ts';
import type { ContentCategory, ContentFields, ContentType } from './store.ts';
import { findAuthor, insertContent, lockContent, updateContent } from './store.ts';

/** Renders markdown to sanitized markup. http passes it in, because services may not import the renderer. */
export interface MarkdownRenderer {
  /** The version of the markup. Stored markup of another version is rendered again. */
  readonly format: number;
  /** Renders all parts of one page. */
  render(parts: readonly string[]): Promise<string[]>;
}

export interface WrittenContent {
  readonly page: ContentPage;
  readonly warnings: readonly string[];
}

type Fields = Omit<ContentFields, 'slug' | 'title' | 'type'>;

const CATEGORIES: Readonly<Record<ContentType, ContentCategory>> = {
  TOOL: 'features',
  FEATURE: 'features',
  APP: 'features',
  MODEL: 'models',
  ARTICLE: 'articles',
};

/** Defaults of a new page. */
const DEFAULT_FIELDS: Fields = {
  parent_category: 'features',
  is_published: false,
  subtitle: null,
  meta_description: null,
  hero_image: null,
  pillar: null,
  subcategory: null,
  seo_keywords: [],
  workflow_id: null,
  content: {},
  rendered: [],
  rendered_format: 0,
};

/** Fields that are stored together in the column `content`. */
const CONTENT_KEYS = [
  'body_markdown',
  'canonicalUrl',
  'ogImage',
  'c2aTitle',
  'c2aSubtitle',
  'c2aButtonCopy',
  'c2aLink',
  'valueProps',
  'faqSchema',
  'howToSteps',
  'contentBlocks',
  'crossLinks',
  'quickAnswer',
  'parentCategory',
] as const satisfies readonly (keyof SentContent)[];

/** Throws 401 unless the header contains CONTENT_WEBHOOK_SECRET. */
export function requireContentSecret(deps: Pick<Deps, 'settings'>, authorization: string | undefined): void {
  const secret = deps.settings.CONTENT_WEBHOOK_SECRET;
  const token = /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1];
  // Compared even if no secret is set, so that the time of the response does not depend on that.
  const isEqual = safeEqual(token ?? '', secret ?? '');
  if (secret !== undefined && token !== undefined && isEqual) return;
  const message =
    secret === undefined
      ? 'The content webhook is disabled: CONTENT_WEBHOOK_SECRET is not set.'
      : 'Send Authorization: Bearer CONTENT_WEBHOOK_SECRET.';
  throw createUnauthorizedError(message);
}

/** Creates a page. Throws 409 `slug_taken`, 500 `duplicate_title`, 500 `author_missing`. */
export async function createContent(
  deps: Deps,
  body: CreateContentBody,
  renderer: MarkdownRenderer,
): Promise<WrittenContent> {
  const { content: sent, warnings } = parseContent(body);
  const fields = await mergeFields({ ...DEFAULT_FIELDS, ...parseIdentity(body, sent) }, sent, renderer);
  const authorId = await findAuthor(deps.db);
  if (authorId === undefined) {
    throw new AppError(
      'author_missing',
      'No author is available. Make a user an author with PATCH /admin/users/{userId} {"isAuthor": true}.',
    );
  }
  const row = await translateConflict(sent, () =>
    deps.db.transaction(async tx => {
      recordAudit(tx, SERVICE_CALLER, { action: 'page.created', target: fields.slug, name: fields.title });
      return insertContent(tx, fields, authorId);
    }),
  );
  return { page: presentContent(row), warnings };
}

/** Updates a page. Changes only the fields that were sent. Throws 404, 500 `duplicate_title`. */
export async function changeContent(
  deps: Deps,
  body: UpdateContentBody,
  renderer: MarkdownRenderer,
): Promise<WrittenContent> {
  const { content: sent, warnings } = parseContent(body);
  const row = await translateConflict(sent, () =>
    deps.db.transaction(async tx => {
      const message = `No content page has the slug ${sent.slug}.`;
      const current = requireFound(await lockContent(tx, sent.slug), message);
      const { title = current.title, type = current.type } = sent;
      recordAudit(tx, SERVICE_CALLER, { action: 'page.changed', target: sent.slug, name: title });
      return updateContent(tx, await mergeFields({ ...current, title, type }, sent, renderer));
    }),
  );
  return { page: presentContent(row), warnings };
}

function parseIdentity(
  { event }: CreateContentBody,
  { slug, title = '', type }: SentContent,
): Pick<ContentFields, 'slug' | 'title' | 'type'> {
  const eventType = type ?? (event === undefined ? undefined : CONTENT_EVENTS[event]);
  if (eventType !== undefined) return { slug, title, type: eventType };
  const message = `must be one of ${Object.keys(CATEGORIES).join(', ')}, unless event is present`;
  throw createFieldError('/type', message, 'The body at /type');
}

async function mergeFields(
  current: ContentFields,
  sent: SentContent,
  renderer: MarkdownRenderer,
): Promise<ContentFields> {
  const merge = (value: string | null | undefined, stored: string | null): string | null =>
    value === undefined ? stored : blankToNull(value);
  const content = mergeContent(current.content, sent);
  const isStale =
    sent.body_markdown !== undefined ||
    sent.contentBlocks !== undefined ||
    current.rendered_format !== renderer.format;
  return {
    slug: current.slug,
    title: current.title,
    type: current.type,
    parent_category: (content.parentCategory as ContentCategory | undefined) ?? CATEGORIES[current.type],
    is_published: sent.isPublished ?? current.is_published,
    subtitle: merge(sent.subtitle, current.subtitle),
    meta_description: merge(sent.meta_description, current.meta_description),
    hero_image: merge(sent.heroImage, current.hero_image),
    pillar: merge(sent.pillar, current.pillar),
    subcategory: merge(sent.subcategory, current.subcategory),
    seo_keywords: sent.seoKeywords === undefined ? current.seo_keywords : (sent.seoKeywords ?? []),
    workflow_id: merge(sent.workflowId, current.workflow_id),
    content,
    rendered: isStale ? await renderer.render(listMarkdownParts(content)) : current.rendered,
    rendered_format: renderer.format,
  };
}

/** Merges sent fields into stored ones. Blank and null reset a field to its default, which is not stored. */
function mergeContent(current: ContentFields['content'], sent: SentContent): ContentFields['content'] {
  const changes = CONTENT_KEYS.filter(key => sent[key] !== undefined).map(key => [
    key,
    blankToNull(sent[key]),
  ]);
  const members = Object.entries({ ...current, ...Object.fromEntries(changes) });
  return Object.fromEntries(members.filter(([, value]) => value !== null));
}

function blankToNull<T>(value: T): T | null {
  return typeof value === 'string' && value.trim() === '' ? null : value;
}

async function translateConflict<T>({ slug, title }: SentContent, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (err) {
    if (isUniqueViolation(err, 'content_pages_slug_key'))
      throw new AppError(
        'slug_taken',
        `A content page with the slug ${slug} already exists. Update it with PUT.`,
      );
    if (isUniqueViolation(err, 'content_pages_title_key'))
      throw new AppError('duplicate_title', `Another content page has the title "${title}".`);
    throw err;
  }
}
