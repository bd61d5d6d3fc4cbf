// The connections of agents over HTTP.
import { Success } from '../../../services/accounts/account.schema.ts';
import { ConnectionPage, ConnectionParams } from '../../../services/connections/connection.schema.ts';
import { endOwnConnection, listOwnConnections } from '../../../services/connections/connections.ts';
import type { Deps } from '../../../services/deps.ts';
import { PageQuery } from '../../../services/paging.ts';
import type { App } from '../../app.ts';

const tags = ['Connections'];

export function registerConnections(app: App, deps: Deps): void {
  app.get(
    '/api/v1/connections',
    {
      schema: {
        tags,
        summary: 'List the programs that you let in by OAuth',
        querystring: PageQuery,
        response: { 200: ConnectionPage },
      },
    },
    req => listOwnConnections(deps, req.actor, req.query),
  );
  app.delete(
    '/api/v1/connections/:id',
    {
      schema: {
        tags,
        summary: 'End a connection, everywhere within 5 seconds',
        params: ConnectionParams,
        response: { 200: Success },
      },
    },
    async req => {
      await endOwnConnection(deps, req.actor, req.params.id);
      return { success: true };
    },
  );
}
