// Performs the jobs of approvals: finds the accounts of the assignees, notifies them, and reminds them.
//
// A job and what it sends commit together, so that nothing is sent twice if the process is killed: the next attempt sees
// `notified_at` or `reminders_sent`.
import { encrypt, sha256 } from '../../lib/crypto.ts';
import { cutText } from '../../lib/cut-text.ts';
import { getPersonalWorkspaceId, hasOwnRole } from '../../services/accounts/access.ts';
import type { UserActor } from '../../services/accounts/actor.ts';
import { shortenName } from '../../services/accounts/mailed-invitations.ts';
import {
  type AssigneeRow,
  hasOptedOut,
  insertAssignees,
  listAssignees,
  listOwners,
  listPeople,
  lockApproval,
  markNotified,
  setAssigneeMail,
} from '../../store/approvals.ts';
import type { Tx } from '../../store/db.ts';
import { findExecution } from '../../store/executions.ts';
import { insertMail, type MailButton } from '../../store/mails.ts';
import { insertNotice } from '../../store/notices.ts';
import { enqueue } from '../../store/queue.ts';
import { addUses } from '../../store/rate-windows.ts';
import { requiresSecondFactor } from '../../store/teams.ts';
import { findUser, findUserByEmail } from '../../store/users.ts';
import { findWorkflow, findWorkspaceOf } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { createApprovalLink, LINK_PATH } from './links.ts';
import { type ParsedApproval, parseApproval } from './present-approval.ts';

const HOUR_MS = 3_600_000;
const DAY_SECONDS = 86_400;
const MAX_REMINDERS = 10;
/** How many people who do not work with the workflow one account may notify by approvals on a day. */
const MAX_OUTSIDE_PER_DAY = 50;
/** How many mails about approvals one address without an account gets on a day, whoever sends them. */
const MAX_PER_ADDRESS_AND_DAY = 20;

/** Notifies the assignees of an approval, or reminds them, and queues the next reminder. */
export async function advanceApproval(deps: RunDeps, id: string): Promise<void> {
  await deps.db.transaction(async tx => {
    const row = await lockApproval(tx, id);
    if (row?.status !== 'waiting' || row.expires_at.getTime() <= deps.now()) return;
    const approval = parseApproval(row);
    const { notified_at: notifiedAt } = row;
    if (notifiedAt === null) {
      await notifyAll(deps, tx, approval, await storeAssignees(tx, approval), 0);
      return saveProgress(tx, approval, new Date(deps.now()), 0);
    }
    const dueCount = countDueReminders(approval, notifiedAt, deps.now());
    if (dueCount > row.reminders_sent)
      await notifyAll(deps, tx, approval, await listAssignees(tx, [id]), dueCount);
    return saveProgress(tx, approval, notifiedAt, Math.max(dueCount, row.reminders_sent));
  });
}

/** Returns how many reminders are due since the request. Those that were missed are not sent later. */
function countDueReminders({ request }: ParsedApproval, notifiedAt: Date, nowMs: number): number {
  if (request.reminderHours === 0) return 0;
  const dueCount = Math.floor((nowMs - notifiedAt.getTime()) / (request.reminderHours * HOUR_MS));
  return Math.min(dueCount, MAX_REMINDERS);
}

async function saveProgress(
  tx: Tx,
  { row, request }: ParsedApproval,
  notifiedAt: Date,
  remindersSent: number,
): Promise<void> {
  await markNotified(tx, row.id, { notifiedAt, remindersSent });
  const nextAt = new Date(notifiedAt.getTime() + (remindersSent + 1) * request.reminderHours * HOUR_MS);
  const hasNext =
    request.reminderHours > 0 &&
    request.assignees.length > 0 &&
    remindersSent < MAX_REMINDERS &&
    nextAt < row.expires_at;
  if (hasNext) await enqueue(tx, 'approval', [row.id], nextAt);
}

/**
 * Stores the assignees, with the accounts to which emails belong. Without assignees, whoever started the run is asked, and
 * not notified: the run shows the question. If the node names assignees and none is left, the owners of the workflow are
 * asked: who started the run was not meant to approve it.
 */
