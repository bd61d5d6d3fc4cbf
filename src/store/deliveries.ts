// Stores webhook deliveries and their attempts.
import type { Tx } from './db.ts';
import { enqueue, selectQueuedJobs } from './queue.ts';
import { all, firstValue } from './rows.ts';

export const DELIVERY_STATES = ['pending', 'attempting', 'delivered', 'exhausted'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
export const EXECUTION_EVENTS = ['execution.completed', 'execution.failed'] as const;
export type ExecutionEvent = (typeof EXECUTION_EVENTS)[number];
export const DELIVERY_EVENTS = [...EXECUTION_EVENTS, 'batch.completed', 'batch.stopped'] as const;
export type DeliveryEvent = (typeof DELIVERY_EVENTS)[number];

export interface DeliveryRow {
  readonly id: string;
  /** null for the delivery of a batch. */
  readonly execution_id: string | null;
  readonly user_id: number;
  readonly event_id: string;
  readonly event: DeliveryEvent;
  readonly url: string;
  readonly secret: Buffer | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** The number of the last attempt that may be made. */
  readonly max_attempts: number;
  readonly last_status_code: number | null;
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

const COLUMNS = `id, execution_id, user_id, event_id, event, url, secret, state, attempts, max_attempts, last_status_code,
  next_attempt_at, created_at, finished_at`;

/** A longer body is read by itself, because bodies have up to 16 MB. */
const MAX_LISTED_BODY_BYTES = 65_536;

/** A delivery with the trace of the request that started its run. */
export interface TracedDelivery extends DeliveryRow {
  /** null if the body is long. */
  readonly body: string | null;
  readonly traceparent: string | null;
}

export function listDeliveriesById(tx: Tx, ids: readonly string[]): Promise<readonly TracedDelivery[]> {
  return all(
    tx,
    `select ${COLUMNS}, case when octet_length(body) <= ${MAX_LISTED_BODY_BYTES} then body end as body, (select e.traceparent from executions e where e.id = execution_id) as traceparent
     from deliveries where id = any ($1::text[])`,
    [ids],
  );
}

/** Reads the body. Throws if the delivery was deleted. */
export async function getDeliveryBody(tx: Tx, id: string): Promise<string> {
  const body = await firstValue<string>(tx, 'select body from deliveries where id = $1', [id]);
  if (body === undefined) throw new Error(`The delivery ${id} was deleted.`);
  return body;
}

/** Lists the delivery of an execution that requested a webhook and has ended. */
export function listDeliveries(tx: Tx, executionId: string): Promise<readonly DeliveryRow[]> {
  return all(tx, `select ${COLUMNS} from deliveries where execution_id = $1 order by id desc`, [executionId]);
}

/** Queues the delivery immediately, with this many more attempts. */
export async function restartDelivery(tx: Tx, id: string, attempts: number): Promise<void> {
  await tx.query(
    `update deliveries set state = 'pending', next_attempt_at = null, finished_at = null, max_attempts = attempts + $2
     where id = $1`,
    [id, attempts],
  );
  await enqueue(tx, 'deliver', [id]);
}

export interface AttemptRow {
  readonly attempt: number;
  readonly started_at: Date;
  readonly duration_ms: number;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

export function listAttempts(tx: Tx, deliveryId: string): Promise<readonly AttemptRow[]> {
  return all(
    tx,
    `select ${ATTEMPT_COLUMNS} from delivery_attempts
     where delivery_id = $1 order by attempt`,
    [deliveryId],
  );
}

export interface NewAttempt extends Omit<AttemptRow, 'started_at'> {
  readonly delivery_id: string;
  readonly started_at: string;
  readonly state: Exclude<DeliveryState, 'pending'>;
  readonly next_attempt_at: string | null;
}

/** Records attempts, and queues the next one of each delivery if needed. Attempts already recorded are skipped. */
export async function recordAttempts(tx: Tx, attempts: readonly NewAttempt[]): Promise<void> {
  await tx.query(RECORD_ATTEMPTS, [JSON.stringify(attempts), attempts.map(attempt => attempt.delivery_id)]);
}

const ATTEMPT_COLUMNS = 'attempt, started_at, duration_ms, status_code, error, response';

const RECORD_ATTEMPTS = `
with updated as (
  update deliveries d
  set state = i.state, attempts = i.attempt, last_status_code = i.status_code, next_attempt_at = i.next_attempt_at,
    finished_at = case when i.state <> 'attempting' then now() end
  from json_to_recordset($1::json) as i(
    delivery_id text, attempt int, started_at timestamptz, duration_ms int, status_code int, error text, response text,
    state text, next_attempt_at timestamptz)
  where d.id = any ($2::text[]) and d.id = i.delivery_id and d.attempts = i.attempt - 1
  returning i.*
), inserted as (
  insert into delivery_attempts (delivery_id, ${ATTEMPT_COLUMNS}) select delivery_id, ${ATTEMPT_COLUMNS} from updated
), jobs as (
  ${selectQueuedJobs(`select 'deliver' as task, delivery_id as id, next_attempt_at as run_at from updated where next_attempt_at is not null`)}
)
select count(*) from jobs`;
