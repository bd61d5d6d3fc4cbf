// Defines a template: a scene graph as data with placeholders for props. A workflow can provide some props through
// ports.
import { bindProps, MAX_ITEMS, type Props, readPath } from './bind.ts';

export const PORT_TYPES = ['TEXT', 'IMAGE', 'VIDEO', 'AUDIO', 'JSON', 'NUMBER'] as const;

export interface InputMapping {
  /** Path of the prop: dotted, with numeric segments. */
  readonly propPath: string;
  readonly portId: string;
  readonly portLabel: string;
  readonly portType: (typeof PORT_TYPES)[number];
  readonly required: boolean;
  /** Says what the value is for, in a sentence. */
  readonly description?: string;
}

/** An input mapping, or one for each item of the list prop `each`: `{i}` counts the items from 0, `{n}` from 1. */
export type TemplateInput = InputMapping & { readonly each?: string };

export interface PropText {
  readonly label: string;
  readonly description: string;
}

export interface Template {
  readonly id: string;
  readonly label: string;
  /** Such as `reel`, `post` or `slideshow`. */
  readonly category: string;
  readonly description: string;
  readonly fps: number;
  readonly width: number;
  readonly height: number;
  /** Neutral values, because they appear in finished videos. Optional texts are empty. */
  readonly defaultProps: Props;
  /** Merged over the defaults for the thumbnail, which shows a template that is filled in. */
  readonly exampleProps?: Props;
  readonly inputs: readonly TemplateInput[];
  /** Labels and descriptions of the props that no port fills. */
  readonly props?: Readonly<Record<string, PropText>>;
  /** The scene graph in the form that bind.ts reads. Its fps, width and height default to those above. */
  readonly graph: Readonly<Record<string, unknown>>;
  /** The frame that is the thumbnail. */
  readonly thumbnailFrame: number;
  /** The users and teams who see the template in their list. Default: everyone. */
  readonly allow?: { readonly users?: readonly number[]; readonly teams?: readonly string[] };
}

/** Builds the scene graph from props merged over the template's defaults. The result is not validated yet. */
export function fillTemplate({ fps, width, height, graph, defaultProps }: Template, props: Props): unknown {
  return { fps, width, height, ...(bindProps(graph, { ...defaultProps, ...props }) as object) };
}

/** Returns the input mappings for these props. A mapping with `each` is repeated for each item of the list. */
export function listInputMappings({ inputs, defaultProps }: Template, props: Props): readonly InputMapping[] {
  return inputs.flatMap(({ each, ...mapping }) => {
    if (each === undefined) return [mapping];
    const list = readPath({ ...defaultProps, ...props }, each);
    return (Array.isArray(list) ? list.slice(0, MAX_ITEMS) : []).map((_item, index) => ({
      ...mapping,
      propPath: insertIndex(mapping.propPath, index),
      portId: insertIndex(mapping.portId, index),
      portLabel: insertIndex(mapping.portLabel, index),
    }));
  });
}

/** Returns the props with a value set at a dotted path. Copies objects along the path instead of changing them. */
export function setProp(props: Props, path: string, value: unknown): Props {
  return setAt(props, path.split('.'), value) as Props;
}

function setAt(container: unknown, [key = '', ...rest]: readonly string[], value: unknown): unknown {
  const isList = Array.isArray(container) || (container === undefined && /^\d+$/.test(key));
  const copy = isList
    ? [...((container as readonly unknown[] | undefined) ?? [])]
    : { ...(typeof container === 'object' ? container : {}) };
  const parent = copy as Record<string, unknown>;
  const child = Object.hasOwn(parent, key) ? parent[key] : undefined;
  parent[key] = rest.length === 0 ? value : setAt(child ?? undefined, rest, value);
  return copy;
}

const insertIndex = (text: string, index: number): string =>
  text.replaceAll('{i}', String(index)).replaceAll('{n}', String(index + 1));
