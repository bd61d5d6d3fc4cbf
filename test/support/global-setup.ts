// Starts the PostgreSQL server of a test run (node --test --test-global-setup) and removes it at the end. Imports the program
// only after the compile cache is enabled.
import { existsSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { ADDRESS_VARIABLE } from './postgres/address.ts';
import type { TestServer } from './postgres.ts';

let server: TestServer | undefined;

/** The runner calls this function before the first test file. The files' processes inherit the server's address. */
export async function globalSetup(): Promise<void> {
  // The tests of the runner run it inside of a test.
  if (process.env[ADDRESS_VARIABLE] !== undefined) return;
  await prepareCompileCache();
  const { startTestServer } = await import('./postgres.ts');
  const { prepareEditorBundle } = await import('./editor-bundle.ts');
  [server] = await Promise.all([startTestServer(), prepareEditorBundle()]);
  process.env[ADDRESS_VARIABLE] = JSON.stringify(server.address);
}

/** Compiles the program into a new cache, so that the processes of the test files do not all do so concurrently. */
async function prepareCompileCache(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/tests');
  const isNew = !existsSync(process.env.NODE_COMPILE_CACHE);
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  if (!isNew) return;
  await import('../../src/service.ts');
  flushCompileCache();
}

/** The runner calls this function after the last test file, and also after failures and Ctrl-C. */
export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
