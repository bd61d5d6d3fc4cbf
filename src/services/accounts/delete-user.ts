// Deletes accounts for administrators, and hands their work to another user or a team.
import { AppError, requireFound } from '../../lib/errors.ts';
import { notifyAccount } from '../../store/accounts.ts';
import { recordAudit, toUserTarget } from '../../store/audit/record-audit.ts';
import type { Tx } from '../../store/db.ts';
import {
  addOwnerToTeams,
  eraseUser,
  findTeamOwner,
  type Heir,
  hasActiveWork,
  listTeamsOwnedOnlyBy,
  lockUser,
  transferWork,
} from '../../store/people/delete-user.ts';
import { lockTeam, teamExists } from '../../store/teams.ts';
import { findUser } from '../../store/users.ts';
import type { Deps } from '../deps.ts';
import { type Actor, requireScope } from './actor.ts';
import { requireOtherAdministrator } from './administrators.ts';
import { forgetUser } from './end-access.ts';

type DeleteDeps = Pick<Deps, 'db' | 'log' | 'keys' | 'sessions' | 'accessTokens'>;

/**
 * Deletes the account. Its workflows, folders and media go to the user or team, and its schedules, triggers and apps are
 * paused. Throws 404, 409 `conflict` while it has active runs, and 409 `last_owner`.
 */
export async function deleteUser(
  deps: DeleteDeps,
  actor: Actor,
  userId: number,
  { transferTo }: { readonly transferTo: string },
) {
  const admin = requireScope(actor, 'instance:admin');
  if (userId === admin.userId) throw new AppError('conflict', "You can't delete your own account.");
  const work = await deps.db.transaction(async tx => {
    const isPerson = /^\d{1,9}$/.test(transferTo);
    if (isPerson && Number(transferTo) === userId)
      throw new AppError('invalid_request', 'transferTo must be another user or a team.');
    // In the order of their ids, so that two deletions cannot wait for each other.
    const ids = isPerson ? [userId, Number(transferTo)].toSorted((a, b) => a - b) : [userId];
    for (const id of ids)
      if (!(await lockUser(tx, id)))
        throw new AppError(
          'not_found',
          id === userId ? 'User not found.' : 'The user in transferTo was not found.',
        );
    await requireOtherAdministrator(tx, requireFound(await findUser(tx, userId), 'User not found.'));
    const heir = isPerson
      ? { userId: Number(transferTo), teamId: null }
      : await findTeamHeir(tx, transferTo, userId);
    if (await hasActiveWork(tx, userId))
      throw new AppError(
        'conflict',
        'The user has runs or batches that have not ended. Cancel them, or wait until they end.',
      );
    await keepTeamsOwned(tx, userId, heir);
    const transferred = await transferWork(tx, userId, heir);
    await eraseUser(tx, userId);
    await notifyAccount(tx, userId);
    recordAudit(tx, admin, {
      action: 'user.deleted',
      target: toUserTarget(userId),
      after: { transferTo, ...transferred },
    });
    return transferred;
  });
  forgetUser(deps, userId);
  deps.log.info(
    { userId: admin.userId, deletedUserId: userId, transferTo, ...work },
    'an account was deleted',
  );
  return work;
}

/** Locks the team and returns the OWNER who becomes the creator of the work. Throws 404, 409. */
async function findTeamHeir(tx: Tx, teamId: string, userId: number): Promise<Heir> {
  await lockTeam(tx, teamId);
  if (!(await teamExists(tx, teamId)))
    throw new AppError('not_found', 'The user or team in transferTo was not found.');
  const ownerId = await findTeamOwner(tx, teamId, userId);
  if (ownerId === undefined)
    throw new AppError(
      'last_owner',
      'The team needs another active OWNER, who becomes the creator of the work.',
    );
  return { userId: ownerId, teamId };
}

/** Makes a person who gets the work an OWNER of teams without another one. Throws 409 if a team gets the work. */
async function keepTeamsOwned(tx: Tx, userId: number, heir: Heir): Promise<void> {
  if (heir.teamId === null) return addOwnerToTeams(tx, userId, heir.userId);
  const names = await listTeamsOwnedOnlyBy(tx, userId);
  if (names.length > 0)
    throw new AppError(
      'last_owner',
      `These teams have no other OWNER: ${names.join(', ')}. Add one, or transfer to a user, who becomes their OWNER.`,
    );
}
