// Starts a session: creates the token for the cookie and the row that stores its hash.

import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/crypto.ts';
import { newId } from '../../lib/ids.ts';
import { type AuditCaller, recordAudit, toUserTarget } from '../../store/audit/record-audit.ts';
import type { Transaction, Tx } from '../../store/db.ts';
import { insertSession, SESSION_MS } from '../../store/people/sessions.ts';
import type { AuditedAttempt } from './failed-attempts.ts';

/** What is known about the sender of a request before sign-in. */
export interface Visitor {
  /** The client's IP network; failed sign-ins are counted per network. */
  readonly network: string;
  readonly ipAddress: string;
  readonly userAgent: string | undefined;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

export interface StartedSession {
  /** 256 random bits; only their hash is stored. */
  readonly token: string;
  readonly expiresAt: Date;
}

const MAX_USER_AGENT_CHARS = 300;

/** Starts a session. Returns undefined if the user is disabled or `passwordHash` is no longer the current one. */
export async function startSession(
  tx: Tx,
  {
    userId,
    visitor,
    nowMs,
    passwordHash = null,
    authenticatedAtMs = nowMs,
    hasSecondFactor = false,
  }: {
    userId: number;
    visitor: Visitor;
    nowMs: number;
    /** The stored hash with which the password was verified; null if the user did not sign in with a password. */
    passwordHash?: string | null;
    /** When the user last authenticated: now, unless the identity provider reports another time. */
    authenticatedAtMs?: number;
    /** Whether the user proved a second factor. */
    hasSecondFactor?: boolean;
  },
): Promise<StartedSession | undefined> {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(nowMs + SESSION_MS);
  const isStored = await insertSession(tx, {
    id: newId('session', nowMs),
    userId,
    hash: sha256(token),
    userAgent: visitor.userAgent?.slice(0, MAX_USER_AGENT_CHARS) ?? null,
    ipAddress: visitor.ipAddress,
    createdAt: new Date(nowMs),
    expiresAt,
    passwordHash,
    authenticatedAt: new Date(authenticatedAtMs),
    network: visitor.network,
    hasSecondFactor,
  });
  return isStored ? { token, expiresAt } : undefined;
}

/** The user who has just signed in, for the audit log. */
export const toSignedIn = (userId: number): AuditCaller => ({
  kind: 'user',
  userId,
  credential: { kind: 'session', id: '' },
});

/** Records a sign-in that has started a session. */
export function recordSignIn(tx: Transaction, userId: number, method: AuditedAttempt['method']): void {
  recordAudit(tx, toSignedIn(userId), {
    action: 'session.started',
    target: toUserTarget(userId),
    after: { method },
  });
}
