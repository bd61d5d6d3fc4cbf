// Labels models for metrics by provider and class, which bounds the number of time series.
import { findNeededProvider } from '../nodes/catalog.ts';
import { toProviderName } from '../providers/names.ts';
import type { Deps } from './deps.ts';

const CLASSES: readonly string[] = ['generate', 'edit', 'video', 'talking', 'text', 'audio'];
const OTHER = 'other';

export interface ModelLabels {
  /** `other` if the model needs no provider or is no longer in the catalog. */
  readonly provider: string;
  /** The part of the node type before the colon. */
  readonly modelClass: string;
}

export function labelModel(
  { findNode }: Pick<Deps, 'findNode'>,
  nodeType: string,
  config: Readonly<Record<string, unknown>> = {},
): ModelLabels {
  const modelClass = nodeType.split(':')[0] ?? '';
  return {
    provider: toProviderName(findNeededProvider(findNode(nodeType), config) ?? OTHER),
    modelClass: CLASSES.includes(modelClass) ? modelClass : OTHER,
  };
}
