// Returns the actor for work that a user has left to the service, such as a batch or a schedule.
import { AppError } from '../../lib/errors.ts';
import { findUser } from '../../store/users.ts';
import type { Deps } from '../deps.ts';
import type { Scope, UserActor } from './actor.ts';

const SCOPES: ReadonlySet<Scope> = new Set(['workflows:read', 'workflows:execute']);

/** Returns the user with their present plan. Throws 403 if the account is disabled or gone. */
export async function getUserActor({ db }: Pick<Deps, 'db'>, userId: number): Promise<UserActor> {
  const user = await findUser(db, userId);
  if (user === undefined || user.disabled)
    throw new AppError('forbidden', 'The account of the user who started this is disabled.');
  return {
    kind: 'user',
    userId,
    credential: { kind: 'operator', id: '' },
    scopes: SCOPES,
    plan: user.plan,
  };
}
