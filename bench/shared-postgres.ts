// Shares one PostgreSQL server between all services of `--short`, because starting a server takes longer than a short
// section. Each service gets a migrated database.
import { createTestDatabase, type TestDatabase } from '../test/support/database.ts';
import { ADDRESS_VARIABLE } from '../test/support/postgres/address.ts';
import { startTestServer, type TestServer } from '../test/support/postgres.ts';

let isShared = false;
let server: Promise<TestServer> | undefined;

/** Makes services that start later share a server. Call `stopSharedServer` at the end. */
export function shareServer(): void {
  isShared = true;
}

export const isServerShared = (): boolean => isShared;

/** Creates a database on the shared server. Returns undefined if each service has its own server. */
export async function findSharedDatabase(): Promise<TestDatabase | undefined> {
  if (!isShared) return undefined;
  server ??= startTestServer();
  process.env[ADDRESS_VARIABLE] = JSON.stringify((await server).address);
  return createTestDatabase();
}

export async function stopSharedServer(): Promise<void> {
  await (await server)?.stop();
}
