// The one PostgreSQL of `--short`, where nothing is measured: a service gets a migrated database of it instead of a server
// of its own, whose start takes longer than what a short section does.
import { createTestDatabase, type TestDatabase } from '../test/support/database.ts';
import { ADDRESS_VARIABLE, startTestServer, type TestServer } from '../test/support/postgres.ts';

let isShared = false;
let starting: Promise<TestServer> | undefined;

/** From now on; call `stopSharedServer` at the end. */
export function shareServer(): void {
  isShared = true;
}

export const isServerShared = (): boolean => isShared;

/** Undefined where each has a server of its own. */
export async function findSharedDatabase(): Promise<TestDatabase | undefined> {
  if (!isShared) return undefined;
  starting ??= startTestServer();
  process.env[ADDRESS_VARIABLE] = JSON.stringify((await starting).address);
  return createTestDatabase();
}

export async function stopSharedServer(): Promise<void> {
  await (await starting)?.stop();
}
