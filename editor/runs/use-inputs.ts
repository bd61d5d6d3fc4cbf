// Applies the inputs of an earlier run to the board's input nodes.
import type { Execution } from '../../sdk/src/types.ts';
import type { Graph, GraphNode, Json, JsonObject } from '../../src/graph/types.ts';
import type { Board, Change } from '../board/board.ts';
import { replaceNodes } from '../board/edits.ts';
import { isEqual } from '../board/merge.ts';
import { api } from '../lib/api.ts';

/** Returns the changes that set each input node to its value in the run; none for equal values. */
export async function changesToInputsOf(board: Board, executionId: string): Promise<readonly Change[]> {
  const path = `/executions/${executionId}`;
  const [{ inputs }, graph] = await Promise.all([
    api.get<Execution>(path),
    api.get<Graph>(`${path}/workflow`),
  ]);
  const then = new Map(graph.nodes.map(node => [node.id, node]));
  const wanted = board.nodes.filter(({ id, data }) => data.nodeType.startsWith('input:') && then.has(id));
  return replaceNodes(
    board,
    wanted.map(({ id }) => id),
    node => {
      const config = configOf(then.get(node.id), inputs[node.id] as Json | undefined);
      return isEqual(config, node.data.config ?? {}) ? node : { ...node, data: { ...node.data, config } };
    },
  );
}

/** Combines the node's config in the run with the inputs that were sent. */
function configOf(node: GraphNode | undefined, sent: Json | undefined): JsonObject {
  const config = node?.data.config ?? {};
  if (sent === undefined) return config;
  const { items: _, ...rest } = config;
  if (Array.isArray(sent)) return { ...rest, items: sent as readonly Json[] };
  if (!/^input:(?:image|video|audio)$/.test(node?.data.nodeType ?? '')) return { ...rest, value: sent };
  const { url: _url, mediaId: _mediaId, ...others } = rest;
  return { ...others, ...(typeof sent === 'string' ? { url: sent } : (sent as JsonObject)) };
}
