// The part of the tour about batches and tables.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

/** Sends requests to the operations of batches and tables. */
export async function tourBatches({ ask, until }: TourContext, workflowId: string): Promise<void> {
  const at = `${V1}/workflows/${workflowId}/batches`;
  const rows = ['Lisbon', 'Porto', 'Faro'].map((place, index) => ({
    key: `city-${index + 1}`,
    inputs: { place },
  }));
  await ask('POST', `${at}/estimate`, { rows });
  const started = await ask('POST', at, { rows, concurrency: 2, firstRows: 1, maxCredits: 50 });
  const path = `${V1}/batches/${(started.body as unknown as { batchId: string }).batchId}`;
  await until(path, ({ status }) => status === 'PAUSED');
  await ask('DELETE', path);
  await ask('POST', `${path}/resume`, {});
  await until(path, ({ status }) => status === 'COMPLETED');
  await ask('POST', `${path}/resume`, {});
  await ask('GET', path);
  await ask('GET', `${path}/rows?limit=2`);
  await ask('PATCH', `${path}/rows/1`, { rating: 5, isPicked: true });
  await ask('POST', `${path}/stop`, {});
  await ask('POST', `${path}/retry`, {});
  await tourRetry({ ask, until });
  await ask('GET', `${V1}/batches?limit=1`);
  await ask('GET', `${at}?limit=1`);
  await ask('DELETE', path);
  const table = await ask('POST', `${V1}/tables`, 'place\nLisbon\nPorto\n', {
    headers: { 'x-raw': 'text', 'content-type': 'text/csv' },
  });
  const { tableId } = table.body as unknown as { tableId: string };
  await ask('GET', `${V1}/tables/${tableId}`);
  await ask('POST', at, { rows: [{ inputs: { palce: 'Lisbon' } }] });
  const failing = await ask('POST', at, { tableId, mapping: { place: 'place' } });
  const other = `${V1}/batches/${(failing.body as unknown as { batchId: string }).batchId}`;
  await until(other, ({ status }) => status === 'COMPLETED');
}

/** Cancels a row that waits for an approval, and retries it. */
async function tourRetry({ ask, until }: Pick<TourContext, 'ask' | 'until'>): Promise<void> {
  const [text, approval] = ['input:text', 'logic:approval'].map((nodeType, index) => ({
    id: `n${index}`,
    type: 'basedNode',
    position: { x: index * 400, y: 0 },
    data: { nodeType, config: {} },
  }));
  const edges = [{ id: 'e', source: 'n0', target: 'n1', sourceHandle: 'out-text', targetHandle: 'in-input' }];
  const graph = { name: 'Review', nodes: [text, approval], edges };
  const { id } = (await ask('POST', `${V1}/workflows`, graph)).body;
  const rows = [{ inputs: { n0: 'a' } }];
  const { body } = await ask('POST', `${V1}/workflows/${id}/batches`, { rows });
  const path = `${V1}/batches/${(body as unknown as { batchId: string }).batchId}`;
  for (const action of ['stop', 'retry', 'stop']) {
    // A row that has not started would not be canceled.
    if (action === 'stop') await until(path, ({ counts }) => counts?.running === 1);
    await ask(
      'POST',
      `${path}/${action}`,
      action === 'stop' ? { cancelRunning: true } : { includeCancelled: true },
    );
    if (action === 'stop') await until(path, ({ status }) => status === 'STOPPED');
  }
}
