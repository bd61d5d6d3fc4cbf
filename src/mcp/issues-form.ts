// Presents lint and pricing issues to agents.
import { Type } from 'typebox';
import type { LintIssue } from '../graph/issues.ts';
import type { Issue } from '../lib/errors.ts';

type Found = Issue & Partial<Pick<LintIssue, 'severity' | 'suggestion'>>;

/** Members that stand beside `issues` where not all of them are listed. */
export const TRUNCATION = {
  truncated: Type.Literal(true),
  total: Type.Integer({ description: 'With truncated: how many issues there are in all' }),
};

/** What only refuses a run, and so names no severity, is an error of the run. */
export function presentIssues(issues: readonly Found[]): readonly Found[] {
  return issues.map(issue => ({ ...issue, severity: issue.severity ?? 'error' }));
}
