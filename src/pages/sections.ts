// The sections of the site: which section a page stands in, and its address.
import type { ContentCard, ContentList } from '../services/content/present-content.ts';

export interface Section {
  readonly category: ContentList['category'];
  readonly path: string;
  readonly title: string;
  readonly description: string;
}

export const SECTIONS: Readonly<Record<ContentList['category'], Section>> = {
  features: {
    category: 'features',
    path: '/features',
    title: 'Features',
    description: 'Tools and features for building workflows of AI media.',
  },
  models: {
    category: 'models',
    path: '/models',
    title: 'Models',
    description: 'Models that can take a place in a workflow, and what each does best.',
  },
  articles: {
    category: 'articles',
    path: '/blog',
    title: 'Blog',
    description: 'Guides, ideas and news about workflows of AI media.',
  },
};

const FOLDERS: Readonly<Record<ContentCard['type'], string>> = {
  TOOL: '/features',
  FEATURE: '/features',
  APP: '/features',
  MODEL: '/models',
  ARTICLE: '/blog',
};

export function pagePath({ type, slug }: Pick<ContentCard, 'type' | 'slug'>): string {
  return `${FOLDERS[type]}/${slug}`;
}

/** The number of the page is left out for the first. */
export function listPath(section: Section, page: number): string {
  return page === 1 ? section.path : `${section.path}?page=${page}`;
}
