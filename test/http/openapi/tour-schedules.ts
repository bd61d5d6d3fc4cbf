// The part of the tour about schedules.
import type { TourContext } from './tour.ts';

const V1 = '/api/v1';

/** Sends requests to the operations of schedules. */
export async function tourAutomations({ ask, until, graph }: TourContext, workflowId: string): Promise<void> {
  const at = `${V1}/workflows/${workflowId}/schedules`;
  await ask('POST', `${V1}/schedules/preview`, { cron: '0 9 * * 1-5', timeZone: 'Europe/Berlin' });
  const { body } = await ask('POST', at, {
    name: 'Every weekday at nine',
    cron: '0 9 * * 1-5',
    timeZone: 'Europe/Berlin',
    inputs: { place: 'Lisbon' },
    maxCredits: 50,
  });
  const path = `${V1}/schedules/${body.id}`;
  await ask('POST', at, { cron: 'every monday' });
  const draft = await ask('POST', `${V1}/workflows`, { name: 'Draft', ...graph });
  const published = { cron: '@daily', version: 'published' };
  await ask('POST', `${V1}/workflows/${draft.body.id}/schedules`, published);
  await ask('GET', `${at}?limit=1`);
  await ask('GET', `${V1}/schedules?limit=1`);
  await ask('POST', `${path}/run`);
  const range = { from: '2026-11-02T00:00:00Z', to: '2026-11-04T00:00:00Z' };
  await ask('POST', `${path}/backfill`, { ...range, dryRun: true });
  await ask('POST', `${path}/backfill`, range);
  await until(`${path}/firings`, ({ data }) =>
    (data as unknown as readonly { outcome: string }[]).every(({ outcome }) => outcome === 'accepted'),
  );
  await ask('GET', `${path}/firings?limit=2`);
  await ask('GET', path);
  await ask('PATCH', path, { isActive: false });
  await ask('DELETE', path);
}
