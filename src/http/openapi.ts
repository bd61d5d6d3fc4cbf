// /openapi.json and /docs: the document made from the very schemas that validate requests.
import { readFile } from 'node:fs/promises';
import swagger from '@fastify/swagger';
import { sha256 } from '../lib/crypto.ts';
import type { Document as ReferenceDocument } from '../pages/reference/document.ts';
import { SCOPES } from '../services/accounts/actor.ts';
import type { Deps } from '../services/deps.ts';
import type { App } from './app.ts';
import { sendCached, type TaggedText } from './conditional.ts';
import { completeDocument } from './openapi/document.ts';
import type { Document } from './openapi/operation.ts';
import { registerReference } from './pages/reference.ts';
import { sessionCookieOf } from './session-cookie.ts';

const GUIDE_PATH = '/docs/api.md';

const DESCRIPTION = `Stores, lints, lays out, runs and publishes graphs of AI-media nodes.

[How the API behaves](/docs/guides/api): conventions, errors, limits, idempotency, webhooks and how to verify them.
[Agents](/docs/guides/agents) use the service at \`/mcp\`.

Every answer carries \`X-Request-Id\`, \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`.
Every error is \`{ error, code, requestId, issues? }\`: \`error\` is a sentence for people, \`code\` one of the schema \`Error\`.

Scopes of a key: ${SCOPES.map(scope => `\`${scope}\``).join(', ')}; execute implies read.`;

/** Must be called before the routes are registered: it watches them. */
export async function registerOpenApi(app: App, deps: Deps): Promise<void> {
  await app.register(swagger, {
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
        securitySchemes: securitySchemes(deps.settings.BASE_URL),
      },
      security: [{ apiKey: [] }, { session: [] }],
    },
    hideUntagged: false,
    transformObject: given =>
      'openapiObject' in given ? completeDocument(given.openapiObject as Document) : given.swaggerObject,
  });
  const document = createDocumentText(app);
  app.get('/openapi.json', { schema: { hide: true }, config: { limit: 'none' } }, (req, reply) =>
    sendCached(req, reply, document(), 'no-cache'),
  );
  const guide = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8');
  app.get(GUIDE_PATH, { schema: { hide: true }, config: { limit: 'none' } }, (_, reply) =>
    reply.type('text/plain; charset=utf-8').send(guide),
  );
  registerReference(app, deps.settings.BASE_URL, () => app.swagger() as unknown as ReferenceDocument);
}

/** The routes are complete when the first one is asked for; the text is made then, once. */
function createDocumentText(app: App): () => TaggedText {
  let made: TaggedText | undefined;
  return () => {
    if (made !== undefined) return made;
    const text = JSON.stringify(app.swagger());
    made = { text, etag: `"${sha256(text).toString('base64url').slice(0, 22)}"` };
    return made;
  };
}

const securitySchemes = (baseUrl: string) =>
  ({
    apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'sk-…' },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieOf(baseUrl).name,
      description:
        'Set by `POST /api/v1/auth/sign-in`. It has all scopes of its user, `instance:admin` where the user is an ' +
        'administrator. A method other than GET and HEAD needs `Sec-Fetch-Site: same-origin`, or the `Origin` of this service.',
    },
    contentSecret: { type: 'http', scheme: 'bearer', description: 'CONTENT_WEBHOOK_SECRET' },
  }) as const;
