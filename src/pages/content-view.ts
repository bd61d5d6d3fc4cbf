// What the pages need to know of a content page and its surroundings; the services hand over records of this form.
import type { Catalog } from '../graph/catalog.ts';
import type { Graph } from '../graph/types.ts';
import type { ContentBlock } from './blocks.ts';

export type ContentType = 'TOOL' | 'FEATURE' | 'APP' | 'MODEL' | 'ARTICLE';
export type ContentCategory = 'features' | 'models' | 'articles';

export interface ContentView {
  readonly slug: string;
  readonly title: string;
  readonly type: ContentType;
  readonly subtitle: string;
  readonly parentCategory: ContentCategory;
  readonly heroImage: string | null;
  readonly meta_description: string | null;
  readonly seoKeywords: readonly string[];
  readonly canonicalUrl: string | null;
  readonly ogImage: string | null;
  readonly subcategory: string | null;
  readonly c2aTitle: string | null;
  readonly c2aSubtitle: string | null;
  readonly c2aButtonCopy: string;
  readonly c2aLink: string;
  readonly valueProps: readonly ValueProp[];
  readonly faqSchema: readonly Question[];
  readonly howToSteps: readonly HowToStep[];
  readonly contentBlocks: readonly ContentBlock[];
  readonly crossLinks: readonly CrossLink[];
  readonly quickAnswer: QuickAnswer | null;
  /** Sanitized markup of the body and of each markdown block, in this order. */
  readonly rendered: readonly string[];
  readonly author: string;
  readonly publishedAt: string;
  readonly updatedAt: string;
  readonly related: readonly PageCard[];
}

export interface ValueProp {
  readonly title: string;
  readonly description: string;
  readonly icon?: string;
  readonly image?: string;
}

export interface Question {
  readonly question: string;
  readonly answer: string;
}

export interface HowToStep {
  readonly title: string;
  readonly description: string;
  readonly image?: string;
}

export interface CrossLink {
  readonly url: string;
  readonly anchorText: string;
  readonly description?: string;
}

export interface QuickAnswer {
  readonly question: string;
  readonly answer: string;
  readonly bullets?: readonly string[];
  readonly variant?: 'default' | 'highlight' | 'compact';
}

/** A page in a list of pages. */
export interface PageCard {
  readonly slug: string;
  readonly title: string;
  readonly type: ContentType;
  readonly summary: string;
  readonly image: string | null;
  readonly publishedAt: string;
  readonly updatedAt: string;
}

/** A workflow as its reader may see it. */
export interface FlowView {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly graph: Graph;
}

/** What is the same for every page. */
export interface Site {
  /** BASE_URL, without a slash at its end. */
  readonly baseUrl: string;
  readonly catalog: Catalog;
}
