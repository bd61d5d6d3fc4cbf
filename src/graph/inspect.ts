// Validates an untrusted graph in one pass: its form, its configs, its connections.
import type { Catalog } from './catalog.ts';
import { completeGraph } from './complete.ts';
import { type Findings, hasErrors, joinFindings, MAX_ISSUES, NO_FINDINGS } from './issues.ts';
import { lintGraph } from './lint/lint.ts';
import { normalizeConfig } from './normalize.ts';
import { type ParseResult, parseGraph } from './parse.ts';
import type { Graph } from './types.ts';

export interface Inspection extends Findings {
  /** Whether it could be written. */
  readonly ok: boolean;
  /** What was inspected: the graph with its configs normalized, blanks where the form is wrong. */
  readonly graph: Graph;
}

/** `previous` is the stored graph that it would replace. */
export function inspectGraph(catalog: Catalog, nodes: unknown, edges: unknown, previous?: Graph): Inspection {
  const sent = completeGraph(catalog, nodes, edges);
  return inspectParsed(catalog, parseGraph(sent.nodes, sent.edges), previous);
}

export function inspectParsed(catalog: Catalog, parsed: ParseResult, previous?: Graph): Inspection {
  const normalized = normalizeConfig(parsed.ok ? parsed.graph : parsed.rest, catalog);
  const { graph } = normalized;
  const broken = parsed.ok ? NO_FINDINGS : parsed;
  const except = new Set(broken.issues.flatMap(({ code }) => CONSEQUENCES[code] ?? []));
  // No more fit, and the blanks of a hostile graph may be a million.
  const isFull = broken.total >= MAX_ISSUES;
  const found = isFull
    ? NO_FINDINGS
    : lintGraph(graph, catalog, { previous, unplaced: parsed.unplaced, except });
  const { issues, total } = joinFindings(broken, found, normalized);
  return { ok: !hasErrors(issues), issues, total, graph };
}

/** Issues that lint would report only because a list is unreadable. */
const CONSEQUENCES: Readonly<Record<string, readonly string[]>> = {
  invalid_nodes: ['no_nodes', 'unknown_source', 'unknown_target'],
  invalid_edges: ['required_port_unfed'],
};
