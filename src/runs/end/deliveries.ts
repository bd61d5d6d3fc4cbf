// Lists, resends and tests the webhook deliveries of an execution.
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { authorize } from '../../services/accounts/access.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import { MAX_ATTEMPTS } from '../../services/webhooks/deliver-webhook.ts';
import { isDelivered, sendWebhook } from '../../services/webhooks/send-webhook.ts';
import { parseWebhook } from '../../services/webhooks/webhook-target.ts';
import type { AttemptRow, DeliveryRow } from '../../store/deliveries.ts';
import { listAttempts, listDeliveries, restartDelivery } from '../../store/deliveries.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { getExecutionRow } from '../read/executions.ts';
import { buildEvent } from './delivery-body.ts';

/** Lists the deliveries with their attempts. The list is empty without a webhook and until the execution ends. */
export async function listExecutionDeliveries(deps: RunDeps, actor: Actor, executionId: string) {
  const { id } = await getExecutionRow(deps, actor, executionId);
  const deliveries = await listDeliveries(deps.db, id);
  const data = deliveries.map(async row => presentDelivery(row, await listAttempts(deps.db, row.id)));
  return { data: await Promise.all(data), nextCursor: null };
}

/** Sends the event again with twelve more attempts, even if it was delivered. Throws 404 for an unknown delivery. */
export async function redeliver(deps: RunDeps, actor: Actor, executionId: string, deliveryId: string) {
  const user = requireScope(actor, 'workflows:execute');
  const { id, workflow_id } = await getExecutionRow(deps, actor, executionId);
  authorize(actor, 'run', await findWorkflow(deps.db, workflow_id, user.userId));
  const findDelivery = async (): Promise<DeliveryRow | undefined> =>
    (await listDeliveries(deps.db, id)).find(row => row.id === deliveryId);
  if ((await findDelivery()) === undefined) throw new AppError('not_found', 'Delivery not found.');
  await deps.db.transaction(tx => restartDelivery(tx, deliveryId, MAX_ATTEMPTS));
  return presentDelivery((await findDelivery()) as DeliveryRow, await listAttempts(deps.db, deliveryId));
}

function presentDelivery(row: DeliveryRow, attempts: readonly AttemptRow[]) {
  return {
    id: row.id,
    executionId: row.execution_id,
    event: row.event,
    eventId: row.event_id,
    url: row.url,
    state: row.state,
    lastStatusCode: row.last_status_code,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    attempts: attempts.map(attempt => ({
      attempt: attempt.attempt,
      startedAt: attempt.started_at.toISOString(),
      durationMs: attempt.duration_ms,
      statusCode: attempt.status_code,
      error: attempt.error,
      response: attempt.response,
    })),
  };
}

/** Sends a signed sample event immediately and returns the receiver's response. Stores nothing. */
export async function testWebhook(deps: RunDeps, actor: Actor, block: unknown, signal: AbortSignal) {
  requireScope(actor, 'workflows:execute');
  const target = parseWebhook(deps.settings, block);
  if (target === undefined) throw new AppError('invalid_webhook', 'url is required.');
  const { kind, eventId, body } = buildEvent({
    executionId: newId('execution'),
    workflowId: newId('workflow'),
    status: 'COMPLETED',
    nodeStates: [],
    metadata: { test: true },
    ...(target.include === undefined ? {} : { outputs: [] }),
    createdAt: new Date(deps.now()).toISOString(),
  });
  const result = await sendWebhook(
    deps,
    { ...target, deliveryId: newId('delivery'), event: kind, eventId, body },
    signal,
  );
  if (result === undefined)
    throw new AppError('unavailable', 'The service is restarting. Try again in a moment.');
  return { delivered: isDelivered(result), eventId, ...result };
}
