// Decides approvals: checks who may decide and what, and stores the decision in the commit that lets the run continue.
import type { DecidedBy, Decision } from '../../engine/types.ts';
import type { Json, JsonObject } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { omitUndefined } from '../../lib/record.ts';
import { findRole, requireOpenTeam, roleAllows, toTeamId } from '../../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import {
  type ApprovalRow,
  decideApproval,
  findApprovalOfNode,
  type LinkedAssigneeRow,
  listAssignees,
} from '../../store/approvals.ts';
import { type AuditCaller, type AuditEntry, recordAudit } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import { findExecution } from '../../store/executions.ts';
import type { RunRow } from '../../store/runs.ts';
import { findUser, type UserRow } from '../../store/users.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { readBoundedSteps } from '../prepare/stored-run.ts';
import type { DecisionBody, LinkDecisionBody } from './approval.schema.ts';
import { findByToken, openApprovalLink } from './links.ts';
import { hideAddress, type ParsedApproval, parseApproval } from './present-approval.ts';
import { nameDecider } from './present-decision.ts';
import { readApprovalOfNode } from './read-approvals.ts';
import { MAX_WAITING_CHARS } from './waiting-approval.ts';

export interface ApprovalKey {
  readonly executionId: string;
  readonly nodeId: string;
}

/** The user who decides. */
export interface Person {
  readonly userId: number;
  readonly name: string;
  readonly email: string;
}

/** Decides as a user. Throws 404, 403, and 409 if someone has decided or the run no longer waits. */
export async function decideAsUser(deps: RunDeps, actor: Actor, key: ApprovalKey, body: DecisionBody) {
  const user = requireScope(actor, 'workflows:execute');
  const approval = await findApprovalOfNode(deps.db, key.executionId, key.nodeId);
  if (approval === undefined) await throwMissing(deps, key);
  const person = await requireDecider(deps, user, key);
  await commitDecision(deps, key, {
    caller: user,
    toDecision: found => toDecision(deps, found, body, { via: 'account', ...person }),
  });
  return readApprovalOfNode(deps, user, key);
}

/** Throws 404 for an unknown execution or node, and 409 for a node that waits for no decision. */
async function throwMissing({ db }: RunDeps, { executionId, nodeId }: ApprovalKey): Promise<never> {
  const row = await findExecution(db, executionId);
  if (row === undefined) throw new AppError('not_found', 'Execution not found.');
  throw new AppError(
    'not_found',
    `No node ${JSON.stringify(nodeId)} of this execution waits for a decision.`,
  );
}

/**
 * Returns the user's name and email if the user may decide: the assignees and the owners of the workflow, or without
 * assignees whoever started the run. Throws 404 and 403.
 */
export async function requireDecider(
  deps: RunDeps,
  user: UserActor,
  { executionId, nodeId }: ApprovalKey,
): Promise<Person> {
  const { db } = deps;
  const row = await findExecution(db, executionId);
  if (row === undefined) throw new AppError('not_found', 'Execution not found.');
  requireOpenTeam(user, row.workspace);
  const person = await findUser(db, user.userId);
  if (person === undefined)
    throw new AppError('unauthorized', 'The account no longer exists. Sign in again.');
  const { name, email } = person;
  const approval = await findApprovalOfNode(db, executionId, nodeId);
  const workflow = await findWorkflow(db, row.workflow_id, user.userId);
  const role = workflow === undefined ? undefined : findRole(user, workflow);
  const isStarter = row.user_id === user.userId && roleAllows(role, 'run');
  const hasAssignees = approval !== undefined && parseApproval(approval).request.assignees.length > 0;
  const isAsked = hasAssignees ? await isAssignee(db, approval, person) : isStarter;
  if (isAsked || role === 'OWNER') return { userId: user.userId, name, email };
  throw new AppError(
    'forbidden',
    hasAssignees
      ? 'Only the assignees of this approval and the owners of the workflow can decide.'
      : 'Only the user who started an execution and the owners of its workflow can resume it or send a decision.',
  );
}

