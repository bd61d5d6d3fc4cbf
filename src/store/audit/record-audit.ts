// Adds rows to the audit log. A row is committed with the action that it records:
//
//   await deps.db.transaction(async tx => {
//     await updateMemberRole(tx, teamId, userId, role);
//     recordAudit(tx, actor, { action: 'member.changed', target: toUserTarget(userId), teamId, after: { role } });
//   });
import { newId } from '../../lib/ids.ts';
import { getWork } from '../../lib/work.ts';
import type { Transaction, Tx } from '../db.ts';
import type { AuditAction } from './actions.ts';
import { type AuditFields, toAuditJson } from './audit-json.ts';

/** How the actor authenticated. People who have not signed in are recorded as `session`. */
type AuditVia = 'session' | 'key' | 'oauth' | 'cli' | 'service';

const VIA = {
  session: 'session',
  key: 'key',
  token: 'oauth',
  operator: 'cli',
  background: 'service',
} as const satisfies Readonly<Record<string, AuditVia>>;

/** Who acts: an `Actor` of services/accounts, or the service itself. */
export type AuditCaller =
  | {
      readonly kind: 'user';
      readonly userId: number;
      readonly credential: { readonly kind: keyof typeof VIA; readonly id: string };
    }
  | { readonly kind: 'anonymous' | 'service' };

export const SERVICE_CALLER: AuditCaller = { kind: 'service' };

export interface AuditEntry {
  readonly action: AuditAction;
  /** The id of what changes; see `toUserTarget`. */
  readonly target?: string | null | undefined;
  /** The name of the target, unless it is a user. */
  readonly name?: string | null | undefined;
  /** The team that the target belongs to, whose owners may read the row. */
  readonly teamId?: string | null | undefined;
  /** If both are set, only the fields that differ are stored. */
  readonly before?: AuditFields | undefined;
  readonly after?: AuditFields | undefined;
}

/** The target of actions on a user. */
export const toUserTarget = (userId: number): string => `user:${userId}`;

/** Adds a row to the commit of the transaction. */
export function recordAudit(tx: Transaction, caller: AuditCaller, entry: AuditEntry): void {
  tx.appendToCommit(INSERT, toValues(caller, entry));
}

/** Adds a row in a commit of its own, for what changes nothing: failures and reads. */
export async function recordAuditAlone(tx: Tx, caller: AuditCaller, entry: AuditEntry): Promise<void> {
  await tx.query(INSERT, toValues(caller, entry));
}

const INSERT = `insert into audit_events
  (id, at, user_id, via, key_id, action, target, target_name, team_id, before, after, address, request_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;

const MAX_NAME_CHARS = 200;

function toValues(
  caller: AuditCaller,
  { action, target = null, name = null, teamId = null, before, after }: AuditEntry,
): readonly (string | number | null)[] {
  const nowMs = Date.now();
  const { origin } = getWork();
  const { userId, via, keyId } = describeCaller(caller);
  const fields = toAuditJson(before, after);
  return [
    newId('audit', nowMs),
    new Date(nowMs).toISOString(),
    userId,
    via,
    keyId,
    action,
    toText(target),
    toText(name),
    teamId,
    fields.before,
    fields.after,
    origin?.address ?? null,
    origin?.requestId ?? null,
  ];
}

function describeCaller(caller: AuditCaller): {
  readonly userId: number | null;
  readonly via: AuditVia;
  readonly keyId: string | null;
} {
  if (caller.kind !== 'user')
    return { userId: null, via: caller.kind === 'service' ? 'service' : 'session', keyId: null };
  const { kind, id } = caller.credential;
  return { userId: caller.userId, via: VIA[kind], keyId: kind === 'key' || kind === 'token' ? id : null };
}

/** Cuts a text, and replaces what PostgreSQL cannot store, because a row that fails would undo its action. */
const toText = (text: string | null): string | null =>
  text?.slice(0, MAX_NAME_CHARS).toWellFormed().replaceAll('\0', '�') ?? null;
