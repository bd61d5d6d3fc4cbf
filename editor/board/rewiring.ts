// Rewires edges: inserts a node into an edge, and detaches nodes from their edges.

import type { Catalog } from '../../src/graph/catalog.ts';
import { toHandle } from '../../src/graph/handles.ts';
import type { GraphEdge } from '../../src/graph/types.ts';
import { apply, type Board, type Change, findNode } from './board.ts';
import { getPorts } from './catalog.ts';
import { remove } from './edits.ts';
import { canConnect, connectPorts, findIncomingEdge, type PortRef } from './wiring.ts';

const getSource = ({ source, sourceHandle }: GraphEdge): PortRef => ({
  nodeId: source,
  handle: sourceHandle ?? '',
});
const getTarget = ({ target, targetHandle }: GraphEdge): PortRef => ({
  nodeId: target,
  handle: targetHandle ?? '',
});

/** Returns the changes that insert the node into the edge, or undefined if its ports do not fit. */
export function insertIntoEdge(
  board: Board,
  catalog: Catalog,
  edge: GraphEdge,
  nodeId: string,
): readonly Change[] | undefined {
  const node = findNode(board, nodeId);
  if (node === undefined || edge.source === nodeId || edge.target === nodeId) return undefined;
  const removal = remove(board, { edges: [edge.id] });
  const boardWithoutEdge = apply(board, removal);
  const { inputs, outputs } = getPorts(catalog, node);
  const input = inputs.find(({ id, isPort }) => {
    const to = { nodeId, handle: toHandle('in', id) };
    const isConnected = findIncomingEdge(boardWithoutEdge, catalog, nodeId, id) !== undefined;
    return isPort && !isConnected && canConnect(boardWithoutEdge, catalog, getSource(edge), to);
  });
  if (input === undefined) return undefined;
  const toInput = connectPorts(boardWithoutEdge, catalog, getSource(edge), {
    nodeId,
    handle: toHandle('in', input.id),
  });
  const boardWithInput = apply(boardWithoutEdge, toInput);
  const output = outputs.find(
    ({ id, isPort }) =>
      isPort && canConnect(boardWithInput, catalog, { nodeId, handle: toHandle('out', id) }, getTarget(edge)),
  );
  if (output === undefined) return undefined;
  const fromOutput = connectPorts(
    boardWithInput,
    catalog,
    { nodeId, handle: toHandle('out', output.id) },
    getTarget(edge),
  );
  return [...removal, ...toInput, ...fromOutput];
}

/** Returns the changes that detach the nodes and connect their sources to their targets where the types fit. */
export function detachNodes(board: Board, catalog: Catalog, ids: readonly string[]): readonly Change[] {
  const detachedIds = new Set(ids);
  const incoming = board.edges.filter(
    ({ source, target }) => !detachedIds.has(source) && detachedIds.has(target),
  );
  const outgoing = board.edges.filter(
    ({ source, target }) => detachedIds.has(source) && !detachedIds.has(target),
  );
  const changes = [...remove(board, { edges: [...incoming, ...outgoing].map(({ id }) => id) })];
  let current = apply(board, changes);
  for (const edge of outgoing) {
    const source = incoming
      .map(getSource)
      .find(candidate => canConnect(current, catalog, candidate, getTarget(edge)));
    if (source === undefined) continue;
    const connection = connectPorts(current, catalog, source, getTarget(edge));
    changes.push(...connection);
    current = apply(current, connection);
  }
  return changes;
}
