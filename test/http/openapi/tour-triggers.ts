// Sends requests to the operations of triggers, and calls hooks.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

export async function tourTriggers({ send, waitFor }: TourContext, workflowId: string): Promise<void> {
  const listPath = `${V1}/workflows/${workflowId}/triggers`;
  const trigger = await send('POST', listPath, { kind: 'hook', name: 'Orders', inputs: { place: '/city' } });
  const path = `${V1}/triggers/${trigger.body.id}`;
  const hookPath = new URL((trigger.body as unknown as { url: string }).url).pathname;
  const callHook = async (): Promise<void> => {
    const { body } = await send('POST', hookPath, '{"city":"Lisbon"}', {
      headers: { 'x-raw': 'json' },
      who: 'nobody',
    });
    const { executionId } = body as unknown as { executionId?: string };
    if (executionId !== undefined)
      await waitFor(`${V1}/executions/${executionId}`, ({ finishedAt }) => typeof finishedAt === 'string');
  };
  await callHook();
  const run = await send('POST', `${path}/run`, { payload: { city: 'Porto' } });
  const { executionId } = run.body as unknown as { executionId: string };
  await waitFor(`${V1}/executions/${executionId}`, ({ finishedAt }) => typeof finishedAt === 'string');
  await send('PUT', `${V1}/workflows/${workflowId}`, { isActive: false });
  await callHook();
  await send('PUT', `${V1}/workflows/${workflowId}`, { isActive: true });
  await send('GET', path);
  await send('GET', `${path}/events?limit=2`);
  await send('PATCH', path, { isActive: false });
  await callHook();
  await send('GET', `${listPath}?limit=1`);
  await send('GET', `${V1}/triggers?limit=1`);
  await send('DELETE', path);
}
