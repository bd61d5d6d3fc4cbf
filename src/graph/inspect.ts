// Validates an untrusted graph in one pass: its form, its configs, its connections.
import type { Catalog } from './catalog.ts';
import { hasErrors, type LintIssue, MAX_ISSUES } from './issues.ts';
import { lintGraph } from './lint/lint.ts';
import { normalizeConfig } from './normalize.ts';
import { type ParseResult, parseGraph } from './parse.ts';
import type { Graph } from './types.ts';

export interface Inspection {
  /** Whether it could be written. */
  readonly ok: boolean;
  /** Errors first, at most MAX_ISSUES. */
  readonly issues: readonly LintIssue[];
  /** The inspected graph with normalized configs; invalid parts are blank. */
  readonly graph: Graph;
}

/** `previous` is the stored graph that it would replace. */
export function inspectGraph(catalog: Catalog, nodes: unknown, edges: unknown, previous?: Graph): Inspection {
  return inspectParsed(catalog, parseGraph(nodes, edges), previous);
}

export function inspectParsed(catalog: Catalog, parsed: ParseResult, previous?: Graph): Inspection {
  const { graph, issues: changes } = normalizeConfig(parsed.ok ? parsed.graph : parsed.rest, catalog);
  const broken = parsed.ok ? [] : parsed.issues;
  // No more fit, and the blanks of a hostile graph may be a million.
  const isFull = broken.length >= MAX_ISSUES;
  const found = isFull ? [] : lintGraph(graph, catalog, { previous, unplaced: parsed.unplaced });
  const consequences = new Set(broken.flatMap(({ code }) => CONSEQUENCES[code] ?? []));
  const others = [...found, ...changes].filter(({ code }) => !consequences.has(code));
  const issues = [...broken, ...others]
    .sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'))
    .slice(0, MAX_ISSUES);
  return { ok: !hasErrors(issues), issues, graph };
}

/** Issues that lint would report only because a list is unreadable. */
const CONSEQUENCES: Readonly<Record<string, readonly string[]>> = {
  invalid_nodes: ['no_nodes', 'unknown_source', 'unknown_target'],
  invalid_edges: ['required_port_unfed'],
};
