// Sends requests to the operations of schedules.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

export async function tourSchedules(
  { send, waitFor, graph }: TourContext,
  workflowId: string,
): Promise<void> {
  const listPath = `${V1}/workflows/${workflowId}/schedules`;
  await send('POST', `${V1}/schedules/preview`, { cron: '0 9 * * 1-5', timeZone: 'Europe/Berlin' });
  const { body } = await send('POST', listPath, {
    name: 'Every weekday at nine',
    cron: '0 9 * * 1-5',
    timeZone: 'Europe/Berlin',
    inputs: { place: 'Lisbon' },
    maxCredits: 50,
  });
  const path = `${V1}/schedules/${body.id}`;
  await send('POST', listPath, { cron: 'every monday' });
  const draft = await send('POST', `${V1}/workflows`, { name: 'Draft', ...graph });
  const publishedSchedule = { cron: '@daily', version: 'published' };
  await send('POST', `${V1}/workflows/${draft.body.id}/schedules`, publishedSchedule);
  await send('GET', `${listPath}?limit=1`);
  await send('GET', `${V1}/schedules?limit=1`);
  await send('POST', `${path}/run`);
  const range = { from: '2026-11-02T00:00:00Z', to: '2026-11-04T00:00:00Z' };
  await send('POST', `${path}/backfill`, { ...range, dryRun: true });
  await send('POST', `${path}/backfill`, range);
  await waitFor(`${path}/firings`, ({ data }) =>
    (data as unknown as readonly { outcome: string }[]).every(({ outcome }) => outcome === 'accepted'),
  );
  await send('GET', `${path}/firings?limit=2`);
  await send('GET', path);
  await send('PATCH', path, { isActive: false });
  await send('DELETE', path);
}
