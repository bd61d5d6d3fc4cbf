// The texts of the templates page.
import { formatNumber } from '../../lib/format.ts';

export const texts = {
  title: 'Templates',
  category: 'Category',
  all: 'All categories',
  emptyTitle: 'No templates yet',
  empty: 'A workflow that is published with a category stands here, ready for others to begin with.',
  noneTitle: 'No template is in this category',
  none: 'Choose another category, or look at all templates.',
  use: 'Use',
  copyOf: (title: string): string => `Use ${title}`,
  look: 'Look at it',
  free: 'Free',
  unknown: 'Price known at the run',
  price: (credits: number, isExact: boolean): string =>
    `${isExact ? '' : 'from '}${formatNumber(credits)} ${credits === 1 ? 'credit' : 'credits'}`,
  mine: 'Yours',
} as const;
