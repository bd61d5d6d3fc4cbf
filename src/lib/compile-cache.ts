// Locates Node's compile cache for child processes. Without the cache, a child process would spend more than half of its
// start on stripping and compiling its sources.
import { getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Returns the environment variables for a child process. */
export function getCompileCacheEnv(): { readonly NODE_COMPILE_CACHE: string } {
  // Node reports the version's subfolder of the configured folder.
  const cacheDir = getCompileCacheDir();
  return {
    NODE_COMPILE_CACHE: cacheDir === undefined ? join(tmpdir(), 'node-compile-cache') : dirname(cacheDir),
  };
}
