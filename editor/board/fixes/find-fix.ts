// Maps each lint rule to its fix. Rules without an entry have no fix.
import type { Catalog } from '../../../src/graph/catalog.ts';
import type { LintIssue } from '../../../src/graph/issues.ts';
import { apply, type Board, type Change } from '../board.ts';
import { EDGE_FIXES } from './edges.ts';
import type { FindFix, Fix, FixContext } from './fix.ts';
import { NODE_FIXES } from './nodes.ts';
import { SETTING_FIXES } from './settings.ts';

export const FIXES: Readonly<Record<string, FindFix>> = {
  ...NODE_FIXES,
  ...SETTING_FIXES,
  ...EDGE_FIXES,
};

/** Finds the fix of an issue on the current board, which may be newer than the issue. */
export function findFix(context: FixContext): Fix | undefined {
  return Object.hasOwn(FIXES, context.issue.code) ? FIXES[context.issue.code]?.(context) : undefined;
}

/** Returns the changes of all fixes that need no input from the user, and the number of fixes. */
export function findAllChanges(
  board: Board,
  catalog: Catalog,
  issues: readonly LintIssue[],
): { readonly count: number; readonly changes: readonly Change[] } {
  const changes: Change[] = [];
  let current = board;
  let count = 0;
  for (const issue of issues) {
    const fix = findFix({ board: current, catalog, issue });
    if (fix?.kind !== 'change') continue;
    changes.push(...fix.changes);
    current = apply(current, fix.changes);
    count++;
  }
  return { count, changes };
}
