// Presents lint and pricing issues to agents.
import { Type } from 'typebox';
import type { LintIssue } from '../graph/issues.ts';
import type { Issue } from '../lib/errors.ts';

type PresentedIssue = Issue & Partial<Pick<LintIssue, 'severity' | 'suggestion'>>;

/** Members of a result that lists only some of the issues. */
export const TRUNCATION = {
  truncated: Type.Literal(true),
  total: Type.Integer({ description: 'With truncated: how many issues there are in all' }),
};

/** Adds the severity `error` to issues without one, which only prevent a run. */
export function presentIssues(issues: readonly PresentedIssue[]): readonly PresentedIssue[] {
  return issues.map(issue => ({ ...issue, severity: issue.severity ?? 'error' }));
}
