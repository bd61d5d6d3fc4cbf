// Lists, filters and sorts models for the picker.
import { type CatalogEntry, isModel, type ModelTask } from '../../../../src/graph/catalog.ts';
import { searchNodes } from '../../../../src/graph/search-nodes.ts';

export const MODEL_SORTS = ['best', 'price', 'speed'] as const;
export type ModelSort = (typeof MODEL_SORTS)[number];

/** The groups of models in the picker: tasks, and for making also the result. */
export type ModelGroup = Exclude<ModelTask, 'make'> | 'make-image' | 'make-video';
export const MODEL_GROUPS: readonly ModelGroup[] = [
  ...(['make-image', 'edit', 'upscale', 'cutout', 'make-video', 'animate', 'talk'] as const),
  ...(['speak', 'compose', 'transcribe', 'describe', 'write'] as const),
];

export function getModelGroup({
  task = 'make',
  outputs,
}: Pick<CatalogEntry, 'task' | 'outputs'>): ModelGroup {
  if (task !== 'make') return task;
  return outputs[0]?.type === 'VIDEO' ? 'make-video' : 'make-image';
}

/** Returns the provider that runs the model; undefined for models that run in the service. */
export const getModelProvider = ({ nodeType, provider }: CatalogEntry): string | undefined =>
  provider ?? /:(fal|replicate|openai|elevenlabs|comfyui)(?:_|$)/.exec(nodeType)?.[1];

/**
 * Returns whether the picker offers the entry: also models whose provider is not set up, which are marked, and nodes with
 * a task that run on this machine, if they can.
 */
export const isOffered = (entry: CatalogEntry): boolean =>
  entry.runsLocally
    ? entry.task !== undefined && entry.hidden !== true && entry.isAvailable !== false
    : isModel(entry) && entry.deprecated !== true && (entry.hidden !== true || entry.isAvailable === false);

export interface ModelSearch {
  readonly text: string;
  readonly sort: ModelSort;
  /** `''`: models of all providers. */
  readonly provider: string;
  /** The model that is replaced: models of its family come first. */
  readonly family?: string | undefined;
}

/** Returns the models that match, best first: those that can run, of the same family, in the order of their families. */
export function findModels(
  models: readonly CatalogEntry[],
  { text, sort, provider, family }: ModelSearch,
): readonly CatalogEntry[] {
  const offered =
    provider === '' ? models : models.filter(model => (getModelProvider(model) ?? 'service') === provider);
  const found = searchNodes(offered, text);
  if (sort !== 'best') return sortBy(found, sort === 'price' ? getPrice : getSeconds);
  if (text.trim() !== '') return found;
  // Nodes of this machine have no family, and come after the models that can run.
  const families = [...new Set([family, ...found.map(model => model.family)])].filter(
    name => name !== undefined,
  );
  const rank = new Map(families.map((name, index) => [name, index]));
  const toOrder = (model: CatalogEntry): number =>
    Number(model.isAvailable === false) * (families.length + 1) +
    (rank.get(model.family ?? '') ?? families.length);
  return sortBy(found, toOrder);
}

/** Unknown prices and times come last. */
const getPrice = ({ executionCost, estimatedCredits }: CatalogEntry): number =>
  executionCost === 'free' ? 0 : (estimatedCredits ?? Number.POSITIVE_INFINITY);
const getSeconds = ({ medianSeconds }: CatalogEntry): number => medianSeconds ?? Number.POSITIVE_INFINITY;

function sortBy(
  models: readonly CatalogEntry[],
  getOrder: (model: CatalogEntry) => number,
): readonly CatalogEntry[] {
  const orders = new Map(models.map(model => [model, getOrder(model)]));
  const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
  return models.toSorted((a, b) => compare(orders.get(a) ?? 0, orders.get(b) ?? 0));
}
