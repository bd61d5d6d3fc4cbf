// Chooses the template whose card shows what a kind of model makes, for models without a result in this browser.
import type { CatalogEntry } from '../../src/graph/catalog.ts';
import type { FieldType } from '../../src/graph/types.ts';

/** A kind of model, by its main output, its inputs and its name. The first one that matches an entry applies. */
interface ModelKind {
  readonly template: string;
  readonly output: FieldType;
  readonly inputs?: readonly FieldType[];
  readonly name?: RegExp;
}

const KINDS: readonly ModelKind[] = [
  { output: 'IMAGE', name: /upscale|aura.sr/, template: 'upscale' },
  {
    output: 'IMAGE',
    name: /background.remov|remove.background|birefnet|rembg/,
    template: 'remove-background',
  },
  { output: 'IMAGE', name: /product.shot|replace.background/, template: 'product-in-four-scenes' },
  { output: 'IMAGE', name: /try.?on/, template: 'try-on' },
  { output: 'IMAGE', name: /expand|reframe|outpaint/, template: 'any-aspect-ratio' },
  { output: 'IMAGE', name: /character/, template: 'eight-angles' },
  { output: 'IMAGE', inputs: ['IMAGE'], template: 'edit-a-picture' },
  { output: 'IMAGE', inputs: ['LIST'], template: 'edit-a-picture' },
  { output: 'IMAGE', template: 'make-a-picture' },
  { output: 'VIDEO', name: /upscale/, template: 'upscale' },
  { output: 'VIDEO', name: /background.remov|birefnet/, template: 'remove-background' },
  { output: 'VIDEO', inputs: ['VIDEO', 'AUDIO'], name: /lip|sync/, template: 'localize-a-video' },
  { output: 'VIDEO', inputs: ['AUDIO', 'IMAGE'], template: 'talking-head' },
  { output: 'VIDEO', name: /^video:renderer$/, template: 'product-reel' },
  { output: 'VIDEO', inputs: ['IMAGE'], template: 'picture-to-video' },
  { output: 'VIDEO', template: 'text-to-video' },
  { output: 'AUDIO', template: 'podcast-audiogram' },
  { output: 'TEXT', inputs: ['AUDIO'], template: 'captions' },
];

/** Returns the slug of the template; undefined for nodes that no template illustrates. */
export function findExampleTemplate({
  nodeType,
  inputs,
  outputs,
}: Pick<CatalogEntry, 'nodeType' | 'inputs' | 'outputs'>): string | undefined {
  if (!/^(?:generate|edit|video|talking|audio|text):|^utility:speech$/.test(nodeType)) return undefined;
  const inputTypes = new Set(inputs.filter(({ isPort }) => isPort).map(({ type }) => type));
  const outputType = outputs[0]?.type;
  return KINDS.find(
    kind =>
      kind.output === outputType &&
      (kind.inputs ?? []).every(type => inputTypes.has(type)) &&
      (kind.name === undefined || kind.name.test(nodeType)),
  )?.template;
}
