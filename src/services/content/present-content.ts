// Presents all fields of a content page, with defaults, for the webhook's response and for rendering.
import type { Static } from 'typebox';
import { presentColumns } from '../present-columns.ts';
import type {
  ContentBlock,
  CrossLink,
  HowToStep,
  Question,
  QuickAnswer,
  ValueProp,
} from './content.schema.ts';
import type { ContentCardRow, ContentCategory, ContentRow, ContentType } from './store.ts';

export interface ContentPage {
  readonly slug: string;
  readonly title: string;
  readonly type: ContentType;
  readonly subtitle: string;
  readonly body_markdown: string | null;
  readonly heroImage: string | null;
  readonly isPublished: boolean;
  readonly meta_description: string | null;
  readonly seoKeywords: readonly string[];
  readonly canonicalUrl: string | null;
  readonly ogImage: string | null;
  readonly pillar: string | null;
  readonly c2aTitle: string | null;
  readonly c2aSubtitle: string | null;
  readonly c2aButtonCopy: string;
  readonly c2aLink: string;
  readonly valueProps: readonly Static<typeof ValueProp>[];
  readonly faqSchema: readonly Static<typeof Question>[];
  readonly howToSteps: readonly Static<typeof HowToStep>[];
  readonly contentBlocks: readonly ContentBlock[];
  readonly crossLinks: readonly Static<typeof CrossLink>[];
  readonly quickAnswer: Static<typeof QuickAnswer> | null;
  readonly workflowId: string | null;
  readonly subcategory: string | null;
  readonly parentCategory: ContentCategory;
  readonly author: string;
  readonly publishedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The defaults of the members of `content`. */
const DEFAULTS = {
  body_markdown: null,
  canonicalUrl: null,
  ogImage: null,
  c2aTitle: null,
  c2aSubtitle: null,
  c2aButtonCopy: 'Start Creating',
  c2aLink: '/workflows',
  valueProps: [],
  faqSchema: [],
  howToSteps: [],
  contentBlocks: [],
  crossLinks: [],
  quickAnswer: null,
} as const;

export function presentContent(row: ContentRow): ContentPage {
  return {
    ...presentColumns(row, 'slug title type'),
    subtitle: row.subtitle ?? row.title,
    // The types are right, because parseContent has validated every stored member.
    ...(DEFAULTS as Pick<ContentPage, keyof typeof DEFAULTS>),
    ...row.content,
    meta_description: row.meta_description,
    author: row.author_name,
    ...presentColumns(row, 'hero_image is_published seo_keywords pillar workflow_id subcategory'),
    ...presentColumns(row, 'parent_category published_at created_at updated_at'),
  };
}

/** A page in a list of pages. */
export interface ContentCard {
  readonly slug: string;
  readonly title: string;
  readonly type: ContentType;
  readonly summary: string;
  readonly image: string | null;
  readonly publishedAt: string;
  readonly updatedAt: string;
}

/** One page of a section's list. */
export interface ContentList {
  readonly category: ContentCategory;
  readonly cards: readonly ContentCard[];
  readonly page: number;
  readonly pageCount: number;
}

/** A published page with everything that its HTML shows. */
export interface PublishedPage extends ContentPage {
  readonly publishedAt: string;
  /** Sanitized markup of the body and of each markdown block, in this order. */
  readonly rendered: readonly string[];
  readonly related: readonly ContentCard[];
}

export function presentCard(row: ContentCardRow): ContentCard {
  return {
    ...presentColumns(row, 'slug title type published_at updated_at'),
    summary: row.meta_description ?? row.subtitle ?? row.title,
    image: row.hero_image,
  };
}
