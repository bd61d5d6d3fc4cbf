// Runs the computations about a board outside the page: lint and layout.
import type { Catalog } from '../../../src/graph/catalog.ts';
import { inspectGraph } from '../../../src/graph/inspect.ts';
import { type Findings, type LintIssue, NO_FINDINGS } from '../../../src/graph/issues.ts';
import { type Layout, layoutGraph } from '../../../src/graph/layout/layout.ts';
import type { Board } from '../board.ts';

export type Parts = Pick<Board, 'nodes' | 'edges'>;

export type WorkerRequest =
  | { readonly kind: 'lint'; readonly board: Parts }
  /** `scope`: the nodes to arrange; absent: all. */
  | { readonly kind: 'arrange'; readonly board: Parts; readonly scope?: readonly string[] };

export interface WorkerResults {
  readonly lint: Findings;
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

/** Types whose ports only the service knows. */
const UNKNOWN_PORTS: ReadonlySet<string> = new Set(['video:renderer']);

function lint(catalog: Catalog, { nodes, edges }: Parts): Findings {
  if (nodes.length === 0) return NO_FINDINGS;
  const unsure = new Set(nodes.filter(({ data }) => UNKNOWN_PORTS.has(data.nodeType)).map(({ id }) => id));
  const byId = new Map(edges.map(edge => [edge.id, edge]));
  const isSure = ({ nodeId, edgeId }: LintIssue): boolean => {
    const edge = byId.get(edgeId ?? '');
    return ![nodeId, edge?.source, edge?.target].some(id => id !== undefined && unsure.has(id));
  };
  const { issues, total } = inspectGraph(catalog, nodes, edges);
  const sure = issues.filter(isSure);
  return { issues: sure, total: total - (issues.length - sure.length) };
}
