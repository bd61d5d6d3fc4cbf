// The table from a rule of the lint to what puts it right. Findings without a line here are for a person to think about.
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

/** For the board as it stands, which may no longer be the one that the finding is of. */
export function findRemedy(finding: Finding): Remedy | undefined {
  return Object.hasOwn(REMEDIES, finding.issue.code) ? REMEDIES[finding.issue.code]?.(finding) : undefined;
}

/** The changes that put right whatever needs no decision, and how many findings that is. */
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
