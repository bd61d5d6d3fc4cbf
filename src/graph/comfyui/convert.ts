// Converts a graph from ComfyUI's UI format to its API format, by the rules of its frontend.
import type { Json, JsonObject } from '../types.ts';
import type { ApiGraph, ApiNode } from './api-graph.ts';
import { expandGraph, type PlacedNode } from './expand.ts';
import { joinPointer } from './format-error.ts';
import type { NodeTypes } from './node-types.ts';
import { createResolver, type Resolver } from './resolve.ts';
import { replaceNames } from './text-replacements.ts';
import type { UiGraph } from './ui-graph.ts';
import { getVirtualKind, type VirtualKind } from './virtual-nodes.ts';
import { getStoredValues, readWidgetValues, type StoredValues, type WidgetValue } from './widget-values.ts';

/** What became of a node of the file. */
export interface ConvertedNode {
  readonly placed: PlacedNode;
  readonly outcome: 'wrapped' | 'note' | 'dropped';
  /** For a dropped node: why. */
  readonly message?: string;
}

export interface Conversion {
  readonly graph: ApiGraph;
  /** Every node of the file, in its order. */
  readonly nodes: readonly ConvertedNode[];
  /** The place in the file of the values of each node of the graph, by the name of the input, as a JSON pointer. */
  readonly places: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Whether ComfyUI changes a seed after each run. */
  readonly hasRandomSeeds: boolean;
}

/** Converts the graph. Throws ComfyFormatError if it is malformed or too large. */
export function convertGraph(ui: UiGraph, types: NodeTypes): Conversion {
  const placedNodes = expandGraph(ui);
  const nodes = placedNodes.map(explainNode);
  const resolver = createResolver();
  const runnable = placedNodes.filter(isRunnable);
  const builtNodes = new Map(runnable.map(placed => [placed.key, buildNode(placed, types, resolver)]));
  const inputs = removeLostLinks(builtNodes);
  replaceNames(runnable, inputs);
  const graph: Record<string, ApiNode> = {};
  for (const [key, { type, meta }] of builtNodes)
    graph[key] = { inputs: inputs.get(key) ?? {}, class_type: type, _meta: meta };
  return {
    graph,
    nodes,
    places: new Map([...builtNodes].map(([key, { places }]) => [key, places])),
    hasRandomSeeds: [...builtNodes.values()].some(({ meta }) => isRandom(meta.control)),
  };
}

const isRandom = (controls: Json | undefined): boolean =>
  controls !== undefined && Object.values(controls as JsonObject).some(control => control !== 'fixed');

const isRunnable = ({ state, inner, node }: PlacedNode): boolean =>
  state === 'runs' && inner === undefined && getVirtualKind(node.type) === undefined;

const DROPPED: Partial<Readonly<Record<VirtualKind, string>>> = {
  tool: 'The node controls ComfyUI’s editor and has no effect on runs.',
};

function explainNode(placed: PlacedNode): ConvertedNode {
  const { state, node } = placed;
  const kind = getVirtualKind(node.type);
  if (kind === 'note') return { placed, outcome: 'note' };
  if (state === 'muted') return { placed, outcome: 'dropped', message: 'The node is muted.' };
  if (state === 'bypassed')
    return { placed, outcome: 'dropped', message: 'The node is bypassed: it passes its inputs on.' };
  const message = kind === undefined ? undefined : DROPPED[kind];
  return message === undefined ? { placed, outcome: 'wrapped' } : { placed, outcome: 'dropped', message };
}

interface BuiltNode {
  readonly type: string;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly links: ReadonlySet<string>;
  readonly places: ReadonlyMap<string, string>;
  readonly meta: JsonObject;
}

function buildNode(placed: PlacedNode, types: NodeTypes, resolver: Resolver): BuiltNode {
  const { node } = placed;
  const stored = getOwnValues(placed);
  const read = readWidgetValues(node, types.find(node.type), stored);
  const inputs: Record<string, Json> = {};
  const places = new Map<string, string>();
  const links = new Set<string>();
  const setValue = (name: string, { value, pointer }: WidgetValue): void => {
    // A list of two elements would be read as a link.
    inputs[name] = Array.isArray(value) ? { __value__: value } : value;
    if (pointer === undefined) places.delete(name);
    else places.set(name, pointer);
  };
  for (const [name, value] of read.values) setValue(name, value);
  for (const [index, { name }] of node.inputs.entries()) {
    const source = resolver.resolveInput(placed, index);
    if (source === undefined) continue;
    if (source.kind === 'value') {
      setValue(name, source.value);
      continue;
    }
    inputs[name] = [source.node.key, source.slot];
    links.add(name);
    places.delete(name);
  }
  const { controls } = read;
  return {
    type: node.type,
    inputs,
    links,
    places,
    meta: {
      title: getTitle(placed),
      ...(controls.size === 0 ? {} : { control: Object.fromEntries(controls) }),
      ...(read.isUnknown ? { widgets_values: stored.values } : {}),
    },
  };
}

const getTitle = ({ node }: PlacedNode): string => node.title ?? node.type;

/** Returns the values of the node. Old group nodes have the values of all nodes inside in one list. */
function getOwnValues({ node, scope }: PlacedNode): StoredValues {
  const own = getStoredValues(node);
  const { instance, subgraph } = scope.border ?? {};
  if (instance === undefined || subgraph?.isGroupNode !== true) return own;
  const all = instance.node.widgetValues;
  if (!Array.isArray(all)) return own;
  let start = 0;
  let total = 0;
  for (const inner of subgraph.nodes.values()) {
    const { length } = Array.isArray(inner.widgetValues) ? inner.widgetValues : [];
    if (inner.id === node.id) start = total;
    total += length;
  }
  const { length } = Array.isArray(node.widgetValues) ? node.widgetValues : [];
  if (total !== all.length) return own;
  return {
    values: all.slice(start, start + length),
    pointer: joinPointer(instance.node.pointer, 'widgets_values'),
    start,
  };
}

/** Removes links to nodes that do not run. The nodes that depended on them stay. */
function removeLostLinks(nodes: ReadonlyMap<string, BuiltNode>): Map<string, Record<string, Json>> {
  const kept = new Map<string, Record<string, Json>>();
  for (const [key, { inputs, links }] of nodes) {
    const entries = Object.entries(inputs).filter(
      ([name, value]) => !links.has(name) || nodes.has(String((value as readonly Json[])[0])),
    );
    kept.set(key, Object.fromEntries(entries));
  }
  return kept;
}
