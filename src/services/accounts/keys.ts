// Manages API keys and their monthly limits. A key is returned once and stored as a hash, and never has a scope that its creator lacks.
import { generateApiKey, sha256 } from '../../lib/crypto.ts';
import { AppError, createFieldError, requireFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { type AuditCaller, recordAudit } from '../../store/audit/record-audit.ts';
import type { Transaction, Tx } from '../../store/db.ts';
import {
  type ApiKey,
  findKey,
  insertKey,
  listKeys,
  lockKey,
  revokeKey,
  updateKey,
} from '../../store/keys.ts';
import type { Deps } from '../deps.ts';
import { byId, type PageQuery, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import { parseIsoTime } from '../schema.ts';
import { requireOpenTeams } from './access.ts';
import { type Actor, hasScope, requireScope, type Scope, type UserActor } from './actor.ts';
import { parseName } from './names.ts';

/** A small part of `Deps`, because the command line also creates keys, without a running service. */
type KeyDeps = Pick<Deps, 'db' | 'now'>;

export interface CreateKeyInput {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: string | null | undefined;
  readonly monthlyCredits?: number | null | undefined;
}

/**
 * Creates a key for the caller, with no scope that the caller lacks. Only the response contains the key. Throws 403
 * `second_factor_required` if a team of the caller requires a second factor that the session lacks, because the key needs none.
 */
export async function createKey(deps: KeyDeps, actor: Actor, input: CreateKeyInput) {
  const user = requireScope(actor, 'account:admin');
  requireOpenTeams(user);
  requireGrantableScopes(user, input.scopes);
  await requireUnlimitedKey(deps.db, user);
  const key = generateApiKey();
  const fields = {
    userId: user.userId,
    name: parseName(input.name),
    scopes: input.scopes,
    expiresAt: input.expiresAt == null ? null : parseExpiry(deps, input.expiresAt),
    monthlyCredits: input.monthlyCredits ?? null,
    key,
  };
  return deps.db.transaction(async tx => {
    const row = await storeKey(tx, fields);
    recordNewKey(tx, user, row, user.userId);
    return { ...presentKey(row), key };
  });
}

/** Throws 403 if a key would get a scope that its creator lacks. */
export function requireGrantableScopes(user: UserActor, scopes: readonly Scope[]): void {
  const missingScopes = scopes.filter(scope => !hasScope(user, scope));
  if (missingScopes.length === 0) return;
  throw new AppError(
    'forbidden',
    `Your API key does not have the scope ${missingScopes.join(', ')}, so it can't grant it.`,
  );
}

function parseExpiry(deps: KeyDeps, text: string): Date {
  const time = parseIsoTime(text);
  if (time !== undefined && time.getTime() > deps.now()) return time;
  throw createFieldError('/expiresAt', 'must be a future time in ISO 8601, such as 2030-12-31T23:59:59Z');
}

/** Stores the hash of the key. */
export async function storeKey(
  tx: Tx,
  key: {
    readonly userId: number;
    readonly name: string;
    readonly scopes: readonly Scope[];
    readonly expiresAt: Date | null;
    readonly monthlyCredits?: number | null;
    readonly key: string;
  },
): Promise<ApiKey> {
  return insertKey(tx, {
    id: newId('key'),
    user_id: key.userId,
    name: key.name,
    hash: sha256(key.key),
    scopes: key.scopes,
    expires_at: key.expiresAt,
    monthly_credits: key.monthlyCredits ?? null,
  });
}

/** Records that a key was created, for the caller or for the user. */
export function recordNewKey(
  tx: Transaction,
  caller: AuditCaller,
  { id, name, scopes, expires_at, monthly_credits }: ApiKey,
  userId: number,
): void {
  recordAudit(tx, caller, {
    action: 'key.created',
    target: id,
    name,
    after: { userId, scopes, expiresAt: expires_at, monthlyCredits: monthly_credits },
  });
}

/** Lists the caller's keys that are not revoked, newest first. */
export async function listOwnKeys(deps: KeyDeps, actor: Actor, query: PageQuery) {
  const user = requireScope(actor, 'account:admin');
  return readPage(query, byId('key'), page => listKeys(deps.db, user.userId, page), presentKey);
}

/** Returns a key of the caller. Throws 404, also for a revoked key. */
export async function readKey(deps: KeyDeps, actor: Actor, id: string) {
  const user = requireScope(actor, 'account:admin');
  return presentKey(requireFound(await findKey(deps.db, id, user.userId), NOT_FOUND));
}

interface KeyChange {
  readonly name?: string | undefined;
  readonly monthlyCredits?: number | null | undefined;
}

/** Changes the name and the monthly limit of a key of the caller. Throws 403 like `createKey`, 404. */
export async function changeKey(deps: KeyDeps, actor: Actor, id: string, change: KeyChange) {
  const user = requireScope(actor, 'account:admin');
  return deps.db.transaction(async tx => {
    const key = requireFound(await lockKey(tx, id, user.userId), NOT_FOUND);
    if (change.monthlyCredits !== undefined) await requireUnlimitedKey(tx, user);
    const changed = {
      ...key,
      name: change.name === undefined ? key.name : parseName(change.name),
      monthly_credits: change.monthlyCredits === undefined ? key.monthly_credits : change.monthlyCredits,
    };
    await updateKey(tx, changed);
    recordAudit(tx, user, {
      action: 'key.changed',
      target: id,
      name: changed.name,
      before: describeKey(key),
      after: describeKey(changed),
    });
    return presentKey(changed);
  });
}

const describeKey = ({ name, monthly_credits }: ApiKey) => ({ name, monthlyCredits: monthly_credits });

/** Throws 403 if the caller's own key has a monthly limit, which it could otherwise remove, or evade with another key. */
async function requireUnlimitedKey(tx: Tx, { userId, credential }: UserActor): Promise<void> {
  if (credential.kind !== 'key') return;
  const key = await findKey(tx, credential.id, userId);
  if (key === undefined || key.monthly_credits === null) return;
  throw new AppError(
    'forbidden',
    'An API key with a monthly limit cannot create keys or change limits. Use another key, or sign in.',
  );
}

const NOT_FOUND = 'API key not found.';

/**
 * Revokes a key of the caller. The key stops working in this process immediately, and in other processes within five
 * seconds. Throws 404.
 */
export async function revokeOwnKey(
  deps: KeyDeps & Partial<Pick<Deps, 'keys'>>,
  actor: Actor,
  id: string,
): Promise<void> {
  const user = requireScope(actor, 'account:admin');
  const { hash } = await deps.db.transaction(async tx => {
    const key = requireFound(await revokeKey(tx, id, user.userId), NOT_FOUND);
    recordAudit(tx, user, { action: 'key.revoked', target: id, name: key.name });
    return key;
  });
  deps.keys?.forget([hash]);
}

const presentKey = (key: ApiKey) => ({
  ...presentColumns(
    key,
    'id name scopes expires_at last_used_at monthly_credits spent_this_month created_at',
  ),
  // The column contains only known scopes.
  scopes: key.scopes as readonly Scope[],
});
