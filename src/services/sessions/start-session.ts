// A session's beginning: the token that goes into the cookie, and the row that stands for it.
import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/crypto.ts';
import { newId } from '../../lib/ids.ts';
import type { Tx } from '../../store/db.ts';
import { insertSession, SESSION_MS } from '../../store/people/sessions.ts';

/** Who asks, as far as it is known before sign-in. */
export interface Visitor {
  /** The network that failures are counted at. */
  readonly network: string;
  readonly address: string;
  readonly userAgent: string | undefined;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

export interface StartedSession {
  /** 256 random bits; only their hash is stored. */
  readonly token: string;
  readonly expiresAt: Date;
}

const MAX_USER_AGENT = 300;

/** undefined where the user is disabled, or has another password than `password` by now. */
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
    /** When the user last proved who they are; now, unless a provider says otherwise. */
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
