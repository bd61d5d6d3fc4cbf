// Defines fixes for issues of edges: missing ends and ports, incompatible types, cycles, inputs with several sources.
import { canFeed, type InputDef } from '../../../src/graph/catalog.ts';
import { resolveEdgePorts } from '../../../src/graph/handles.ts';
import type { GraphEdge } from '../../../src/graph/types.ts';
import { messages } from '../../flow-messages.ts';
import { apply, findEdgeIndex, findNode } from '../board.ts';
import { getPorts } from '../catalog.ts';
import { findFreeId, remove, replaceEdge } from '../edits.ts';
import { toNode } from '../placement.ts';
import { insertIntoEdge } from '../rewiring.ts';
import { findPort, reaches } from '../wiring.ts';
import { type FindFix, type Fix, type FixContext, findIssueNode, getLastSegment, toFix } from './fix.ts';

const fixMessages = messages.flow.fixes;

export const EDGE_FIXES: Readonly<Record<string, FindFix>> = {
  unknown_source: forEdge(removeEdge),
  unknown_target: forEdge(removeEdge),
  unknown_port: forEdge(switchToFittingPort),
  incompatible_types: forEdge((context, edge) => insertConverter(context, edge) ?? removeEdge(context, edge)),
  port_fed_twice: keepNewestEdge,
  cycle: breakCycle,
  duplicate_edge_id: ({ board, issue: { edgeId } }) => {
    const index = board.edges.findLastIndex(({ id }) => id === edgeId);
    const before = board.edges[index];
    if (before === undefined || board.edges.findIndex(({ id }) => id === edgeId) === index) return undefined;
    return toFix(fixMessages.newId, [
      { of: 'edges', index, before, after: { ...before, id: findFreeId(board, before.id) } },
    ]);
  },
};

function forEdge(find: (context: FixContext, edge: GraphEdge) => Fix | undefined): FindFix {
  return context => {
    const index = findEdgeIndex(context.board, context.issue.edgeId ?? '');
    const edge = index === undefined ? undefined : context.board.edges[index];
    return edge && find(context, edge);
  };
}

function removeEdge({ board }: FixContext, { id }: GraphEdge): Fix | undefined {
  return toFix(fixMessages.removeEdge, remove(board, { edges: [id] }));
}

/** Uses the suggested port, or the only kind of port that fits the other end. Otherwise removes the edge. */
function switchToFittingPort(context: FixContext, edge: GraphEdge): Fix | undefined {
  const { board, catalog, issue } = context;
  const key = getLastSegment(context);
  const [source, target] = [findNode(board, edge.source), findNode(board, edge.target)];
  if (source === undefined || target === undefined) return removeEdge(context, edge);
  if (key !== 'sourceHandle' && key !== 'targetHandle') return undefined;
  const otherFeeds = board.edges.filter(other => other.target === edge.target && other.id !== edge.id);
  const takenPorts = new Set(otherFeeds.map(({ targetHandle }) => (targetHandle ?? '').replace(/^in-/, '')));
  const ports = [getPorts(catalog, source), getPorts(catalog, target)] as const;
  for (const handle of [issue.suggestion, null]) {
    if (handle === undefined) continue;
    const resolved = resolveEdgePorts({ ...edge, [key]: handle }, ...ports, takenPorts);
    if (
      resolved === undefined ||
      !isCompatible(resolved.from.type, resolved.to) ||
      takenPorts.has(resolved.to.id)
    )
      continue;
    const [sourceHandle, targetHandle] = [`out-${resolved.from.id}`, `in-${resolved.to.id}`];
    const label = fixMessages.changePort(key === 'sourceHandle' ? resolved.from.label : resolved.to.label);
    return toFix(
      label,
      replaceEdge(board, edge.id, previous => ({ ...previous, sourceHandle, targetHandle })),
    );
  }
  return removeEdge(context, edge);
}

const isCompatible = (from: InputDef['type'], { type, itemType }: InputDef): boolean =>
  canFeed(from, from === 'LIST' ? type : (itemType ?? type));

/** Output type and input type → the node type that converts between them. */
const CONVERTERS: Readonly<Record<string, string>> = {
  'VIDEO IMAGE': 'utility:video_frame',
  'VIDEO AUDIO': 'utility:audio_extract',
  'TEXT IMAGE': 'utility:text_to_image_card',
};

function insertConverter({ board, catalog }: FixContext, edge: GraphEdge): Fix | undefined {
  const from = findPort(board, catalog, { nodeId: edge.source, handle: edge.sourceHandle ?? '' });
  const to = findPort(board, catalog, { nodeId: edge.target, handle: edge.targetHandle ?? '' });
  const entry = catalog.find(CONVERTERS[`${from?.type} ${to?.type}`] ?? '');
  const [source, target] = [findNode(board, edge.source), findNode(board, edge.target)];
  if (entry === undefined || source === undefined || target === undefined) return undefined;
  const position = {
    x: Math.round((source.position.x + target.position.x) / 2),
    y: Math.round((source.position.y + target.position.y) / 2),
  };
  const node = { ...toNode(board, entry), position };
  const addition = [{ of: 'nodes', index: board.nodes.length, after: node }] as const;
  const rewired = insertIntoEdge(apply(board, addition), catalog, edge, node.id);
  return rewired && toFix(fixMessages.convert(entry.label), [...addition, ...rewired]);
}

/** Keeps the last edge, because a run uses its value. */
function keepNewestEdge(context: FixContext): Fix | undefined {
  const { board, catalog } = context;
  const node = findIssueNode(context);
  if (node === undefined) return undefined;
  const feeds = board.edges.filter(({ target }) => target === node.id);
  const groups = Map.groupBy(feeds, edge => getTargetPort(context, edge));
  const surplus = [...groups].flatMap(([port, edges]) => {
    const input = getPorts(catalog, node).inputs.find(({ id }) => id === port);
    return input === undefined || input.type === 'LIST' ? [] : edges.slice(0, -1);
  });
  return toFix(fixMessages.keepNewest, remove(board, { edges: surplus.map(({ id }) => id) }));
}

function getTargetPort({ board, catalog }: FixContext, edge: GraphEdge): string {
  if (edge.targetHandle) return edge.targetHandle.replace(/^in-/, '');
  const [source, target] = [findNode(board, edge.source), findNode(board, edge.target)];
  if (source === undefined || target === undefined) return '';
  return resolveEdgePorts(edge, getPorts(catalog, source), getPorts(catalog, target), new Set())?.to.id ?? '';
}

/** Removes the newest edge of the cycle through the node. */
function breakCycle({ board, issue: { nodeId = '' } }: FixContext): Fix | undefined {
  const isInCycle = ({ source, target }: GraphEdge): boolean =>
    reaches(board, nodeId, source) && reaches(board, target, nodeId);
  const newest = board.edges.findLast(isInCycle);
  return newest && toFix(fixMessages.breakCycle, remove(board, { edges: [newest.id] }));
}
