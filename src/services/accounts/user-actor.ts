// Creates the actor for work that the service does for a user, such as a batch or a schedule.
import { AppError } from '../../lib/errors.ts';
import { findUser } from '../../store/users.ts';
import type { Deps } from '../deps.ts';
import type { Scope, UserActor } from './actor.ts';

const BACKGROUND_SCOPES: ReadonlySet<Scope> = new Set(['workflows:read', 'workflows:execute']);

/** Returns the user with their current plan. Throws 403 if the account is disabled or deleted. */
export async function getUserActor({ db }: Pick<Deps, 'db'>, userId: number): Promise<UserActor> {
  const user = await findUser(db, userId);
  if (user === undefined || user.disabled)
    throw new AppError('forbidden', 'The account of the user who started this is disabled or deleted.');
  return {
    kind: 'user',
    userId,
    credential: { kind: 'background', id: '' },
    scopes: BACKGROUND_SCOPES,
    accountPlan: user.plan,
  };
}
