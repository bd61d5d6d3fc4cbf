// Routes of connections: applications authorized by OAuth.
import { Success } from '../../../services/accounts/account.schema.ts';
import { ConnectionPage, ConnectionParams } from '../../../services/connections/connection.schema.ts';
import { endOwnConnection, listOwnConnections } from '../../../services/connections/connections.ts';
import type { Deps } from '../../../services/deps.ts';
import { PageQuery } from '../../../services/paging.ts';
import type { App } from '../../app.ts';
import { documented, done } from '../../route.ts';

const about = documented('Connections');

export function registerConnections(app: App, deps: Deps): void {
  app.get(
    '/api/v1/connections',
    about('List your connections', { 200: ConnectionPage }, { querystring: PageQuery }),
    req => listOwnConnections(deps, req.actor, req.query),
  );
  app.delete(
    '/api/v1/connections/:id',
    about('Revoke a connection', { 200: Success }, { params: ConnectionParams }),
    req => done(endOwnConnection(deps, req.actor, req.params.id)),
  );
}