async function storeAssignees(tx: Tx, approval: ParsedApproval): Promise<readonly AssigneeRow[]> {
  const { row, request } = approval;
  const people = await findPeople(tx, approval);
  const isUnassigned = request.assignees.length === 0;
  if (isUnassigned) people.set('', { user_id: row.user_id, email: null });
  else if (people.size === 0)
    for (const { id, email } of await listOwners(tx, row.workflow_id, MAX_OWNERS))
      people.set(`${id}`, { user_id: id, email });
  const rows = [...people.values()].map((person, position) => ({
    approval_id: row.id,
    position,
    ...person,
    mail: 'none' as const,
  }));
  await insertAssignees(tx, rows);
  return isUnassigned ? [] : rows;
}

const MAX_OWNERS = 20;

type People = Map<string, Pick<AssigneeRow, 'user_id' | 'email'>>;

/**
 * Finds the assignees that the node names. Whoever edits a component of another workspace must not choose who sees the values of
 * its callers, so only people with access to the calling workflow are left then.
 */
async function findPeople(tx: Tx, { row, request }: ParsedApproval): Promise<People> {
  const people: People = new Map();
  const isForeign =
    request.componentId !== undefined && (await findWorkspaceOf(tx, request.componentId)) !== row.workspace;
  for (const assignee of request.assignees) {
    const user =
      typeof assignee === 'number' ? await findUser(tx, assignee) : await findUserByEmail(tx, assignee);
    if (isForeign && (user === undefined || !(await hasAccess(tx, row, user.id)))) continue;
    if (user !== undefined && !user.disabled)
      people.set(`${user.id}`, { user_id: user.id, email: user.email });
    else if (typeof assignee === 'string' && user === undefined)
      people.set(assignee, { user_id: null, email: assignee });
  }
  return people;
}

async function hasAccess(
  tx: Tx,
  { workspace, workflow_id: workflowId }: ParsedApproval['row'],
  userId: number,
): Promise<boolean> {
  const people = await listPeople(tx, { userIds: [userId], emails: [], workspace, workflowId });
  return people.length > 0;
}

/** 0 for the request, otherwise the number of the reminder. */
type Occasion = number;

async function notifyAll(
  deps: RunDeps,
  tx: Tx,
  approval: ParsedApproval,
  assignees: readonly AssigneeRow[],
  occasion: Occasion,
): Promise<void> {
  const allowed = await countOutside(deps, tx, approval, assignees);
  for (const assignee of assignees) {
    const mail = allowed.has(assignee) ? await notify(deps, tx, approval, assignee, occasion) : 'limited';
    await setAssigneeMail(tx, approval.row.id, assignee.position, mail);
  }
}

/**
 * Returns the assignees who may be notified. People who do not work with the workflow are limited, because anyone can name
 * them. Counts in the transaction, so that a job that is repeated counts once.
 */
async function countOutside(
  { now }: RunDeps,
  tx: Tx,
  { row }: ParsedApproval,
  assignees: readonly AssigneeRow[],
): Promise<ReadonlySet<AssigneeRow>> {
  const windowStart = Math.floor(now() / 1000 / DAY_SECONDS) * DAY_SECONDS;
  const allowed = new Set<AssigneeRow>();
  const outside = new Map<string, AssigneeRow>();
  for (const assignee of assignees) {
    const { user_id: userId, email } = assignee;
    if (userId !== null && (await worksWith(tx, row.workflow_id, userId))) allowed.add(assignee);
    else outside.set(`approvals-to:${userId ?? sha256(email ?? '').toString('base64url')}`, assignee);
  }
  if (outside.size === 0) return allowed;
  const sent = await addUses(tx, `approvals-by:${row.user_id}`, windowStart, outside.size);
  let remaining = MAX_OUTSIDE_PER_DAY - (sent - outside.size);
  // In order, so that transactions cannot deadlock.
  for (const [key, assignee] of [...outside].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (remaining-- <= 0) break;
    if ((await addUses(tx, key, windowStart, 1)) <= MAX_PER_ADDRESS_AND_DAY) allowed.add(assignee);
  }
  return allowed;
}

/** A share alone is not enough, because anyone can share with anyone: the user must have opened the workflow. */
async function worksWith(tx: Tx, workflowId: string, userId: number): Promise<boolean> {
  const workflow = await findWorkflow(tx, workflowId, userId);
  if (workflow === undefined || !hasOwnRole(createReader(userId), workflow)) return false;
  return !workflow.is_share_new || workflow.team_role !== null;
}

