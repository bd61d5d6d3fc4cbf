// Stores the approvals that nodes wait for, and whom they are asked of.
import type { Tx } from './db.ts';
import { isStillMemberSql, USER_SHARES } from './permissions.ts';
import { enqueue } from './queue.ts';
import {
  all,
  allValues,
  first,
  firstNumber,
  insertRows,
  limitPageBytes,
  matches,
  type PageRange,
  type PageRow,
} from './rows.ts';

export const APPROVAL_STATUSES = ['waiting', 'approved', 'rejected', 'expired', 'cancelled'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];
/** How an approval ends without a user's decision. */
export type UndecidedStatus = Exclude<ApprovalStatus, 'waiting'>;

export interface NewApproval {
  readonly id: string;
  readonly execution_id: string;
  readonly node_id: string;
  readonly workflow_id: string;
  readonly workspace: string;
  /** Who started the run. */
  readonly user_id: number;
  /** The label of the node. */
  readonly label: string;
  /** JSON text of an ApprovalRequest. */
  readonly request: string;
  /** JSON text of the value that waits. */
  readonly value: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}

export interface ApprovalRow extends NewApproval {
  /** The name of the user who started the run. */
  readonly started_by: string;
  readonly workflow_name: string | null;
  readonly status: ApprovalStatus;
  readonly notified_at: Date | null;
  readonly reminders_sent: number;
  readonly decided_at: Date | null;
  /** JSON text: who decided, and the comment. */
  readonly decision: string | null;
}

const COLUMNS = `a.id, a.execution_id, a.node_id, a.workflow_id, a.workspace, a.user_id, a.label, a.request, a.value,
  a.created_at, a.expires_at, a.status, a.notified_at, a.reminders_sent, a.decided_at, a.decision,
  s.name as started_by, w.name as workflow_name`;
const JOINS = 'join users s on s.id = a.user_id left join workflows w on w.id = a.workflow_id';

/** Stores approvals, each with a job that notifies its assignees. Ignores those that are already stored. */
export async function openApprovals(tx: Tx, approvals: readonly NewApproval[]): Promise<void> {
  const ids = await allValues<string>(
    tx,
    `insert into approvals (id, execution_id, node_id, workflow_id, workspace, user_id, label, request, value, created_at,
       expires_at)
     select i.* from json_to_recordset($1::json) as i(id text, execution_id text, node_id text, workflow_id text,
       workspace text, user_id int, label text, request text, value text, created_at timestamptz, expires_at timestamptz)
     on conflict (execution_id, node_id) do nothing returning id`,
    [JSON.stringify(approvals)],
  );
  await enqueue(tx, 'approval', ids);
}

export interface ClosedApproval {
  readonly execution_id: string;
  readonly node_id: string;
  readonly status: UndecidedStatus;
}

export type ClosedRow = Pick<ApprovalRow, 'id' | 'label' | 'workspace' | 'status'>;

/** Ends approvals that still wait, and returns them. */
export function closeApprovals(tx: Tx, approvals: readonly ClosedApproval[]): Promise<readonly ClosedRow[]> {
  return all(
    tx,
    `with closed as (
       update approvals a set status = i.status, decided_at = now()
       from json_to_recordset($1::json) as i(execution_id text, node_id text, status text)
       where a.execution_id = any ($2::text[]) and a.execution_id = i.execution_id and a.node_id = i.node_id
         and a.status = 'waiting'
       returning a.id, a.label, a.workspace, a.status
     ), ended as (
       update approval_assignees p set is_waiting = false from closed where p.approval_id = closed.id)
     select id, label, workspace, status from closed`,
    [JSON.stringify(approvals), approvals.map(({ execution_id }) => execution_id)],
  );
}

/** Records a user's decision on an approval whose row is locked. */
export async function decideApproval(
  tx: Tx,
  id: string,
  {
    status,
    decision,
    decidedAt,
  }: {
    readonly status: 'approved' | 'rejected';
    readonly decision: string;
    readonly decidedAt: Date;
  },
): Promise<void> {
  await tx.query(
    `with decided as (
       update approvals set status = $2, decision = $3, decided_at = $4 where id = $1 returning id)
     update approval_assignees p set is_waiting = false from decided where p.approval_id = decided.id`,
    [id, status, decision, decidedAt],
  );
}

