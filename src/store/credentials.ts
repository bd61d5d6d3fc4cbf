// Stores the credentials for model providers, and earlier values that calls in flight still use.
import type { Tx } from './db.ts';
import { all, allValues, first, firstNumber, insertRow, lockName, matches } from './rows.ts';

export const CREDENTIAL_STATUSES = ['ok', 'failed', 'untested'] as const;
export type CredentialStatus = (typeof CREDENTIAL_STATUSES)[number];

export interface CredentialRow {
  readonly id: string;
  /** null if the instance owns the credential. */
  readonly workspace: string | null;
  readonly kind: string;
  readonly name: string;
  /** null if the credential was removed. */
  readonly value_id: string | null;
  readonly hint: string | null;
  readonly is_default: boolean;
  readonly daily_usd_limit: number | null;
  readonly status: CredentialStatus;
  readonly error: string | null;
  readonly last_tested_at: Date | null;
  readonly last_used_at: Date | null;
  readonly created_by: number | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** The name by which nodes choose the server; null if nodes cannot choose it. */
  readonly server: string | null;
  readonly serves: readonly string[] | null;
  readonly is_private: boolean;
  /** The pool of a ComfyUI server; null for the other kinds. */
  readonly pool: string | null;
  readonly max_concurrent: number;
  readonly is_draining: boolean;
}

/** A credential with the key under which a run uses it: its kind, or `openai/` and the name of its server. */
export interface KeyedCredentialRow extends CredentialRow {
  readonly key: string;
  /** For ComfyUI: whether the workflow chose this server alone, and not its pool. */
  readonly is_chosen?: boolean;
}

const COLUMNS = `c.id, c.workspace, c.kind, c.name, c.value_id, c.hint, c.is_default, c.daily_usd_limit::float8,
  c.status, c.error, c.last_tested_at, c.last_used_at, c.created_by, c.created_at, c.updated_at, c.server, c.serves,
  c.is_private, c.pool, c.max_concurrent, c.is_draining`;

/** Returns the credential, or undefined if there is none or it was removed. */
export function findCredential(tx: Tx, id: string): Promise<CredentialRow | undefined> {
  return first(tx, `select ${COLUMNS} from credentials c where c.id = $1 and c.removed_at is null`, [id]);
}

/** Finds the credential and locks its row until the transaction ends. */
export function lockCredential(tx: Tx, id: string): Promise<CredentialRow | undefined> {
  return first(
    tx,
    `select ${COLUMNS} from credentials c where c.id = $1 and c.removed_at is null for no key update`,
    [id],
  );
}

/** Returns whether the owner has a ComfyUI server in the pool. */
export function hasPool(tx: Tx, workspace: string | null, pool: string): Promise<boolean> {
  return matches(
    tx,
    `select from credentials where coalesce(workspace, '') = $1 and kind = 'comfyui' and coalesce(pool, 'default') = $2 and removed_at is null`,
    [workspace ?? '', pool],
  );
}

