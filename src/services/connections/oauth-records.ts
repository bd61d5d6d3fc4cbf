// Stores the authorization server's records in PostgreSQL: tokens as hashes and client secrets encrypted, so that any
// process can continue what another one started.
import { decrypt, encrypt, sha256 } from '../../lib/crypto.ts';
import type { Db } from '../../store/db.ts';
import { deleteClient, findClient, insertClient } from '../../store/oauth/clients.ts';
import { deleteGrant, findGrant, type GrantRow } from '../../store/oauth/grants.ts';
import { deleteInteraction, findInteraction, putInteraction } from '../../store/oauth/interactions.ts';
import {
  consumeToken,
  deleteGrantTokens,
  deleteToken,
  findToken,
  insertToken,
  TOKEN_KINDS,
  type TokenKind,
} from '../../store/oauth/tokens.ts';
import type { Deps } from '../deps.ts';
import { getMcpResource } from './oauth-server.ts';

type Payload = Readonly<Record<string, unknown>>;

/** The records of one model. */
export interface OAuthRecords {
  find(id: string): Promise<Payload | undefined>;
  upsert(id: string, payload: Payload, expiresInSeconds?: number): Promise<void>;
  /** Returns false if it was already consumed. */
  consume(id: string): Promise<boolean>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

type RecordDeps = Pick<Deps, 'db' | 'now' | 'secretsKey' | 'settings'>;

/**
 * How long a used refresh token stays valid, for clients that retry because the response was lost, and for programs of
 * one person that refresh at the same time. A later use means that the token was stolen, and ends the connection (RFC
 * 9700 §4.14.2). The library rejects tokens of other clients first.
 */
const GRACE_MS = 60_000;

const NOTHING: OAuthRecords = {
  find: async () => undefined,
  upsert: async () => undefined,
  consume: async () => true,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/**
 * Returns the records of a model. Other models of the library are not stored, because users have the sessions of the
 * service.
 */
export function createOAuthRecords(deps: RecordDeps, model: string): OAuthRecords {
  const kind = TOKEN_KINDS.find(name => name === model);
  if (kind !== undefined) return tokenRecords(deps, kind);
  if (model === 'Client') return { ...NOTHING, ...clientRecords(deps) };
  if (model === 'Grant') return { ...NOTHING, ...grantRecords(deps) };
  if (model === 'Interaction') return { ...NOTHING, ...interactionRecords(deps) };
  return NOTHING;
}

function tokenRecords({ db, now }: RecordDeps, kind: TokenKind): OAuthRecords {
  const toRecordKey = (id: string) => ({ kind, hash: sha256(id) });
  const getExpiry = (seconds = 0): Date => new Date(now() + seconds * 1000);
  return {
    find: async id => {
      const row = await findToken(db, toRecordKey(id), new Date(now()));
      if (row === undefined) return undefined;
      return { ...row.payload, jti: id, ...consumption(kind, row.consumed_at, now()) };
    },
    upsert: (id, { jti: _secret, ...payload }, expiresIn) =>
      insertToken(db, {
        ...toRecordKey(id),
        grantId: String(payload.grantId),
        payload,
        expiresAt: getExpiry(expiresIn),
      }),
    consume: id => consumeToken(db, toRecordKey(id), new Date(now())),
    destroy: id => deleteToken(db, toRecordKey(id)),
    revokeByGrantId: grantId => deleteGrantTokens(db, grantId, kind),
  };
}

function consumption(kind: TokenKind, at: Date | null, nowMs: number): object {
  const graceMs = kind === 'RefreshToken' ? GRACE_MS : 0;
  return at === null || nowMs < at.getTime() + graceMs ? {} : { consumed: Math.floor(at.getTime() / 1000) };
}

function clientRecords({ db, now, secretsKey }: RecordDeps): Partial<OAuthRecords> {
  return {
    find: async id => {
      const row = await findClient(db, id);
      if (row === undefined) return undefined;
      return row.secret === null
        ? row.metadata
        : { ...row.metadata, client_secret: decrypt(secretsKey, row.secret) };
    },
    upsert: (id, { client_secret: secret, ...metadata }) =>
      insertClient(db, {
        id,
        metadata,
        secret: typeof secret === 'string' ? encrypt(secretsKey, secret) : null,
        created_at: new Date(now()),
      }),
    destroy: id => deleteClient(db, id),
  };
}

function grantRecords({ db, settings }: { readonly db: Db } & RecordDeps): Partial<OAuthRecords> {
  return {
    find: async id => {
      const row = await findGrant(db, id);
      return row && presentGrant(row, getMcpResource(settings));
    },
    destroy: id => deleteGrant(db, id),
  };
}

/**
 * Presents a grant to the library. `offline_access` is not part of the consent, because the grant's lifetime decides
 * how long a client has access.
 */
function presentGrant(row: GrantRow, resource: string): Payload {
  return {
    kind: 'Grant',
    jti: row.id,
    accountId: String(row.user_id),
    clientId: row.client_id,
    openid: { scope: 'offline_access' },
    resources: { [resource]: row.scopes.join(' ') },
    rejected: { resources: { [resource]: row.refused.join(' ') } },
  };
}

function interactionRecords({ db, now }: RecordDeps): Partial<OAuthRecords> {
  return {
    find: id => findInteraction(db, id, new Date(now())),
    upsert: (id, payload, expiresIn = 0) =>
      putInteraction(db, id, payload, new Date(now() + expiresIn * 1000)),
    destroy: id => deleteInteraction(db, id),
  };
}
