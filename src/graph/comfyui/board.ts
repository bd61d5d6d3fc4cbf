// Builds a board from a file of ComfyUI: its graph as one node, inputs for its prompts and media, and previews of its
// results. Notes and groups of the file are kept.

import type { Catalog } from '../catalog.ts';
import {
  createEdge,
  createKeptNode,
  createNode,
  type ImportedBoard,
  type ImportedNode,
  INPUT_NODES,
  type KeptPort,
} from '../imports/board-parts.ts';
import type { Json, JsonObject } from '../types.ts';
import { type ApiGraph, getApiTitle, readApiLink } from './api-graph.ts';
import { MAX_GRAPH_LENGTH } from './config-graph.ts';
import { createNativeBoard, type PartnerTable } from './native-board.ts';
import type { NodeTypes } from './node-types.ts';
import type { ComfyInput, ComfyOutput } from './ports.ts';
import type { ComfyFile } from './read-file.ts';
import { suggestInputs, suggestOutputs } from './suggested-ports.ts';
import type { UiGroup, UiNode } from './ui-graph.ts';

const GRAPH_NODE_ID = 'comfyui';
/** The file is kept for exports only if the workflow stays well below its limit. */
const MAX_SOURCE_LENGTH = 1_500_000;
const MAX_NOTES = 100;
const MAX_NOTE_LENGTH = 10_000;
const MAX_GROUPS = 50;

/** The nodes of ours for partner nodes, and the catalog that has them. */
export interface Partners {
  readonly table: PartnerTable;
  readonly catalog: Pick<Catalog, 'find'>;
}

/** Builds the board. `label` is the name of the graph. Without `partners`, partner nodes stay in the graph. */
export function createComfyBoard(
  file: ComfyFile,
  types: NodeTypes,
  label: string,
  partners?: Partners,
): ImportedBoard {
  const native = partners && createNativeBoard(file.graph, partners.table, partners.catalog);
  if (native !== undefined) {
    const nativeNotes = createNotes(file);
    const lines = listLines(file, nativeNotes).map((line): ImportedNode => {
      const outcome = native.outcomes.get(line.source);
      return line.outcome !== 'wrapped'
        ? line
        : outcome === undefined
          ? toDropped(line)
          : { ...line, outcome: 'mapped', ...outcome };
    });
    return { nodes: [...native.nodes, ...nativeNotes.map(({ node }) => node)], edges: native.edges, lines };
  }
  if (JSON.stringify(file.graph).length > MAX_GRAPH_LENGTH) return createKeptBoard(file);
  const inputs = suggestInputs(file.graph, types);
  const outputs = suggestOutputs(file.graph, types);
  const inputNodes = inputs.map((input, index) => createInputNode(input, index, file.graph));
  const outputNodes = outputs.map(createOutputNode);
  const notes = createNotes(file);
  const groups = createGroups(file, inputNodes, outputNodes, notes);
  const edges = [
    ...inputNodes.map(({ id, port, output }) => createEdge(id, output, GRAPH_NODE_ID, port)),
    ...outputNodes.map(({ id, port }) => createEdge(GRAPH_NODE_ID, port, id, 'input')),
  ];
  return {
    nodes: [
      ...inputNodes.map(({ node }) => node),
      createGraphNode(file, inputs, outputs, label),
      ...outputNodes.map(({ node }) => node),
      ...notes.map(({ node }) => node),
      ...groups,
    ],
    edges,
    lines: listLines(file, notes),
  };
}

/** Keeps each node of a graph that is too large for one node. */
function createKeptBoard(file: ComfyFile): ImportedBoard {
  const entries = Object.entries(file.graph);
  const ids = new Map(entries.map(([source], index) => [source, `kept-${index + 1}`]));
  const edges: JsonObject[] = [];
  const outputs = new Map<string, Set<number>>();
  const inputs = new Map<string, KeptPort[]>();
  for (const [source, { inputs: values }] of entries) {
    const ports: KeptPort[] = [];
    inputs.set(source, ports);
    for (const [name, value] of Object.entries(values)) {
      const link = readApiLink(value);
      const from = link === undefined ? undefined : ids.get(link.node);
      if (link === undefined || from === undefined) continue;
      ports.push({ id: name, label: name, type: 'ANY' });
      const slots = outputs.get(link.node) ?? new Set();
      outputs.set(link.node, slots.add(link.slot));
      edges.push(createEdge(from, `out${link.slot}`, ids.get(source) ?? '', name));
    }
  }
  const nodes = entries.map(([source, node]) =>
    createKeptNode(ids.get(source) ?? '', getApiTitle(node), {
      sourceType: node.class_type,
      original: node as unknown as Json,
      inputs: inputs.get(source) ?? [],
      outputs: [...(outputs.get(source) ?? [])]
        .sort((a, b) => a - b)
        .map(slot => ({ id: `out${slot}`, label: `Output ${slot + 1}`, type: 'ANY' })),
    }),
  );
  const message = 'The graph is larger than 2 MB, so it cannot become one node.';
  const lines = listLines(file, []).map((line): ImportedNode => {
    const nodeId = ids.get(line.source);
    if (line.outcome !== 'wrapped') return line;
    if (nodeId !== undefined) return { ...line, outcome: 'kept', nodeId, message };
    return toDropped(line);
  });
  return { nodes, edges, lines };
}

