// Serves the npm package of the SDK, so that `npm install` of its URL installs the version that fits the service.
import { Type } from 'typebox';
import { openSdkPackage } from '../../bundle/sdk-package.ts';
import { AppError } from '../../lib/errors.ts';
import type { Server } from '../deps.ts';

const NAME = 'graphwright-sdk';

export function registerSdk(server: Server): void {
  server.get(
    '/sdk/:name',
    {
      config: { access: 'public', limit: 'none' },
      schema: { params: Type.Object({ name: Type.String({ maxLength: 100 }) }), hide: true },
    },
    async (req, reply) => {
      const { name } = req.params;
      const sdk = name.startsWith(NAME) ? await openSdkPackage() : undefined;
      const hashedName = `${NAME}-${sdk?.hash}.tgz`;
      if (sdk === undefined || (name !== `${NAME}.tgz` && name !== hashedName))
        throw new AppError(
          'not_found',
          `File not found. The npm package of the SDK is at /sdk/${NAME}.tgz, unless the service runs from sources without dev dependencies.`,
        );
      const etag = `"${sdk.hash}"`;
      reply.headers({
        etag,
        'cache-control': name === hashedName ? 'public, max-age=31536000, immutable' : 'public, no-cache',
        'content-location': `/sdk/${hashedName}`,
      });
      if (req.headers['if-none-match'] === etag) return reply.code(304).send();
      return reply.header('content-type', 'application/gzip').send(sdk.bytes);
    },
  );
}
