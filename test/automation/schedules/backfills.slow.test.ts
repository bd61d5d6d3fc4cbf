// Tests runs of a schedule for times in the past.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestService, type TestService } from '../../support/service.ts';
import { createScheduleClient, GRAPH, HOUR_MS, type Schedule } from './support.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const { create, listFirings, waitForOutcomes } = createScheduleClient(() => service);

describe('POST /schedules/{id}/backfill', () => {
  it('estimates the runs with dryRun and starts a run for each due time', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { id } = await create(workflow, { cron: '0 0 * * *', overlap: 'allow' });
    const body = {
      from: new Date(Date.now() - 3 * 24 * HOUR_MS).toISOString(),
      to: new Date().toISOString(),
    };
    const dryRun = await service.request<{ runs: number; estimate: object }>(
      'POST',
      `/schedules/${id}/backfill`,
      { ...body, dryRun: true },
    );
    assert.deepEqual(
      [dryRun.status, dryRun.body.runs, dryRun.body.estimate],
      [200, 3, { credits: 0, exact: true, perRun: 0 }],
    );
    assert.deepEqual(await listFirings(id), []);
    assert.equal((await service.request('POST', `/schedules/${id}/backfill`, body)).status, 202);
    const firings = await waitForOutcomes(id, 'accepted', 'accepted', 'accepted');
    assert.deepEqual(
      firings.map(({ kind }) => kind),
      ['backfill', 'backfill', 'backfill'],
    );
    assert.ok(String(firings[0]?.dueAt) > String(firings[2]?.dueAt), 'newest first');
  });

  it('runs a due time once, unless it is repeated', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { id } = await create(workflow, { cron: '0 0 * * *' });
    // The same for all requests, of which one may be sent after midnight.
    const toMs = Date.now();
    const post = async (days: number, options: object = {}) => {
      const { status, body } = await service.request<{ runs: number; dueAt: string[]; alreadyRun: number }>(
        'POST',
        `/schedules/${id}/backfill`,
        {
          from: new Date(toMs - days * 24 * HOUR_MS).toISOString(),
          to: new Date(toMs).toISOString(),
          ...options,
        },
      );
      return [status, body.runs, body.dueAt.length, body.alreadyRun];
    };
    const results = await Promise.all([post(2), post(2), post(2)]);
    assert.deepEqual(results.sort(), [
      [202, 0, 0, 2],
      [202, 0, 0, 2],
      [202, 2, 2, 0],
    ]);
    await waitForOutcomes(id, 'accepted', 'accepted');
    assert.deepEqual(await post(3, { dryRun: true }), [200, 1, 1, 2]);
    assert.deepEqual(await post(3), [202, 1, 1, 2]);
    await waitForOutcomes(id, 'accepted', 'accepted', 'accepted');
    assert.deepEqual(await post(1, { repeat: true }), [202, 1, 1, 0]);
    await waitForOutcomes(id, 'accepted', 'accepted', 'accepted', 'accepted');
  });

  it('refuses a period without due times, with more than 100, or in the future', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { id } = await create(workflow, { cron: '0 * * * *' });
    const post = async (fromMs: number, toMs: number): Promise<string> => {
      const { status, body } = await service.request<Schedule>('POST', `/schedules/${id}/backfill`, {
        from: new Date(Date.now() - fromMs).toISOString(),
        to: new Date(Date.now() - toMs).toISOString(),
      });
      return `${status} ${body.error}`;
    };
    assert.match(await post(101 * HOUR_MS, -HOUR_MS), /^400 to must be in the past/);
    assert.match(await post(200 * HOUR_MS, 1000), /^400 The schedule has more than 100 due times/);
    assert.match(await post(1000, HOUR_MS), /^400 The schedule has no due time/);
  });
});
