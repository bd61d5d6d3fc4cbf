// Follows the connections of a graph in UI format to the nodes that run: through the borders of subgraphs, bypassed nodes,
// and nodes that exist only in the frontend.
import type { Json } from '../types.ts';
import type { Border, PlacedNode, Scope } from './expand.ts';
import { ComfyFormatError } from './format-error.ts';
import { BORDER_INPUT, BORDER_OUTPUT, type UiInput, type UiLink, type UiNodes } from './ui-graph.ts';
import { getVirtualKind } from './virtual-nodes.ts';
import type { WidgetValue } from './widget-values.ts';

/** What an input gets: the output of a node that runs, or a value. */
export type Source =
  | { readonly kind: 'output'; readonly node: PlacedNode; readonly slot: number }
  | { readonly kind: 'value'; readonly value: WidgetValue };

export interface Resolver {
  /** Returns what the input gets instead of its own value, or undefined. */
  resolveInput(node: PlacedNode, index: number): Source | undefined;
}

/** The maximum number of nodes in a row that only pass a value on, and of the inputs and outputs on the way. */
const MAX_STEPS = 1000;

export function createResolver(): Resolver {
  const results = new Map<string, Source | undefined>();
  const inProgress = new Set<string>();
  const setters = new Map<Scope, ReadonlyMap<string, PlacedNode>>();
  const borderLinks = new Map<UiNodes, ReadonlyMap<number, UiLink>>();
  const broadcasts = new Map<Scope, ReadonlyMap<string, readonly Broadcast[]>>();
  const promotedNames = new Map<UiNodes, readonly string[]>();

  /** Computes each step once, and reports loops, which only nodes of the frontend can form. */
  function once(key: string, node: PlacedNode, resolve: () => Source | undefined): Source | undefined {
    if (results.has(key)) return results.get(key);
    if (inProgress.has(key) || inProgress.size > MAX_STEPS)
      throw new ComfyFormatError(
        `The connections of the node ${node.key.slice(0, 80)} form a loop, or pass through more than ${MAX_STEPS / 2} nodes`,
        node.node.pointer,
      );
    inProgress.add(key);
    const source = resolve();
    inProgress.delete(key);
    results.set(key, source);
    return source;
  }

  function resolveInput(node: PlacedNode, index: number, wanted?: string): Source | undefined {
    const input = node.node.inputs[index];
    if (input === undefined) return undefined;
    const type = wanted ?? input.type;
    return once(`i ${node.key} ${index} ${type}`, node, () => {
      const link = input.link === undefined ? undefined : node.scope.graph.links.get(input.link);
      return link === undefined ? undefined : resolveLink(node.scope, link, type);
    });
  }

  function resolveLink(scope: Scope, { originId, originSlot }: UiLink, type: string): Source | undefined {
    if (originId === BORDER_INPUT) return resolveBorder(scope, originSlot, type);
    const origin = scope.nodes.get(originId);
    return origin === undefined ? undefined : resolveOutput(origin, originSlot, type);
  }

  /** Resolves an input of the subgraph's border: what the instance gets there, or else its value. */
  function resolveBorder({ border }: Scope, slot: number, type: string): Source | undefined {
    if (border === undefined) return undefined;
    const { instance, subgraph } = border;
    const index = subgraph.isGroupNode
      ? slot
      : instance.node.inputs.findIndex(({ name }) => name === subgraph.inputs[slot]?.name);
    const source = resolveInput(instance, index, type);
    if (source !== undefined) return source;
    const value = getPromotedValue(border, slot, listPromoted);
    return value === undefined ? undefined : { kind: 'value', value };
  }

  function resolveOutput(placed: PlacedNode, slot: number, type: string): Source | undefined {
    return once(`o ${placed.key} ${slot} ${type}`, placed, () => {
      if (placed.state === 'muted') return undefined;
      if (placed.state === 'bypassed') {
        const index = findBypassInput(placed, slot, type);
        return index === undefined ? undefined : resolveInput(placed, index);
      }
      if (placed.inner !== undefined) return resolveInstance(placed.inner, slot, type);
      return resolveNode(placed, slot, type);
    });
  }

  function resolveInstance(inner: Scope, slot: number, type: string): Source | undefined {
    const links = borderLinks.get(inner.graph) ?? listBorderLinks(inner.graph);
    borderLinks.set(inner.graph, links);
    const link = links.get(slot);
    return link === undefined ? undefined : resolveLink(inner, link, type);
  }

  function resolveNode(placed: PlacedNode, slot: number, type: string): Source | undefined {
    const kind = getVirtualKind(placed.node.type);
    if (kind === undefined) return { kind: 'output', node: placed, slot };
    if (kind === 'pass' || kind === 'set') return resolveInput(placed, 0, type);
    if (kind === 'primitive') {
      const value = getFirstValue(placed);
      return value === undefined ? undefined : { kind: 'value', value };
    }
    if (kind !== 'get') return undefined;
    const setter = findSetter(placed.scope, getFirstValue(placed)?.value);
    return setter === undefined ? undefined : resolveInput(setter, 0, type);
  }

  function listPromoted(inner: Scope): readonly string[] {
    const names = promotedNames.get(inner.graph) ?? listPromotedNames(inner);
    promotedNames.set(inner.graph, names);
    return names;
  }

  /** Finds the node that sets the name, in the same subgraph or in one around it. */
  function findSetter(scope: Scope, name: Json | undefined): PlacedNode | undefined {
    if (typeof name !== 'string') return undefined;
    const known = setters.get(scope) ?? listSetters(scope);
    setters.set(scope, known);
    const outer = scope.border?.instance.scope;
    return known.get(name) ?? (outer === undefined ? undefined : findSetter(outer, name));
  }

  /** Resolves an input without a link by the nodes that connect all inputs of a type. */
  function resolveBroadcast({ node, scope }: PlacedNode, { type, widget }: UiInput): Source | undefined {
    if (widget !== undefined || node.type === '') return undefined;
    const known = broadcasts.get(scope) ?? listBroadcasts(scope);
    broadcasts.set(scope, known);
    const matches = known.get(type) ?? [];
    // Several would be ambiguous; the frontend connects none then.
    const [match] = matches;
    return match === undefined || matches.length > 1 ? undefined : resolveInput(match.node, match.index);
  }

  return {
    resolveInput: (node, index) => {
      const input = node.node.inputs[index];
      if (input?.link === undefined) return input === undefined ? undefined : resolveBroadcast(node, input);
      return resolveInput(node, index);
    },
  };
}

