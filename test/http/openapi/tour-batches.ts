// Sends requests to the operations of batches and tables.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

export async function tourBatches({ send, waitFor }: TourContext, workflowId: string): Promise<void> {
  const listPath = `${V1}/workflows/${workflowId}/batches`;
  const rows = ['Lisbon', 'Porto', 'Faro'].map((place, index) => ({
    key: `city-${index + 1}`,
    inputs: { place },
  }));
  await send('POST', `${listPath}/estimate`, { rows });
  const batch = await send('POST', listPath, { rows, concurrency: 2, firstRows: 1, maxCredits: 50 });
  const path = `${V1}/batches/${(batch.body as unknown as { batchId: string }).batchId}`;
  await waitFor(path, ({ status }) => status === 'PAUSED');
  await send('DELETE', path);
  await send('POST', `${path}/resume`, {});
  await waitFor(path, ({ status }) => status === 'COMPLETED');
  await send('POST', `${path}/resume`, {});
  await send('GET', path);
  await send('GET', `${path}/rows?limit=2`);
  await send('PATCH', `${path}/rows/1`, { rating: 5, isPicked: true });
  await send('POST', `${path}/stop`, {});
  await send('POST', `${path}/retry`, {});
  await tourRetry({ send, waitFor });
  await send('GET', `${V1}/batches?limit=1`);
  await send('GET', `${listPath}?limit=1`);
  await send('DELETE', path);
  const table = await send('POST', `${V1}/tables`, 'place\nLisbon\nPorto\n', {
    headers: { 'x-raw': 'text', 'content-type': 'text/csv' },
  });
  await send('POST', `${V1}/tables`, [{ place: 'Lisbon' }, { place: 'Porto' }]);
  const { tableId } = table.body as unknown as { tableId: string };
  await send('GET', `${V1}/tables/${tableId}`);
  await send('GET', `${V1}/tables?limit=1`);
  await send('POST', listPath, { rows: [{ inputs: { palce: 'Lisbon' } }] });
  const otherBatch = await send('POST', listPath, { tableId, mapping: { place: 'place' } });
  const otherPath = `${V1}/batches/${(otherBatch.body as unknown as { batchId: string }).batchId}`;
  await waitFor(otherPath, ({ status }) => status === 'COMPLETED');
  await send('DELETE', `${V1}/tables/${tableId}`);
}

/** Cancels a row that waits for an approval, and retries the row. */
async function tourRetry({ send, waitFor }: Pick<TourContext, 'send' | 'waitFor'>): Promise<void> {
  const [text, approval] = ['input:text', 'logic:approval'].map((nodeType, index) => ({
    id: `n${index}`,
    type: 'basedNode',
    position: { x: index * 400, y: 0 },
    data: { nodeType, config: {} },
  }));
  const edges = [{ id: 'e', source: 'n0', target: 'n1', sourceHandle: 'out-text', targetHandle: 'in-input' }];
  const graph = { name: 'Review', nodes: [text, approval], edges };
  const { id } = (await send('POST', `${V1}/workflows`, graph)).body;
  const rows = [{ inputs: { n0: 'a' } }];
  const { body } = await send('POST', `${V1}/workflows/${id}/batches`, { rows });
  const path = `${V1}/batches/${(body as unknown as { batchId: string }).batchId}`;
  for (const action of ['stop', 'retry', 'stop']) {
    // Stopping the batch cancels only a row that has started.
    if (action === 'stop') await waitFor(path, ({ counts }) => counts?.running === 1);
    await send(
      'POST',
      `${path}/${action}`,
      action === 'stop' ? { cancelRunning: true } : { includeCancelled: true },
    );
    if (action === 'stop') await waitFor(path, ({ status }) => status === 'STOPPED');
  }
}
