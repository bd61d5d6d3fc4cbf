// Reads graphs in ComfyUI's UI format, versions 0.4 and 1.0, with the definitions of their subgraphs and group nodes.
// Members that only affect the drawing are read leniently; all others must have the right type.
import { isObject, type Json, type JsonObject, type UnknownObject } from '../types.ts';
import {
  ComfyFormatError,
  joinPointer,
  MAX_DEFINED_NODES,
  MAX_LINKS,
  MAX_SLOTS,
  requireId,
  requireKey,
  requireList,
  requireName,
  requireObject,
} from './format-error.ts';

/** Modes of nodes. All others run. */
export const MUTED = 2;
export const BYPASSED = 4;

export interface UiLink {
  readonly originId: string;
  readonly originSlot: number;
  readonly targetId: string;
  readonly targetSlot: number;
}

export interface UiInput {
  readonly name: string;
  readonly type: string;
  readonly label?: string;
  /** The id of the link. */
  readonly link?: string;
  /** The name of the widget that the input replaces when it is connected. */
  readonly widget?: string;
}

export interface UiOutput {
  readonly name: string;
  readonly type: string;
}

export interface UiNode {
  readonly id: string;
  readonly type: string;
  readonly title?: string;
  readonly mode: number;
  readonly inputs: readonly UiInput[];
  readonly outputs: readonly UiOutput[];
  readonly widgetValues: readonly Json[] | JsonObject;
  readonly properties: UnknownObject;
  readonly position?: readonly [number, number];
  readonly size?: readonly [number, number];
  /** The place of the node in the file, as a JSON pointer. */
  readonly pointer: string;
}

export interface UiGroup {
  readonly title: string;
  readonly bounds: readonly [number, number, number, number];
}

/** The nodes of the file itself or of a definition. */
export interface UiNodes {
  readonly nodes: ReadonlyMap<string, UiNode>;
  readonly links: ReadonlyMap<string, UiLink>;
}

/** A subgraph: a graph that nodes whose type is its id contain. */
export interface UiSubgraph extends UiNodes {
  readonly name: string;
  readonly inputs: readonly UiOutput[];
  readonly outputs: readonly UiOutput[];
  /** Set for an old group node, whose instances have the values of all nodes inside, in their order. */
  readonly isGroupNode?: true;
}

export interface UiGraph extends UiNodes {
  readonly version: '0.4' | '1.0';
  readonly groups: readonly UiGroup[];
  readonly subgraphs: ReadonlyMap<string, UiSubgraph>;
  /** The definitions of old group nodes, by name. */
  readonly groupNodes: ReadonlyMap<string, UiSubgraph>;
}

/** Ids of a subgraph's border in the links inside. */
export const BORDER_INPUT = '-10';
export const BORDER_OUTPUT = '-20';

/** Counts what the parts of a file may have together. */
interface Budget {
  nodes: number;
  links: number;
  slots: number;
}

/** Returns whether the value looks like a graph in UI format, so that its errors are worth reporting. */
export const isUiGraph = (value: unknown): value is UnknownObject =>
  isObject(value) && Array.isArray(value.nodes) && ('links' in value || 'last_node_id' in value);

/** Reads a graph in UI format. Throws ComfyFormatError. */
export function readUiGraph(value: UnknownObject): UiGraph {
  const budget: Budget = { nodes: 0, links: 0, slots: 0 };
  const definitions = isObject(value.definitions) ? value.definitions : {};
  const extra = isObject(value.extra) ? value.extra : {};
  return {
    version: value.version === 1 || (value.version !== 0.4 && isObject(value.state)) ? '1.0' : '0.4',
    ...readNodes(value, '', budget),
    groups: readGroups(value.groups),
    subgraphs: readSubgraphs(definitions.subgraphs, budget),
    groupNodes: readGroupNodes(extra.groupNodes, budget),
  };
}

function readNodes(value: UnknownObject, pointer: string, budget: Budget): UiNodes {
  const nodes = new Map<string, UiNode>();
  const nodesPointer = joinPointer(pointer, 'nodes');
  const list = requireList(value.nodes, 'nodes', nodesPointer);
  budget.nodes += list.length;
  if (budget.nodes > MAX_DEFINED_NODES)
    throw new ComfyFormatError(`The file has more than ${MAX_DEFINED_NODES} nodes`);
  for (const [index, item] of list.entries()) {
    const node = readNode(item, joinPointer(nodesPointer, index), budget);
    if (nodes.has(node.id))
      throw new ComfyFormatError(`Two nodes have the id ${node.id.slice(0, 40)}`, node.pointer);
    nodes.set(node.id, node);
  }
  return { nodes, links: readLinks(value.links, joinPointer(pointer, 'links'), budget) };
}

