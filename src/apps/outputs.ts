// Presents the outputs of an app's run by their names for visitors.
import type { Step } from '../engine/types.ts';
import type { Value } from '../graph/types.ts';
import { valueToJson } from '../graph/values.ts';
import type { AppOutput } from './fields.ts';

/** One value of an output. */
export interface OutputValue {
  readonly type: string;
  readonly url?: string;
  readonly text?: string;
  readonly value?: unknown;
  readonly contentType?: string;
  readonly width?: number;
  readonly height?: number;
}

/** The members of the first value. If there are several values, `items` has all of them. */
export type PresentedOutput = OutputValue & { readonly items?: readonly OutputValue[] };

const MAX_ITEMS = 200;

/** Returns the outputs that have a value, by key. */
export function presentAppOutputs(
  outputs: readonly AppOutput[],
  steps: ReadonlyMap<string, Step>,
): Readonly<Record<string, PresentedOutput>> {
  const entries = outputs.flatMap(({ key, nodeId }) => {
    const step = steps.get(nodeId);
    const values = step?.status === 'COMPLETED' ? Object.values(step.outputs ?? {}) : [];
    const items = values.flatMap(value => (value.type === 'LIST' ? value.items : [value])).map(presentValue);
    const [first] = items;
    if (first === undefined) return [];
    return [[key, items.length === 1 ? first : { ...first, items: items.slice(0, MAX_ITEMS) }] as const];
  });
  return Object.fromEntries(entries);
}

function presentValue(value: Value): OutputValue {
  if (value.type === 'TEXT') return { type: value.type, text: value.text };
  if (!('media' in value)) return { type: value.type, value: valueToJson(value) };
  const { url, contentType, width, height } = value.media;
  return {
    type: value.type,
    url,
    contentType,
    ...(width === null ? {} : { width }),
    ...(height === null ? {} : { height }),
  };
}
