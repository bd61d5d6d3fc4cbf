// Replaces the type of a node: keeps the connections whose ports have a counterpart and the settings that stay valid.

import type { Catalog, CatalogEntry, InputDef, OutputDef } from '../../src/graph/catalog.ts';
import { withType } from '../../src/graph/edit.ts';
import { acceptsValue } from '../../src/graph/fields.ts';
import { toHandle } from '../../src/graph/handles.ts';
import type { GraphEdge, GraphNode, Json, JsonObject } from '../../src/graph/types.ts';
import { apply, type Board, type Change } from './board.ts';
import { getPorts } from './catalog.ts';
import { remove, replaceEdge, replaceNodes } from './edits.ts';
import { fits, listWires, type Wire } from './wiring.ts';

export interface Replacement {
  readonly changes: readonly Change[];
  /** The settings of the changed node. */
  readonly config: JsonObject;
  /** Labels of the ports whose connections have no counterpart. */
  readonly lostConnections: readonly string[];
  /** Labels of the settings that the new type does not have, or whose values it does not accept. */
  readonly lostSettings: readonly string[];
}

/** Returns the changes that give the node another type, and what is lost. */
export function replaceType(
  board: Board,
  catalog: Catalog,
  node: GraphNode,
  entry: CatalogEntry,
): Replacement {
  const before = getPorts(catalog, node);
  const { config, lost } = keepSettings(node.data.config ?? {}, before.inputs, entry.inputs);
  const { lostEdges, handles, lostPorts } = rewire(board, catalog, node, entry);
  const changedGraph = withType(board, node, { nodeType: entry.nodeType, config }, catalog);
  const changedNode = changedGraph.nodes[board.nodes.indexOf(node)] ?? node;
  // A pinned result is that of the previous model.
  const { pinnedRun: _, ...data } = changedNode.data;
  const changes: Change[] = [
    ...replaceNodes(board, [node.id], () => ({ ...changedNode, data: data as GraphNode['data'] })),
  ];
  for (const [id, ends] of handles) changes.push(...replaceEdge(board, id, edge => ({ ...edge, ...ends })));
  changes.push(...remove(apply(board, changes), { edges: lostEdges }));
  return { changes, config, lostConnections: lostPorts, lostSettings: lost };
}

interface Rewiring {
  readonly lostEdges: readonly string[];
  /** The new handles of edges, by edge id. */
  readonly handles: ReadonlyMap<string, Partial<Pick<GraphEdge, 'sourceHandle' | 'targetHandle'>>>;
  readonly lostPorts: readonly string[];
}

/** Finds a port of the new type for each connection: the port of the same id, or else one that no other connection uses. */
function rewire(board: Board, catalog: Catalog, node: GraphNode, entry: CatalogEntry): Rewiring {
  const wires = listWires(board, catalog).filter(
    ({ edge }) => edge.source === node.id || edge.target === node.id,
  );
  const inputs = entry.inputs.filter(({ isPort }) => isPort);
  const outputs = entry.outputs.filter(({ isPort }) => isPort);
  const isKept = ({ edge, from, to }: Wire): boolean =>
    edge.target === node.id && inputs.some(input => input.id === to.id && fits(from, input));
  const usedInputs = new Set(wires.filter(isKept).map(({ to }) => to.id));
  const handles = new Map<string, Partial<Pick<GraphEdge, 'sourceHandle' | 'targetHandle'>>>();
  const lost: Wire[] = [];
  for (const wire of wires) {
    const { edge, from, to } = wire;
    if (isKept(wire)) continue;
    if (edge.target === node.id) {
      const input = findInput(from, inputs, usedInputs);
      if (input === undefined) lost.push(wire);
      else {
        usedInputs.add(input.id);
        handles.set(edge.id, { targetHandle: toHandle('in', input.id) });
      }
      continue;
    }
    const fitting = outputs.filter(output => fits(output, to));
    const output =
      fitting.find(({ id }) => id === from.id) ??
      fitting.find(({ type }) => type === from.type) ??
      fitting[0];
    if (output === undefined) lost.push(wire);
    else if (output.id !== from.id) handles.set(edge.id, { sourceHandle: toHandle('out', output.id) });
  }
  return {
    lostEdges: lost.map(({ edge }) => edge.id),
    handles,
    lostPorts: lost.map(({ edge, from, to }) => (edge.target === node.id ? to.label : from.label)),
  };
}

/** Returns the best input for the output: of the same type before others, required ones first. LIST takes several. */
function findInput(
  from: OutputDef,
  inputs: readonly InputDef[],
  usedInputs: ReadonlySet<string>,
): InputDef | undefined {
  const rank = ({ type, itemType, required }: InputDef): number =>
    (type === from.type || itemType === from.type ? 0 : 2) + (required === true ? 0 : 1);
  return inputs
    .filter(input => fits(from, input) && (input.type === 'LIST' || !usedInputs.has(input.id)))
    .sort((a, b) => rank(a) - rank(b))[0];
}

function keepSettings(
  config: JsonObject,
  before: readonly InputDef[],
  after: readonly InputDef[],
): { readonly config: JsonObject; readonly lost: readonly string[] } {
  const kept: Record<string, Json> = {};
  const lost: string[] = [];
  for (const [key, value] of Object.entries(config)) {
    const field = after.find(({ id, removed }) => id === key && removed !== true);
    if (key === 'fanOut' || (field !== undefined && acceptsValue(field, value))) kept[key] = value as Json;
    else {
      const previous = before.find(({ id }) => id === key);
      // A default is not a choice of the user.
      if (previous !== undefined && previous.default !== value) lost.push(previous.label);
    }
  }
  return { config: kept, lost };
}
