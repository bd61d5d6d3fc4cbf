// Adds rows to the audit log. A row is committed with the action that it records:
//
//   await deps.db.transaction(async tx => {
//     await updateMemberRole(tx, teamId, userId, role);
//     recordAudit(tx, actor, { action: 'member.changed', target: toUserTarget(userId), teamId, after: { role } });
//   });
import { getFirstIdAt, newId } from '../../lib/ids.ts';
import { getWork } from '../../lib/work.ts';
import type { Transaction, Tx } from '../db.ts';
import type { AuditAction } from './actions.ts';
import { type AuditFields, toAuditJson } from './audit-json.ts';

export const AUDIT_VIAS = ['session', 'key', 'oauth', 'cli', 'service'] as const;
/** How the actor authenticated. People who have not signed in are recorded as `session`. */
export type AuditVia = (typeof AUDIT_VIAS)[number];

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
/** Whoever runs a command that opens the database. */
export const OPERATOR_CALLER: AuditCaller = {
  kind: 'user',
  userId: 0,
  credential: { kind: 'operator', id: '' },
};

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

/** Returns the user that a target names, or undefined for another target. */
export function parseUserTarget(target: string | null): number | undefined {
  const [, id] = /^user:(\d{1,10})$/.exec(target ?? '') ?? [];
  return id === undefined ? undefined : Number(id);
}

/** Adds a row to the commit of the transaction. */
export function recordAudit(tx: Transaction, caller: AuditCaller, entry: AuditEntry): void {
  tx.appendToCommit(INSERT, toValues(caller, entry));
}

/** Adds a row in a commit of its own, for what changes nothing: failures and reads. */
export async function recordAuditAlone(tx: Tx, caller: AuditCaller, entry: AuditEntry): Promise<void> {
  await tx.query(INSERT, toValues(caller, entry));
}

/** A read is recorded once in this time, because pages repeat their requests. */
const SAME_READ_MS = 15 * 60_000;

/** Records that an administrator read data of other people, unless the log has the same read of the last minutes. */
export async function recordRead(
  tx: Tx,
  caller: AuditCaller,
  { what, ...entry }: Omit<AuditEntry, 'action' | 'before' | 'after'> & { readonly what: string },
): Promise<void> {
  const values = toValues(caller, { ...entry, action: 'data.read', after: { what } });
  const sinceId = getFirstIdAt('audit', Date.now() - SAME_READ_MS);
  await tx.query(INSERT_READ, [...values, sinceId]);
}

const COLUMNS =
  'id, at, user_id, via, key_id, action, target, target_name, team_id, before, after, address, request_id';
const INSERT_READ = `insert into audit_events (${COLUMNS})
  select $1::text, $2::timestamptz, $3::int, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::json,
    $11::json, $12::text, $13::text
  where not exists (
    select from audit_events e where e.user_id = $3::int and e.id >= $14 and e.action = 'data.read'
      and e.target is not distinct from $7::text and e.after::text = $11::json::text
      and e.key_id is not distinct from $5::text and e.address is not distinct from $12::text)`;
const INSERT = `insert into audit_events (${COLUMNS})
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
  return {
    // The command line acts for whoever can open the database.
    userId: kind === 'operator' ? null : caller.userId,
    via: VIA[kind],
    keyId: kind === 'key' || kind === 'token' ? id : null,
  };
}

/** Cuts a text, and replaces what PostgreSQL cannot store, because a row that fails would undo its action. */
const toText = (text: string | null): string | null =>
  text?.slice(0, MAX_NAME_CHARS).toWellFormed().replaceAll('\0', '�') ?? null;
