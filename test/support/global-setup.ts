// Starts the PostgreSQL server of a test run (node --test --test-global-setup) and removes it at the end.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import type { TestServer } from './postgres.ts';

let server: TestServer | undefined;

/** Called by the runner before the first test file. The files' processes inherit the server's address. */
export async function globalSetup(): Promise<void> {
  await prepareProgram();
  const { ADDRESS_VARIABLE, startTestServer } = await import('./postgres.ts');
  server = await startTestServer();
  process.env[ADDRESS_VARIABLE] = JSON.stringify(server.address);
}

/**
 * Warms the compile cache: each file is a process that loads much of the program, and without the cache all would
 * compile it and bundle the web application at once. Nothing is imported before the cache is on.
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

/** Called by the runner after the last test file, including after failures and Ctrl-C. */
export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