export function findApproval(tx: Tx, id: string): Promise<ApprovalRow | undefined> {
  return first(tx, `select ${COLUMNS} from approvals a ${JOINS} where a.id = $1`, [id]);
}

export function lockApproval(tx: Tx, id: string): Promise<ApprovalRow | undefined> {
  return first(tx, `select ${COLUMNS} from approvals a ${JOINS} where a.id = $1 for no key update of a`, [
    id,
  ]);
}

export function findApprovalOfNode(
  tx: Tx,
  executionId: string,
  nodeId: string,
): Promise<ApprovalRow | undefined> {
  return first(
    tx,
    `select ${COLUMNS} from approvals a ${JOINS} where a.execution_id = $1 and a.node_id = $2`,
    [executionId, nodeId],
  );
}

/** Lists the approvals that a user is asked for, newest first. Without values, the value of each is empty. */
export function listApprovalsOf(
  tx: Tx,
  userId: number,
  filter: {
    readonly isWaiting: boolean;
    readonly withoutTeams: readonly string[];
    readonly hasValues: boolean;
  },
  { after, limit }: PageRange<string>,
): Promise<readonly (ApprovalRow & PageRow)[]> {
  const { isWaiting, withoutTeams, hasValues } = filter;
  return all(
    tx,
    limitPageBytes(
      `select ${COLUMNS.replace('a.value', () => `case when $6 then a.value else '${NO_VALUE}' end as value`)}
       from approval_assignees p join approvals a on a.id = p.approval_id ${JOINS}
       where p.user_id = $1 and p.is_waiting = $2 and ($3::text is null or p.approval_id < $3)
         and not a.workspace = any ($5::text[]) and (not $2 or a.expires_at > now())
         and (p.email is not null or ${isStillMemberSql('a.workspace', '$1::int')})
       order by p.approval_id desc limit $4`,
      ['value'],
    ),
    [userId, isWaiting, after, limit, withoutTeams, hasValues],
  );
}

/** A value whose items are left out. */
const NO_VALUE = '{"type":"TEXT","items":[],"truncated":true}';

/** `limited`: no mail was sent, because too many were. `stopped`: the person wants no mails. */
export const ASSIGNEE_MAILS = ['none', 'queued', 'limited', 'stopped'] as const;

export interface AssigneeRow {
  readonly approval_id: string;
  readonly position: number;
  readonly user_id: number | null;
  readonly email: string | null;
  readonly mail: (typeof ASSIGNEE_MAILS)[number];
}

export function insertAssignees(tx: Tx, rows: readonly AssigneeRow[]): Promise<void> {
  return insertRows(tx, 'approval_assignees', rows);
}

export function listAssignees(tx: Tx, approvalIds: readonly string[]): Promise<readonly AssigneeRow[]> {
  return all(
    tx,
    `select approval_id, position, user_id, email, mail from approval_assignees
     where approval_id = any ($1::text[]) order by approval_id, position`,
    [approvalIds],
  );
}

/** A user with access to a workflow. */
export interface Person {
  readonly id: number;
  /** In lower case. */
  readonly email: string;
}

/** Lists which of these users have access to a workflow by their workspace or by a share. */
export function listPeople(
  tx: Tx,
  {
    userIds,
    emails,
    workspace,
    workflowId,
  }: {
    readonly userIds: readonly number[];
    /** In lower case. */
    readonly emails: readonly string[];
    readonly workspace: string;
    /** Null for a graph that is not stored. */
    readonly workflowId: string | null;
  },
): Promise<readonly Person[]> {
  return all(
    tx,
    `select u.id, lower(u.email) as email from users u
     where (u.id = any ($1::int[]) or lower(u.email) = any ($2::text[])) and not u.disabled and (
       $3 = 'user:' || u.id
       or exists (select from team_members m where m.team_id = $3 and m.user_id = u.id)
       or exists (select from ${USER_SHARES} p where p.workflow_id = $4 and p.user_id = u.id))`,
    [userIds, emails, workspace, workflowId],
  );
}

