// Presents lint and pricing issues to agents.
import type { LintIssue } from '../graph/issues.ts';
import type { Issue } from '../lib/errors.ts';

type Found = Issue & Partial<Pick<LintIssue, 'severity' | 'suggestion'>>;

/** Issues without a severity prevent a run, so they are errors. */
export function presentIssues(issues: readonly Found[]): readonly Found[] {
  return issues.map(issue => ({ ...issue, severity: issue.severity ?? 'error' }));
}
