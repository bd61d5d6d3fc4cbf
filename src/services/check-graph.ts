// The one door through which a graph is written: parse, normalize, lint; what refuses it and what it is warned of.

import { estimateDims } from '../graph/dims.ts';
import type { LintIssue } from '../graph/issues.ts';
import { hasErrors } from '../graph/issues.ts';
import { lintGraph } from '../graph/lint.ts';
import { normalizeConfig } from '../graph/normalize.ts';
import { parseGraph } from '../graph/parse.ts';
import type { Graph } from '../graph/types.ts';
import { AppError } from '../lib/errors.ts';
import type { Deps } from './deps.ts';

export interface CheckedGraph {
  readonly graph: Graph;
  readonly issues: readonly LintIssue[];
}

/** Everything that is wrong or doubtful with the graph; never throws. `graph` is undefined where it cannot be read. */
export function inspectGraph(
  deps: Deps,
  nodes: unknown,
  edges: unknown,
  previous?: Graph,
): { readonly graph: Graph | undefined; readonly issues: readonly LintIssue[] } {
  const parsed = parseGraph(nodes, edges);
  if (!parsed.ok) return { graph: undefined, issues: parsed.issues };
  const { graph, issues: changes } = normalizeConfig(parsed.graph, deps.catalog);
  const found = lintGraph(graph, deps.catalog, {
    ...(previous === undefined ? {} : { previous }),
    unplaced: parsed.unplaced,
  });
  return { graph, issues: [...found, ...changes] };
}

/** The graph as it may be stored, each node with its dims. Throws 400 `invalid_graph` with every issue. */
export function checkGraph(deps: Deps, nodes: unknown, edges: unknown, previous?: Graph): CheckedGraph {
  const { graph, issues } = inspectGraph(deps, nodes, edges, previous);
  if (graph === undefined || hasErrors(issues)) {
    const errors = issues.filter(issue => issue.severity === 'error');
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    throw new AppError('invalid_graph', `${errors[0]?.message ?? 'The graph cannot be read.'}${more}`, {
      issues: errors,
    });
  }
  return {
    graph: {
      nodes: graph.nodes.map(node => ({ ...node, dims: estimateDims(node, deps.catalog) })),
      edges: graph.edges,
    },
    issues,
  };
}
