// Serves media under /cdn: public, immutable, with range requests.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Deps } from '../../services/deps.ts';
import { openMedia } from '../../services/media/serve-media.ts';
import { Plain } from '../../services/schema.ts';
import type { Server } from '../deps.ts';
import { createDescriber } from '../route.ts';
import { sendMedia } from '../send-media.ts';

const operation = createDescriber('Media');
const Params = Type.Object({ mediaId: Type.String(), name: Type.String() });

export function registerCdn(server: Server, deps: Deps): void {
  const send = async (req: FastifyRequest<{ Params: Static<typeof Params> }>, reply: FastifyReply) =>
    sendMedia(reply, await openMedia(deps, req.params, req));
  const path = '/cdn/:mediaId/:name';
  server.get(
    path,
    {
      ...operation('downloadMedia', 'public', {
        summary: 'Download a media file',
        description:
          'Returns the bytes of a media file, cacheable for a year. Supports `Range`. SVG files are sent as attachments.',
        errors: ['not_found', 'range_not_satisfiable'],
        otherStatuses: [206, 307],
        isConditional: true,
        requestHeaders: ['Range'],
        params: Params,
        limit: 'none',
        isStreamed: true,
        response: { 200: Plain('*/*') },
      }),
      exposeHeadRoute: false,
    },
    send,
  );
  // Fastify's own HEAD route would send a Content-Length of 0.
  server.head(
    path,
    { schema: { params: Params, hide: true }, config: { access: 'public', limit: 'none', isStreamed: true } },
    send,
  );
}
