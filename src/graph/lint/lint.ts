// Lints a parsed graph: checks it against every rule.
import type { Catalog } from '../catalog.ts';
import { type IssueList, type LintIssue, MAX_ISSUES } from '../issues.ts';
import type { Graph } from '../types.ts';
import { BLANK } from '../valid-parts.ts';
import { createLintContext, type LintOptions, type Rule, type RuleIssue } from './context.ts';
import { CALL_RULES } from './rules-calls.ts';
import { EDGE_RULES } from './rules-edges.ts';
import { GRAPH_RULES } from './rules-graph.ts';
import { NODE_RULES } from './rules-nodes.ts';

/** Rules for errors come first, so that many warnings cannot push the errors off the list. */
const RULES: readonly Rule[] = [...GRAPH_RULES, ...NODE_RULES, ...CALL_RULES, ...EDGE_RULES].sort(
  (a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'),
);

/** Lints a graph. Rules ignore blank values, which parseGraph has already reported. */
export function lintGraph(graph: Graph, catalog: Catalog, options: LintOptions = {}): IssueList {
  const ctx = createLintContext(graph, catalog, options);
  const issues: LintIssue[] = [];
  let total = 0;
  for (const { code, severity, find } of RULES) {
    if (options.except?.has(code)) continue;
    for (const issue of find(ctx)) {
      total++;
      if (issues.length < MAX_ISSUES) issues.push({ severity, code, ...withoutBlanks(issue) });
      // Issues beyond the limit are only counted and need no suggestions.
      else ctx.suggestionBudget.remaining = 0;
    }
  }
  return { issues, total };
}

/** Removes blank ids. Such an issue is located by its path alone. */
function withoutBlanks({ nodeId, edgeId, ...issue }: RuleIssue): RuleIssue {
  return {
    ...(nodeId === undefined || nodeId === BLANK ? {} : { nodeId }),
    ...(edgeId === undefined || edgeId === BLANK ? {} : { edgeId }),
    ...issue,
  };
}
