// All templates that ship with the service.
import { beforeAfter } from './before-after.ts';
import { featureList } from './feature-list.ts';
import { logoSting } from './logo-sting.ts';
import { lowerThird } from './lower-third.ts';
import { photoSlideshow } from './photo-slideshow.ts';
import { podcastAudiogram } from './podcast-audiogram.ts';
import { productReel } from './product-reel.ts';
import { quoteCard } from './quote-card.ts';
import type { Template } from './template.ts';

export const TEMPLATES: readonly Template[] = [
  productReel,
  quoteCard,
  photoSlideshow,
  beforeAfter,
  lowerThird,
  podcastAudiogram,
  featureList,
  logoSting,
];

export function findTemplate(id: string): Template | undefined {
  return TEMPLATES.find(template => template.id === id);
}
