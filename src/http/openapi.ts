// Serves /openapi.json and /docs, generated from the schemas that validate requests.
import { readFile } from 'node:fs/promises';
import swagger from '@fastify/swagger';
import { shortHash } from '../lib/crypto.ts';
import type { ApiDocument as ReferenceDocument } from '../pages/reference/document.ts';
import { SCOPES } from '../services/accounts/actor.ts';
import type { Deps } from '../services/deps.ts';
import { sendCached, type TaggedText } from './conditional.ts';
import { createSessionCookie } from './cookies.ts';
import type { Server } from './deps.ts';
import { completeDocument } from './openapi/document.ts';
import type { Document } from './openapi/operation.ts';
import { registerReference } from './pages/reference.ts';

const GUIDE_PATH = '/docs/api.md';

const DESCRIPTION = `Store, lint, lay out, run and publish graphs of AI media nodes.

Read the [API guide](/docs/guides/api) for conventions, errors, limits, idempotency and webhooks.
[Agents](/docs/guides/agents) use the service at \`/mcp\`.

Every response has the headers \`X-Request-Id\`, \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`.
Every error has the body \`{ error, code, requestId, issues? }\`. \`error\` is a message for people, \`code\` one of the codes in the schema \`Error\`.

An API key has some of these scopes: ${SCOPES.map(scope => `\`${scope}\``).join(', ')}. \`workflows:execute\` implies \`workflows:read\`.`;

/** Records the routes for the OpenAPI document. Must be called before they are registered. */
export async function registerOpenApi(server: Server, deps: Deps): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Graphwright',
        version: '1',
        description: DESCRIPTION,
        contact: { name: 'The operator of this service', url: deps.settings.BASE_URL },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: deps.settings.BASE_URL }],
      components: {
        securitySchemes: listSecuritySchemes(deps.settings.BASE_URL),
      },
      security: [{ apiKey: [] }, { session: [] }],
    },
    hideUntagged: false,
    transformObject: recorded =>
      'openapiObject' in recorded
        ? completeDocument(recorded.openapiObject as Document)
        : recorded.swaggerObject,
  });
  const document = createDocumentText(server);
  server.get(
    '/openapi.json',
    { schema: { hide: true }, config: { access: 'public', limit: 'none' } },
    (req, reply) => sendCached(req, reply, document(), 'no-cache'),
  );
  const guide = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8');
  server.get(
    GUIDE_PATH,
    { schema: { hide: true }, config: { access: 'public', limit: 'none' } },
    (_, reply) => reply.type('text/plain; charset=utf-8').send(guide),
  );
  registerReference(server, deps.settings.BASE_URL, () => server.swagger() as unknown as ReferenceDocument);
}

/** Builds the document on the first request, when all routes are registered. */
function createDocumentText(server: Server): () => TaggedText {
  let cached: TaggedText | undefined;
  return () => {
    if (cached !== undefined) return cached;
    const text = Buffer.from(JSON.stringify(server.swagger()));
    cached = { text, etag: `"${shortHash(text)}"` };
    return cached;
  };
}

const listSecuritySchemes = (baseUrl: string) =>
  ({
    apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'sk-…' },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: createSessionCookie(baseUrl).name,
      description:
        'Set by `POST /api/v1/auth/sign-in`. A session has all scopes, and `instance:admin` if the user is an ' +
        'administrator. Methods other than GET and HEAD require `Sec-Fetch-Site: same-origin` or the `Origin` of this service.',
    },
    contentSecret: { type: 'http', scheme: 'bearer', description: 'CONTENT_WEBHOOK_SECRET' },
  }) as const;
