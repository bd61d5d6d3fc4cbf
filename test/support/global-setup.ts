// Starts the one PostgreSQL of a test run (node --test --test-global-setup) and removes it at the end.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { ADDRESS_VARIABLE, startTestServer, type TestServer } from './postgres.ts';

let server: TestServer | undefined;

/** Called by the runner before the first test file; the files' processes inherit the address. */
export async function globalSetup(): Promise<void> {
  // Each file is a process that loads much of the program: with the cache, stripping its types costs a fifth less.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/tests');
  // Those that begin at once would all compile it, and so would each service until one ends in order.
  enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import('../../src/service.ts');
  flushCompileCache();
  server = await startTestServer();
  process.env[ADDRESS_VARIABLE] = JSON.stringify(server.address);
}

/** Called by the runner after the last test file, failures and Ctrl-C included. */
export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
