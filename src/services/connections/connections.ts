// Lists and revokes a user's connections to agents.
import { AppError } from '../../lib/errors.ts';
import { deleteGrantOf, type GrantRow, listGrants } from '../../store/oauth/grants.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { byId, type PageQuery, readPage } from '../paging.ts';

/** The caller's, newest first. */
export async function listOwnConnections({ db }: Pick<Deps, 'db'>, actor: Actor, query: PageQuery) {
  const { userId } = requireScope(actor, 'account:admin');
  return readPage(query, byId('connection'), part => listGrants(db, userId, part), presentConnection);
}

function presentConnection(grant: GrantRow) {
  return {
    id: grant.id,
    clientId: grant.client_id,
    clientName: grant.client_name,
    redirectHost: grant.redirect_host,
    scopes: grant.scopes,
    createdAt: grant.created_at.toISOString(),
    lastUsedAt: grant.last_used_at?.toISOString() ?? null,
  };
}

/** Revokes a connection of the caller with all its tokens, in every process within five seconds. Throws 404. */
export async function endOwnConnection({ db }: Pick<Deps, 'db'>, actor: Actor, id: string): Promise<void> {
  const { userId } = requireScope(actor, 'account:admin');
  if (!(await deleteGrantOf(db, id, userId))) throw new AppError('not_found', 'Connection not found.');
}
