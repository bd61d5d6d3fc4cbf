// Sends media files as the services open them: whole, a range, or only headers.
import type { FastifyReply } from 'fastify';
import { AppError } from '../lib/errors.ts';
import type { OpenedMedia } from '../services/media/serve-media.ts';

/** Throws 416 for a range after the end of the file. */
export function sendMedia(reply: FastifyReply, { status, headers, stream }: OpenedMedia): FastifyReply {
  if (status === 416)
    throw new AppError(
      'range_not_satisfiable',
      'The range starts after the end of the file. Request a range within it.',
      { headers },
    );
  return reply.code(status).headers(headers).send(stream);
}