const createReader = (userId: number): UserActor => ({
  kind: 'user',
  userId,
  credential: { kind: 'background', id: 'approvals' },
  scopes: new Set(),
  accountPlan: '',
});

/** Notifies an assignee: with a notice and the mail about it, or without an account by a mail alone. */
async function notify(
  deps: RunDeps,
  tx: Tx,
  approval: ParsedApproval,
  assignee: AssigneeRow,
  occasion: Occasion,
): Promise<AssigneeRow['mail']> {
  const { row, value } = approval;
  const { user_id: userId, email } = assignee;
  const { title, text } = describe(approval, occasion);
  const cause = `${await findCause(tx, approval)}${occasion === 0 ? '' : `/${occasion}`}`;
  const mail = {
    details: listDetails(approval),
    ...(await createButton(deps, tx, approval, assignee)),
    ...(value.pictureId === undefined ? {} : { picture: { mediaId: value.pictureId, alt: row.label } }),
    expiresAt: row.expires_at,
  };
  if (userId !== null) {
    const workspace = getPersonalWorkspaceId(userId);
    const link = `/approvals/${row.id}`;
    await insertNotice(tx, { kind: 'approval_waiting', cause, workspace, userId, title, text, link, mail });
    return 'none';
  }
  if (await hasOptedOut(tx, sha256(email ?? ''))) return 'stopped';
  const { secret, expiresAt, ...content } = mail;
  const isQueued = await insertMail(tx, {
    userId: null,
    address: email ?? '',
    account: row.workspace,
    kind: 'approval_waiting',
    cause,
    content: {
      ...content,
      subject: title,
      paragraphs: [text],
      reason: `${shortenName(row.started_by)} named this address in a workflow`,
      settingsPath: `${LINK_PATH}#{secret}.stop`,
      settingsLabel: 'Stop mails about approvals',
    },
    secret,
    expiresAt,
  });
  return isQueued ? 'queued' : 'none';
}

/**
 * Returns the button of the mail. Its link decides without a session, except for members of a team, or users of an instance,
 * that requires a second factor.
 */
async function createButton(
  deps: RunDeps,
  tx: Tx,
  { row }: ParsedApproval,
  assignee: AssigneeRow,
): Promise<{ readonly buttons: readonly MailButton[]; readonly secret: Buffer | null }> {
  const label = 'Review and decide';
  const needsSession =
    assignee.user_id !== null &&
    (deps.settings.REQUIRE_SECOND_FACTOR === 'on' || (await requiresSecondFactor(tx, row.workspace)));
  if (needsSession) return { buttons: [{ label, path: `/approvals/${row.id}` }], secret: null };
  const token = await createApprovalLink(deps, tx, assignee);
  return {
    buttons: [{ label, path: `${LINK_PATH}#{secret}` }],
    secret: encrypt(deps.secretsKey, token),
  };
}

const MAX_SHOWN_CHARS = 1000;

/** Lists what waits, as far as it is text. */
function listDetails({ row, value }: ParsedApproval): readonly (readonly [string, string])[] {
  const texts = value.items.flatMap(({ type, text, value: json }) =>
    type === 'TEXT' ? (text ?? '') : json === undefined ? [] : JSON.stringify(json),
  );
  const shown = cutText(texts.join('\n'), MAX_SHOWN_CHARS);
  return shown === '' ? [] : [[row.label, shown]];
}

/** Returns the cause of the notice: a batch asks once for all of its runs, until the notice is read. */
async function findCause(tx: Tx, { row }: ParsedApproval): Promise<string> {
  const execution = await findExecution(tx, row.execution_id);
  const originId = execution?.origin_id ?? null;
  return originId === null ? row.id : `${originId}/${row.node_id}`;
}

const MAX_TEXT_CHARS = 500;

function describe({ row, request }: ParsedApproval, occasion: Occasion) {
  const prefix = occasion > 0 ? 'Reminder: ' : '';
  const until = row.expires_at.toISOString().slice(0, 16).replace('T', ' ');
  const question = request.message === '' ? '' : `${cutText(request.message, MAX_TEXT_CHARS)} `;
  return {
    title: `${prefix}“${shortenName(row.label)}” waits for your approval`,
    text: `${question}${shortenName(row.started_by)} asks you to decide by ${until} UTC.`,
  };
}