const listBorderLinks = ({ links }: UiNodes): ReadonlyMap<number, UiLink> =>
  new Map(
    [...links.values()]
      .filter(({ targetId }) => targetId === BORDER_OUTPUT)
      .map(link => [link.targetSlot, link]),
  );

const listSetters = (scope: Scope): ReadonlyMap<string, PlacedNode> =>
  new Map(
    [...scope.nodes.values()].flatMap(node => {
      const name = getVirtualKind(node.node.type) === 'set' ? getFirstValue(node)?.value : undefined;
      return typeof name === 'string' ? [[name, node] as const] : [];
    }),
  );

/** A node that connects its input to all free inputs of a type. */
interface Broadcast {
  readonly type: string;
  readonly node: PlacedNode;
  readonly index: number;
}

/** Returns them by the type of what they offer. */
function listBroadcasts({ nodes, graph }: Scope): ReadonlyMap<string, readonly Broadcast[]> {
  const all = [...nodes.values()].flatMap((node): Broadcast[] => {
    if (getVirtualKind(node.node.type) !== 'everywhere' || node.state !== 'runs') return [];
    return node.node.inputs.flatMap(({ link: id }, index) => {
      const link = id === undefined ? undefined : graph.links.get(id);
      const type =
        link === undefined ? undefined : nodes.get(link.originId)?.node.outputs[link.originSlot]?.type;
      return type === undefined || type === '*' ? [] : [{ type, node, index }];
    });
  });
  return Map.groupBy(all, ({ type }) => type);
}

