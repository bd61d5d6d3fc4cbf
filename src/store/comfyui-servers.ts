// Stores what the service knows about ComfyUI servers: whether they answer, what runs there, and the node types and model
// files that they have.
import type { ServerDevice, ServerReport } from '../graph/comfyui/server-report.ts';
import type { Tx } from './db.ts';
import { all, first } from './rows.ts';

export const SERVER_STATUSES = ['up', 'down', 'unknown'] as const;
export type ServerStatus = (typeof SERVER_STATUSES)[number];

/** A server without its facts, which are large. */
export interface ServerRow {
  /** The id of the credential. */
  readonly id: string;
  readonly status: ServerStatus;
  readonly checked_at: Date | null;
  /** Since when the checks fail; null if the last one succeeded. */
  readonly failing_since: Date | null;
  readonly error: string | null;
  /** Why the facts could not be read; null if they could. */
  readonly facts_error: string | null;
  readonly version: string | null;
  readonly devices: readonly ServerDevice[];
  readonly running: number;
  readonly waiting: number;
  readonly node_types: number;
  /** The hash of the facts; null until they are known. */
  readonly facts_key: string | null;
  /** The hash of the model files of the last graph that the service gave to the server. */
  readonly last_files: string | null;
}

const COLUMNS = `s.id, s.status, s.checked_at, s.failing_since, s.error, s.version, s.devices, s.running, s.waiting, s.node_types,
  s.facts_key, s.facts_error, s.last_files`;

/** Adds servers to check. Servers that are known stay as they are. */
export async function insertServers(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(
    'insert into comfyui_servers (id) select unnest($1::text[]) order by 1 on conflict do nothing',
    [ids],
  );
}

export async function removeServer(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from comfyui_servers where id = $1', [id]);
}

/** Forgets what is known about the server, because another one may be behind its address. It is checked at once. */
export async function resetServer(tx: Tx, id: string): Promise<void> {
  await removeServer(tx, id);
  await insertServers(tx, [id]);
}

export function listServers(tx: Tx, ids: readonly string[]): Promise<readonly ServerRow[]> {
  return all(tx, `select ${COLUMNS} from comfyui_servers s where s.id = any ($1::text[])`, [ids]);
}

export interface DueServer extends ServerRow {
  /** The current value of the credential; null for a credential of the environment. */
  readonly value_id: string | null;
  /** The owner of the credential; null: the instance. */
  readonly workspace: string | null;
  readonly is_facts_due: boolean;
}

export interface DueServerQuery {
  readonly limit: number;
  /** The most servers of one owner. */
  readonly perOwner: number;
  /** The servers of the environment of this process. Stored ones are listed in the table of credentials. */
  readonly environmentIds: readonly string[];
  /** Until then, no other worker checks the servers. */
  readonly leaseMs: number;
}

/** Claims servers that are due, the longest overdue first. */
export function claimDueServers(
  tx: Tx,
  { limit, perOwner, environmentIds, leaseMs }: DueServerQuery,
): Promise<readonly DueServer[]> {
  return all(
    tx,
    `with due as materialized (
       select s.id, s.due_at, c.value_id, c.workspace,
         s.facts_due_at <= now() as is_facts_due,
         row_number() over (partition by coalesce(c.workspace, '') order by s.due_at) as turn
       from comfyui_servers s left join credentials c on c.id = s.id and c.removed_at is null
       where s.due_at <= now() and (c.id is not null or s.id = any ($3::text[]))
     ), claimed as (
       select s.id from comfyui_servers s join due using (id)
       where due.turn <= $2 and s.due_at <= now() order by due.turn, due.due_at limit $1 for update of s skip locked
     )
     update comfyui_servers s set due_at = now() + $4 * interval '1 millisecond',
       facts_due_at = case when due.is_facts_due then now() + interval '2 minutes' else s.facts_due_at end
     from claimed join due using (id) where s.id = claimed.id
     returning ${COLUMNS}, due.value_id, due.workspace, due.is_facts_due`,
    [limit, perOwner, environmentIds, leaseMs],
  );
}

