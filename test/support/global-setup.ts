// Starts the PostgreSQL server of a test run (node --test --test-global-setup) and removes it at the end.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import type { TestServer } from './postgres.ts';

let server: TestServer | undefined;

/** The runner calls this function before the first test file. The files' processes inherit the server's address. */
export async function globalSetup(): Promise<void> {
  await prepareProgram();
  const { ADDRESS_VARIABLE, startTestServer } = await import('./postgres.ts');
  // The tests of this runner run it inside of a test, whose server it uses.
  if (process.env[ADDRESS_VARIABLE] !== undefined) return;
  server = await startTestServer();
  process.env[ADDRESS_VARIABLE] = JSON.stringify(server.address);
}

/**
 * Compiles the program into Node's compile cache and bundles the web application, so that the processes of the test files
 * do not all do so concurrently. Nothing is imported before the cache is enabled.
 */
async function prepareProgram(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/tests');
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  const { EDITOR_FOLDER } = await import('./app.ts');
  const { openBundle } = await import('../../src/bundle/editor-files.ts');
  await import('../../src/service.ts');
  flushCompileCache();
  const onStoreError = (err: unknown): never => {
    throw err;
  };
  await openBundle({ folder: EDITOR_FOLDER, now: Date.now, onStoreError });
}

/** The runner calls this function after the last test file, and also after failures and Ctrl-C. */
export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
