// Defines fixes for issues of edges: missing ends and ports, incompatible types, cycles, inputs with several sources.
import { resolveEdgePorts, toHandle } from '../../../src/graph/handles.ts';
import type { GraphEdge } from '../../../src/graph/types.ts';
import { messages } from '../../flow-messages.ts';
import { apply, findEdgeIndex, findNode } from '../board.ts';
import { getPorts } from '../catalog.ts';
import { findFreeId, remove, replaceEdge } from '../edits.ts';
import { createNode } from '../placement.ts';
import { insertIntoEdge } from '../rewiring.ts';
import { findPort, fits, listWires, reaches } from '../wiring.ts';
import { type FindFix, type Fix, type FixContext, getLastSegment, toFix } from './fix.ts';

const fixMessages = messages.flow.fixes;

export const EDGE_FIXES: Readonly<Record<string, FindFix>> = {
  unknown_source: forEdge(createRemoveEdgeFix),
  unknown_target: forEdge(createRemoveEdgeFix),
  unknown_port: forEdge(createChangePortFix),
  incompatible_types: forEdge(
    (context, edge) => createConverterFix(context, edge) ?? createRemoveEdgeFix(context, edge),
  ),
  port_fed_twice: createKeepNewestEdgeFix,
  cycle: createBreakCycleFix,
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

function createRemoveEdgeFix({ board }: FixContext, { id }: GraphEdge): Fix | undefined {
  return toFix(fixMessages.removeEdge, remove(board, { edges: [id] }));
}

/** Uses the suggested port, or else the first free port that fits the other end. Otherwise removes the edge. */
function createChangePortFix(context: FixContext, edge: GraphEdge): Fix | undefined {
  const { board, catalog, issue } = context;
  const handleKey = getLastSegment(context);
  const [source, target] = [findNode(board, edge.source), findNode(board, edge.target)];
  if (source === undefined || target === undefined) return createRemoveEdgeFix(context, edge);
  if (handleKey !== 'sourceHandle' && handleKey !== 'targetHandle') return undefined;
  const wires = listWires(board, catalog).filter(wire => wire.edge.target === target.id);
  // LIST inputs accept several edges.
  const takenPorts = new Set(wires.filter(({ to }) => to.type !== 'LIST').map(({ to }) => to.id));
  const ports = [getPorts(catalog, source), getPorts(catalog, target)] as const;
  for (const handle of [issue.suggestion, null]) {
    if (handle === undefined) continue;
    const wire = resolveEdgePorts({ ...edge, [handleKey]: handle }, ...ports, takenPorts);
    if (wire === undefined || !fits(wire.from, wire.to) || takenPorts.has(wire.to.id)) continue;
    const handles = { sourceHandle: toHandle('out', wire.from.id), targetHandle: toHandle('in', wire.to.id) };
    const { label } = handleKey === 'sourceHandle' ? wire.from : wire.to;
    return toFix(
      fixMessages.changePort(label),
      replaceEdge(board, edge.id, previous => ({ ...previous, ...handles })),
    );
  }
  return createRemoveEdgeFix(context, edge);
}

/** Output type and input type → the node type that converts between them. */
const CONVERTERS: Readonly<Record<string, string>> = {
  'VIDEO IMAGE': 'utility:video_frame',
  'VIDEO AUDIO': 'utility:audio_extract',
  'TEXT IMAGE': 'utility:text_to_image_card',
};

function createConverterFix({ board, catalog }: FixContext, edge: GraphEdge): Fix | undefined {
  const from = findPort(board, catalog, { nodeId: edge.source, handle: edge.sourceHandle ?? '' });
  const to = findPort(board, catalog, { nodeId: edge.target, handle: edge.targetHandle ?? '' });
  const entry = catalog.find(CONVERTERS[`${from?.type} ${to?.type}`] ?? '');
  const [source, target] = [findNode(board, edge.source), findNode(board, edge.target)];
  if (entry === undefined || source === undefined || target === undefined) return undefined;
  const position = {
    x: Math.round((source.position.x + target.position.x) / 2),
    y: Math.round((source.position.y + target.position.y) / 2),
  };
  const node = { ...createNode(board, entry), position };
  const addition = [{ of: 'nodes', index: board.nodes.length, after: node }] as const;
  const rewiring = insertIntoEdge(apply(board, addition), catalog, edge, node.id);
  return rewiring && toFix(fixMessages.convert(entry.label), [...addition, ...rewiring]);
}

/** Keeps the newest edge of the port, because a run uses its value. */
function createKeepNewestEdgeFix({ board, catalog, issue }: FixContext): Fix | undefined {
  const ids = listWires(board, catalog)
    .filter(({ edge, to }) => edge.target === issue.nodeId && to.id === issue.port)
    .map(({ edge }) => edge.id);
  const removedIds = ids.filter(id => id !== ids.at(-1));
  return toFix(fixMessages.keepNewest, remove(board, { edges: removedIds }));
}

/** Removes the newest edge of the cycle through the node. */
function createBreakCycleFix({ board, issue: { nodeId = '' } }: FixContext): Fix | undefined {
  const isInCycle = ({ source, target }: GraphEdge): boolean =>
    reaches(board, nodeId, source) && reaches(board, target, nodeId);
  const newest = board.edges.findLast(isInCycle);
  return newest && toFix(fixMessages.breakCycle, remove(board, { edges: [newest.id] }));
}
