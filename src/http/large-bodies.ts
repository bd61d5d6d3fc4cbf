// Routes whose bodies may be far larger than others': so many are read at once, the rest are asked to come back.
import type { onRequestAsyncHookHandler } from 'fastify';
import type { Deps } from '../services/deps.ts';
import { busy } from '../services/media/presigned-upload.ts';

/** A body up to this size is like any other. */
const USUAL_BYTES = 4_194_304;

/** Refuses with 429 `upload_busy`, before the body is read, what would be one too many. */
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
