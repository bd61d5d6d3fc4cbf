// Corrects the warnings of lint by what is stored: removes those about providers that credentials supply, and adds those
// about what the servers of ComfyUI lack.
import { type IssueList, type LintIssue, NO_ISSUES } from '../../graph/issues.ts';
import { explainRequirement } from '../../nodes/catalog.ts';
import type { Tx } from '../../store/db.ts';
import { findMissingParts, listComfyNodes } from '../comfyui/missing-parts.ts';
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

/** Returns a warning for each node whose ComfyUI graph no server of its pool can run. */
export async function findMissingOnServers(
  deps: Pick<Deps, 'settings' | 'environmentCredentials'>,
  tx: Tx,
  text: string,
  owner: CredentialOwner,
): Promise<IssueList> {
  const nodes = listComfyNodes(text);
  if (nodes.length === 0) return NO_ISSUES;
  const pool = (await resolveCredentials(deps, tx, owner)).get('comfyui')?.pool ?? null;
  const parts = await findMissingParts(deps, tx, pool, nodes);
  const issues = parts.map(({ nodeId, message }) => ({
    severity: 'warning' as const,
    code: 'comfyui_missing',
    nodeId,
    message,
  }));
  return { issues, total: issues.length };
}
