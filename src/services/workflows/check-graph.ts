// Checks every submitted graph: parses it, normalizes configs, adds the ports, and lints it.
import { completeGraph } from '../../graph/complete.ts';
import { getDims } from '../../graph/dims.ts';
import { inspectParsed } from '../../graph/inspect.ts';
import { hasErrors, type IssueList, mergeIssues, toTruncation } from '../../graph/issues.ts';
import { lintGraph } from '../../graph/lint/lint.ts';
import { normalizeConfig } from '../../graph/normalize.ts';
import { parseGraph } from '../../graph/parse.ts';
import type { Policy } from '../../graph/policy.ts';
import { withSavedPorts } from '../../graph/saved-ports.ts';
import type { Graph } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { Deps } from '../deps.ts';

type GraphDeps = Pick<Deps, 'catalog'>;

/** A well-formed graph, with normalized configs and the ports of its nodes. */
export interface SubmittedGraph {
  readonly graph: Graph;
  /** Ids of nodes that were sent without a position. */
  readonly unplaced: ReadonlySet<string>;
  /** A warning for each config value that was normalized. */
  readonly normalizationWarnings: IssueList;
}

/**
 * Parses and normalizes a submitted graph. `previous` is the graph to replace. Throws 400 `invalid_graph` with all
 * issues if the graph is malformed.
 */
export function parseSubmittedGraph(
  deps: GraphDeps,
  nodes: unknown,
  edges: unknown,
  previous?: Graph,
): SubmittedGraph {
  const completed = completeGraph(deps.catalog, nodes, edges);
  const parsed = parseGraph(completed.nodes, completed.edges);
  if (!parsed.ok) throw createGraphError(inspectParsed(deps.catalog, parsed, previous));
  const { graph, ...normalizationWarnings } = normalizeConfig(parsed.graph, deps.catalog);
  return { graph: withSavedPorts(graph, deps.catalog), unplaced: parsed.unplaced, normalizationWarnings };
}

/** Returns the warnings of the graph. `previous` is the graph to replace. Throws 400 `invalid_graph` for errors. */
export function lintForWrite(
  deps: GraphDeps,
  submitted: SubmittedGraph,
  { previous, policy }: { readonly previous?: Graph | undefined; readonly policy?: Policy | undefined },
): IssueList {
  const { graph, unplaced } = submitted;
  const issueList = lintGraph(graph, deps.catalog, { previous, policy, unplaced });
  const allIssues = mergeIssues(issueList, submitted.normalizationWarnings);
  if (hasErrors(issueList.issues)) throw createGraphError(allIssues);
  return allIssues;
}

/** Creates the error for a graph with errors. It lists all issues, including warnings. */
function createGraphError(issueList: IssueList): AppError {
  const { issues } = issueList;
  const errors = issues.filter(issue => issue.severity === 'error');
  const total = errors.length > 1 ? ` Total number of errors: ${errors.length}.` : '';
  return new AppError('invalid_graph', `${errors[0]?.message ?? 'The graph cannot be read.'}${total}`, {
    issues,
    details: { ...toTruncation(issueList) },
  });
}

/** Sets the size of each node, which is stored and displayed. */
export function withDims(deps: GraphDeps, graph: Graph): Graph {
  const nodes = graph.nodes.map(({ dims: _, ...node }) => ({
    ...node,
    dims: getDims(node as Graph['nodes'][number], deps.catalog),
  }));
  return { nodes: nodes as unknown as Graph['nodes'], edges: graph.edges };
}
