// Rewires edges: inserts a node into an edge, and detaches nodes from their edges.
import type { Catalog } from '../../src/graph/catalog.ts';
import type { GraphEdge } from '../../src/graph/types.ts';
import { apply, type Board, type Change, findNode } from './board.ts';
import { portsOf } from './catalog.ts';
import { remove } from './edits.ts';
import { canConnect, connect, type PortRef } from './wiring.ts';

const sourceOf = ({ source, sourceHandle }: GraphEdge): PortRef => ({
  nodeId: source,
  handle: sourceHandle ?? '',
});
const targetOf = ({ target, targetHandle }: GraphEdge): PortRef => ({
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
  const cut = remove(board, { edges: [edge.id] });
  const open = apply(board, cut);
  const { inputs, outputs } = portsOf(catalog, node);
  const input = inputs.find(({ id, isPort }) => {
    const to = { nodeId, handle: `in-${id}` };
    const isFed = open.edges.some(
      ({ target, targetHandle }) => target === nodeId && targetHandle === to.handle,
    );
    return isPort && !isFed && canConnect(open, catalog, sourceOf(edge), to);
  });
  if (input === undefined) return undefined;
  const first = connect(open, catalog, sourceOf(edge), { nodeId, handle: `in-${input.id}` });
  const fed = apply(open, first);
  const output = outputs.find(
    ({ id, isPort }) => isPort && canConnect(fed, catalog, { nodeId, handle: `out-${id}` }, targetOf(edge)),
  );
  if (output === undefined) return undefined;
  const second = connect(fed, catalog, { nodeId, handle: `out-${output.id}` }, targetOf(edge));
  return [...cut, ...first, ...second];
}

/** Returns the changes that detach the nodes and connect their sources to their targets where the types fit. */
export function detach(board: Board, catalog: Catalog, ids: readonly string[]): readonly Change[] {
  const inner = new Set(ids);
  const into = board.edges.filter(({ source, target }) => !inner.has(source) && inner.has(target));
  const outOf = board.edges.filter(({ source, target }) => inner.has(source) && !inner.has(target));
  const changes = [...remove(board, { edges: [...into, ...outOf].map(({ id }) => id) })];
  let current = apply(board, changes);
  for (const edge of outOf) {
    const feeder = into.find(other => canConnect(current, catalog, sourceOf(other), targetOf(edge)));
    if (feeder === undefined) continue;
    const joined = connect(current, catalog, sourceOf(feeder), targetOf(edge));
    changes.push(...joined);
    current = apply(current, joined);
  }
  return changes;
}
