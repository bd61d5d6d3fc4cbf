// Reads, lists and ends the caller's sessions.
import { AppError } from '../../lib/errors.ts';
import { recordAudit, toUserTarget } from '../../store/audit/record-audit.ts';
import { getPool } from '../../store/credits.ts';
import { countInvitationsOfUser } from '../../store/people/invitations.ts';
import { deleteSession, findSession, listSessions } from '../../store/people/sessions.ts';
import { listTeams } from '../../store/teams.ts';
import { findUser, type UserRow } from '../../store/users.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';
import { type Actor, requireScope, requireSession, type UserActor } from '../accounts/actor.ts';
import { findActiveWorkspace } from '../accounts/teams.ts';
import type { Deps } from '../deps.ts';
import { readStorageUsage } from '../media/storage-quota.ts';
import { byId, type PageQuery, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';

/** Maximum number of listed teams, ordered by id. */
const MAX_TEAMS = 200;

/** Returns the signed-in user with workspace and credits. Throws 401 without a session. */
export async function readOwnSession({ db, now, settings }: Deps, actor: Actor) {
  const { user, sessionId } = requireSession(actor);
  const { userId } = user;
  const [row, session, active, teams, invitations] = await Promise.all([
    findUser(db, userId),
    findSession(db, sessionId, userId),
    findActiveWorkspace(db, user),
    listTeams(db, userId, { after: '', limit: MAX_TEAMS }),
    countInvitationsOfUser(db, userId, new Date(now())),
  ]);
  // The session has just ended, and the cache still contained it.
  if (row === undefined || session === undefined)
    throw new AppError('unauthorized', 'The session has ended. Sign in again.');
  // A team that requires a second factor shows its credits only to who has proved one.
  const isClosed = active.team_id !== null && user.closedTeams?.has(active.team_id) === true;
  const { balance, held } = isClosed
    ? { balance: 0, held: 0 }
    : await getPool(db, active.team_id ?? getPersonalWorkspaceId(userId));
  const team = teams.find(({ id }) => id === active.team_id);
  return {
    user: presentUser(row, user),
    workspace: {
      teamId: active.team_id,
      name: team?.name ?? row.name,
      role: active.team_role ?? ('OWNER' as const),
    },
    teams: teams.map(({ id, name, role }) => ({ id, name, role })),
    invitations,
    plan: row.plan,
    credits: { balance, held },
    storage: await readStorageUsage({ db, settings }, userId),
    expiresAt: session.expires_at.toISOString(),
    needsSecondFactor: settings.REQUIRE_SECOND_FACTOR === 'on' && user.lacksSecondFactor === true,
  };
}

const presentUser = (row: UserRow, { scopes }: UserActor) => ({
  userId: row.id,
  ...presentColumns(row, 'email name is_author is_admin'),
  scopes: [...scopes],
  personalTeamId: getPersonalWorkspaceId(row.id),
});

/** Lists the sessions that have not ended, newest first. */
export async function listOwnSessions({ db, now }: Deps, actor: Actor, query: PageQuery) {
  const { userId, credential } = requireScope(actor, 'account:admin');
  return readPage(
    query,
    byId('session'),
    page => listSessions(db, userId, new Date(now()), page),
    session => ({
      ...presentColumns(session, 'id user_agent address created_at last_seen_at expires_at'),
      isCurrent: session.id === credential.id,
    }),
  );
}

/** Ends a session of the caller, in every process within five seconds. Throws 404. */
export async function endOwnSession(deps: Deps, actor: Actor, id: string): Promise<void> {
  if (!(await endSession(deps, requireScope(actor, 'account:admin'), id)))
    throw new AppError('not_found', 'Session not found.');
}

/** Ends the session of the request, if there is one. */
export async function signOut(deps: Deps, actor: Actor): Promise<void> {
  if (actor.kind !== 'user' || actor.credential.kind !== 'session') return;
  await endSession(deps, actor, actor.credential.id);
}

async function endSession({ db, sessions }: Deps, user: UserActor, id: string): Promise<boolean> {
  const hash = await db.transaction(async tx => {
    const deleted = await deleteSession(tx, id, user.userId);
    if (deleted !== undefined)
      recordAudit(tx, user, {
        action: 'session.ended',
        target: toUserTarget(user.userId),
        after: { isOwn: id === user.credential.id },
      });
    return deleted;
  });
  if (hash !== undefined) sessions.forget([hash]);
  return hash !== undefined;
}
