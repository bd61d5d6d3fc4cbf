// Registers the routes for connections: applications authorized by OAuth.
import { Success } from '../../../services/accounts/account.schema.ts';
import type { Deps } from '../../../services/deps.ts';
import {
  ConnectionPage,
  ConnectionParams,
  endOwnConnection,
  listOwnConnections,
} from '../../../services/oauth/connections.ts';
import { PageQuery } from '../../../services/paging.ts';
import type { Server } from '../../deps.ts';
import { createDescriber, toSuccess } from '../../route.ts';

const operation = createDescriber('Connections');

export function registerConnections(server: Server, deps: Deps): void {
  server.get(
    '/api/v1/connections',
    operation('listConnections', 'account:admin', {
      summary: 'List your connections',
      description:
        'Returns the applications that you authorized to use the service on your behalf, newest first. Their access tokens are valid only for `/mcp`.',
      querystring: PageQuery,
      response: { 200: ConnectionPage },
    }),
    req => listOwnConnections(deps, req.actor, req.query),
  );
  server.delete(
    '/api/v1/connections/:id',
    operation('endConnection', 'account:admin', {
      summary: 'Revoke a connection',
      description: 'Revokes an application’s access. Every process rejects its tokens within 5 s.',
      errors: ['not_found'],
      params: ConnectionParams,
      response: { 200: Success },
    }),
    req => toSuccess(endOwnConnection(deps, req.actor, req.params.id)),
  );
}
