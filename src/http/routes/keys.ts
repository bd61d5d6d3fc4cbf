// API keys over HTTP.
import { Type } from 'typebox';
import { SCOPES } from '../../services/actor.ts';
import type { Deps } from '../../services/deps.ts';
import { createKey, listOwnKeys, revokeOwnKey } from '../../services/keys.ts';
import type { App } from '../app.ts';

const tags = ['Keys'];

const CreateBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    scopes: Type.Array(Type.Enum([...SCOPES]), { minItems: 1, maxItems: SCOPES.length, uniqueItems: true }),
    expiresAt: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601' })),
  },
  { additionalProperties: false },
);

export function registerKeys(app: App, deps: Deps): void {
  app.get('/api/v1/keys', { schema: { tags, summary: 'List your keys' } }, async req => ({
    data: await listOwnKeys(deps, req.actor),
    nextCursor: null,
  }));
  app.post(
    '/api/v1/keys',
    { schema: { tags, summary: 'Mint a key; it is shown this once', body: CreateBody } },
    async (req, reply) => {
      return reply.code(201).send(await createKey(deps, req.actor, req.body));
    },
  );
  app.delete(
    '/api/v1/keys/:id',
    {
      schema: { tags, summary: 'Revoke a key', params: Type.Object({ id: Type.String({ maxLength: 64 }) }) },
    },
    async req => {
      await revokeOwnKey(deps, req.actor, req.params.id);
      return { success: true };
    },
  );
}
