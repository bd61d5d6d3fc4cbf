// Finds assignees of approvals whom a run could not ask, or who would see a value without access to the workflow.
import { isBypassed } from '../../graph/bypass.ts';
import { type IssueList, type LintIssue, MAX_ISSUES, NO_ISSUES, toJsonPointer } from '../../graph/issues.ts';
import type { Graph } from '../../graph/types.ts';
import type { Settings } from '../../lib/settings.ts';
import { listPeople, type Person } from '../../store/approvals.ts';
import type { Tx } from '../../store/db.ts';
import type { CredentialOwner } from './supplied-warnings.ts';

const APPROVAL = 'logic:approval';
const ASSIGNEES = /"assignees":\[[^\]]/;
/** Of the assignees of a graph, at most this many are looked up. A node has at most 20. */
const MAX_LOOKUPS = 1000;

type Assignee = string | number;

/**
 * Returns a warning for each assignee without access to the workflow, or to whom no mail can be sent. It does not tell whether an
 * email belongs to an account of somebody else. `text` is the graph: '"nodes":[…],"edges":[…]'.
 */
export async function findAssigneeIssues(
  tx: Tx,
  { SMTP_URL }: Pick<Settings, 'SMTP_URL'>,
  text: string,
  { workspace, workflowId }: CredentialOwner,
): Promise<IssueList> {
  // Most graphs need not be parsed.
  if (!ASSIGNEES.test(text)) return NO_ISSUES;
  const { nodes } = JSON.parse(`{${text}}`) as Graph;
  const asked = nodes.flatMap((node, index) =>
    listAssignees(node).map(assignee => ({ id: node.id, index, assignee })),
  );
  const assignees = [...new Set(asked.map(({ assignee }) => assignee))].slice(0, MAX_LOOKUPS);
  if (assignees.length === 0) return NO_ISSUES;
  const people = await listPeople(tx, {
    userIds: assignees.filter(assignee => typeof assignee === 'number'),
    emails: assignees.filter(assignee => typeof assignee === 'string'),
    workspace,
    workflowId,
  });
  const messages = new Map(
    assignees.map(assignee => [assignee, describeProblem(assignee, people, SMTP_URL !== undefined)] as const),
  );
  const issues = asked.flatMap(({ id, index, assignee }): readonly LintIssue[] => {
    const problem = messages.get(assignee);
    if (problem === undefined) return [];
    const path = toJsonPointer('nodes', index, 'data', 'config', 'assignees');
    return [{ severity: 'warning', nodeId: id, path, ...problem }];
  });
  return { issues: issues.slice(0, MAX_ISSUES), total: issues.length };
}

/** Returns the well-formed assignees of an active approval. The lint of the node reports others. */
function listAssignees(node: Graph['nodes'][number]): readonly Assignee[] {
  if (node.data.nodeType !== APPROVAL || isBypassed(node)) return [];
  const { assignees } = { ...node.data.config, ...node.data.params } as { readonly assignees?: unknown };
  if (!Array.isArray(assignees)) return [];
  return assignees.slice(0, MAX_LOOKUPS).flatMap((entry: unknown): readonly Assignee[] => {
    if (typeof entry === 'string') return [entry.trim().toLowerCase()];
    return Number.isInteger(entry) && (entry as number) > 0 && (entry as number) < 2 ** 31
      ? [entry as number]
      : [];
  });
}

function describeProblem(
  assignee: Assignee,
  people: readonly Person[],
  canMail: boolean,
): Pick<LintIssue, 'code' | 'message'> | undefined {
  if (people.some(({ id, email }) => id === assignee || email === assignee)) return undefined;
  if (typeof assignee === 'number')
    return {
      code: 'assignee_without_access',
      message: `The user ${assignee} does not exist, is deactivated, or has no access to this workflow. Choose another assignee, or share the workflow.`,
    };
  return canMail
    ? {
        code: 'assignee_without_access',
        message: `${assignee} has no access to this workflow, but will see the value that waits. Remove the address if that is not intended.`,
      }
    : {
        code: 'assignee_without_mail',
        message: `${assignee} has no access to this workflow, and this service sends no mails. Share the workflow, or create a link when a run waits.`,
      };
}
