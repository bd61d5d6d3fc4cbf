// What the lint or the price of a graph found, as agents read it.
import type { LintIssue } from '../graph/issues.ts';
import type { Issue } from '../lib/errors.ts';

type Found = Issue & Partial<Pick<LintIssue, 'severity' | 'suggestion'>>;

/** What only refuses a run, and so names no severity, is an error of the run. */
export function presentIssues(issues: readonly Found[]): readonly Found[] {
  return issues.map(issue => ({ ...issue, severity: issue.severity ?? 'error' }));
}