async function isAssignee(db: Tx, approval: ApprovalRow, { id, email }: UserRow): Promise<boolean> {
  // Before the job has stored the assignees, those of the request count.
  if (approval.notified_at === null) {
    const { assignees, componentId } = parseApproval(approval).request;
    // The job decides which assignees of a component count.
    if (componentId !== undefined) return false;
    return assignees.includes(id) || assignees.includes(email.toLowerCase());
  }
  return (await listAssignees(db, [approval.id])).some(({ user_id }) => user_id === id);
}

/** Decides by a link, which works once. Throws 400 `invalid_link`, 409 and 429. */
export async function decideByLink(deps: RunDeps, { token, ...body }: LinkDecisionBody, network: string) {
  const linked = await findByToken(deps, token, network);
  const { execution_id: executionId, node_id: nodeId, assignee_email: email } = linked;
  const by = {
    via: 'link',
    ...(linked.assignee_id === null ? {} : { userId: linked.assignee_id }),
    ...(email === null ? {} : { email }),
    ...(linked.link_created_by === null ? {} : { linkCreatedBy: linked.link_created_by }),
  } as const;
  await commitDecision(
    deps,
    { executionId, nodeId },
    { caller: { kind: 'anonymous' }, toDecision: found => toDecision(deps, found, body, by) },
  ).catch((err: unknown) => {
    throw err instanceof AppError && err.code === 'already_decided' ? hideDecider(err, linked) : err;
  });
  return openApprovalLink(deps, token, network);
}

/** Returns the error without the addresses of others. */
function hideDecider({ code, details = {} }: AppError, linked: LinkedAssigneeRow): AppError {
  const { status, by } = details as { readonly status?: string; readonly by?: DecidedBy };
  const shown = by === undefined ? {} : { by: hideAddress(by, linked) };
  const message = `The approval was already ${status} by ${nameDecider(shown)}.`;
  return new AppError(code, message, { details: { status, ...shown } });
}

/** Validates a decision. Throws 400 for edits that the approval does not allow or that have another type. */
function toDecision(
  { now }: Pick<RunDeps, 'now'>,
  approval: ParsedApproval | undefined,
  { decision, comment, edits }: DecisionBody,
  by: NonNullable<Decision['by']>,
): Decision {
  const trimmed = comment?.trim() ?? '';
  return {
    approved: decision === 'approve',
    ...(trimmed === '' ? {} : { comment: trimmed }),
    ...(edits === undefined ? {} : toEditedValue(approval, edits.input)),
    by,
    atMs: now(),
  };
}

function toEditedValue(
  approval: ParsedApproval | undefined,
  input: Json,
): Pick<Decision, 'value' | 'valueType'> {
  if (approval?.isEditable !== true)
    throw new AppError('invalid_request', 'The value of this approval cannot be edited. Remove `edits`.');
  const { type } = approval.value;
  if (type === 'TEXT' && typeof input !== 'string') throw createTypeError('a text');
  if (type === 'NUMBER' && typeof input !== 'number') throw createTypeError('a number');
  if (
    JSON.stringify(input).length > 2 * MAX_WAITING_CHARS ||
    (typeof input === 'string' && input.length > MAX_WAITING_CHARS)
  )
    throw new AppError(
      'invalid_request',
      `edits.input can have at most ${MAX_WAITING_CHARS} characters. Shorten it.`,
    );
  return type === 'JSON' ? { value: input, valueType: 'JSON' } : { value: input };
}

const createTypeError = (noun: string): AppError =>
  new AppError('invalid_request', `edits.input must be ${noun}, like the value that waits.`);

interface DecisionCommit {
  readonly caller: AuditCaller;
  /** Called with the approval, in the transaction. Approvals of earlier versions have no row. */
  readonly toDecision: (approval: ParsedApproval | undefined) => Decision;
  /** Stores what belongs to the decision, in the same transaction. */
  readonly onDecided?: ((tx: Tx) => Promise<void>) | undefined;
}

