// Chooses the template whose card shows what a kind of model makes, for models without a result in this browser.
import type { CatalogEntry } from '../../src/graph/catalog.ts';
import type { FieldType } from '../../src/graph/types.ts';

/** The name and inputs of a kind of model. The first kind that fits an entry is its kind. */
interface Kind {
  readonly template: string;
  readonly makes: FieldType;
  readonly takes?: readonly FieldType[];
  readonly name?: RegExp;
}

const KINDS: readonly Kind[] = [
  { makes: 'IMAGE', name: /upscale|aura.sr/, template: 'upscale' },
  {
    makes: 'IMAGE',
    name: /background.remov|remove.background|birefnet|rembg/,
    template: 'remove-background',
  },
  { makes: 'IMAGE', name: /product.shot|replace.background/, template: 'product-in-four-scenes' },
  { makes: 'IMAGE', name: /try.?on/, template: 'try-on' },
  { makes: 'IMAGE', name: /expand|reframe|outpaint/, template: 'any-aspect-ratio' },
  { makes: 'IMAGE', name: /character/, template: 'eight-angles' },
  { makes: 'IMAGE', takes: ['IMAGE'], template: 'edit-a-picture' },
  { makes: 'IMAGE', takes: ['LIST'], template: 'edit-a-picture' },
  { makes: 'IMAGE', template: 'make-a-picture' },
  { makes: 'VIDEO', name: /upscale/, template: 'upscale' },
  { makes: 'VIDEO', name: /background.remov|birefnet/, template: 'remove-background' },
  { makes: 'VIDEO', takes: ['VIDEO', 'AUDIO'], name: /lip|sync/, template: 'localize-a-video' },
  { makes: 'VIDEO', takes: ['AUDIO', 'IMAGE'], template: 'talking-head' },
  { makes: 'VIDEO', name: /^video:renderer$/, template: 'product-reel' },
  { makes: 'VIDEO', takes: ['IMAGE'], template: 'picture-to-video' },
  { makes: 'VIDEO', template: 'text-to-video' },
  { makes: 'AUDIO', template: 'podcast-audiogram' },
  { makes: 'TEXT', takes: ['AUDIO'], template: 'captions' },
];

/** Returns the slug of the template; undefined for nodes that no template illustrates. */
export function findExampleTemplate({
  nodeType,
  inputs,
  outputs,
}: Pick<CatalogEntry, 'nodeType' | 'inputs' | 'outputs'>): string | undefined {
  if (!/^(?:generate|edit|video|talking|audio|text):|^utility:speech$/.test(nodeType)) return undefined;
  const ports = new Set(inputs.filter(({ isPort }) => isPort).map(({ type }) => type));
  const made = outputs[0]?.type;
  return KINDS.find(
    ({ makes, takes = [], name }) =>
      makes === made && takes.every(type => ports.has(type)) && (name === undefined || name.test(nodeType)),
  )?.template;
}
