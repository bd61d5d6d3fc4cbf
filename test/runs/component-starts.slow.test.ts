// Tests schedules, triggers and apps that start a workflow with a component, and streams that follow its runs.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTrigger } from '../automation/triggers/support.ts';
import { createVisitor, runAsVisitor, saveApp, waitForAppRun } from '../support/apps/visitors.ts';
import { mapStates } from '../support/client.ts';
import { openStream } from '../support/http/sse.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

let service: TestService;
/** The id of a workflow that greets its input `who` with a component. */
let caller: string;
before(async () => {
  service = await startTestService({ TRUST_PROXY: 'true' });
  const component = await service.createWorkflow({
    nodes: [
      node('name', 'input:text', { value: 'nobody' }),
      node('words', 'utility:text_template', { template: 'Hello {{name}}' }),
      node('greeting', 'output:preview'),
    ],
    edges: [edge('name.text > words.name'), edge('words.text > greeting.input')],
  });
  caller = await service.createWorkflow({
    nodes: [
      node('who', 'input:text', { value: 'Ada' }),
      node('greet', 'component:call', { workflowId: component, version: 'latest' }),
      node('end', 'output:preview'),
    ],
    edges: [edge('who.text > greet.name'), edge('greet.greeting > end.input')],
  });
});
after(() => service.close());

/** Waits for the run and returns the greeting that its component made. */
async function readGreeting(executionId: string): Promise<unknown> {
  const run = await service.waitForStatus(executionId);
  assert.equal(run.status, 'COMPLETED', JSON.stringify(run.error));
  return mapStates(run)['greet/words']?.text;
}

describe('a workflow that calls a component', () => {
  it('can be run by a schedule', async () => {
    const { body: schedule } = await service.request<{ id: string }>(
      'POST',
      `/workflows/${caller}/schedules`,
      { cron: '0 0 1 1 *', inputs: { who: 'schedule' } },
    );
    const { status, body } = await service.request<{ executionId: string }>(
      'POST',
      `/schedules/${schedule.id}/run`,
    );
    assert.equal(status, 202, JSON.stringify(body));
    assert.equal(await readGreeting(body.executionId), 'Hello schedule');
  });

  it('can be run by a trigger', async () => {
    const { url = '' } = await createTrigger(service, caller, { kind: 'hook', inputs: { who: '/name' } });
    const response = await fetch(`${service.url}${new URL(url).pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'hook' }),
    });
    assert.equal(response.status, 202);
    const { executionId } = (await response.json()) as { readonly executionId: string };
    assert.equal(await readGreeting(executionId), 'Hello hook');
  });

  it('shows visitors of its app only the outputs of the run', async () => {
    const settings = { inputs: [{ nodeId: 'who', label: 'Name' }], outputs: ['end'], audience: 'anyone' };
    const slug = await saveApp(service, caller, settings);
    const visitor = createVisitor(service);
    const { status, body } = await runAsVisitor(visitor, slug, { input_1: 'visitor' });
    assert.equal(status, 202, JSON.stringify(body));
    const { outputs } = await waitForAppRun(visitor, slug, body.runId);
    assert.deepEqual(
      Object.values(outputs).map(({ text }) => text),
      ['Hello visitor'],
    );
  });

  it('reports the nodes of the component by path in its event stream', async () => {
    const executionId = await service.startRun(caller, { inputs: { who: 'stream' } });
    const stream = await openStream(`${service.url}/api/v1/executions/${executionId}/events`, {
      authorization: `Bearer ${service.key}`,
    });
    try {
      await waitUntil('the run to end', async () =>
        stream.events.some(
          ({ event, data }) => ['snapshot', 'execution'].includes(event) && data.status === 'COMPLETED',
        ),
      );
    } finally {
      stream.hangUp();
    }
    const states = stream.events.flatMap(({ event, data }) =>
      event === 'snapshot'
        ? (data.nodeStates as readonly Record<string, unknown>[])
        : event === 'node'
          ? [data]
          : [],
    );
    const completedIds = states.filter(({ status }) => status === 'COMPLETED').map(({ nodeId }) => nodeId);
    assert.deepEqual([...new Set(completedIds)].sort(), ['end', 'greet/greeting', 'greet/words', 'who']);
  });
});
