// Reads the node types and model files of a ComfyUI server.
import { toError } from '../../lib/errors.ts';
import { FetchError } from '../../lib/fetch/error.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { createThreadPool, TaskTooCostlyError } from '../../lib/threads/pool.ts';
import { toHeaders } from '../../providers/comfyui.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import type { ReadFacts } from './facts-thread.ts';

/** A server with many packs sends 20 MB. */
const MAX_MB = 64;
const TIMEOUT_MS = 60_000;

const pool = createThreadPool<Uint8Array, ReadFacts>({
  module: new URL('./facts-thread', import.meta.url),
  threads: 1,
  timeoutMs: 20_000,
  maxHeapMb: 512,
  maxWaiting: 20,
});

/** The responses are in memory until they are read. */
const limit = createLimiter({ concurrency: 2, maxPerAccount: 1 });

/** Never rejects for a fault of the server. */
export function readFacts(
  { endpoint, fetch }: Pick<ProviderCredential, 'endpoint' | 'fetch'>,
  signal: AbortSignal,
): Promise<ReadFacts> {
  return limit(async () => {
    try {
      const { status, body } = await fetch(`${endpoint.baseUrl}/object_info`, {
        method: 'GET',
        headers: toHeaders(endpoint.key),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_MB * 1_048_576,
        signal,
      });
      if (status !== 200) return { problem: `The server answered /object_info with status ${status}.` };
      return await pool.run(body, { signal });
    } catch (err) {
      signal.throwIfAborted();
      if (err instanceof TaskTooCostlyError)
        return { problem: 'Reading the server’s list of node types takes too much time or memory.' };
      if (err instanceof FetchError && err.code === 'too_large')
        return { problem: `The server’s list of node types is larger than ${MAX_MB} MB.` };
      return { problem: `The server’s list of node types could not be read: ${toError(err).message}` };
    }
  }, signal);
}
