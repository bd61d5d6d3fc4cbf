// Registers the routes for API keys.
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
import type { Server } from '../deps.ts';
import { createDescriber, setCreated, toSuccess } from '../route.ts';

const operation = createDescriber('Keys');

export function registerKeys(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/keys',
    operation('listKeys', 'account:admin', {
      summary: 'List your API keys',
      description:
        'Returns your API keys. The keys themselves are not stored, only their names, scopes and last use.',
      querystring: PageQuery,
      response: { 200: KeyPage },
    }),
    req => listOwnKeys(deps, req.actor, req.query),
  );
  server.post(
    '/api/v1/keys',
    operation('createKey', 'account:admin', {
      summary: 'Create an API key',
      description:
        'Creates an API key with scopes that you have yourself, and optionally with a monthly limit. The key is shown only in this response.',
      reauthentication: 'always',
      errors: ['forbidden'],
      body: CreateKeyBody,
      response: { 201: CreatedKey },
      isUncacheable: true,
    }),
    async (req, reply) => {
      const key = await createKey(deps, req.actor, req.body);
      return setCreated(deps, reply, `/api/v1/keys/${key.id}`).send(key);
    },
  );
  server.get(
    '/api/v1/keys/:id',
    operation('getKey', 'account:admin', {
      summary: 'Read an API key',
      description: 'Returns the name and scopes of an API key, and when it was last used.',
      params: KeyParams,
      response: { 200: Key },
    }),
    req => readKey(deps, req.actor, req.params.id),
  );
  server.patch(
    '/api/v1/keys/:id',
    operation('updateKey', 'account:admin', {
      summary: 'Change an API key',
      description:
        'Changes the name of an API key, and what its runs may cost in a calendar month (UTC). A run that would exceed the limit is refused with `key_limit_exceeded`. A key with a limit cannot change limits.',
      params: KeyParams,
      body: ChangeKeyBody,
      response: { 200: Key },
    }),
    req => changeKey(deps, req.actor, req.params.id, req.body),
  );
  server.delete(
    '/api/v1/keys/:id',
    operation('revokeKey', 'account:admin', {
      summary: 'Revoke an API key',
      description: 'Revokes an API key. Every process rejects it within 5 s.',
      params: KeyParams,
      response: { 200: Success },
    }),
    req => toSuccess(revokeOwnKey(deps, req.actor, req.params.id)),
  );
}
