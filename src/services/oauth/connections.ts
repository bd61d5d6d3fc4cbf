// Manages a user's connections to agents. Each connection is a grant of the authorization server.
import { Type } from 'typebox';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import {
  type Actor,
  AGENT_SCOPES,
  type AgentScope,
  requireScope,
  type UserActor,
} from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { byId, type PageQuery, PageSchema, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import { IdParams, Named, Nullable, Timestamp } from '../schema.ts';
import { deleteUserGrant, findGrantTo, type GrantRow, insertGrant, listGrants } from './store/grants.ts';

/** Lists the caller's connections, newest first. */
export async function listOwnConnections({ db }: Pick<Deps, 'db'>, actor: Actor, query: PageQuery) {
  const { userId } = requireScope(actor, 'account:admin');
  return readPage(query, byId('connection'), page => listGrants(db, userId, page), presentConnection);
}

const presentConnection = (grant: GrantRow) =>
  presentColumns(grant, 'id client_id client_name redirect_host scopes created_at last_used_at');

/** A client that requests access, and the host to which its responses are redirected. */
export interface ConnectionClient {
  readonly id: string;
  readonly name: string;
  readonly redirectHost: string;
}

/** Returns the ID of a connection that already grants these scopes; undefined if the user must consent. */
export async function findConnectionId(
  { db }: Pick<Deps, 'db'>,
  { userId }: UserActor,
  { id: clientId, redirectHost }: ConnectionClient,
  scopes: readonly AgentScope[],
): Promise<string | undefined> {
  return (await findGrantTo(db, { userId, clientId, redirectHost, scopes }))?.id;
}

/** Creates a connection after the user's consent and returns its ID. */
export async function createConnection(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  user: UserActor,
  client: ConnectionClient,
  decision: { readonly scopes: readonly AgentScope[]; readonly refused: readonly AgentScope[] },
): Promise<string> {
  const id = newId('connection', now());
  await db.transaction(async tx => {
    await insertGrant(tx, {
      id,
      user_id: user.userId,
      client_id: client.id,
      client_name: client.name,
      redirect_host: client.redirectHost,
      scopes: decision.scopes,
      refused: decision.refused,
      has_second_factor: user.lacksSecondFactor === false,
      created_at: new Date(now()),
    });
    recordAudit(tx, user, {
      action: 'connection.created',
      target: id,
      name: client.name,
      after: { clientId: client.id, redirectHost: client.redirectHost, ...decision },
    });
  });
  return id;
}

/** Revokes a connection of the caller with all its tokens, in every process within five seconds. Throws 404. */
export async function endOwnConnection({ db }: Pick<Deps, 'db'>, actor: Actor, id: string): Promise<void> {
  const user = requireScope(actor, 'account:admin');
  await db.transaction(async tx => {
    const clientName = await deleteUserGrant(tx, id, user.userId);
    if (clientName === undefined) throw new AppError('not_found', 'Connection not found.');
    recordAudit(tx, user, { action: 'connection.ended', target: id, name: clientName });
  });
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