/** Lists users who own the workflow: its creator, the OWNERs of its team, and those who were made owners by a share. */
export function listOwners(
  tx: Tx,
  workflowId: string,
  limit: number,
): Promise<readonly { readonly id: number; readonly email: string }[]> {
  return all(
    tx,
    `select u.id, u.email from workflows w join users u on not u.disabled and (
       exists (select from team_members m where m.team_id = w.team_id and m.user_id = u.id
         and (m.role = 'OWNER' or u.id = w.user_id))
       or w.team_id is null and u.id = w.user_id
       or exists (select from ${USER_SHARES} p where p.workflow_id = w.id and p.user_id = u.id and p.role = 'OWNER'))
     where w.id = $1 order by u.id limit $2`,
    [workflowId, limit],
  );
}

/** Records that the job has notified the assignees, or reminded them so often. */
export async function markNotified(
  tx: Tx,
  id: string,
  { notifiedAt, remindersSent }: { readonly notifiedAt: Date; readonly remindersSent: number },
): Promise<void> {
  await tx.query('update approvals set notified_at = $2, reminders_sent = $3 where id = $1', [
    id,
    notifiedAt,
    remindersSent,
  ]);
}

export async function setAssigneeMail(
  tx: Tx,
  id: string,
  position: number,
  mail: AssigneeRow['mail'],
): Promise<void> {
  await tx.query('update approval_assignees set mail = $3 where approval_id = $1 and position = $2', [
    id,
    position,
    mail,
  ]);
}

export interface ApprovalLinkRow {
  readonly token_hash: Buffer;
  readonly approval_id: string;
  readonly position: number;
  readonly created_at: Date;
  /** The owner who created it; null if the service sent it. */
  readonly created_by: number | null;
}

export async function insertApprovalLink(tx: Tx, row: ApprovalLinkRow): Promise<void> {
  await tx.query(
    'insert into approval_links (token_hash, approval_id, position, created_at, created_by) values ($1, $2, $3, $4, $5)',
    [row.token_hash, row.approval_id, row.position, row.created_at, row.created_by],
  );
}

export function countApprovalLinks(tx: Tx, approvalId: string): Promise<number> {
  return firstNumber(tx, 'select count(*)::int as count from approval_links where approval_id = $1', [
    approvalId,
  ]);
}

export interface LinkedAssigneeRow extends ApprovalRow {
  readonly position: number;
  /** The assignee to whom the link was sent. */
  readonly assignee_id: number | null;
  readonly assignee_email: string | null;
  /** The owner who created the link; null if the service sent it. */
  readonly link_created_by: number | null;
  /** Whether the person gets no mails. */
  readonly is_stopped: boolean;
}

/** Finds the approval of a link, and the assignee to whom it was sent. Links of disabled users do not work. */
export function findLinkedApproval(tx: Tx, tokenHash: Buffer): Promise<LinkedAssigneeRow | undefined> {
  return first(
    tx,
    `select ${COLUMNS}, p.position, p.user_id as assignee_id, coalesce(u.email, p.email) as assignee_email,
       l.created_by as link_created_by,
       exists (select from approval_opt_outs o where o.address_hash = sha256(convert_to(p.email, 'UTF8'))) as is_stopped
     from approval_links l join approvals a on a.id = l.approval_id
       join approval_assignees p on p.approval_id = l.approval_id and p.position = l.position
       ${JOINS} left join users u on u.id = p.user_id
     where l.token_hash = $1 and u.disabled is not true`,
    [tokenHash],
  );
}

/** Returns whether the person with this address wants no mails about approvals. */
export function hasOptedOut(tx: Tx, addressHash: Buffer): Promise<boolean> {
  return matches(tx, 'select from approval_opt_outs where address_hash = $1', [addressHash]);
}

export async function setOptOut(tx: Tx, addressHash: Buffer, isStopped: boolean): Promise<void> {
  await tx.query(
    isStopped
      ? 'insert into approval_opt_outs (address_hash) values ($1) on conflict do nothing'
      : 'delete from approval_opt_outs where address_hash = $1',
    [addressHash],
  );
}

/** Deletes the approvals of runs that are deleted, with their assignees and links. */
export async function deleteApprovalsOfRuns(tx: Tx, executionIds: readonly string[]): Promise<void> {
  await tx.query('delete from approvals where execution_id = any ($1::text[])', [executionIds]);
}
