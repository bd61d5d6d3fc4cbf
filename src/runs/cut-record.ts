// Cuts the record of a run to the maximum size of an answer, an event or a webhook.
import { measureSize } from '../engine/budget.ts';
import { JsonText, stringifyJson } from '../lib/json-text.ts';
import { findFairShare } from '../lib/level.ts';

/** The limit of `GET /executions/{id}`, snapshots, events and webhook bodies. */
const MAX_BYTES = 16_000_000;

/** A NodeState, or an entry of `outputs`. */
interface Shown {
  readonly nodeId: string;
}

interface ShownRun {
  readonly nodeStates: readonly Shown[];
  readonly outputs?: readonly Shown[];
}

/**
 * Returns the record with at most 16 MB of JSON. The longest values are cut, all to the same length, and their node
 * states are marked `truncated`. JSON that is cut becomes text.
 */
export function cutRecord<R extends ShownRun>(record: R, maxBytes = MAX_BYTES): R {
  if (measureSize(record, maxBytes).bytes <= maxBytes) return record;
  const { nodeStates, outputs = [] } = record;
  const texts = createTexts();
  const sizes = [...nodeStates, ...outputs].flatMap(one => listValues(one).map(texts.bytesOf));
  const frame = { ...record, nodeStates: nodeStates.map(withoutValues), outputs: outputs.map(withoutValues) };
  // Each value needs a name, a comma and, if its state is cut, a mark.
  const frameBytes = Buffer.byteLength(stringifyJson(frame)) + 12 * sizes.length + 20 * nodeStates.length;
  const most = findFairShare(sizes, maxBytes - frameBytes);
  const cut = new Set<string>();
  const cutOne = <S extends Shown>(one: S): S =>
    mapValues(one, value => cutValue(texts, value, most, () => cut.add(one.nodeId)));
  // A frame this large contains the labels of many items: the outputs are left out.
  const isFrameLarge = frameBytes > maxBytes;
  if (isFrameLarge) for (const { nodeId } of outputs) cut.add(nodeId);
  const cutOutputs = isFrameLarge ? [] : outputs.map(cutOne);
  const cutStates = nodeStates.map(cutOne);
  return {
    ...record,
    nodeStates: cutStates.map(state => (cut.has(state.nodeId) ? { ...state, truncated: true } : state)),
    ...(record.outputs === undefined ? {} : { outputs: cutOutputs }),
  };
}

/** Cuts one NodeState like a record of its own. */
export function cutState<S extends Shown>(state: S): S {
  return cutRecord({ nodeStates: [state] }).nodeStates[0] ?? state;
}

const SINGLE = ['text', 'value'];
const PLURAL = ['texts', 'values'];
const MEMBERS: ReadonlySet<string> = new Set([...SINGLE, ...PLURAL]);

function listValues(one: Shown): readonly unknown[] {
  const values: unknown[] = [];
  mapValues(one, value => {
    values.push(value);
    return value;
  });
  return values;
}

function withoutValues(one: Shown): Shown {
  return Object.fromEntries(Object.entries(one).filter(([key]) => !MEMBERS.has(key))) as object as Shown;
}

function mapValues<S extends Shown>(one: S, map: (value: unknown) => unknown): S {
  const entries = Object.entries(one).map(([key, value]) => {
    if (!MEMBERS.has(key)) return [key, value];
    return [key, PLURAL.includes(key) && Array.isArray(value) ? value.map(map) : map(value)];
  });
  return Object.fromEntries(entries) as S;
}

interface Texts {
  /** As JSON. */
  textOf(value: unknown): string;
  bytesOf(value: unknown): number;
}

/** Writes and measures each object once, wherever it is shown: a node state and an output often share theirs. */
function createTexts(): Texts {
  const texts = new Map<unknown, string>();
  const sizes = new Map<unknown, number>();
  const textOf = (value: unknown): string => {
    if (value instanceof JsonText) return value.text;
    const text = texts.get(value) ?? JSON.stringify(value);
    texts.set(value, text);
    return text;
  };
  const bytesOf = (value: unknown): number => {
    const known = sizes.get(value);
    if (known !== undefined || value === undefined) return known ?? 0;
    const bytes =
      value instanceof JsonText
        ? Buffer.byteLength(value.text)
        : measureSize(value, Number.POSITIVE_INFINITY).bytes;
    sizes.set(value, bytes);
    return bytes;
  };
  return { textOf, bytesOf };
}

function cutValue(texts: Texts, value: unknown, most: number, onCut: () => void): unknown {
  const isLong = typeof value === 'string' || (typeof value === 'object' && value !== null);
  if (!isLong || texts.bytesOf(value) <= most) return value;
  onCut();
  const text = typeof value === 'string' ? value : texts.textOf(value);
  let length = Math.max(0, Math.min(text.length, most - 2));
  for (let bytes = textBytes(text.slice(0, length)); length > 0 && bytes > most; ) {
    length = Math.floor(Math.min(length * 0.95, (length * most) / bytes));
    bytes = textBytes(text.slice(0, length));
  }
  // Never splits a surrogate pair.
  const isHalf = (text.codePointAt(length - 1) ?? 0) > 0xffff;
  return text.slice(0, isHalf ? length - 1 : length);
}

const textBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
