// Routes of API keys.
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
import { created, documented, done } from '../route.ts';

const about = documented('Keys');

export function registerKeys(app: App, deps: Deps): void {
  app.get('/api/v1/keys', about('List your API keys', { 200: KeyPage }, { querystring: PageQuery }), req =>
    listOwnKeys(deps, req.actor, req.query),
  );
  app.post(
    '/api/v1/keys',
    about('Create an API key', { 201: CreatedKey }, { body: CreateKeyBody }),
    async (req, reply) => {
      const key = await createKey(deps, req.actor, req.body);
      return created(deps, reply, `/api/v1/keys/${key.id}`).header('cache-control', 'no-store').send(key);
    },
  );
  app.get('/api/v1/keys/:id', about('Read an API key', { 200: Key }, { params: KeyParams }), req =>
    readKey(deps, req.actor, req.params.id),
  );
  app.patch(
    '/api/v1/keys/:id',
    about('Rename an API key', { 200: Key }, { params: KeyParams, body: ChangeKeyBody }),
    req => changeKey(deps, req.actor, req.params.id, req.body),
  );
  app.delete('/api/v1/keys/:id', about('Revoke an API key', { 200: Success }, { params: KeyParams }), req =>
    done(revokeOwnKey(deps, req.actor, req.params.id)),
  );
}
