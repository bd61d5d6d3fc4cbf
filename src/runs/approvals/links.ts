// Creates links with which people without an account decide, and reads approvals by them.
import { generateToken, sha256 } from '../../lib/crypto.ts';
import { AppError, requireFound } from '../../lib/errors.ts';
import { findRole, requireOpenTeam, toTeamId } from '../../services/accounts/access.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import {
  type AssigneeRow,
  countApprovalLinks,
  findApproval,
  findLinkedApproval,
  insertApprovalLink,
  type LinkedAssigneeRow,
  listAssignees,
  setOptOut,
} from '../../store/approvals.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { presentLinkedApproval } from './present-approval.ts';

/** The path of the page on which a person decides by a link. The token follows as the fragment, which no log contains. */
export const LINK_PATH = '/approve';

const WINDOW_SECONDS = 900;
const MAX_REQUESTS = 100;
/** Includes the links of reminders. */
const MAX_LINKS = 500;

/** Stores a new link of the assignee and returns its token, of which only the hash is stored. */
export async function createApprovalLink(
  { now }: Pick<RunDeps, 'now'>,
  tx: Tx,
  { approval_id, position }: Pick<AssigneeRow, 'approval_id' | 'position'>,
  created_by: number | null = null,
): Promise<string> {
  const token = generateToken();
  const created_at = new Date(now());
  await insertApprovalLink(tx, { token_hash: sha256(token), approval_id, position, created_at, created_by });
  return token;
}

/** Creates a link for an assignee without an account, to send by other means than mail. Throws 403, 404 and 409. */
export async function createLinkAsOwner(
  deps: RunDeps,
  actor: Actor,
  id: string,
  { email }: { readonly email: string },
): Promise<{ readonly url: string; readonly expiresAt: string }> {
  const user = requireScope(actor, 'workflows:execute');
  const { db } = deps;
  const row = requireFound(await findApproval(db, id), 'Approval not found.');
  requireOpenTeam(user, row.workspace);
  const workflow = await findWorkflow(db, row.workflow_id, user.userId);
  if (workflow === undefined || findRole(user, workflow) !== 'OWNER')
    throw new AppError('forbidden', 'Only the owners of the workflow can create links of its approvals.');
  if (row.status !== 'waiting')
    throw new AppError('conflict', 'The approval no longer waits for a decision.');
  const assignee = (await listAssignees(db, [id])).find(
    candidate => candidate.user_id === null && candidate.email === email.trim().toLowerCase(),
  );
  if (assignee === undefined)
    throw new AppError(
      'not_found',
      'This email is no assignee without an account. People with an account decide at /approvals.',
    );
  if ((await countApprovalLinks(db, id)) >= MAX_LINKS)
    throw new AppError('conflict', `An approval can have at most ${MAX_LINKS} links.`);
  const token = await db.transaction(async tx => {
    recordAudit(tx, user, {
      action: 'approval.link_created',
      target: id,
      name: row.label,
      teamId: toTeamId(row.workspace),
      after: { email: assignee.email },
    });
    return createApprovalLink(deps, tx, assignee, user.userId);
  });
  return { url: `${deps.settings.BASE_URL}${LINK_PATH}#${token}`, expiresAt: row.expires_at.toISOString() };
}

/** Returns the approval of a link. Throws 400 `invalid_link`, and 429 after too many requests of a network. */
export async function openApprovalLink(deps: RunDeps, token: string, network: string) {
  return presentLinkedApproval(await findByToken(deps, token, network));
}

/**
 * Stops mails about approvals to the person of the link, who has no account, or sends them again. Throws 400 for a person with an
 * account, who chooses in the settings, and the errors of `openApprovalLink`.
 */
export async function changeLinkMails(
  deps: RunDeps,
  { token, isStopped }: { readonly token: string; readonly isStopped: boolean },
  network: string,
) {
  const linked = await findByToken(deps, token, network);
  if (linked.assignee_id !== null || linked.assignee_email === null)
    throw new AppError(
      'invalid_link',
      'This person has an account. Sign in, and choose mails in the settings.',
    );
  await setOptOut(deps.db, sha256(linked.assignee_email), isStopped);
  return presentLinkedApproval({ ...linked, is_stopped: isStopped });
}

/** Returns the approval of a token, and the assignee to whom it was sent. */
export async function findByToken(deps: RunDeps, token: string, network: string): Promise<LinkedAssigneeRow> {
  const reason = `More than ${MAX_REQUESTS} requests with links of approvals from your address in 15 minutes`;
  await deps.rateLimiter.requireToken(`approval:${network}`, MAX_REQUESTS, WINDOW_SECONDS, reason);
  const linked = await findLinkedApproval(deps.db, sha256(token));
  if (linked === undefined)
    throw new AppError('invalid_link', 'This link is invalid, or the run was deleted. Ask whoever sent it.');
  return linked;
}
