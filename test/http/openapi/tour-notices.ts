// Sends requests to the operations of notices.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

/** Reads the notice about a batch that stops because its `maxCredits` is 0. */
export async function tourNotices(
  { send, waitFor }: Pick<TourContext, 'send' | 'waitFor'>,
  paidWorkflowPath: string,
): Promise<void> {
  const { body } = await send('POST', `${paidWorkflowPath}/batches`, {
    rows: [{ inputs: {} }],
    maxCredits: 0,
  });
  const { batchId } = body as unknown as { batchId: string };
  await waitFor(`${V1}/batches/${batchId}`, ({ status }) => status === 'STOPPED');
  await send('GET', `${V1}/notices?limit=1`);
  await send('POST', `${V1}/notices/read`, { all: true });
  await send('POST', `${V1}/notices/read`, {});
  await send('GET', `${V1}/notices/settings`);
  await send('GET', `${V1}/admin/mails?limit=1`);
  await send('POST', `${V1}/admin/mails/test`);
  await send('PUT', `${V1}/notices/settings`, { batch_stopped: 'both' });
  await send('PUT', `${V1}/notices/settings`, { new_browser: 'none' });
}
