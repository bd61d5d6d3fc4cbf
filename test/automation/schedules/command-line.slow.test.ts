// Tests `graphwright automations` with a running service.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { callCommand } from '../../support/command-line.ts';
import { KEY, startTestService, type TestService } from '../../support/service.ts';
import { node } from '../../support/workflows.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const call = async (...args: readonly string[]): Promise<string> => {
  const settings = { GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: KEY };
  const { code, out, err } = await callCommand(['automations', ...args], settings);
  assert.equal(code, 0, err);
  return out.trim();
};

it('lists, pauses, resumes and runs a schedule', async () => {
  const workflow = await service.createWorkflow({
    nodes: [node('who', 'input:text', { value: 'a' })],
    edges: [],
  });
  const { body } = await service.request<{ id: string }>('POST', `/workflows/${workflow}/schedules`, {
    name: 'Nightly',
    cron: '@daily',
  });
  assert.match(await call('list'), new RegExp(`^${body.id} +Nightly +active +\\S+T00:00:00.000Z$`, 'm'));
  assert.equal(await call('pause', body.id), `${body.id} is paused.`);
  assert.match(await call('list'), /Nightly +paused$/m);
  assert.match(await call('resume', body.id), /is active\. Next run: \S+Z$/);
  const executionId = await call('run', body.id);
  const { body: run } = await service.request<{ scheduleId: string }>('GET', `/executions/${executionId}`);
  assert.equal(run.scheduleId, body.id);
  const { body: trigger } = await service.request<{ id: string }>('POST', `/workflows/${workflow}/triggers`, {
    kind: 'hook',
    name: 'Order',
    config: {},
    inputs: {},
    isActive: true,
  });
  assert.match(await call('list'), /Order +active/);
  assert.equal(await call('pause', trigger.id), `${trigger.id} is paused.`);
  assert.match(await call('list'), /Order +paused/);
  assert.match(await call('run', trigger.id), /^ex_/);
  const refused = await callCommand(['automations', 'pause', 'wf_1'], {
    GRAPHWRIGHT_URL: service.url,
    GRAPHWRIGHT_API_KEY: KEY,
  });
  assert.deepEqual([refused.code, /automations list/.test(refused.err)], [2, true]);
});
