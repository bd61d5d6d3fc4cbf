// Defines the tools for approvals.
import { Type } from 'typebox';
import { decideAsUser } from '../../runs/approvals/decide.ts';
import { listApprovals, readApproval } from '../../runs/approvals/read-approvals.ts';
import { Exact } from '../../services/schema.ts';
import { AnyObject, CHANGE_HINTS, defineTool, Id, OutputSchema, READ_HINTS } from '../tool.ts';

/** More than these wait only for people who work with the list in the web application. */
const MAX_LISTED = 10;
const MAX_COMMENT_CHARS = 2000;
const TOO_LONG_HINT = 'Open /approvals in the web application.';

/** Leaves out null members. */
const toData = (approval: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(approval).filter(([, value]) => value !== null));

export const listApprovalsTool = defineTool({
  name: 'list_approvals',
  title: 'List approvals',
  description: 'List what waits for the user’s approval.',
  scope: 'workflows:read',
  hints: READ_HINTS,
  input: Exact({}),
  output: OutputSchema({ approvals: Type.Array(AnyObject()) }),
  tooLongHint: TOO_LONG_HINT,
  call: async ({ deps, actor }) => {
    const { data } = await listApprovals(deps, actor, { limit: MAX_LISTED });
    return { data: { approvals: data.map(toData) } };
  },
});

export const decideApprovalTool = defineTool({
  name: 'decide_approval',
  title: 'Decide approval',
  description: 'Approve or reject, only as the user said.',
  scope: 'workflows:execute',
  hints: { ...CHANGE_HINTS, openWorldHint: true },
  input: Exact({ id: Id(), approve: Type.Boolean(), comment: Type.Optional(Type.String()) }),
  output: OutputSchema({ status: Type.String() }),
  tooLongHint: TOO_LONG_HINT,
  call: async ({ deps, actor }, { id, approve, comment = '' }) => {
    const { executionId, nodeId } = await readApproval(deps, actor, id);
    const decision = approve ? 'approve' : 'reject';
    const { status } = await decideAsUser(
      deps,
      actor,
      { executionId, nodeId },
      { decision, comment: comment.slice(0, MAX_COMMENT_CHARS) },
    );
    return { data: { status } };
  },
});
