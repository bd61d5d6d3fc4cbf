// All templates: those that ship with the service, and the operator's.
import { readSettings } from '../../lib/settings.ts';
import { beforeAfter } from './before-after.ts';
import { featureList } from './feature-list.ts';
import { logoSting } from './logo-sting.ts';
import { lowerThird } from './lower-third.ts';
import { readTemplates } from './own.ts';
import { photoSlideshow } from './photo-slideshow.ts';
import { podcastAudiogram } from './podcast-audiogram.ts';
import { productReel } from './product-reel.ts';
import { quoteCard } from './quote-card.ts';
import type { Template } from './template.ts';

/** Those that ship with the service. */
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

let known: ReadonlyMap<string, Template> | undefined;

/** By id; one of the operator's stands for a shipped one of the same id. Throws a SettingsError, the first time, of what is wrong in TEMPLATES_DIR. */
export function allTemplates(): ReadonlyMap<string, Template> {
  if (known !== undefined) return known;
  const { TEMPLATES_DIR } = readSettings();
  const own = TEMPLATES_DIR === undefined ? [] : readTemplates(TEMPLATES_DIR);
  known = new Map([...TEMPLATES, ...own].map(template => [template.id, template]));
  return known;
}

export function findTemplate(id: string): Template | undefined {
  return allTemplates().get(id);
}
