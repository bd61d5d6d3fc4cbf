// Defines the issue format shared by parse, lint and normalize.

/** One finding. `path` is a JSON pointer into `{ nodes, edges }`; `suggestion` is what the author probably meant. */
export interface LintIssue {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly nodeId?: string;
  readonly edgeId?: string;
  readonly path?: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** The longest list of findings that is reported at once; a hostile graph could break a rule a million times. */
export const MAX_ISSUES = 500;

/** What was found: errors first, at most MAX_ISSUES, and how many there are in all. */
export interface Findings {
  readonly issues: readonly LintIssue[];
  readonly total: number;
}

export const NO_FINDINGS: Findings = { issues: [], total: 0 };

/** Several lists as one. */
export function joinFindings(...lists: readonly Findings[]): Findings {
  const issues = lists
    .flatMap(list => list.issues)
    .sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'))
    .slice(0, MAX_ISSUES);
  return { issues, total: lists.reduce((sum, { total }) => sum + total, 0) };
}

/** Members that stand beside `issues` where not all findings are listed. */
export interface Truncation {
  readonly truncated?: true;
  readonly total?: number;
}

export function truncationOf({ issues, total }: Findings): Truncation {
  return total > issues.length ? { truncated: true, total } : {};
}

export function hasErrors(issues: readonly LintIssue[]): boolean {
  return issues.some(issue => issue.severity === 'error');
}

/** The warnings as `meta.warnings` carries them: one sentence each, led by the node id if there is one. */
export function warningSentences(issues: readonly LintIssue[]): string[] {
  return issues
    .filter(issue => issue.severity === 'warning')
    .map(({ nodeId, edgeId, message }) => {
      const place = nodeId ?? edgeId;
      return place === undefined ? message : `${place}: ${message}`;
    });
}

/** Builds a JSON pointer (RFC 6901) from segments. */
export function pointer(...segments: readonly (string | number)[]): string {
  return segments.map(segment => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Quotes a name of the graph in a sentence: truncated, with unusual characters escaped. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name);
}
