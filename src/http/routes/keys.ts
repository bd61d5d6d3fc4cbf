// API keys over HTTP.
import { Success } from '../../services/accounts/account.schema.ts';
import { CreatedKey, CreateKeyBody, KeyPage, KeyParams } from '../../services/accounts/key.schema.ts';
import { createKey, listOwnKeys, revokeOwnKey } from '../../services/accounts/keys.ts';
import type { Deps } from '../../services/deps.ts';
import { PageQuery } from '../../services/paging.ts';
import type { App } from '../app.ts';
import { created } from '../created.ts';

const tags = ['Keys'];

export function registerKeys(app: App, deps: Deps): void {
  app.get(
    '/api/v1/keys',
    { schema: { tags, summary: 'List your keys', querystring: PageQuery, response: { 200: KeyPage } } },
    req => listOwnKeys(deps, req.actor, req.query),
  );
  app.post(
    '/api/v1/keys',
    {
      schema: {
        tags,
        summary: 'Mint a key; it is shown this once',
        body: CreateKeyBody,
        response: { 201: CreatedKey },
      },
    },
    async (req, reply) => {
      const key = await createKey(deps, req.actor, req.body);
      return created(deps, reply, `/api/v1/keys/${key.id}`).header('cache-control', 'no-store').send(key);
    },
  );
  app.delete(
    '/api/v1/keys/:id',
    { schema: { tags, summary: 'Revoke a key', params: KeyParams, response: { 200: Success } } },
    async req => {
      await revokeOwnKey(deps, req.actor, req.params.id);
      return { success: true };
    },
  );
}