function getFirstValue({ node: { widgetValues, pointer } }: PlacedNode): WidgetValue | undefined {
  const [value] = Array.isArray(widgetValues) ? widgetValues : Object.values(widgetValues);
  return value === undefined ? undefined : { value, pointer: `${pointer}/widgets_values/0` };
}

/** Finds the input that a bypassed node passes on for an output, by the rules of ComfyUI's frontend. */
function findBypassInput(
  { node: { inputs, outputs } }: PlacedNode,
  slot: number,
  wanted: string,
): number | undefined {
  if (wanted === '*' || wanted === '') return slot < inputs.length ? slot : inputs.length > 0 ? 0 : undefined;
  const offered = outputs[slot]?.type ?? '*';
  const fits = ({ type }: UiInput): boolean => matchTypes(type, offered) && matchTypes(type, wanted);
  const opposite = inputs[slot];
  if (opposite !== undefined && fits(opposite)) return slot;
  const exact = inputs.findIndex(({ type }) => type === wanted);
  const index = exact >= 0 ? exact : inputs.findIndex(fits);
  return index < 0 ? undefined : index;
}

/** Returns whether a connection between the types is valid. A type can list several, separated by commas. */
function matchTypes(first: string, second: string): boolean {
  if (isAnyType(first) || isAnyType(second)) return true;
  if (first.toLowerCase() === second.toLowerCase()) return true;
  if (!first.includes(',') && !second.includes(',')) return false;
  const types = new Set(first.toLowerCase().split(','));
  return second
    .toLowerCase()
    .split(',')
    .some(type => types.has(type));
}

const isAnyType = (type: string): boolean => type === '*' || type === '';

/**
 * Returns the value of an instance for an input of its border that belongs to a widget inside. Files list the values in
 * the order of these inputs, or of those that the instance shows. Files without such a list keep the values inside.
 */
function getPromotedValue(
  { instance, subgraph }: Border,
  slot: number,
  listPromoted: (inner: Scope) => readonly string[],
): WidgetValue | undefined {
  const { inner, node } = instance;
  const { widgetValues: stored, inputs, pointer } = node;
  if (!Array.isArray(stored) || stored.length === 0 || inner === undefined || subgraph.isGroupNode)
    return undefined;
  const promoted = listPromoted(inner);
  const shown = inputs.flatMap(({ name, widget }) => (widget === undefined ? [] : [name]));
  const names =
    [promoted, shown, listProxies(node.properties.proxyWidgets)].find(
      list => list.length === stored.length,
    ) ?? [];
  const index = names.indexOf(subgraph.inputs[slot]?.name ?? '');
  const value = index < 0 ? undefined : stored[index];
  return value === undefined ? undefined : { value, pointer: `${pointer}/widgets_values/${index}` };
}

/** Returns the names of the border's inputs that lead to a widget. */
function listPromotedNames({ graph, border }: Scope): readonly string[] {
  const slots = new Set<number>();
  for (const { inputs } of graph.nodes.values())
    for (const { link: id, widget } of inputs) {
      const link = id === undefined || widget === undefined ? undefined : graph.links.get(id);
      if (link?.originId === BORDER_INPUT) slots.add(link.originSlot);
    }
  const names = border?.subgraph.inputs.map(({ name }) => name) ?? [];
  return names.filter((_, slot) => slots.has(slot));
}

/** Returns the names of the widgets that an instance shows, in the order of its `proxyWidgets`. */
function listProxies(proxies: unknown): readonly string[] {
  if (!Array.isArray(proxies)) return [];
  return proxies.map(proxy => (Array.isArray(proxy) && proxy[0] === '-1' ? String(proxy[1]) : ''));
}
