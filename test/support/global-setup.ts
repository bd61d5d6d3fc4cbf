// Starts the one PostgreSQL of a test run (node --test --test-global-setup) and removes it at the end.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import type { TestServer } from './postgres.ts';

let server: TestServer | undefined;

/** Called by the runner before the first test file; the files' processes inherit the address. */
export async function globalSetup(): Promise<void> {
  await prepareProgram();
  const { ADDRESS_VARIABLE, startTestServer } = await import('./postgres.ts');
  server = await startTestServer();
  process.env[ADDRESS_VARIABLE] = JSON.stringify(server.address);
}

/**
 * Each file is a process that loads much of the program, and most start services: those that begin at once would all
 * compile it, and bundle the web application. Nothing is loaded before the cache is on.
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

/** Called by the runner after the last test file, failures and Ctrl-C included. */
export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
