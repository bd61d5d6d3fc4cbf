// Presents approvals: to users with an account, and to people who decide by a link.
import type { DecidedBy, Decision } from '../../engine/types.ts';
import { omitUndefined } from '../../lib/record.ts';
import type { ApprovalRequest } from '../../nodes/define.ts';
import type { ApprovalRow, AssigneeRow, LinkedAssigneeRow } from '../../store/approvals.ts';
import { presentDecision } from './present-decision.ts';
import type { WaitingValue } from './waiting-approval.ts';

const EDITABLE_TYPES: ReadonlySet<string> = new Set(['TEXT', 'NUMBER', 'JSON']);

/** The settings of the node that waits. */
interface StoredRequest extends ApprovalRequest {
  /** The component that contains the node. */
  readonly componentId?: string;
}

/** An approval with the texts of its columns parsed. */
export interface ParsedApproval {
  readonly row: ApprovalRow;
  readonly request: StoredRequest;
  readonly value: WaitingValue;
  /** Whether a decision may replace the value. */
  readonly isEditable: boolean;
}

export function parseApproval(row: ApprovalRow): ParsedApproval {
  const request = JSON.parse(row.request) as StoredRequest;
  const value = JSON.parse(row.value) as WaitingValue;
  const isEditable = request.isEditable && !value.truncated && EDITABLE_TYPES.has(value.type);
  return { row, request, value, isEditable };
}

function presentFields({ row, request, value, isEditable }: ParsedApproval) {
  return {
    id: row.id,
    label: row.label,
    message: request.message,
    status: row.status,
    type: value.type,
    items: value.items,
    truncated: value.truncated,
    editable: isEditable,
    startedBy: row.started_by,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    decision: presentStored(row, request),
  };
}

function presentStored({ status, decision, expires_at }: ApprovalRow, { timeoutDecision }: ApprovalRequest) {
  if (decision !== null) return presentDecision(JSON.parse(decision) as Decision);
  const isDecided = status === 'approved' || status === 'rejected';
  if (!isDecided || timeoutDecision === null) return null;
  const approved = status === 'approved';
  return presentDecision({ approved, by: { via: 'timeout' }, atMs: expires_at.getTime() });
}

/** Presents the workflow and the other assignees only to those who may view the workflow. */
export function presentApproval(row: ApprovalRow, assignees: readonly AssigneeRow[], canView: boolean) {
  return {
    ...presentFields(parseApproval(row)),
    executionId: row.execution_id,
    nodeId: row.node_id,
    workflowId: canView ? row.workflow_id : null,
    workflowName: canView ? row.workflow_name : null,
    assignees: canView ? assignees.map(({ user_id, email, mail }) => ({ userId: user_id, email, mail })) : [],
  };
}

/** Leaves out ids and addresses of others, which a person with a link must not learn. */
export function hideAddress(
  { via, name, email }: DecidedBy,
  { assignee_email }: Pick<LinkedAssigneeRow, 'assignee_email'>,
): DecidedBy {
  const isOwn = email !== undefined && email === assignee_email;
  return { via, ...omitUndefined({ name, email: isOwn ? email : undefined }) };
}

/** Presents an approval to a person with a link. Once it is decided, the value is left out: the link has been used. */
export function presentLinkedApproval(row: LinkedAssigneeRow) {
  const fields = presentFields(parseApproval(row));
  const isWaiting = row.status === 'waiting';
  return {
    ...fields,
    ...(isWaiting ? {} : { items: [] }),
    decision: fields.decision && { ...fields.decision, by: hideAddress(fields.decision.by, row) },
    email: row.assignee_email,
    mailsStopped: row.assignee_id === null ? row.is_stopped : null,
  };
}
