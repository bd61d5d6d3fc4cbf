// What every door that takes a graph does with it first: parse, normalize configs, write ports, lint; what refuses it
// and what warns.
import { completeGraph } from '../../graph/complete.ts';
import { estimateDims } from '../../graph/dims.ts';
import { inspectParsed } from '../../graph/inspect.ts';
import { type Findings, hasErrors, mergeFindings, toTruncation } from '../../graph/issues.ts';
import { lintGraph } from '../../graph/lint/lint.ts';
import { normalizeConfig } from '../../graph/normalize.ts';
import { parseGraph } from '../../graph/parse.ts';
import { withSavedPorts } from '../../graph/saved-ports.ts';
import type { Graph } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { Deps } from '../deps.ts';

type GraphDeps = Pick<Deps, 'catalog'>;

/** A graph that has the right form, its configs normalized and the ports that they give rise to written in. */
export interface ReadGraph {
  readonly graph: Graph;
  /** Ids of nodes that came without a position. */
  readonly unplaced: ReadonlySet<string>;
  /** A warning for each config value that was normalized. */
  readonly normalized: Findings;
}

/** `previous` is what it replaces. Throws 400 `invalid_graph` where the form is wrong, with all else that is wrong. */
export function readGraph(deps: GraphDeps, nodes: unknown, edges: unknown, previous?: Graph): ReadGraph {
  const sent = completeGraph(deps.catalog, nodes, edges);
  const parsed = parseGraph(sent.nodes, sent.edges);
  if (!parsed.ok) throw refusal(inspectParsed(deps.catalog, parsed, previous));
  const normalized = normalizeConfig(parsed.graph, deps.catalog);
  return { graph: withSavedPorts(normalized.graph, deps.catalog), unplaced: parsed.unplaced, normalized };
}

/** Every warning of the graph. Throws 400 `invalid_graph` where it has errors. `previous` is what it replaces. */
export function lintForWrite(deps: GraphDeps, read: ReadGraph, previous?: Graph): Findings {
  const found = lintGraph(read.graph, deps.catalog, { previous, unplaced: read.unplaced });
  const all = mergeFindings(found, read.normalized);
  if (hasErrors(found.issues)) throw refusal(all);
  return all;
}

/** Names all that was found; what only warns has that severity, and refuses nothing. */
function refusal(findings: Findings): AppError {
  const { issues } = findings;
  const errors = issues.filter(issue => issue.severity === 'error');
  const more = errors.length > 1 ? ` Errors in all: ${errors.length}.` : '';
  return new AppError('invalid_graph', `${errors[0]?.message ?? 'The graph cannot be read.'}${more}`, {
    issues,
    details: { ...toTruncation(findings) },
  });
}

/** Each node with its size, as it is stored and shown. */
export function withDims(deps: GraphDeps, graph: Graph): Graph {
  const nodes = graph.nodes.map(({ dims: _, ...node }) => ({
    ...node,
    dims: estimateDims(node as Graph['nodes'][number], deps.catalog),
  }));
  return { nodes: nodes as unknown as Graph['nodes'], edges: graph.edges };
}
