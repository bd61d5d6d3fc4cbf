// Media under /cdn: public, immutable, in ranges.
import { Type } from 'typebox';
import type { Deps } from '../../services/deps.ts';
import { openMedia } from '../../services/serve-media.ts';
import type { App } from '../app.ts';

const Params = Type.Object({ mediaId: Type.String(), name: Type.String() });

export function registerCdn(app: App, deps: Deps): void {
  app.get(
    '/cdn/:mediaId/:name',
    {
      schema: { tags: ['Media'], summary: 'Fetch a media file', params: Params, security: [] },
      config: { limit: 'none', authentication: 'none' },
    },
    async (req, reply) => {
      const { status, headers, stream } = await openMedia(deps, req.params, {
        method: req.method,
        headers: req.headers,
      });
      return reply.code(status).headers(headers).send(stream);
    },
  );
}
