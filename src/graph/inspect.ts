// Validates an untrusted graph in one pass: its structure, configs and connections.
import type { Catalog } from './catalog.ts';
import { completeGraph } from './complete.ts';
import { hasErrors, type IssueList, MAX_ISSUES, mergeIssues, NO_ISSUES } from './issues.ts';
import { lintGraph } from './lint/lint.ts';
import { normalizeConfig } from './normalize.ts';
import { type ParseResult, parseGraph } from './parse.ts';
import type { Policy } from './policy.ts';
import type { Graph } from './types.ts';

export interface Inspection extends IssueList {
  /** Whether the graph has no errors and can be saved. */
  readonly ok: boolean;
  /** The inspected graph: configs are normalized, and invalid parts are blank. */
  readonly graph: Graph;
}

/** Inspects a graph. `previous` is the stored graph that the inspected graph would replace. */
export function inspectGraph(
  catalog: Catalog,
  nodes: unknown,
  edges: unknown,
  previous?: Graph,
  policy?: Policy,
): Inspection {
  const completedGraph = completeGraph(catalog, nodes, edges);
  return inspectParsed(catalog, parseGraph(completedGraph.nodes, completedGraph.edges), previous, policy);
}

export function inspectParsed(
  catalog: Catalog,
  parsed: ParseResult,
  previous?: Graph,
  policy?: Policy,
): Inspection {
  const normalized = normalizeConfig(parsed.ok ? parsed.graph : parsed.validParts, catalog);
  const { graph } = normalized;
  const parseIssues = parsed.ok ? NO_ISSUES : parsed;
  const skippedRules = new Set(parseIssues.issues.flatMap(({ code }) => CONSEQUENCES[code] ?? []));
  // The list of issues is already full, and linting a hostile graph with a million errors would take too long.
  const isListFull = parseIssues.total >= MAX_ISSUES;
  const lintIssues = isListFull
    ? NO_ISSUES
    : lintGraph(graph, catalog, { previous, policy, unplaced: parsed.unplaced, except: skippedRules });
  const { issues, total } = mergeIssues(parseIssues, lintIssues, normalized);
  return { ok: !hasErrors(issues), issues, total, graph };
}

/** By parse issue, the codes of issues that lint would report only because `nodes` or `edges` is unreadable. */
const CONSEQUENCES: Readonly<Record<string, readonly string[]>> = {
  invalid_nodes: ['no_nodes', 'unknown_source', 'unknown_target'],
  invalid_edges: ['required_port_unfed'],
};
