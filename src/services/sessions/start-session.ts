// Starts a session: creates the token for the cookie and the row that stores its hash.
import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/crypto.ts';
import { newId } from '../../lib/ids.ts';
import type { Tx } from '../../store/db.ts';
import { insertSession, SESSION_MS } from '../../store/people/sessions.ts';

/** What is known about the sender of a request before sign-in. */
export interface Visitor {
  /** The network for which failures are counted. */
  readonly network: string;
  readonly address: string;
  readonly userAgent: string | undefined;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

export interface StartedSession {
  /** 256 random bits; only their hash is stored. */
  readonly token: string;
  readonly expiresAt: Date;
}

const MAX_USER_AGENT = 300;

/** Starts a session. Returns undefined if the user is disabled or their password is no longer `password`. */
export async function startSession(
  tx: Tx,
  {
    userId,
    visitor,
    nowMs,
    password = null,
    provedAtMs = nowMs,
  }: {
    userId: number;
    visitor: Visitor;
    nowMs: number;
    password?: string | null;
    /** When the user last confirmed their identity: now, unless the provider reports another time. */
    provedAtMs?: number;
  },
): Promise<StartedSession | undefined> {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(nowMs + SESSION_MS);
  const isStored = await insertSession(tx, {
    id: newId('session', nowMs),
    userId,
    hash: sha256(token),
    userAgent: visitor.userAgent?.slice(0, MAX_USER_AGENT) ?? null,
    address: visitor.address,
    createdAt: new Date(nowMs),
    expiresAt,
    password,
    provedAt: new Date(provedAtMs),
    network: visitor.network,
  });
  return isStored ? { token, expiresAt } : undefined;
}
