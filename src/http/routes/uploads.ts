// The door that stands in for a bucket's presigned addresses: raw bytes in, answers as S3 gives them.
import { Type } from 'typebox';
import type { Deps } from '../../services/deps.ts';
import { printRefusal, putUpload } from '../../services/media/upload-door.ts';
import { Plain } from '../../services/schema.ts';
import type { App } from '../app.ts';
import { leaveBody } from '../rest-of-body.ts';
import { documented } from '../route.ts';

const Params = Type.Object({ mediaId: Type.String() });

export function registerUploads(app: App, deps: Deps): void {
  void app.register(async scope => registerDoor(scope, deps));
}

/** In a scope of its own: whatever type is announced, the bytes are left to the route, and refusals are XML. */
function registerDoor(scope: App, deps: Deps): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_req, _payload, done) => done(null));
  scope.setErrorHandler((err, req, reply) => {
    leaveBody(req, reply);
    const refusal = printRefusal(err, req.url.split('?', 1)[0] ?? '', req.id);
    if (refusal.status >= 500) deps.log.error({ err, requestId: req.id }, 'an upload failed');
    return reply.code(refusal.status).header('content-type', 'application/xml').send(refusal.xml);
  });
  scope.put(
    '/uploads/:mediaId',
    {
      ...documented('Media')(
        'Put a file to the address that was minted for it',
        { 200: Plain('text/plain') },
        { params: Params },
      ),
      config: { limit: 'none' },
    },
    async (req, reply) => {
      const { sha256 } = await putUpload(deps, {
        mediaId: req.params.mediaId,
        query: req.url.includes('?') ? req.url.slice(req.url.indexOf('?')) : '',
        headers: req.headers,
        body: req.raw,
        signal: reply.closeSignal(),
      });
      return reply.header('etag', `"${sha256.slice(0, 32)}"`).send();
    },
  );
}
