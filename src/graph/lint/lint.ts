// The lint: every rule of the tables against a parsed graph, for every door that writes one.
import type { Catalog } from '../catalog.ts';
import { type Findings, type LintIssue, MAX_ISSUES } from '../issues.ts';
import { BLANK } from '../rest.ts';
import type { Graph } from '../types.ts';
import { type Finding, type LintOptions, makeLintContext, type Rule } from './context.ts';
import { EDGE_RULES } from './rules-edges.ts';
import { GRAPH_RULES } from './rules-graph.ts';
import { NODE_RULES } from './rules-nodes.ts';

/** Errors first, so that a flood of warnings cannot hide the refusal. */
const RULES: readonly Rule[] = [...GRAPH_RULES, ...NODE_RULES, ...EDGE_RULES].sort(
  (a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'),
);

/** Lints a graph. Blanks are errors that parseGraph has reported: no rule adds to them. */
export function lintGraph(graph: Graph, catalog: Catalog, options: LintOptions = {}): Findings {
  const ctx = makeLintContext(graph, catalog, options);
  const issues: LintIssue[] = [];
  let total = 0;
  for (const { code, severity, find } of RULES) {
    if (options.except?.has(code)) continue;
    for (const finding of find(ctx)) {
      total++;
      if (issues.length < MAX_ISSUES) issues.push({ severity, code, ...withoutBlanks(finding) });
      // What is only counted needs no suggestion.
      else ctx.suggestions.left = 0;
    }
  }
  return { issues, total };
}

/** What has no readable id is found by its path alone. */
function withoutBlanks({ nodeId, edgeId, ...finding }: Finding): Finding {
  return {
    ...(nodeId === undefined || nodeId === BLANK ? {} : { nodeId }),
    ...(edgeId === undefined || edgeId === BLANK ? {} : { edgeId }),
    ...finding,
  };
}
