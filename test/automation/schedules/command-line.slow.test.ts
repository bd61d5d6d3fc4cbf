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

const runCommand = async (...args: readonly string[]): Promise<string> => {
  const settings = { GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: KEY };
  const { code, out, err } = await callCommand(['automations', ...args], settings);
  assert.equal(code, 0, err);
  return out.trim();
};

it('graphwright automations lists, pauses, resumes and runs schedules and triggers', async () => {
  const workflow = await service.createWorkflow({
    nodes: [node('who', 'input:text', { value: 'a' })],
    edges: [],
  });
  const { body } = await service.request<{ id: string }>('POST', `/workflows/${workflow}/schedules`, {
    name: 'Nightly',
    cron: '@daily',
  });
  assert.match(
    await runCommand('list'),
    new RegExp(`^${body.id} +Nightly +active +\\S+T00:00:00.000Z$`, 'm'),
  );
  assert.equal(await runCommand('pause', body.id), `${body.id} is paused.`);
  assert.match(await runCommand('list'), /Nightly +paused$/m);
  assert.match(await runCommand('resume', body.id), /is active\. Next run: \S+Z$/);
  const executionId = await runCommand('run', body.id);
  const { body: run } = await service.request<{ scheduleId: string }>('GET', `/executions/${executionId}`);
  assert.equal(run.scheduleId, body.id);
  const { body: trigger } = await service.request<{ id: string }>('POST', `/workflows/${workflow}/triggers`, {
    kind: 'hook',
    name: 'Order',
    config: {},
    inputs: {},
    isActive: true,
  });
  assert.match(await runCommand('list'), /Order +active/);
  assert.equal(await runCommand('pause', trigger.id), `${trigger.id} is paused.`);
  assert.match(await runCommand('list'), /Order +paused/);
  assert.match(await runCommand('run', trigger.id), /^ex_/);
  const refusal = await callCommand(['automations', 'pause', 'wf_1'], {
    GRAPHWRIGHT_URL: service.url,
    GRAPHWRIGHT_API_KEY: KEY,
  });
  assert.deepEqual([refusal.code, /automations list/.test(refusal.err)], [2, true]);
});
