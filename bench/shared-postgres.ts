// One PostgreSQL for all services of `--short`: each gets a migrated database instead of a server, which takes longer
// to start than a short section runs.
import { createTestDatabase, type TestDatabase } from '../test/support/database.ts';
import { ADDRESS_VARIABLE, startTestServer, type TestServer } from '../test/support/postgres.ts';

let isShared = false;
let starting: Promise<TestServer> | undefined;

/** From now on; call `stopSharedServer` at the end. */
export function shareServer(): void {
  isShared = true;
}

export const isServerShared = (): boolean => isShared;

/** Returns undefined if each service has its own server. */
export async function findSharedDatabase(): Promise<TestDatabase | undefined> {
  if (!isShared) return undefined;
  starting ??= startTestServer();
  process.env[ADDRESS_VARIABLE] = JSON.stringify((await starting).address);
  return createTestDatabase();
}

export async function stopSharedServer(): Promise<void> {
  await (await starting)?.stop();
}