export interface CredentialFilter {
  readonly workspace: string | null;
  readonly kind: string | null;
  /** The id of the last credential of the previous page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Lists the credentials of an owner, oldest first. */
export function listCredentials(
  tx: Tx,
  { workspace, kind, after, limit }: CredentialFilter,
): Promise<readonly CredentialRow[]> {
  return all(
    tx,
    `select ${COLUMNS} from credentials c
     where coalesce(c.workspace, '') = $1 and c.removed_at is null
       and ($2::text is null or c.kind = $2) and ($3::text is null or c.id > $3)
     order by c.id limit $4`,
    [workspace ?? '', kind, after, limit],
  );
}

export function countCredentials(tx: Tx, workspace: string | null): Promise<number> {
  return firstNumber(
    tx,
    `select count(*)::int as count from credentials where coalesce(workspace, '') = $1 and removed_at is null`,
    [workspace ?? ''],
  );
}

/** Serializes changes to the credentials of an owner until the transaction ends. */
export function lockCredentials(tx: Tx, workspace: string | null): Promise<void> {
  return lockName(tx, `credentials ${workspace ?? ''}`);
}

export function hasDefaultCredential(tx: Tx, workspace: string | null, kind: string): Promise<boolean> {
  return matches(
    tx,
    `select from credentials where coalesce(workspace, '') = $1 and kind = $2 and is_default and removed_at is null`,
    [workspace ?? '', kind],
  );
}

export interface NewValue {
  readonly id: string;
  readonly encrypted: Buffer;
  readonly hint: string | null;
  readonly is_private: boolean;
}

export type NewCredential = Pick<
  CredentialRow,
  | 'id'
  | 'workspace'
  | 'kind'
  | 'name'
  | 'is_default'
  | 'daily_usd_limit'
  | 'created_by'
  | 'server'
  | 'serves'
  | 'pool'
  | 'max_concurrent'
>;

/** Stores a credential. The caller must have called `lockCredentials`. */
export async function insertCredential(tx: Tx, row: NewCredential, value: NewValue): Promise<CredentialRow> {
  if (row.is_default) await clearDefault(tx, row.workspace, row.kind);
  const { id: value_id, hint, is_private } = value;
  await insertRow(tx, 'credentials', { ...row, value_id, hint, is_private });
  await insertValue(tx, row.id, value);
  return (await findCredential(tx, row.id)) as CredentialRow;
}

function insertValue(tx: Tx, credentialId: string, { id, encrypted }: NewValue): Promise<void> {
  return insertRow(tx, 'credential_values', { id, credential_id: credentialId, encrypted });
}

export async function clearDefault(tx: Tx, workspace: string | null, kind: string): Promise<void> {
  await tx.query(
    `update credentials set is_default = false
     where coalesce(workspace, '') = $1 and kind = $2 and is_default and removed_at is null`,
    [workspace ?? '', kind],
  );
}

/** Changes the properties of a credential. The caller must hold its lock. */
export async function updateCredential(
  tx: Tx,
  { id, name, is_default, daily_usd_limit, serves, pool, max_concurrent, is_draining }: CredentialRow,
): Promise<CredentialRow> {
  const row = await first<CredentialRow>(
    tx,
    `update credentials c set name = $2, is_default = $3, daily_usd_limit = $4, serves = $5, pool = $6, max_concurrent = $7,
       is_draining = $8, updated_at = now()
     where c.id = $1 returning ${COLUMNS}`,
    [id, name, is_default, daily_usd_limit, serves, pool, max_concurrent, is_draining],
  );
  return row as CredentialRow;
}

/** Replaces a credential's value. Calls in flight keep their old value. The caller must hold the credential's lock. */
export async function replaceValue(tx: Tx, id: string, value: NewValue): Promise<CredentialRow> {
  await retireValues(tx, id);
  await insertValue(tx, id, value);
  const row = await first<CredentialRow>(
    tx,
    `update credentials c set value_id = $2, hint = $3, is_private = $4, serves = null, status = 'untested', error = null,
       last_tested_at = null, updated_at = now()
     where c.id = $1 returning ${COLUMNS}`,
    [id, value.id, value.hint, value.is_private],
  );
  return row as CredentialRow;
}

async function retireValues(tx: Tx, id: string): Promise<void> {
  await tx.query(
    'update credential_values set retired_at = now() where credential_id = $1 and retired_at is null',
    [id],
  );
}

export async function removeCredential(tx: Tx, id: string): Promise<void> {
  await retireValues(tx, id);
  await tx.query(
    `update credentials set removed_at = now(), value_id = null, is_default = false, updated_at = now() where id = $1`,
    [id],
  );
}

/** Removes all credentials of a workspace, because the workspace is being deleted. */
export async function removeCredentialsOfWorkspace(tx: Tx, workspace: string): Promise<void> {
  await tx.query(
    `with removed as (
       update credentials set removed_at = now(), value_id = null, is_default = false
       where workspace = $1 and removed_at is null returning id
     )
     update credential_values set retired_at = now()
     where credential_id in (select id from removed) and retired_at is null`,
    [workspace],
  );
}

/**
 * Records the outcome of a request with this value, unless the value has been replaced. Returns the credential as it
 * was before, or undefined if nothing was recorded.
 */
export function recordStatus(
  tx: Tx,
  { id, valueId }: { readonly id: string; readonly valueId: string },
  { error, isTest }: { readonly error: string | null; readonly isTest: boolean },
): Promise<CredentialRow | undefined> {
  return first(
    tx,
    `with before as (
       select ${COLUMNS} from credentials c where c.id = $1 and c.value_id = $2 for no key update
     ), recorded as (
       update credentials set status = case when $3::text is null then 'ok' else 'failed' end, error = $3,
         last_tested_at = case when $4 then now() else last_tested_at end
       where id = (select id from before)
     )
     select * from before`,
    [id, valueId, error, isTest],
  );
}

export interface StoredValue extends Pick<CredentialRow, 'kind' | 'name' | 'workspace'> {
  readonly id: string;
  readonly credential_id: string;
  readonly encrypted: Buffer;
}

/** Returns the values with these ids. Values never change. */
export function listValues(tx: Tx, ids: readonly string[]): Promise<readonly StoredValue[]> {
  return all(
    tx,
    `select v.id, v.credential_id, v.encrypted, c.kind, c.name, c.workspace
     from credential_values v join credentials c on c.id = v.credential_id where v.id = any ($1::text[])`,
    [ids],
  );
}

/**
 * Lists the credentials that a workflow uses, at most one of each kind: the credential chosen for the workflow, even if
 * it was removed; otherwise the workspace's default; otherwise the instance's default. The named servers of the workspace
 * and of the instance follow; of two with the same name, that of the workspace.
 */
export function listUsableCredentials(
  tx: Tx,
  workspace: string,
  workflowId: string | null,
): Promise<readonly KeyedCredentialRow[]> {
  return all(
    tx,
    `(select distinct on (c.kind) c.*, c.kind as key, c.rank = 0 as is_chosen from (
       select ${COLUMNS}, 0 as rank from workflow_credentials w join credentials c on c.id = w.credential_id
       where w.workflow_id = $2 and c.workspace = $1
       union all
       select ${COLUMNS}, case when c.workspace is null then 2 else 1 end from credentials c
       where coalesce(c.workspace, '') in ($1, '') and c.is_default and c.kind <> 'comfyui' and c.removed_at is null
       union all
       select ${COLUMNS}, case when c.workspace is null then 2 else 1 end from credentials c
       where coalesce(c.workspace, '') in ($1, '') and c.kind = 'comfyui' and c.removed_at is null
         and coalesce(c.pool, 'default') = coalesce(
           (select w.pool from workflow_credentials w where w.workflow_id = $2 and w.kind = 'comfyui'), 'default')
     ) c order by c.kind, c.rank, c.id)
     union all (select s.*, false from (${SERVERS}) s)`,
    [workspace, workflowId],
  );
}

const SERVERS = `select distinct on (c.server) ${COLUMNS}, 0 as rank, 'openai/' || c.server as key from credentials c
  where coalesce(c.workspace, '') in ($1, '') and c.server is not null and c.removed_at is null
  order by c.server, c.workspace nulls last`;

/** Lists the named servers of the workspace and of the instance like `listUsableCredentials`. */
export function listServers(tx: Tx, workspace: string): Promise<readonly KeyedCredentialRow[]> {
  return all(tx, SERVERS, [workspace]);
}

/** Records which routes the server has, unless its value has been replaced. */
export async function recordServes(
  tx: Tx,
  { id, valueId }: { readonly id: string; readonly valueId: string },
  serves: readonly string[],
): Promise<void> {
  await tx.query('update credentials set serves = $3 where id = $1 and value_id = $2', [id, valueId, serves]);
}

/** Returns whether the owner has a server with this name. */
export function hasServer(tx: Tx, workspace: string | null, server: string): Promise<boolean> {
  return matches(
    tx,
    `select from credentials where coalesce(workspace, '') = $1 and server = $2 and removed_at is null`,
    [workspace ?? '', server],
  );
}

/** Lists the kinds with a stored default in the user's active workspace or in the instance. */
export function listActiveKinds(tx: Tx, userId: number): Promise<readonly string[]> {
  return allValues(
    tx,
    `select distinct kind from credentials
     where coalesce(workspace, '') = any (array['', coalesce(
         (select m.team_id from users u join team_members m on m.user_id = u.id and m.team_id = u.active_team_id where u.id = $1),
         'user:' || $1::int)])
       and (is_default or (kind = 'comfyui' and coalesce(pool, 'default') = 'default')) and removed_at is null`,
    [userId],
  );
}

/** Returns the credentials with these ids, including removed ones. */
export function listCredentialsById(tx: Tx, ids: readonly string[]): Promise<readonly CredentialRow[]> {
  return all(tx, `select ${COLUMNS} from credentials c where c.id = any ($1::text[])`, [ids]);
}

/** Records that a call uses the credential, at most once a minute. */
export async function touchCredential(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update credentials set last_used_at = now()
     where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    [id],
  );
}

