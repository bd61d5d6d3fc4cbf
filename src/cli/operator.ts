// Runs operator commands over HTTP or directly on the database, so that someone who lost every key can still work.
import { AppError } from '../lib/errors.ts';
import { readSettings, type Settings } from '../lib/settings.ts';
import { SCOPES, type UserActor } from '../services/accounts/actor.ts';
import type { Db } from '../store/db.ts';
import { type Client, createServiceClient } from './client.ts';

export interface OperatorDeps {
  readonly db: Db;
  readonly now: () => number;
  readonly settings: Settings;
}

/** Runs the command over HTTP if there is an API key, otherwise on the database. */
export async function runAsOperator<T>(
  signal: AbortSignal,
  options: {
    readonly http: (client: Client) => Promise<T>;
    readonly database: (deps: OperatorDeps, operator: UserActor) => Promise<T>;
  },
): Promise<T> {
  const settings = readSettings();
  return settings.GRAPHWRIGHT_API_KEY === undefined
    ? withOperator(settings, options.database)
    : options.http(createServiceClient(settings, signal));
}

/** Opens the database and acts as the first user with every scope, because whoever can open the database may do anything. */
export async function withOperator<T>(
  settings: Settings,
  work: (deps: OperatorDeps, operator: UserActor) => Promise<T>,
): Promise<T> {
  const [{ withDatabase }, { BOOTSTRAP_USER_ID, bootstrap }] = await Promise.all([
    import('./database.ts'),
    import('../services/accounts/bootstrap.ts'),
  ]);
  const operator: UserActor = {
    kind: 'user',
    userId: BOOTSTRAP_USER_ID,
    credential: { kind: 'operator', id: '' },
    scopes: new Set(SCOPES),
    accountPlan: 'self_hosted',
  };
  const result = withDatabase(settings, async db => {
    await db.transaction(tx => bootstrap(tx, settings));
    return work({ db, now: Date.now, settings }, operator);
  });
  // The usual reason is a running service that uses the folder.
  return result.catch((thrown: unknown) => {
    if (!(thrown instanceof AppError) || thrown.code !== 'unavailable') throw thrown;
    throw new Error(`${thrown.message} To use a running service instead, set GRAPHWRIGHT_API_KEY.`, {
      cause: thrown,
    });
  });
}
