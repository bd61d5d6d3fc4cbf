// Stores and looks up a user's consent to a client.
import { newId } from '../../lib/ids.ts';
import { findGrantTo, insertGrant } from '../../store/oauth/grants.ts';
import { findUser } from '../../store/users.ts';
import type { AgentScope, UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';

/** The client, and where its responses are sent. */
export interface ConsentClient {
  readonly id: string;
  readonly name: string;
  readonly redirectHost: string;
}

type ConsentDeps = Pick<Deps, 'db' | 'now'>;

/** Returns the ID of a connection that already grants these scopes; undefined if the user must consent. */
export async function findConsent(
  { db }: ConsentDeps,
  { userId }: UserActor,
  client: ConsentClient,
  scopes: readonly AgentScope[],
): Promise<string | undefined> {
  const grant = await findGrantTo(db, {
    userId,
    clientId: client.id,
    redirectHost: client.redirectHost,
    scopes,
  });
  return grant?.id;
}

/** Creates a connection and returns its ID. */
export async function grantConsent(
  { db, now }: ConsentDeps,
  { userId }: UserActor,
  client: ConsentClient,
  decision: { readonly scopes: readonly AgentScope[]; readonly refused: readonly AgentScope[] },
): Promise<string> {
  const id = newId('connection', now());
  await insertGrant(db, {
    id,
    user_id: userId,
    client_id: client.id,
    client_name: client.name,
    redirect_host: client.redirectHost,
    scopes: decision.scopes,
    refused: decision.refused,
    created_at: new Date(now()),
  });
  return id;
}

/** Returns the name and email of the user; undefined if the account is deleted or disabled. */
export async function findActiveUser(
  { db }: Pick<Deps, 'db'>,
  userId: number,
): Promise<{ readonly name: string; readonly email: string } | undefined> {
  const user = await findUser(db, userId);
  return user === undefined || user.disabled ? undefined : { name: user.name, email: user.email };
}
