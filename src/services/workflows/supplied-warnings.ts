// Removes the warnings about providers that stored credentials supply: lint knows only the settings of the service.
import type { IssueList, LintIssue } from '../../graph/issues.ts';
import { explainRequirement } from '../../nodes/catalog.ts';
import type { Tx } from '../../store/db.ts';
import { resolveCredentials } from '../credentials/run-credentials.ts';
import type { Deps } from '../deps.ts';

/** The workflow or workspace whose credentials a graph would use. */
export interface CredentialOwner {
  readonly workspace: string;
  readonly workflowId: string | null;
}

/** Returns the issues without the warnings about providers for which the workspace has a stored credential. */
export async function removeSupplied(
  deps: Pick<Deps, 'settings' | 'environmentCredentials'>,
  tx: Tx,
  issueList: IssueList,
  owner: CredentialOwner,
): Promise<IssueList> {
  const { issues, total } = issueList;
  const isUnavailable = ({ code }: LintIssue): boolean => code === 'provider_not_configured';
  if (!issues.some(isUnavailable)) return issueList;
  const credentials = await resolveCredentials(deps, tx, owner);
  const suppliedMessages = new Set([...credentials.keys()].map(explainRequirement));
  const remaining = issues.filter(issue => !isUnavailable(issue) || !suppliedMessages.has(issue.message));
  return { issues: remaining, total: total - (issues.length - remaining.length) };
}