/** A node such as a reroute has no node of its own once the connections are resolved. */
function toDropped({ nodeId: _, ...line }: ImportedNode): ImportedNode {
  return { ...line, outcome: 'dropped', message: 'The node exists only in ComfyUI’s editor.' };
}

/** A node of the board that stands for a node of the file. */
interface BoardPart {
  readonly id: string;
  /** The id of the node in the file. */
  readonly sourceId: string;
  readonly node: JsonObject;
}

function createGraphNode(
  file: ComfyFile,
  inputs: readonly ComfyInput[],
  outputs: readonly ComfyOutput[],
  label: string,
): JsonObject {
  const source = file.format === 'comfyui-api' ? '' : JSON.stringify(file.source);
  return createNode(GRAPH_NODE_ID, 'comfyui:workflow', label, 'utility', {
    graph: file.graph as unknown as Json,
    // As text, because it is nested more deeply than a config may be.
    ...(source !== '' && source.length <= MAX_SOURCE_LENGTH ? { source } : {}),
    inputs: inputs as unknown as Json,
    outputs: outputs as unknown as Json,
    seeds: file.format !== 'comfyui-api' && file.conversion.hasRandomSeeds ? 'random' : 'fixed',
  });
}

function createInputNode({ id: port, label, type, node, input }: ComfyInput, index: number, graph: ApiGraph) {
  const [nodeType, output] = INPUT_NODES[type];
  const id = `input-${index + 1}`;
  const value = graph[node]?.inputs[input];
  const config = type === 'TEXT' && typeof value === 'string' ? { value } : {};
  return { id, sourceId: node, port, output, node: createNode(id, nodeType, label, 'input', config) };
}

function createOutputNode({ id: port, label, node }: ComfyOutput, index: number) {
  const id = `output-${index + 1}`;
  return { id, sourceId: node, port, node: createNode(id, 'output:preview', label, 'output', {}) };
}

/** Notes of the file itself; those inside subgraphs explain nodes that the board does not show. */
function createNotes(file: ComfyFile): readonly BoardPart[] {
  if (file.format === 'comfyui-api') return [];
  return file.conversion.nodes
    .filter(({ outcome, placed }) => outcome === 'note' && placed.scope.border === undefined)
    .slice(0, MAX_NOTES)
    .map(({ placed }, index) => {
      const id = `note-${index + 1}`;
      const config = { text: getNoteText(placed.node).slice(0, MAX_NOTE_LENGTH) };
      const label = placed.node.title ?? 'Note';
      return {
        id,
        sourceId: placed.key,
        node: createNode(id, 'utility:sticky_note', label, 'utility', config, 'stickyNote'),
      };
    });
}

function getNoteText({ widgetValues, title }: UiNode): string {
  const [text] = Array.isArray(widgetValues) ? widgetValues : Object.values(widgetValues);
  return typeof text === 'string' ? text : (title ?? '');
}

/** Keeps the groups that frame something which the board shows. */
function createGroups(
  file: ComfyFile,
  inputs: readonly BoardPart[],
  outputs: readonly BoardPart[],
  notes: readonly BoardPart[],
): readonly JsonObject[] {
  if (file.format === 'comfyui-api') return [];
  const grouped = new Set<string>();
  return file.ui.groups.slice(0, MAX_GROUPS).flatMap((group, index) => {
    const findChildren = (candidates: readonly BoardPart[]): readonly BoardPart[] =>
      candidates.filter(({ id, sourceId }) => {
        const node = file.ui.nodes.get(sourceId);
        return node !== undefined && !grouped.has(id) && isWithin(node, group);
      });
    const inputsWithin = findChildren(inputs);
    // A group around both would be left and entered again by the connections in between.
    const children = [
      ...(inputsWithin.length > 0 ? inputsWithin : findChildren(outputs)),
      ...findChildren(notes),
    ];
    if (children.length === 0) return [];
    for (const { id } of children) grouped.add(id);
    const config = { childNodeIds: children.map(({ id }) => id) };
    return [createNode(`group-${index + 1}`, 'utility:group', group.title, 'utility', config, 'groupFrame')];
  });
}

function isWithin({ position, size = [0, 0] }: UiNode, { bounds: [x, y, width, height] }: UiGroup): boolean {
  if (position === undefined) return false;
  const [centerX, centerY] = [position[0] + size[0] / 2, position[1] + size[1] / 2];
  return centerX >= x && centerX <= x + width && centerY >= y && centerY <= y + height;
}

function listLines(file: ComfyFile, notes: readonly BoardPart[]): readonly ImportedNode[] {
  if (file.format === 'comfyui-api')
    return Object.entries(file.graph).map(([source, { class_type }]) => ({
      source,
      sourceType: class_type,
      outcome: 'wrapped',
      nodeId: GRAPH_NODE_ID,
    }));
  const noteIds = new Map(notes.map(({ sourceId, id }) => [sourceId, id]));
  return file.conversion.nodes.map(({ placed, outcome, message }): ImportedNode => {
    const line = { source: placed.key, sourceType: placed.node.type };
    const nodeId = noteIds.get(placed.key);
    if (nodeId !== undefined) return { ...line, outcome: 'mapped', nodeId };
    if (outcome === 'dropped') return { ...line, outcome, message: message ?? '' };
    if (outcome === 'note')
      return { ...line, outcome: 'dropped', message: 'The note is in a subgraph, or one of very many.' };
    return { ...line, outcome: 'wrapped', nodeId: GRAPH_NODE_ID };
  });
}