function readNode(value: unknown, pointer: string, budget: Budget): UiNode {
  const node = requireObject(value, 'A node', pointer);
  const place = (name: string): string => joinPointer(pointer, name);
  const mode = node.mode ?? 0;
  if (typeof mode !== 'number') throw new ComfyFormatError('mode must be a number', place('mode'));
  const position = readPair(node.pos);
  const size = readPair(node.size);
  return {
    id: requireId(node.id, 'The id of a node', place('id')),
    type: requireKey(node.type, 'The type of a node', place('type')),
    mode,
    ...(typeof node.title === 'string' && node.title !== '' ? { title: node.title.slice(0, 200) } : {}),
    inputs: readSlots(node.inputs, place('inputs'), budget, readInput),
    outputs: readSlots(node.outputs, place('outputs'), budget, readOutput),
    widgetValues: readWidgetValues(node.widgets_values, place('widgets_values')),
    properties: isObject(node.properties) ? node.properties : {},
    ...(position === undefined ? {} : { position }),
    ...(size === undefined ? {} : { size }),
    pointer,
  };
}

function readSlots<Slot>(
  value: unknown,
  pointer: string,
  budget: Budget,
  read: (slot: UnknownObject, pointer: string) => Slot,
): Slot[] {
  const slots = requireList(value, 'inputs and outputs', pointer);
  budget.slots += slots.length;
  if (budget.slots > MAX_SLOTS)
    throw new ComfyFormatError(`The nodes have more than ${MAX_SLOTS} inputs and outputs`);
  return slots.map((slot, index) => {
    const place = joinPointer(pointer, index);
    return read(requireObject(slot, 'An input or output', place), place);
  });
}

function readInput(slot: UnknownObject, pointer: string): UiInput {
  const { label, link, widget } = slot;
  const widgetName = isObject(widget) ? widget.name : undefined;
  return {
    ...readOutput(slot, pointer),
    ...(typeof label === 'string' ? { label: label.slice(0, 200) } : {}),
    ...(link === undefined || link === null
      ? {}
      : { link: requireId(link, 'The link of an input', joinPointer(pointer, 'link')) }),
    ...(widgetName === undefined
      ? {}
      : { widget: requireKey(widgetName, 'The name of a widget', joinPointer(pointer, 'widget', 'name')) }),
  };
}

function readOutput({ name, type }: UnknownObject, pointer: string): UiOutput {
  return {
    name: requireKey(name ?? '', 'The name of an input or output', joinPointer(pointer, 'name')),
    type: readSlotType(type, joinPointer(pointer, 'type')),
  };
}

/** Returns the type. Old files have the list of choices of a combination, or 0 or -1 for any type. */
function readSlotType(type: unknown, pointer: string): string {
  if (typeof type === 'string') return requireName(type, 'A type', pointer);
  return Array.isArray(type) ? 'COMBO' : '*';
}

function readWidgetValues(value: unknown, pointer: string): readonly Json[] | JsonObject {
  if (value === undefined || value === null) return [];
  // The JSON was parsed from text, so every value in it is JSON.
  if (Array.isArray(value) || isObject(value)) return value as readonly Json[] | JsonObject;
  throw new ComfyFormatError('widgets_values must be a list or an object', pointer);
}

function readLinks(value: unknown, pointer: string, budget: Budget): ReadonlyMap<string, UiLink> {
  const links = new Map<string, UiLink>();
  const list = requireList(value, 'links', pointer);
  budget.links += list.length;
  if (budget.links > MAX_LINKS) throw new ComfyFormatError(`The file has more than ${MAX_LINKS} links`);
  for (const [index, item] of list.entries()) {
    if (item === null) continue;
    const { id, ...link } = readLink(item, joinPointer(pointer, index));
    links.set(id, link);
  }
  return links;
}

function readLink(item: unknown, pointer: string): UiLink & { readonly id: string } {
  const [id, originId, originSlot, targetId, targetSlot] = Array.isArray(item)
    ? item
    : toLinkFields(requireObject(item, 'A link', pointer));
  return {
    id: requireId(id, 'The id of a link', pointer),
    originId: requireId(originId, 'The origin of a link', pointer),
    originSlot: requireSlot(originSlot, pointer),
    targetId: requireId(targetId, 'The target of a link', pointer),
    targetSlot: requireSlot(targetSlot, pointer),
  };
}

const toLinkFields = (link: UnknownObject): readonly unknown[] => [
  link.id,
  link.origin_id,
  link.origin_slot,
  link.target_id,
  link.target_slot,
];

/** Returns the number of a slot, or -1, which no node has, for links to slots that no longer exist. */
function requireSlot(slot: unknown, pointer: string): number {
  if (slot === null || slot === undefined) return -1;
  const number = typeof slot === 'string' ? Number(slot) : slot;
  if (!Number.isSafeInteger(number))
    throw new ComfyFormatError('The slot of a link must be a number', pointer);
  return number as number;
}

