// Defines the messages of the templates page.
import { formatNames, formatNumber } from '../../lib/format.ts';

export const messages = {
  title: 'Templates',
  search: 'Search templates',
  searchHint: 'Search by name, description or tag',
  category: 'Category',
  all: 'All categories',
  emptyTitle: 'No templates yet',
  empty: 'Publish a workflow as a template and it appears here.',
  noMatchTitle: 'No matching templates',
  noMatch: 'Try other words, or show all templates.',
  showAll: 'Show all',
  sections: {
    verbs: 'Make and edit',
    ads: 'Ads and products',
    video: 'Video',
    'text-and-sound': 'Text and audio',
    published: 'Published by users',
  },
  suggestions: 'Start from a template that is ready to run',
  runsNow: 'Runs now',
  needsCredits: (credits: number): string => `Needs ${formatNumber(credits)} credits`,
  sample: (providers: readonly string[]): string => `Sample; needs ${formatNames(providers)}`,
  needs: (providers: readonly string[]): string => `Needs ${formatNames(providers)}`,
  use: 'Use template',
  labelOfUse: (title: string): string => `Use template ${title}`,
  free: 'Free',
  priceUnknown: 'Price varies',
  price: (credits: number, isExact: boolean): string =>
    `${isExact ? '' : 'from '}${formatNumber(credits)} ${credits === 1 ? 'credit' : 'credits'}`,
  own: 'Yours',
} as const;