export interface CredentialUse {
  readonly id: string;
  readonly name: string;
}

/** Lists the workflows for which the credential was chosen or whose active runs use it, newest first. */
export function listCredentialUses(
  tx: Tx,
  credentialId: string,
  limit: number,
): Promise<readonly CredentialUse[]> {
  return all(
    tx,
    `select w.id, w.name from workflows w
     where w.deleted_at is null and w.id in (
       select workflow_id from workflow_credentials where credential_id = $1
       union
       select e.workflow_id from executions e
       where e.finished_at is null and e.credentials is not null and e.credentials like '%"' || $1 || '"%'
       union
       select e.workflow_id from calls c join executions e on e.id = c.execution_id where c.credential_id = $1)
     order by w.id desc limit $2`,
    [credentialId, limit],
  );
}

/** Counts the credential's calls that have not ended at the provider. */
export function countCallsInFlight(tx: Tx, credentialId: string): Promise<number> {
  return firstNumber(
    tx,
    'select count(*)::int as count from calls where credential_id = $1 and ended_at is null',
    [credentialId],
  );
}

/** Lists the stored defaults of the instance. */
export function listInstanceDefaults(tx: Tx): Promise<readonly KeyedCredentialRow[]> {
  return all(
    tx,
    `select ${COLUMNS}, c.kind as key from credentials c where c.workspace is null and c.is_default and c.removed_at is null`,
  );
}

