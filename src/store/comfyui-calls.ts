// Stores the calls that wait for ComfyUI servers, gives them to servers, and moves them away from servers that are down.
import type { CallKey } from './calls.ts';
import type { Tx } from './db.ts';
import { all, first, lockName, matches } from './rows.ts';

/** Serializes the choice of servers of an owner until the transaction ends. Lock it before runs and calls. */
export const lockServers = (tx: Tx, owner: string | null): Promise<void> =>
  lockName(tx, `comfyui ${owner ?? ''}`);

/** A server that may get the calls of a pool. */
export interface PoolServer {
  readonly id: string;
  readonly name: string;
  readonly value_id: string;
  readonly max_concurrent: number;
  readonly is_draining: boolean;
}

/** Lists the servers in the pool of an owner, or the server alone. */
export function listStoredServers(
  tx: Tx,
  {
    kind,
    owner,
    name,
  }: { readonly kind: 'pool' | 'server'; readonly owner: string | null; readonly name: string },
): Promise<readonly PoolServer[]> {
  return all(
    tx,
    `select id, name, value_id, max_concurrent, is_draining from credentials
     where coalesce(workspace, '') = $1 and kind = 'comfyui' and removed_at is null
       and case when $2 then id = $3 else coalesce(pool, 'default') = $3 end
     order by id`,
    [owner ?? '', kind === 'server', name],
  );
}

/** Returns how many calls each server has. */
export async function countCallsOfServers(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await all<{ readonly limiter: string; readonly count: number }>(
    tx,
    `select limiter, count(*)::int as count from calls
     where limiter = any ($1::text[]) and ended_at is null and slot_at is not null group by limiter`,
    [ids],
  );
  return new Map(rows.map(({ limiter, count }) => [limiter, count]));
}

export interface StoredAttempt {
  readonly credentialId: string;
  readonly server: string;
  readonly startedAt: string;
  readonly error: string;
  /** Whether the server refused the graph, so that it does not get the call again. */
  readonly isRefused: boolean;
}

/** Why a call ended without an answer of a server. */
export const CALL_FAILURES = ['moved_too_often', 'outcome_unknown'] as const;
export type CallFailure = (typeof CALL_FAILURES)[number];

export interface PoolCall extends CallKey {
  readonly credential_id: string | null;
  readonly value_id: string | null;
  readonly server_name: string | null;
  readonly job_id: string | null;
  readonly slot_at: Date | null;
  readonly moves: number;
  readonly attempts: readonly StoredAttempt[];
  readonly failure: CallFailure | null;
  readonly has_partner: boolean;
}

const COLUMNS = `c.execution_id, c.node_id, c.item, c.credential_id, c.value_id, c.server_name, c.job_id, c.slot_at, c.moves,
  c.attempts, c.failure, c.has_partner`;

export interface NewPoolCall extends CallKey {
  readonly workspace: string;
  readonly pool: string;
  /** JSON, and its hash. */
  readonly needs: string;
  readonly needs_key: string;
  readonly deadline_at: Date;
}

/** Queues the call for the pool, or returns it if it is stored. */
export async function queueCall(
  tx: Tx,
  { execution_id, node_id, item, workspace, pool, needs, needs_key, deadline_at }: NewPoolCall,
): Promise<PoolCall> {
  const row = await first<PoolCall>(
    tx,
    `insert into calls as c (execution_id, node_id, item, workspace, provider, pool, needs, needs_key, submitted_at, due_at, deadline_at)
     values ($1, $2, $3, $4, 'comfyui', $5, $6, $7, now(), $8, $8)
     on conflict (execution_id, node_id, item) do update
       set pool = excluded.pool, needs = excluded.needs, needs_key = excluded.needs_key
     returning ${COLUMNS}`,
    [execution_id, node_id, item, workspace, pool, needs, needs_key, deadline_at],
  );
  return row as PoolCall;
}

export function findPoolCall(
  tx: Tx,
  { execution_id, node_id, item }: CallKey,
): Promise<(PoolCall & { readonly needs: unknown }) | undefined> {
  return first(
    tx,
    `select ${COLUMNS}, c.needs from calls c
     where c.execution_id = $1 and c.node_id = $2 and c.item = $3 and c.cancelled_at is null`,
    [execution_id, node_id, item],
  );
}

/** Returns whether calls wait for the pool, besides this one. */
export const hasOtherWaiting = (
  tx: Tx,
  pool: string,
  { execution_id, node_id, item }: CallKey,
): Promise<boolean> =>
  matches(
    tx,
    `select from calls where limiter = $1 and provider = 'comfyui' and slot_at is null
       and (execution_id, node_id, item) is distinct from ($2::text, $3::text, $4::int) limit 1`,
    [pool, execution_id, node_id, item],
  );

export interface Placement extends CallKey {
  readonly server: PoolServer;
  readonly has_partner: boolean;
  /** The hash of the model files of the call. */
  readonly files: string;
}

/** Gives calls to servers. */
export async function placeCalls(tx: Tx, placements: readonly Placement[]): Promise<void> {
  const rows = placements.map(({ execution_id, node_id, item, server, has_partner, files }) => ({
    ...{ execution_id, node_id, item, has_partner, files },
    ...{ id: server.id, value_id: server.value_id, name: server.name },
  }));
  await tx.query(
    `with input as materialized (
       select *, row_number() over () as position from json_to_recordset($1::json) as i(
         execution_id text, node_id text, item int, has_partner bool, files text, id text, value_id text, name text)
     ), warm as (
       update comfyui_servers s set last_files = i.files
       from (select distinct on (id) id, files from input order by id, position desc) i where s.id = i.id
     )
     update calls c set credential_id = i.id, value_id = i.value_id, server_name = i.name, slot_at = now(),
       has_partner = i.has_partner, due_at = c.deadline_at
     from input i
     where c.execution_id = i.execution_id and c.node_id = i.node_id and c.item = i.item and c.slot_at is null`,
    [JSON.stringify(rows)],
  );
}

