// API keys over HTTP.
import { Success } from '../../services/accounts/account.schema.ts';
import {
  ChangeKeyBody,
  CreatedKey,
  CreateKeyBody,
  Key,
  KeyPage,
  KeyParams,
} from '../../services/accounts/key.schema.ts';
import { changeKey, createKey, listOwnKeys, readKey, revokeOwnKey } from '../../services/accounts/keys.ts';
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
  app.get(
    '/api/v1/keys/:id',
    { schema: { tags, summary: 'Read what is known of a key', params: KeyParams, response: { 200: Key } } },
    req => readKey(deps, req.actor, req.params.id),
  );
  app.patch(
    '/api/v1/keys/:id',
    {
      schema: {
        tags,
        summary: 'Rename a key',
        params: KeyParams,
        body: ChangeKeyBody,
        response: { 200: Key },
      },
    },
    req => changeKey(deps, req.actor, req.params.id, req.body),
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
