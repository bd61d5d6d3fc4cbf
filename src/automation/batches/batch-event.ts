// Builds the webhook event of a batch that ended.
import { randomUUID } from 'node:crypto';
import { newId } from '../../lib/ids.ts';
import { JsonText, stringifyJson } from '../../lib/json-text.ts';
import type { Tx } from '../../store/db.ts';
import type { NewDelivery } from '../../store/runs.ts';
import { type StoredBatch, sumCharged } from './store/batches.ts';

/**
 * Returns the delivery for a batch that has just ended, or null if the batch has no webhook. A batch that is resumed and
 * ends again sends a second event.
 */
export async function buildBatchDelivery(tx: Tx, batch: StoredBatch): Promise<NewDelivery | null> {
  if (batch.webhook === null) return null;
  const { url, secret } = JSON.parse(batch.webhook) as { url: string; secret: string | null };
  const charged = (await sumCharged(tx, [batch.id])).get(batch.id) ?? 0;
  const event = batch.status === 'COMPLETED' ? 'batch.completed' : 'batch.stopped';
  const event_id = randomUUID();
  const body = stringifyJson({
    event,
    eventId: event_id,
    batchId: batch.id,
    workflowId: batch.workflow_id,
    status: batch.status,
    reason: batch.reason,
    counts: { total: batch.total, ...batch.counts },
    credits: charged,
    ...(batch.metadata === null ? {} : { metadata: new JsonText(batch.metadata) }),
    createdAt: batch.finished_at?.toISOString() ?? null,
  });
  return { id: newId('delivery'), event_id, event, url, secret, body };
}
