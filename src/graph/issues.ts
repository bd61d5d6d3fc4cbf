// Defines the issue format shared by parse, lint and normalize.

/** One issue. `path` is a JSON pointer into `{ nodes, edges }`, and `suggestion` is what the author probably meant. */
export interface LintIssue {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly nodeId?: string;
  readonly edgeId?: string;
  readonly path?: string;
  /** The id of an input of the node. */
  readonly port?: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** The maximum number of issues in one response. A hostile graph could break a rule a million times. */
export const MAX_ISSUES = 500;

/** At most MAX_ISSUES issues, errors first, and the total number of issues found. */
export interface IssueList {
  readonly issues: readonly LintIssue[];
  readonly total: number;
}

export const NO_ISSUES: IssueList = { issues: [], total: 0 };

/** Merges the issues, errors first, and adds up the totals. */
export function mergeIssues(...lists: readonly IssueList[]): IssueList {
  const issues = lists
    .flatMap(list => list.issues)
    .sort((a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'))
    .slice(0, MAX_ISSUES);
  return { issues, total: lists.reduce((sum, { total }) => sum + total, 0) };
}

/** Members that a response adds next to `issues` if the list is incomplete. */
export interface Truncation {
  readonly truncated?: true;
  readonly total?: number;
}

export function toTruncation({ issues, total }: IssueList): Truncation {
  return total > issues.length ? { truncated: true, total } : {};
}

export function hasErrors(issues: readonly LintIssue[]): boolean {
  return issues.some(issue => issue.severity === 'error');
}

/** Returns the warnings for `meta.warnings`: one sentence each, prefixed with the node or edge id if there is one. */
export function listWarnings(issues: readonly LintIssue[]): string[] {
  return issues
    .filter(issue => issue.severity === 'warning')
    .map(({ nodeId, edgeId, message }) => {
      const itemId = nodeId ?? edgeId;
      return itemId === undefined ? message : `${itemId}: ${message}`;
    });
}

/** Builds a JSON pointer (RFC 6901) from segments. */
export function toJsonPointer(...segments: readonly (string | number)[]): string {
  return segments.map(segment => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Undoes the escaping of a segment by `toJsonPointer`. */
export function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Quotes a name from the graph for use in a sentence: truncated, with unusual characters escaped. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name);
}
