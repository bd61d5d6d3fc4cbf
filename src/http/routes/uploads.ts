// Receives uploads to presigned URLs if media are stored on disk, with the responses of an S3 bucket.

import { Type } from 'typebox';
import type { Deps } from '../../services/deps.ts';
import { formatS3Error, receiveUpload } from '../../services/media/local-uploads.ts';
import { Plain } from '../../services/schema.ts';
import type { Server } from '../deps.ts';
import { createDescriber } from '../route.ts';
import { splitUrl } from '../split-url.ts';
import { discardBody } from '../unread-body.ts';

const operation = createDescriber('Media');
const Params = Type.Object({ mediaId: Type.String() });

export function registerUploads(server: Server, deps: Deps): void {
  void server.register(async scope => registerPut(scope, deps));
}

/** Registers the route in its own scope: the route reads bodies of any type itself, and errors are XML. */
function registerPut(scope: Server, deps: Deps): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_req, _payload, done) => done(null));
  scope.setErrorHandler((err, req, reply) => {
    discardBody(req, reply);
    const error = formatS3Error(err, splitUrl(req.url).path, req.id);
    if (error.status >= 500) deps.log.error({ err, requestId: req.id }, 'an upload failed');
    return reply.code(error.status).header('content-type', 'application/xml').send(error.xml);
  });
  scope.put(
    '/uploads/:mediaId',
    operation('putUpload', 'public', {
      summary: 'Upload the bytes of a file',
      description:
        'Receives the bytes of an upload. `uploadUrl` points here if media are stored on disk. The URL and the headers are signed. Errors are XML, as those of an S3 bucket.',
      params: Params,
      limit: 'none',
      response: { 200: Plain('text/plain') },
      responseHeaders: ['ETag'],
      isStorage: true,
    }),
    async (req, reply) => {
      const { sha256 } = await receiveUpload(deps, {
        mediaId: req.params.mediaId,
        query: splitUrl(req.url).query,
        headers: req.headers,
        body: req.raw,
        signal: reply.closeSignal(),
      });
      return reply.header('etag', `"${sha256.slice(0, 32)}"`).send();
    },
  );
}
