// The webhook outbox: deliveries and their attempts.
import type { Tx } from './db.ts';
import { enqueue } from './queue.ts';

export interface DeliveryRow {
  readonly id: string;
  readonly execution_id: string;
  readonly user_id: number;
  readonly event_id: string;
  readonly event: string;
  readonly url: string;
  readonly secret: Buffer | null;
  readonly body: string;
  readonly state: 'pending' | 'attempting' | 'delivered' | 'exhausted';
  readonly attempts: number;
  readonly last_status_code: number | null;
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

export async function findDelivery(tx: Tx, id: string): Promise<DeliveryRow | undefined> {
  const { rows } = await tx.query<DeliveryRow>(
    `select id, execution_id, user_id, event_id, event, url, secret, body, state, attempts, last_status_code, next_attempt_at,
       created_at, finished_at
     from deliveries where id = $1`,
    [id],
  );
  return rows[0];
}

export interface Attempt {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly response: string | null;
  readonly state: 'attempting' | 'delivered' | 'exhausted';
  readonly nextAttemptAt: Date | null;
}

/** Keeps an attempt, and queues the next where there is one; all or nothing. Returns false where it was kept before. */
export async function keepAttempt(tx: Tx, attempt: Attempt): Promise<boolean> {
  const { rowCount } = await tx.query(
    `with moved as (
       update deliveries set state = $7, attempts = $2, last_status_code = $5, next_attempt_at = $8,
         finished_at = case when $7 in ('delivered', 'exhausted') then now() end
       where id = $1 and attempts = $2 - 1 returning id)
     insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, status_code, error, response)
     select id, $2, $3, $4, $5, $6, $9 from moved`,
    [
      attempt.deliveryId,
      attempt.attempt,
      attempt.startedAt,
      attempt.durationMs,
      attempt.statusCode,
      attempt.error,
      attempt.state,
      attempt.nextAttemptAt,
      attempt.response,
    ],
  );
  if (rowCount === 1 && attempt.nextAttemptAt !== null)
    await enqueue(tx, 'deliver', [attempt.deliveryId], attempt.nextAttemptAt);
  return rowCount === 1;
}
