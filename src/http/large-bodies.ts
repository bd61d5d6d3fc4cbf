// Limits the number of large request bodies that are read at the same time.
import type { onRequestAsyncHookHandler } from 'fastify';
import type { Deps } from '../services/deps.ts';
import { busy } from '../services/media/presigned-upload.ts';

/** Smaller bodies are not limited. */
const USUAL_BYTES = 4_194_304;

/** Refuses requests over the limit with 429 `upload_busy` before their body is read. */
export function limitLargeBodies(deps: Pick<Deps, 'now'>, max: number): onRequestAsyncHookHandler {
  let active = 0;
  return async ({ headers }, reply) => {
    // A body of unknown length may be large.
    const isLarge =
      headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > USUAL_BYTES;
    if (!isLarge) return;
    if (active >= max) throw busy(`${max} large files are being read already`, deps.now());
    active++;
    reply.raw.once('close', () => active--);
  };
}
