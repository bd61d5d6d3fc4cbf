// Lists and revokes a user's connections to agents.
import { Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import { deleteUserGrant, type GrantRow, listGrants } from '../../store/oauth/grants.ts';
import { type Actor, AGENT_SCOPES, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { byId, type PageQuery, PageSchema, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import { IdParams, Named, Nullable, Timestamp } from '../schema.ts';

/** Lists the caller's connections, newest first. */
export async function listOwnConnections({ db }: Pick<Deps, 'db'>, actor: Actor, query: PageQuery) {
  const { userId } = requireScope(actor, 'account:admin');
  return readPage(query, byId('connection'), part => listGrants(db, userId, part), presentConnection);
}

const presentConnection = (grant: GrantRow) =>
  presentColumns(grant, 'id client_id client_name redirect_host scopes created_at last_used_at');

/** Revokes a connection of the caller with all its tokens, in every process within five seconds. Throws 404. */
export async function endOwnConnection({ db }: Pick<Deps, 'db'>, actor: Actor, id: string): Promise<void> {
  const { userId } = requireScope(actor, 'account:admin');
  if (!(await deleteUserGrant(db, id, userId))) throw new AppError('not_found', 'Connection not found.');
}

export const ConnectionParams = IdParams('Connection ID, `con_…`');

export const ConnectionPage = PageSchema(
  Named('Connection', 'A program that you granted access by OAuth', {
    id: Type.String(),
    clientId: Type.String({
      description: 'The client ID, or the URL of the client metadata document',
    }),
    clientName: Type.String({ description: 'The name that the client gives itself' }),
    redirectHost: Type.String({ description: 'Host of the redirect address' }),
    scopes: Type.Array(Type.Enum(AGENT_SCOPES)),
    createdAt: Timestamp,
    lastUsedAt: Nullable(Timestamp),
  }),
);
