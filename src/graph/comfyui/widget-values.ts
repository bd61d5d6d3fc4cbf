// Assigns the widget values of a node, which ComfyUI stores by position, to the names of its inputs.
import type { Json } from '../types.ts';
import { joinPointer } from './format-error.ts';
import type { NodeType, Widget } from './node-types.ts';
import type { UiNode } from './ui-graph.ts';

export interface WidgetValue {
  readonly value: Json;
  /** The place of the value in the file, as a JSON pointer. Absent for a default. */
  readonly pointer?: string;
}

export interface WidgetValues {
  readonly values: ReadonlyMap<string, WidgetValue>;
  /** What happens to a seed after each run in ComfyUI, by the name of the seed. */
  readonly controls: ReadonlyMap<string, string>;
  /** Set if the names of the values are unknown. */
  readonly isUnknown?: true;
}

const CONTROLS: ReadonlySet<Json> = new Set([
  'fixed',
  'increment',
  'decrement',
  'randomize',
  'increment-wrap',
]);
const SEED_NAMES: ReadonlySet<string> = new Set(['seed', 'noise_seed']);
/** Values that packs store for previews in the editor. */
const PREVIEW_KEY = /^videopreview/i;

/** The values of a node, and where they are in the file. */
export interface StoredValues {
  readonly values: UiNode['widgetValues'];
  /** The JSON pointer of the list or object, and the index of the first value in it. */
  readonly pointer: string;
  readonly start: number;
}

export const getStoredValues = ({ widgetValues, pointer }: UiNode): StoredValues => ({
  values: widgetValues,
  pointer: joinPointer(pointer, 'widgets_values'),
  start: 0,
});

/** Assigns the values of a node. `type` is undefined if the service does not know the type. */
export function readWidgetValues(
  { inputs }: Pick<UiNode, 'inputs'>,
  type: NodeType | undefined,
  { values: stored, pointer, start }: StoredValues,
): WidgetValues {
  if (isList(stored)) {
    const toPointer = (index: number): string => joinPointer(pointer, start + index);
    return type === undefined
      ? readByInputs(inputs, stored, toPointer)
      : readByPosition(type.widgets, stored, toPointer);
  }
  const names = type === undefined ? undefined : new Set(type.widgets.map(({ name }) => name));
  const values = new Map<string, WidgetValue>();
  for (const [name, value] of Object.entries(stored))
    if (names?.has(name) ?? !PREVIEW_KEY.test(name))
      values.set(name, { value, pointer: joinPointer(pointer, name) });
  for (const { name, flag, default: value } of type?.widgets ?? [])
    if (!values.has(name) && value !== undefined && flag !== 'socket') values.set(name, { value });
  return { values, controls: new Map() };
}

const isList = (values: UiNode['widgetValues']): values is readonly Json[] => Array.isArray(values);

function readByPosition(
  widgets: readonly Widget[],
  stored: readonly Json[],
  toPointer: (index: number) => string,
): WidgetValues {
  const values = new Map<string, WidgetValue>();
  const controls = new Map<string, string>();
  // Files from before an input lost its widget still have a value for it.
  const hasSocketValues =
    widgets.some(({ flag }) => flag === 'socket') && stored.length === countValues(widgets, true);
  let next = 0;
  const queue = [...widgets];
  for (let widget = queue.shift(); widget !== undefined; widget = queue.shift()) {
    const { name, type, flag, choices } = widget;
    if (flag === 'socket') {
      if (hasSocketValues) next++;
      continue;
    }
    const value = next < stored.length ? stored[next] : widget.default;
    if (value !== undefined)
      values.set(name, next < stored.length ? { value, pointer: toPointer(next) } : { value });
    next++;
    if (choices !== undefined && typeof value === 'string' && Object.hasOwn(choices, value))
      queue.unshift(...(choices[value] ?? []).map(inner => ({ ...inner, name: `${name}.${inner.name}` })));
    const spare = stored.length - next - countValues(queue, hasSocketValues);
    if (flag === 'control') {
      const control = stored[next];
      if (isControl(control, spare)) {
        controls.set(name, String(control));
        next++;
        // A combination can also have a text that filters its choices.
        if (type === 'COMBO' && typeof stored[next] === 'string' && spare > 1) next++;
      }
    }
    if (flag === 'upload' && spare > 0) next++;
  }
  return { values, controls };
}

/** Old files have true or false instead of a word. */
const isControl = (value: Json | undefined, spare: number): boolean =>
  value !== undefined && (CONTROLS.has(value) || (typeof value === 'boolean' && spare > 0));

/** Counts the values that a file has for the widgets, at least. */
function countValues(widgets: readonly Widget[], hasSocketValues: boolean): number {
  let count = 0;
  for (const { flag } of widgets)
    count += flag === 'control' ? 2 : flag === 'socket' && !hasSocketValues ? 0 : 1;
  return count;
}

/**
 * Reads the values of an unknown type by the inputs that its widgets have in newer files. Files may leave inputs without a
 * link out, so the names are known only if there is exactly one for each value.
 */
function readByInputs(
  inputs: UiNode['inputs'],
  stored: readonly Json[],
  toPointer: (index: number) => string,
): WidgetValues {
  const values = new Map<string, WidgetValue>();
  const controls = new Map<string, string>();
  let next = 0;
  for (const { widget: name } of inputs) {
    if (name === undefined) continue;
    const value = stored[next];
    if (value === undefined) return UNKNOWN;
    values.set(name, { value, pointer: toPointer(next) });
    next++;
    const control = stored[next];
    if (SEED_NAMES.has(name) && control !== undefined && CONTROLS.has(control)) {
      controls.set(name, String(control));
      next++;
    }
  }
  return next === stored.length ? { values, controls } : UNKNOWN;
}

const UNKNOWN: WidgetValues = { values: new Map(), controls: new Map(), isUnknown: true };
