// Presents the outputs of an app's run by their names for visitors.
import type { Step } from '../engine/types.ts';
import type { Value } from '../graph/types.ts';
import { type PresentedJson, presentValue } from '../runs/read/present-execution.ts';
import type { AppOutput } from './fields.ts';

/** One value of an output. */
export interface OutputValue {
  readonly type: string;
  readonly url?: string;
  readonly text?: string;
  /** JSON, or its text. */
  readonly value?: PresentedJson;
  /** A still of a rendered video. */
  readonly posterUrl?: string;
  readonly contentType?: string;
  readonly width?: number;
  readonly height?: number;
  /** Set if the value is longer than the answer may be. Truncated JSON is a string. */
  readonly truncated?: true;
}

/** The members of the first value. If there are several values, `items` has all of them. */
export type PresentedOutput = OutputValue & { readonly items?: readonly OutputValue[] };

/** The outputs of a run, by their keys for visitors. */
export type AppOutputs = Readonly<Record<string, PresentedOutput>>;

const MAX_ITEMS = 200;

/** Returns the outputs that have a value, by key. */
export function presentAppOutputs(
  outputs: readonly AppOutput[],
  steps: ReadonlyMap<string, Step>,
): AppOutputs {
  const entries = outputs.flatMap(({ key, nodeId }) => {
    const step = steps.get(nodeId);
    const values = step?.status === 'COMPLETED' ? Object.values(step.outputs ?? {}) : [];
    const items = values
      .flatMap(value => (value.type === 'LIST' ? value.items : [value]))
      .slice(0, MAX_ITEMS)
      .map(value => presentOutput(value, step?.truncated));
    const [first] = items;
    if (first === undefined) return [];
    return [[key, items.length === 1 ? first : { ...first, items }] as const];
  });
  return Object.fromEntries(entries);
}

function presentOutput(value: Value, truncated: true | undefined): OutputValue {
  const { type } = value;
  const flags = truncated === undefined ? {} : { truncated };
  if (value.type === 'TEXT') return { type, text: value.text, ...flags };
  if (!('media' in value)) return { type, value: presentValue(value), ...flags };
  const { url, contentType, width, height, render } = value.media;
  return {
    type,
    url,
    contentType,
    ...(render === undefined ? {} : { posterUrl: render.posterUrl }),
    ...(width === null ? {} : { width }),
    ...(height === null ? {} : { height }),
  };
}
