// Collects the values of the inputs that are connected to a video: the latest results, or the values of input nodes.
import type { Catalog } from '../../../../src/graph/catalog.ts';
import { isInputNode } from '../../../../src/graph/input-nodes.ts';
import type { GraphNode, Json } from '../../../../src/graph/types.ts';
import { type Board, findNode } from '../../../board/board.ts';
import { listWires } from '../../../board/wiring.ts';
import { findShownState, getResults } from '../../../session/runs/results.ts';
import type { NodeDisplay } from '../../../session/runs/stored-results.ts';

export type PreviewValues = Readonly<Record<string, Json>>;

/** Values that are longer as JSON are left out. The service draws a placeholder. */
const MAX_VALUE_CHARS = 100_000;

/** Returns the values by the ports of the node. Ports without a value are left out. */
export function collectPreviewValues(
  board: Board,
  catalog: Catalog,
  nodeId: string,
  displays: ReadonlyMap<string, NodeDisplay>,
): PreviewValues {
  const incoming = board.edges.filter(({ target }) => target === nodeId);
  return Object.fromEntries(
    listWires({ ...board, edges: incoming }, catalog).flatMap(({ edge, from, to }) => {
      const source = findNode(board, edge.source);
      const value = source && (readInputNode(source) ?? readResult(source, from.id, displays.get(source.id)));
      if (value === undefined || JSON.stringify(value).length > MAX_VALUE_CHARS) return [];
      return [[to.id, value]];
    }),
  );
}

/** Returns the value that an input node has, which may be newer than its latest result. */
function readInputNode(node: GraphNode): Json | undefined {
  const { config = {} } = node.data;
  if (!isInputNode(node) || Array.isArray(config.items)) return undefined;
  const { value, mediaId, url } = config;
  if (typeof mediaId === 'string' && mediaId !== '') return { mediaId };
  if (typeof url === 'string' && url !== '') return toAbsoluteUrl(url);
  return value === '' || value === null ? undefined : value;
}

function readResult(source: GraphNode, port: string, display: NodeDisplay | undefined): Json | undefined {
  const state = findShownState(source, display);
  const results = state === undefined ? [] : getResults(state);
  const result = results.find(each => each.port === port) ?? results.find(each => each.port === undefined);
  if (result?.kind === 'text') return result.text;
  return result?.kind === 'json' ? (result.value as Json) : result && toAbsoluteUrl(result.url);
}

const toAbsoluteUrl = (url: string): string => URL.parse(url, location.origin)?.href ?? url;