/** Returns when the next server is due, or null if there is none. */
export async function findNextDueTime(tx: Tx, environmentIds: readonly string[]): Promise<Date | null> {
  const row = await first<{ readonly due_at: Date | null }>(
    tx,
    `select min(s.due_at) as due_at from comfyui_servers s
     where s.id = any ($1::text[]) or exists (select from credentials c where c.id = s.id and c.removed_at is null)`,
    [environmentIds],
  );
  return row?.due_at ?? null;
}

/** Records that the server answered. It counts as up. */
export async function recordAnswer(
  tx: Tx,
  id: string,
  { version, devices, running, waiting }: ServerReport,
  nextMs: number,
): Promise<void> {
  await tx.query(
    `update comfyui_servers set status = 'up', checked_at = now(), failing_since = null, error = null, version = $2, devices = $3,
       running = $4, waiting = $5, due_at = now() + $6 * interval '1 millisecond'
     where id = $1`,
    [id, version, JSON.stringify(devices), running, waiting, nextMs],
  );
}

/**
 * Records that the server does not answer since `sinceMs`, or longer. Returns its status: a server that does not answer for
 * `downMs` is down.
 */
export async function recordFailure(
  tx: Tx,
  id: string,
  error: string,
  { sinceMs, nextMs, downMs }: { readonly sinceMs: number; readonly nextMs: number; readonly downMs: number },
): Promise<ServerStatus | undefined> {
  const row = await first<Pick<ServerRow, 'status'>>(
    tx,
    `update comfyui_servers s set checked_at = now(), error = $2, failing_since = f.since, running = 0, waiting = 0,
       status = case when f.since <= now() - $4 * interval '1 millisecond' then 'down' else s.status end,
       due_at = now() + $3 * interval '1 millisecond', facts_due_at = now()
     from (select coalesce(failing_since, now() - $5 * interval '1 millisecond') as since from comfyui_servers where id = $1) f
     where s.id = $1 returning s.status`,
    [id, error, nextMs, downMs, sinceMs],
  );
  return row?.status;
}

export interface StoredFacts {
  readonly key: string;
  readonly compressed: Buffer;
  readonly nodeTypes: number;
}

/** Stores the facts, or if they are unchanged, when to read them again. */
export async function recordFacts(
  tx: Tx,
  id: string,
  { key, compressed, nodeTypes }: StoredFacts,
  nextMs: number,
): Promise<void> {
  await tx.query(
    `update comfyui_servers set facts = case when facts_key = $2 then facts else $3::bytea end, facts_key = $2, facts_error = null, node_types = $4,
       facts_due_at = now() + $5 * interval '1 millisecond'
     where id = $1`,
    [id, key, compressed, nodeTypes, nextMs],
  );
}

/** Records why the facts could not be read, and when to try again. Earlier facts stay. */
export async function recordFactsFailure(tx: Tx, id: string, error: string, nextMs: number): Promise<void> {
  await tx.query(
    `update comfyui_servers set facts_error = $2, facts_due_at = now() + $3 * interval '1 millisecond' where id = $1`,
    [id, error, nextMs],
  );
}
/** Has the server checked at once, and its facts read again. */
export async function expireServer(tx: Tx, id: string): Promise<void> {
  await tx.query('update comfyui_servers set due_at = now(), facts_due_at = now() where id = $1', [id]);
}

/** Returns the compressed facts by key. */
export async function listFacts(
  tx: Tx,
  keys: readonly string[],
): Promise<readonly { readonly facts_key: string; readonly facts: Buffer }[]> {
  return all(
    tx,
    `select distinct on (facts_key) facts_key, facts from comfyui_servers
     where facts_key = any ($1::text[]) order by facts_key`,
    [keys],
  );
}
