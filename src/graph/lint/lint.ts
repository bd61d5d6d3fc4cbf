// The lint: every rule of the tables against a parsed graph, for every door that writes one (decisions.md §4).
import type { Catalog } from '../catalog.ts';
import { type LintIssue, MAX_ISSUES } from '../issues.ts';
import type { Graph } from '../types.ts';
import { type LintOptions, makeLintContext, type Rule } from './context.ts';
import { EDGE_RULES } from './rules-edges.ts';
import { GRAPH_RULES } from './rules-graph.ts';
import { NODE_RULES } from './rules-nodes.ts';

/** Errors first, so that a flood of warnings cannot hide the refusal. */
const RULES: readonly Rule[] = [...GRAPH_RULES, ...NODE_RULES, ...EDGE_RULES].sort(
  (a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'),
);

/** Findings of a graph that parsed, errors first, at most MAX_ISSUES; errors refuse the write, warnings are told. */
export function lintGraph(graph: Graph, catalog: Catalog, options: LintOptions = {}): LintIssue[] {
  const ctx = makeLintContext(graph, catalog, options);
  const issues: LintIssue[] = [];
  for (const { code, severity, find } of RULES) {
    for (const finding of find(ctx)) {
      if (issues.length === MAX_ISSUES) return issues;
      issues.push({ severity, code, ...finding });
    }
  }
  return issues;
}