/** Stores the decision and lets the run continue. Of several decisions at the same time, one is stored. */
export async function commitDecision(
  deps: RunDeps,
  { executionId, nodeId }: ApprovalKey,
  { caller, toDecision, onDecided }: DecisionCommit,
): Promise<RunRow> {
  const [updatedRow] = await deps.commit.change([executionId], async (row, tx) => {
    // The lock of the run makes concurrent decisions wait for each other.
    const found = await findApprovalOfNode(tx, executionId, nodeId);
    await requireUndecided(deps, tx, row, nodeId, found);
    const decision = toDecision(found === undefined ? undefined : parseApproval(found));
    const { approved, atMs = deps.now() } = decision;
    if (found !== undefined)
      await decideApproval(tx, found.id, {
        status: approved ? 'approved' : 'rejected',
        decision: JSON.stringify(withoutValue(decision)),
        decidedAt: new Date(atMs),
      });
    recordAudit(tx, caller, toAuditEntry(row, nodeId, found, decision));
    await onDecided?.(tx);
    const earlierDecisions = Object.entries(JSON.parse(row.decisions ?? '{}') as JsonObject);
    const decisions = JSON.stringify(Object.fromEntries([...earlierDecisions, [nodeId, decision]]));
    return { kind: 'decide', decisions, atMs };
  });
  if (updatedRow === undefined) throw createNotWaitingError(nodeId);
  deps.changeHub.notify(executionId);
  return updatedRow;
}

function toAuditEntry(
  { id, workspace }: RunRow,
  nodeId: string,
  approval: ApprovalRow | undefined,
  { approved, comment, value, by }: Decision,
): AuditEntry {
  const { via, email, userId, linkCreatedBy } = by ?? {};
  return {
    action: 'approval.decided',
    target: approval?.id ?? `${id}/${nodeId}`,
    name: approval?.label ?? nodeId,
    teamId: toTeamId(workspace),
    after: {
      decision: approved ? 'approved' : 'rejected',
      comment: comment ?? null,
      edited: value !== undefined,
      executionId: id,
      nodeId,
      // The log looks up the names of accounts.
      ...(via === 'link'
        ? { via, ...(userId === undefined ? { email } : { userId }), ...omitUndefined({ linkCreatedBy }) }
        : {}),
    },
  };
}

/** The value is stored with the run only. The approval keeps whether there was one. */
const withoutValue = ({ value, ...decision }: Decision): Decision =>
  value === undefined ? decision : { ...decision, value: null };

async function requireUndecided(
  deps: RunDeps,
  tx: Tx,
  row: RunRow,
  nodeId: string,
  approval: ApprovalRow | undefined,
): Promise<void> {
  if (approval === undefined) {
    if (row.status !== 'WAITING' || row.worker_id !== null) throw createNotWaitingError(nodeId);
    const step = (await readBoundedSteps(tx, row.id)).get(nodeId);
    if (step?.status !== 'WAITING' || step.suspended?.kind !== 'decision')
      throw createNotWaitingError(nodeId);
    return;
  }
  const { status, decision } = approval;
  if (status === 'approved' || status === 'rejected') throw createDecidedError(approval.status, decision);
  if (status !== 'waiting' || row.finished_at !== null || row.status === 'CANCELLING')
    throw createNotWaitingError(nodeId);
  if (approval.expires_at.getTime() <= deps.now())
    throw new AppError('not_resumable', 'The time to decide has passed.');
}

const createNotWaitingError = (nodeId: string): AppError =>
  new AppError('not_resumable', `No node ${JSON.stringify(nodeId)} of this execution waits for a decision.`);

function createDecidedError(status: ApprovalRow['status'], stored: string | null): AppError {
  const decision = stored === null ? { by: { via: 'timeout' as const } } : (JSON.parse(stored) as Decision);
  const { by } = decision;
  return new AppError('already_decided', `The approval was already ${status} by ${nameDecider(decision)}.`, {
    details: { status, ...(by === undefined ? {} : { by }) },
  });
}
