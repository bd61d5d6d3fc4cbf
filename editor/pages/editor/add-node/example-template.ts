// Chooses the template whose card shows what a model makes, for models without a result in this browser.
import type { CatalogEntry } from '../../../../src/graph/catalog.ts';

/** Templates by the task of the model and, if it matters, the medium of its result. */
const BY_TASK: Readonly<Record<string, string>> = {
  'make IMAGE': 'make-a-picture',
  'make VIDEO': 'text-to-video',
  'edit IMAGE': 'edit-a-picture',
  'edit VIDEO': 'picture-to-video',
  'edit AUDIO': 'podcast-audiogram',
  upscale: 'upscale',
  cutout: 'remove-background',
  animate: 'picture-to-video',
  speak: 'podcast-audiogram',
  compose: 'podcast-audiogram',
  transcribe: 'captions',
};

/** Templates of the nodes that make videos and sound without being models. */
const BY_TYPE: Readonly<Record<string, string>> = {
  'video:renderer': 'product-reel',
  'utility:speech': 'podcast-audiogram',
};

/** Returns the slug of the template; undefined for nodes that no template illustrates. */
export function findExampleTemplate({
  nodeType,
  task,
  inputs,
  outputs,
}: Pick<CatalogEntry, 'nodeType' | 'task' | 'inputs' | 'outputs'>): string | undefined {
  if (task === undefined) return BY_TYPE[nodeType];
  // A face speaks in a new video, or the lips of a video follow another voice.
  if (task === 'talk')
    return inputs.some(({ isPort, type }) => isPort && type === 'VIDEO')
      ? 'localize-a-video'
      : 'talking-head';
  return BY_TASK[`${task} ${outputs[0]?.type}`] ?? BY_TASK[task];
}