function readSubgraphs(value: unknown, budget: Budget): ReadonlyMap<string, UiSubgraph> {
  const pointer = '/definitions/subgraphs';
  const subgraphs = new Map<string, UiSubgraph>();
  for (const [index, item] of requireList(value, 'subgraphs', pointer).entries()) {
    const place = joinPointer(pointer, index);
    const subgraph = requireObject(item, 'A subgraph', place);
    const id = requireKey(subgraph.id, 'The id of a subgraph', joinPointer(place, 'id'));
    subgraphs.set(id, {
      name: typeof subgraph.name === 'string' ? subgraph.name.slice(0, 200) : 'Subgraph',
      inputs: readSlots(subgraph.inputs, joinPointer(place, 'inputs'), budget, readOutput),
      outputs: readSlots(subgraph.outputs, joinPointer(place, 'outputs'), budget, readOutput),
      ...readNodes(subgraph, place, budget),
    });
  }
  return subgraphs;
}

/**
 * Reads old group nodes as subgraphs. Their nodes have their index as id. Inputs and outputs without a connection inside
 * are on the border, first all sockets of all nodes, then all widgets that were converted to inputs.
 */
function readGroupNodes(value: unknown, budget: Budget): ReadonlyMap<string, UiSubgraph> {
  const pointer = '/extra/groupNodes';
  const groupNodes = new Map<string, UiSubgraph>();
  if (value === undefined || value === null) return groupNodes;
  for (const [name, item] of Object.entries(requireObject(value, 'groupNodes', pointer))) {
    const place = joinPointer(pointer, name);
    const group = requireObject(item, 'A group node', place);
    const nodes = requireList(group.nodes, 'nodes', joinPointer(place, 'nodes')).map((node, index) => ({
      ...requireObject(node, 'A node', joinPointer(place, 'nodes', index)),
      id: index,
    }));
    // Links are lists by index, without an id.
    const links = requireList(group.links, 'links', joinPointer(place, 'links')).flatMap((link, index) =>
      Array.isArray(link) && link[0] !== null && link[2] !== null ? [[index, ...link.slice(0, 4)]] : [],
    );
    const external = requireList(group.external, 'external', joinPointer(place, 'external'));
    groupNodes.set(name, addBorder(name, readNodes({ nodes, links }, place, budget), external));
  }
  return groupNodes;
}

function addBorder(name: string, { nodes, links }: UiNodes, external: readonly unknown[]): UiSubgraph {
  const allLinks = new Map(links);
  const linkByTarget = new Map([...links].map(([id, link]) => [`${link.targetId}.${link.targetSlot}`, id]));
  const usedOutputs = new Set([...links.values()].map(link => `${link.originId}.${link.originSlot}`));
  const shownOutputs = new Set(external.filter(Array.isArray).map(([node, slot]) => `${node}.${slot}`));
  const inputs: UiOutput[] = [];
  const outputs: UiOutput[] = [];
  const linkToBorder = (key: string, input: UiInput): string => {
    const id = `in ${key}`;
    const [targetId = '', targetSlot] = key.split('.');
    allLinks.set(id, {
      originId: BORDER_INPUT,
      originSlot: inputs.length,
      targetId,
      targetSlot: Number(targetSlot),
    });
    inputs.push({ name: input.name, type: input.type });
    return id;
  };
  const borderLinks = new Map<string, string>();
  for (const isWidget of [false, true])
    for (const node of nodes.values())
      for (const [slot, input] of node.inputs.entries()) {
        const key = `${node.id}.${slot}`;
        if ((input.widget !== undefined) === isWidget && !linkByTarget.has(key))
          borderLinks.set(key, linkToBorder(key, input));
      }
  for (const node of nodes.values())
    for (const [slot, output] of node.outputs.entries()) {
      const key = `${node.id}.${slot}`;
      if (usedOutputs.has(key) && !shownOutputs.has(key)) continue;
      allLinks.set(`out ${key}`, {
        originId: node.id,
        originSlot: slot,
        targetId: BORDER_OUTPUT,
        targetSlot: outputs.length,
      });
      outputs.push(output);
    }
  const withLink = (node: UiNode): UiNode => ({
    ...node,
    inputs: node.inputs.map(({ link: _, ...input }, slot) => {
      const key = `${node.id}.${slot}`;
      const link = linkByTarget.get(key) ?? borderLinks.get(key);
      return link === undefined ? input : { ...input, link };
    }),
  });
  const linkedNodes = new Map([...nodes].map(([id, node]) => [id, withLink(node)]));
  return { name, isGroupNode: true, inputs, outputs, nodes: linkedNodes, links: allLinks };
}

function readGroups(value: unknown): readonly UiGroup[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 500).flatMap(group => {
    if (!isObject(group) || !Array.isArray(group.bounding)) return [];
    const [x, y, width, height] = group.bounding;
    const bounds = [x, y, width, height] as const;
    if (!bounds.every(isPlace)) return [];
    return [{ title: typeof group.title === 'string' ? group.title.slice(0, 200) : 'Group', bounds }];
  });
}

/** Returns the two numbers of a list, or of an object with the keys 0 and 1. */
function readPair(value: unknown): readonly [number, number] | undefined {
  const [first, second] = Array.isArray(value) ? value : isObject(value) ? [value['0'], value['1']] : [];
  return isPlace(first) && isPlace(second) ? [first, second] : undefined;
}

const isPlace = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e7;
