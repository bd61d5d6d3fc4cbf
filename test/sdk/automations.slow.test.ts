// Tests schedules and triggers of the SDK with a real service.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, createClient } from '../../sdk/src/sdk.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';
import { collect } from './test-server.ts';

let service: TestService;
let client: Client;
let workflowId: string;
before(async () => {
  service = await startTestService();
  client = createClient({ url: service.url, apiKey: KEY });
  workflowId = await service.createWorkflow({
    nodes: [node('who', 'input:text', { value: 'Ada' }), node('out', 'output:preview')],
    edges: [edge('who.text > out.input')],
  });
});
after(() => service.close());

const firstText = (outputs: readonly { readonly text?: string | null }[]): unknown => outputs[0]?.text;

describe('client.schedule', () => {
  it('creates a schedule that can be run, changed, backfilled and deleted', async () => {
    const created = await client.schedule(workflowId, { cron: '@daily', inputs: { who: 'Grace' } });
    const schedule = client.attachSchedule(created.id);
    assert.equal((await schedule.get()).cron, '@daily');
    const run = await schedule.run();
    assert.equal(firstText(await run.outputs()), 'Grace');
    const pausedSchedule = await schedule.update({ isActive: false });
    assert.deepEqual([pausedSchedule.isActive, pausedSchedule.nextRunAt], [false, null]);
    const period = { from: '2026-01-01T12:00:00Z', to: '2026-01-03T12:00:00Z' };
    assert.equal((await schedule.backfill({ ...period, dryRun: true })).runs, 2);
    assert.equal((await schedule.backfill(period)).dueAt.length, 2);
    assert.ok((await collect(schedule.history())).some(({ executionId }) => executionId === run.id));
    await schedule.delete();
    await assert.rejects(schedule.get(), { name: 'NotFoundError' });
  });
});

describe('client.trigger', () => {
  it('creates a hook that can be run, get a new token and be deleted', async () => {
    const created = await client.trigger(workflowId, { kind: 'hook', inputs: { who: '/name' } });
    const trigger = client.attachTrigger(created.id);
    assert.equal('url' in (await trigger.get()), false);
    const run = await trigger.run({ payload: { name: 'Grace' } });
    assert.equal(firstText(await run.outputs()), 'Grace');
    const { url } = await trigger.update({ renewToken: true });
    const call = async (address: string | undefined): Promise<number> => {
      const { pathname } = new URL(address ?? '');
      return (await fetch(service.url + pathname, { method: 'POST' })).status;
    };
    assert.deepEqual([await call(created.url), await call(url)], [404, 202]);
    const outcomes = (await collect(trigger.history())).map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, ['accepted', 'accepted']);
    await trigger.delete();
    await assert.rejects(trigger.get(), { name: 'NotFoundError' });
  });
});
