// Serves media under /cdn: public, immutable, with range requests.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import type { Deps } from '../../services/deps.ts';
import { openMedia } from '../../services/media/serve-media.ts';
import { Plain } from '../../services/schema.ts';
import type { App } from '../app.ts';
import { documented } from '../route.ts';

const Params = Type.Object({ mediaId: Type.String(), name: Type.String() });

export function registerCdn(app: App, deps: Deps): void {
  const config = { limit: 'none' } as const;
  const send = async (req: FastifyRequest<{ Params: Static<typeof Params> }>, reply: FastifyReply) => {
    const { status, headers, stream } = await openMedia(deps, req.params, req);
    if (status === 416)
      throw new AppError(
        'range_not_satisfiable',
        'The range starts after the end of the file. Request a range within it.',
        { headers },
      );
    return reply.code(status).headers(headers).send(stream);
  };
  const path = '/cdn/:mediaId/:name';
  app.get(
    path,
    {
      ...documented('Media')('Download a media file', { 200: Plain('*/*') }, { params: Params }),
      config,
      exposeHeadRoute: false,
    },
    send,
  );
  // Fastify's own HEAD route would send a Content-Length of 0.
  app.head(path, { schema: { params: Params, hide: true }, config }, send);
}
