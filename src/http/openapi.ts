// /openapi.json and /docs: the document made from the very schemas that validate requests.
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { ERROR_CODES } from '../lib/errors.ts';
import { SCOPES } from '../services/actor.ts';
import type { Deps } from '../services/deps.ts';
import type { App } from './app.ts';

const DESCRIPTION = `Stores, lints, lays out, runs and publishes graphs of AI-media nodes.

Every answer carries \`X-Request-Id\`, \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`.
Every error is \`{ error, code, requestId, issues? }\` with a code of this table:

| code | status | meaning |
| --- | --- | --- |
${Object.entries(ERROR_CODES)
  .map(([code, [status, title]]) => `| \`${code}\` | ${status} | ${title} |`)
  .join('\n')}

Scopes of a key: ${SCOPES.map(scope => `\`${scope}\``).join(', ')}; execute implies read.`;

export async function registerOpenApi(app: App, deps: Deps): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Graphwright',
        version: '1',
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: deps.settings.BASE_URL }],
      components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'sk-…' } } },
      security: [{ apiKey: [] }],
    },
    hideUntagged: false,
  });
  app.get('/openapi.json', { schema: { hide: true }, config: { limit: 'none' } }, () => app.swagger());
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { deepLinking: true, tryItOutEnabled: true },
  });
}
