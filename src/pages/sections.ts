// Defines the sections of the site and the path of each content page.
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
    description: 'Tools and features for building AI media workflows.',
  },
  models: {
    category: 'models',
    path: '/models',
    title: 'Models',
    description: 'The models you can use in a workflow, and what each does best.',
  },
  articles: {
    category: 'articles',
    path: '/blog',
    title: 'Blog',
    description: 'Guides, ideas and news about AI media workflows.',
  },
};

const FOLDERS: Readonly<Record<ContentCard['type'], string>> = {
  TOOL: '/features',
  FEATURE: '/features',
  APP: '/features',
  MODEL: '/models',
  ARTICLE: '/blog',
};

export function getPagePath({ type, slug }: Pick<ContentCard, 'type' | 'slug'>): string {
  return `${FOLDERS[type]}/${slug}`;
}

/** Returns the path of a numbered page of the section's list. The path of page 1 has no number. */
export function getListPath(section: Section, page: number): string {
  return page === 1 ? section.path : `${section.path}?page=${page}`;
}
