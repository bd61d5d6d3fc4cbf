// Media under /cdn: public, immutable, in ranges.
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
  const answer = async (req: FastifyRequest<{ Params: Static<typeof Params> }>, reply: FastifyReply) => {
    const { status, headers, stream } = await openMedia(deps, req.params, req);
    if (status === 416)
      throw new AppError('range_not_satisfiable', 'The range begins after the end of the file.', { headers });
    return reply.code(status).headers(headers).send(stream);
  };
  const path = '/cdn/:mediaId/:name';
  app.get(
    path,
    {
      ...documented('Media')('Fetch a media file', { 200: Plain('*/*') }, { params: Params }),
      config,
      exposeHeadRoute: false,
    },
    answer,
  );
  // The HEAD route that Fastify makes would say that the file has no bytes.
  app.head(path, { schema: { params: Params, hide: true }, config }, answer);
}
