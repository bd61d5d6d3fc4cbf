// Delivers webhooks: makes one attempt at a time per delivery, records each attempt and schedules the next one.
import { type Backoff, computeBackoff } from '../../lib/backoff.ts';
import { createBatcher } from '../../lib/batcher.ts';
import { inScope } from '../../lib/span.ts';
import { isOutage } from '../../store/db.ts';
import {
  type DeliveryRow,
  getDeliveryBody,
  listDeliveriesById,
  type NewAttempt,
  recordAttempts,
  type TracedDelivery,
} from '../../store/deliveries.ts';
import { enqueueAt, type QueuedJob } from '../../store/queue.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';
import type { Deps } from '../deps.ts';
import { isDelivered, sendWebhook, type WebhookMessage, type WebhookResult } from './send-webhook.ts';
import { decryptSecret } from './webhook-target.ts';

/** The maximum number of attempts of a delivery. Each redelivery allows as many again. */
export const MAX_ATTEMPTS = 12;
/** The delays between attempts, starting at WEBHOOK_BACKOFF_BASE_MS. */
export const BACKOFF: Omit<Backoff, 'firstMs'> = { maxMs: 6 * 3_600_000, factor: 2, jitter: [0, 0.1] };

// By the clock of another machine, a job may start slightly early.
const CLOCK_SLACK_MS = 1000;
const BATCH = { maxItems: 200, concurrency: 1, isItemFault: (err: unknown) => !isOutage(err) } as const;

export interface Deliverer {
  /** Makes the attempt that is due, if any. Rejects if the attempt must be repeated: interrupted, or not recorded. */
  deliver(id: string, signal: AbortSignal): Promise<void>;
}

export function createDeliverer(deps: Deps): Deliverer {
  const findDelivery = createBatcher<string, TracedDelivery | undefined>(async ids => {
    const rows = new Map((await listDeliveriesById(deps.runDb, ids)).map(row => [row.id, row]));
    return ids.map(id => rows.get(id));
  }, BATCH);
  const recordAttempt = createBatcher<NewAttempt, undefined>(async attempts => {
    await recordAttempts(deps.runDb, attempts);
    return attempts.map(() => undefined);
  }, BATCH);
  const postpone = createBatcher<QueuedJob, undefined>(async jobs => {
    await enqueueAt(deps.runDb, 'deliver', jobs);
    return jobs.map(() => undefined);
  }, BATCH);
  return {
    async deliver(id, signal) {
      const delivery = await findDelivery(id);
      if (delivery === undefined || !isDue(delivery, deps.now())) return;
      const release = await deps.outboundSlots.acquire({
        account: getPersonalWorkspaceId(delivery.user_id),
        host: new URL(delivery.url).host,
        hasLongBody: delivery.body === null,
      });
      if (typeof release !== 'function') {
        const runAt = new Date(deps.now() + release.delayMs);
        deps.wakeTimers.set('background', runAt.getTime());
        return postpone({ id, runAt });
      }
      const startedAt = new Date(deps.now());
      // Releases the slot as soon as the receiver has responded, before the attempt is recorded.
      const response = await makeAttempt(deps, delivery, signal).finally(release);
      // The process stops, so the job fails and another process repeats the attempt.
      if (response === undefined) throw new Error('The delivery was interrupted.');
      const newAttempt = toAttempt(deps, delivery, startedAt, response);
      await recordAttempt(newAttempt);
      countAttempt(deps, newAttempt);
      if (newAttempt.next_attempt_at !== null)
        deps.wakeTimers.set('background', Date.parse(newAttempt.next_attempt_at));
    },
  };
}

function countAttempt({ deliveryCounts }: Deps, { state }: NewAttempt): void {
  const outcome = state === 'attempting' ? 'failed' : state;
  deliveryCounts.set(outcome, (deliveryCounts.get(outcome) ?? 0) + 1);
}

/** Returns false if the delivery has ended, or its next attempt is due later. */
function isDue({ state, next_attempt_at: at }: DeliveryRow, nowMs: number): boolean {
  if (state === 'delivered' || state === 'exhausted') return false;
  return at === null || at.getTime() <= nowMs + CLOCK_SLACK_MS;
}

/** Makes one attempt. The attempt belongs to the trace of the request that started the run. */
async function makeAttempt(
  deps: Deps,
  delivery: TracedDelivery,
  signal: AbortSignal,
): Promise<WebhookResult | undefined> {
  const { execution_id: executionId } = delivery;
  const run = executionId === null ? {} : { executionId };
  const span = deps.tracer?.start('deliver webhook', {
    kind: 'consumer',
    parent: delivery.traceparent,
    attributes: {
      ...(executionId === null ? {} : { 'graphwright.execution.id': executionId }),
      'graphwright.delivery.id': delivery.id,
      'graphwright.delivery.attempt': delivery.attempts + 1,
      'graphwright.delivery.event': delivery.event,
    },
  });
  try {
    const response = await inScope({ ...run, span }, () =>
      readMessage(deps, delivery).then(message => sendWebhook(deps, message, signal)),
    );
    if (response === undefined || !isDelivered(response))
      span?.fail(String(response?.statusCode ?? 'unreachable'));
    return response;
  } finally {
    span?.end();
  }
}

async function readMessage(
  deps: Deps,
  { id, event, event_id, url, body, secret }: TracedDelivery,
): Promise<WebhookMessage> {
  return {
    deliveryId: id,
    event,
    eventId: event_id,
    url,
    body: body ?? (await getDeliveryBody(deps.runDb, id)),
    secret: secret === null ? null : decryptSecret(deps, secret),
  };
}

function toAttempt(deps: Deps, delivery: DeliveryRow, startedAt: Date, response: WebhookResult): NewAttempt {
  const attempt = delivery.attempts + 1;
  const isLast = attempt >= delivery.max_attempts;
  const state = isDelivered(response) ? 'delivered' : isLast ? 'exhausted' : 'attempting';
  // The number of retries since the last redelivery, which raised the maximum.
  const retries = attempt - 1 - (delivery.max_attempts - MAX_ATTEMPTS);
  const delayMs = computeBackoff({ ...BACKOFF, firstMs: deps.settings.WEBHOOK_BACKOFF_BASE_MS }, retries);
  return {
    delivery_id: delivery.id,
    attempt,
    started_at: startedAt.toISOString(),
    duration_ms: response.durationMs,
    status_code: response.statusCode,
    error: response.error,
    response: response.response,
    state,
    next_attempt_at: state === 'attempting' ? new Date(deps.now() + delayMs).toISOString() : null,
  };
}