/** A chosen credential, or for ComfyUI a chosen pool. */
export interface ChosenCredential {
  readonly kind: string;
  readonly credential_id: string | null;
  readonly pool: string | null;
}

/** Lists the credentials chosen for the workflow instead of its workspace's defaults, including removed ones. */
export function listChosenCredentials(tx: Tx, workflowId: string): Promise<readonly ChosenCredential[]> {
  return all(
    tx,
    'select kind, credential_id, pool from workflow_credentials where workflow_id = $1 order by kind',
    [workflowId],
  );
}

export function chooseCredential(tx: Tx, workflowId: string, choice: ChosenCredential): Promise<void> {
  return insertRow(
    tx,
    'workflow_credentials',
    { workflow_id: workflowId, ...choice },
    'on conflict (workflow_id, kind) do update set credential_id = excluded.credential_id, pool = excluded.pool',
  );
}

export async function clearChosenCredential(tx: Tx, workflowId: string, kind: string): Promise<void> {
  await tx.query('delete from workflow_credentials where workflow_id = $1 and kind = $2', [workflowId, kind]);
}

/**
 * Deletes values that no credential or call uses. Keeps retired values for a minute, in which a worker that has read the
 * value can store its call.
 */
export async function deleteUnusedValues(tx: Tx): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from credential_values v
     where v.retired_at < now() - interval '1 minute' and not exists (select from calls c where c.value_id = v.id)`,
  );
  return rowCount;
}
