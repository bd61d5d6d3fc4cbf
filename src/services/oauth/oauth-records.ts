// Stores the authorization server's records in PostgreSQL: tokens as hashes and client secrets encrypted, so that any
// process can continue what another one started.
import { decrypt, encrypt, sha256 } from '../../lib/crypto.ts';
import type { Deps } from '../deps.ts';
import { getMcpResource } from './oauth-server.ts';
import { deleteClient, findClient, insertClient } from './store/clients.ts';
import { deleteGrant, findGrant, type GrantRow } from './store/grants.ts';
import { deleteInteraction, findInteraction, upsertInteraction } from './store/interactions.ts';
import {
  consumeToken,
  deleteGrantTokens,
  deleteToken,
  findToken,
  insertToken,
  TOKEN_KINDS,
  type TokenKind,
} from './store/tokens.ts';

type Payload = Readonly<Record<string, unknown>>;

/** The records of one kind. The library calls a kind of records a model. */
export interface OAuthRecords {
  find(id: string): Promise<Payload | undefined>;
  upsert(id: string, payload: Payload, expiresInSeconds?: number): Promise<void>;
  /** Returns false if the record was already consumed. */
  consume(id: string): Promise<boolean>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

type RecordDeps = Pick<Deps, 'db' | 'now' | 'secretsKey' | 'settings'>;

/**
 * How long a used refresh token stays valid, for clients that retry because the response was lost, and for programs of
 * one person that refresh at the same time. If a token is used later, it was probably stolen, and the library ends the
 * connection (RFC 9700 §4.14.2). Before that, the library checks that the token belongs to the client.
 */
const GRACE_MS = 60_000;

const NO_RECORDS: OAuthRecords = {
  find: async () => undefined,
  upsert: async () => undefined,
  consume: async () => true,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/**
 * Returns the records of a model. Other models, such as the library's sessions, are not stored, because users have the
 * sessions of the service.
 */
export function createOAuthRecords(deps: RecordDeps, model: string): OAuthRecords {
  const kind = TOKEN_KINDS.find(name => name === model);
  if (kind !== undefined) return createTokenRecords(deps, kind);
  if (model === 'Client') return { ...NO_RECORDS, ...createClientRecords(deps) };
  if (model === 'Grant') return { ...NO_RECORDS, ...createGrantRecords(deps) };
  if (model === 'Interaction') return { ...NO_RECORDS, ...createInteractionRecords(deps) };
  return NO_RECORDS;
}

function createTokenRecords({ db, now }: RecordDeps, kind: TokenKind): OAuthRecords {
  const toRecordKey = (id: string) => ({ kind, hash: sha256(id) });
  const getExpiry = (seconds = 0): Date => new Date(now() + seconds * 1000);
  return {
    find: async id => {
      const row = await findToken(db, toRecordKey(id), new Date(now()));
      if (row === undefined) return undefined;
      return { ...row.payload, jti: id, ...presentConsumption(kind, row.consumed_at, now()) };
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

function presentConsumption(kind: TokenKind, consumedAt: Date | null, nowMs: number): object {
  const graceMs = kind === 'RefreshToken' ? GRACE_MS : 0;
  return consumedAt === null || nowMs < consumedAt.getTime() + graceMs
    ? {}
    : { consumed: Math.floor(consumedAt.getTime() / 1000) };
}

function createClientRecords({ db, now, secretsKey }: RecordDeps): Partial<OAuthRecords> {
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

function createGrantRecords({ db, settings }: RecordDeps): Partial<OAuthRecords> {
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

function createInteractionRecords({ db, now }: RecordDeps): Partial<OAuthRecords> {
  return {
    find: id => findInteraction(db, id, new Date(now())),
    upsert: (id, payload, expiresIn = 0) =>
      upsertInteraction(db, id, payload, new Date(now() + expiresIn * 1000)),
    destroy: id => deleteInteraction(db, id),
  };
}
