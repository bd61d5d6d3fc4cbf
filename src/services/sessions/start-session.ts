// Starts a session: creates the token for the cookie and the row that stores its hash.
import { randomBytes } from 'node:crypto';
import { generateToken, sha256 } from '../../lib/crypto.ts';
import { newId } from '../../lib/ids.ts';
import { type AuditCaller, recordAudit, toUserTarget } from '../../store/audit/record-audit.ts';
import type { Transaction, Tx } from '../../store/db.ts';
import { insertSession, SESSION_MS } from '../../store/people/sessions.ts';
import type { AuditedAttempt } from './failed-attempts.ts';
import { notifyOfBrowser } from './security-notices.ts';

/** What is known about the sender of a request before sign-in. */
export interface Visitor {
  /** The client's IP network; failed sign-ins are counted per network. */
  readonly network: string;
  readonly ipAddress: string;
  readonly userAgent: string | undefined;
  /** The value of the cookie by which a browser is recognized; undefined if it has none. */
  readonly browser: string | undefined;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

export interface StartedSession {
  /** 256 random bits; only their hash is stored. */
  readonly token: string;
  readonly expiresAt: Date;
  /** The value of the cookie by which the browser is recognized at its next sign-in. */
  readonly browser: string;
}

const MAX_USER_AGENT_CHARS = 300;
const BROWSER_BYTES = 16;

/**
 * Starts a session, and notifies the user of a browser in which the account was not signed in before. Call it in a transaction.
 * Returns undefined if the user is disabled or `passwordHash` is no longer the current one.
 */
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
  const token = generateToken();
  const expiresAt = new Date(nowMs + SESSION_MS);
  const browser = visitor.browser ?? randomBytes(BROWSER_BYTES).toString('base64url');
  const newSession = await insertSession(tx, {
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
    browserHash: sha256(browser),
  });
  if (newSession === undefined) return undefined;
  if (newSession.is_new_browser) await notifyOfBrowser(tx, userId, visitor, nowMs);
  return { token, expiresAt, browser };
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
