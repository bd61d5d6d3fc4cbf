// The part of the tour about triggers.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

/** Sends requests to the operations of triggers, and calls hooks. */
export async function tourTriggers({ ask, until }: TourContext, workflowId: string): Promise<void> {
  const at = `${V1}/workflows/${workflowId}/triggers`;
  const created = await ask('POST', at, { kind: 'hook', name: 'Orders', inputs: { place: '/city' } });
  const path = `${V1}/triggers/${created.body.id}`;
  const address = new URL((created.body as unknown as { url: string }).url).pathname;
  const call = async (): Promise<void> => {
    const { body } = await ask('POST', address, '{"city":"Lisbon"}', {
      headers: { 'x-raw': 'json' },
      who: 'nobody',
    });
    const { executionId } = body as unknown as { executionId?: string };
    if (executionId !== undefined)
      await until(`${V1}/executions/${executionId}`, ({ finishedAt }) => typeof finishedAt === 'string');
  };
  await call();
  const run = await ask('POST', `${path}/run`, { payload: { city: 'Porto' } });
  const { executionId } = run.body as unknown as { executionId: string };
  await until(`${V1}/executions/${executionId}`, ({ finishedAt }) => typeof finishedAt === 'string');
  await ask('PUT', `${V1}/workflows/${workflowId}`, { isActive: false });
  await call();
  await ask('PUT', `${V1}/workflows/${workflowId}`, { isActive: true });
  await ask('GET', path);
  await ask('GET', `${path}/events?limit=2`);
  await ask('PATCH', path, { isActive: false });
  await call();
  await ask('GET', `${at}?limit=1`);
  await ask('GET', `${V1}/triggers?limit=1`);
  await ask('DELETE', path);
}