export interface WaitingCall extends CallKey {
  readonly needs_key: string;
  readonly attempts: readonly StoredAttempt[];
}

/** Lists waiting calls of the pool. They alternate between workspaces, starting with those that have the fewest calls. */
export function listWaitingCalls(tx: Tx, pool: string, limit: number): Promise<readonly WaitingCall[]> {
  return all(
    tx,
    `with taken as materialized (
       select workspace, count(*) as calls from calls
       where provider = 'comfyui' and ended_at is null and slot_at is not null and pool = $1 group by workspace
     ), waiting as materialized (
       select execution_id, node_id, item, workspace, submitted_at, needs_key, attempts from calls
       where provider = 'comfyui' and limiter = $1 and slot_at is null and needs_key is not null
       order by submitted_at limit ${MAX_CONSIDERED}
     )
     select w.execution_id, w.node_id, w.item, w.needs_key, w.attempts
     from waiting w left join taken t using (workspace)
     order by coalesce(t.calls, 0) + row_number() over (partition by workspace order by w.submitted_at), w.submitted_at
     limit $2`,
    [pool, limit],
  );
}

const MAX_CONSIDERED = 2000;

/** Returns the needs with these keys. */
export function listNeedsByKey(
  tx: Tx,
  pool: string,
  keys: readonly string[],
): Promise<readonly { readonly needs_key: string; readonly needs: unknown }[]> {
  return all(
    tx,
    `select distinct on (needs_key) needs_key, needs from calls
     where provider = 'comfyui' and limiter = $1 and slot_at is null and needs_key = any ($2::text[]) order by needs_key`,
    [pool, keys],
  );
}

/** Lists the calls that the server has, unless their runs were canceled. */
export function listCallsOfServer(tx: Tx, serverId: string): Promise<readonly PoolCall[]> {
  return all(
    tx,
    `select ${COLUMNS} from calls c
     where c.provider = 'comfyui' and c.limiter = $1 and c.pool is not null and c.slot_at is not null and c.ended_at is null
       and c.cancelled_at is null`,
    [serverId],
  );
}

export interface Move extends CallKey {
  readonly attempt: StoredAttempt;
  /** The moves of the call before. A call that has moved since stays. */
  readonly moves: number;
  readonly failure: CallFailure | null;
}

/**
 * Moves calls back to the queue, or ends those with a failure. Their prompts are canceled when their servers answer again.
 */
export async function moveCalls(tx: Tx, moves: readonly Move[]): Promise<void> {
  await tx.query(
    `with input as materialized (
       select * from json_to_recordset($1::json) as i(execution_id text, node_id text, item int, attempt jsonb, moves int, failure text)
     ), locked as materialized (
       select c.execution_id, c.node_id, c.item, c.credential_id, c.value_id, c.job_id, i.attempt, i.failure
       from calls c join input i using (execution_id, node_id, item)
       where c.moves = i.moves and c.slot_at is not null and c.cancelled_at is null for update of c
     ), canceled as (
       insert into comfyui_cancellations (server_id, value_id, prompt_id)
       select credential_id, value_id, job_id from locked where job_id is not null and value_id is not null
       on conflict do nothing
     )
     update calls c set moves = c.moves + 1, attempts = c.attempts || l.attempt, failure = l.failure,
       ended_at = case when l.failure is not null then now() end,
       credential_id = case when l.failure is not null then c.credential_id end,
       value_id = case when l.failure is not null then c.value_id end,
       job_id = case when l.failure is not null then c.job_id end,
       slot_at = case when l.failure is not null then c.slot_at end,
       state = null, due_at = c.deadline_at
     from locked l
     where c.execution_id = l.execution_id and c.node_id = l.node_id and c.item = l.item`,
    [JSON.stringify(moves)],
  );
}

/** Gives a call that was not submitted back to the queue. */
export async function returnCall(
  tx: Tx,
  { execution_id, node_id, item }: CallKey,
  moves: number,
): Promise<void> {
  await tx.query(
    `update calls set credential_id = null, value_id = null, job_id = null, slot_at = null, ended_at = null, moves = moves + 1,
       due_at = deadline_at
     where execution_id = $1 and node_id = $2 and item = $3 and moves = $4 and cancelled_at is null`,
    [execution_id, node_id, item, moves],
  );
}

/** Marks that the server may not answer, so that it gets no calls before its next check, which is due now. */
export async function suspectServer(tx: Tx, id: string): Promise<void> {
  await tx.query(
    'update comfyui_servers set due_at = now(), failing_since = coalesce(failing_since, now()) where id = $1',
    [id],
  );
}

export interface Cancellation {
  readonly value_id: string;
  readonly prompt_id: string;
}

export function listCancellations(tx: Tx, serverId: string): Promise<readonly Cancellation[]> {
  return all(
    tx,
    'select value_id, prompt_id from comfyui_cancellations where server_id = $1 order by created_at limit 200',
    [serverId],
  );
}

export async function deleteCancellation(tx: Tx, serverId: string, promptId: string): Promise<void> {
  await tx.query('delete from comfyui_cancellations where server_id = $1 and prompt_id = $2', [
    serverId,
    promptId,
  ]);
}
