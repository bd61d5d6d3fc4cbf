// Maps each lint rule to its fix. Rules without an entry need a decision by the user.
import type { Catalog } from '../../../src/graph/catalog.ts';
import type { LintIssue } from '../../../src/graph/issues.ts';
import { apply, type Board, type Change } from '../board.ts';
import { EDGE_REMEDIES } from './edges.ts';
import { NODE_REMEDIES } from './nodes.ts';
import type { Finding, FindRemedy, Remedy } from './remedy.ts';
import { SETTING_REMEDIES } from './settings.ts';

export const REMEDIES: Readonly<Record<string, FindRemedy>> = {
  ...NODE_REMEDIES,
  ...SETTING_REMEDIES,
  ...EDGE_REMEDIES,
};

/** Finds the fix for the current board, which may be newer than the issue. */
export function findRemedy(finding: Finding): Remedy | undefined {
  return Object.hasOwn(REMEDIES, finding.issue.code) ? REMEDIES[finding.issue.code]?.(finding) : undefined;
}

/** Returns the changes of all fixes that need no decision, and their number. */
export function findAllChanges(
  board: Board,
  catalog: Catalog,
  issues: readonly LintIssue[],
): { readonly count: number; readonly changes: readonly Change[] } {
  const changes: Change[] = [];
  let current = board;
  let count = 0;
  for (const issue of issues) {
    const remedy = findRemedy({ board: current, catalog, issue });
    if (remedy?.kind !== 'change') continue;
    changes.push(...remedy.changes);
    current = apply(current, remedy.changes);
    count++;
  }
  return { count, changes };
}
