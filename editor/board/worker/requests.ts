// Performs the requests of the web worker: lint and layout.
import type { Catalog } from '../../../src/graph/catalog.ts';
import { inspectGraph } from '../../../src/graph/inspect.ts';
import { type IssueList, type LintIssue, NO_ISSUES } from '../../../src/graph/issues.ts';
import { type Layout, layoutGraph } from '../../../src/graph/layout/layout.ts';
import type { Board } from '../board.ts';
import { SERVICE_COMPUTED_PORTS } from '../catalog.ts';

export type BoardGraph = Pick<Board, 'nodes' | 'edges'>;

export type WorkerRequest =
  | { readonly kind: 'lint'; readonly board: BoardGraph }
  /** Arranges the nodes in `scope`. Without `scope`, arranges all nodes. */
  | { readonly kind: 'arrange'; readonly board: BoardGraph; readonly scope?: readonly string[] };

export interface WorkerResults {
  readonly lint: IssueList;
  readonly arrange: Layout;
}

export function handleRequest(
  catalog: Catalog,
  request: WorkerRequest,
): WorkerResults[WorkerRequest['kind']] {
  if (request.kind === 'lint') return lint(catalog, request.board);
  const { board, scope } = request;
  return layoutGraph(board, catalog, scope === undefined ? {} : { scope });
}

/** Leaves out issues of nodes whose ports only the service can compute. */
function lint(catalog: Catalog, { nodes, edges }: BoardGraph): IssueList {
  if (nodes.length === 0) return NO_ISSUES;
  const idsWithUnknownPorts = new Set(
    nodes.filter(({ data }) => SERVICE_COMPUTED_PORTS.has(data.nodeType)).map(({ id }) => id),
  );
  const byId = new Map(edges.map(edge => [edge.id, edge]));
  const isReliable = ({ nodeId, edgeId }: LintIssue): boolean => {
    const edge = byId.get(edgeId ?? '');
    return ![nodeId, edge?.source, edge?.target].some(id => id !== undefined && idsWithUnknownPorts.has(id));
  };
  const { issues, total } = inspectGraph(catalog, nodes, edges);
  const reliable = issues.filter(isReliable);
  return { issues: reliable, total: total - (issues.length - reliable.length) };
}
