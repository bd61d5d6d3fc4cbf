// Triggers of the kind after: statuses, the payload, chains and circles.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';
import { change, createTrigger, history, listRuns, read, type Trigger, untilHistory } from './support.ts';

const GRAPH = {
  nodes: [node('who', 'input:text', { value: 'Ada' }), node('out', 'output:preview')],
  edges: [edge('who.text > out.input')],
};
const FAILING = {
  nodes: [
    node('call', 'utility:http_request', { url: 'http://127.0.0.1:9/' }),
    node('out', 'output:preview'),
  ],
  edges: [edge('call.text > out.input')],
};

let service: TestService;
before(async () => {
  service = await startTestService({ ALLOW_PRIVATE_NETWORK: 'true' });
});
after(() => service.close());

const follow = (
  workflow: string,
  source: string,
  config: object = {},
  inputs: object = {},
): Promise<Trigger> =>
  createTrigger(service, workflow, { kind: 'after', config: { workflowId: source, ...config }, inputs });

it('starts a run when a run of the other workflow has completed, with its record', async () => {
  const [source, target] = [await service.createWorkflow(GRAPH), await service.createWorkflow(GRAPH)];
  const trigger = await follow(target, source, {}, { who: '/outputs/0/text' });
  assert.deepEqual(trigger.config, { workflowId: source, statuses: ['COMPLETED'] });
  const first = await service.runWorkflow(source, { inputs: { who: 'Grace' } });
  const [entry] = await untilHistory(service, trigger.id, 'accepted', 1);
  const run = await service.waitForStatus(entry?.executionId ?? '');
  assert.deepEqual([run.status, run.trigger, run.inputs], ['COMPLETED', 'after', { who: 'Grace' }]);
  await service.request('POST', `/executions/${first.id}/cancel`);
  assert.equal((await listRuns(service, target, trigger.id)).length, 1);
});

it('counts only the chosen statuses, and nothing while it is paused', async () => {
  const [source, target] = [await service.createWorkflow(FAILING), await service.createWorkflow(GRAPH)];
  const [failures, successes] = [
    await follow(target, source, { statuses: ['FAILED', 'TIMEOUT'] }),
    await follow(target, source),
  ];
  await service.runWorkflow(source);
  await untilHistory(service, failures.id, 'accepted', 1);
  await change(service, failures.id, { isActive: false });
  await service.runWorkflow(source);
  await change(service, failures.id, { isActive: true });
  await service.runWorkflow(source);
  await untilHistory(service, failures.id, 'accepted', 2);
  assert.equal((await history(service, failures.id)).length, 2);
  assert.deepEqual(await history(service, successes.id), []);
});

it('refuses circles when they are saved', async () => {
  const ids = [
    await service.createWorkflow(GRAPH),
    await service.createWorkflow(GRAPH),
    await service.createWorkflow(GRAPH),
  ];
  const [a = '', b = '', c = ''] = ids;
  const ab = await follow(b, a);
  await follow(c, b);
  const circle = (workflow: string, source: string) =>
    service.request<Trigger>('POST', `/workflows/${workflow}/triggers`, {
      kind: 'after',
      config: { workflowId: source },
    });
  for (const [workflow, source] of [
    [a, a],
    [a, b],
    [a, c],
  ] as const) {
    const { status, body } = await circle(workflow, source);
    assert.deepEqual([status, body.code], [409, 'conflict']);
    assert.match(body.error ?? '', /circle/);
  }
  const d = await service.createWorkflow(GRAPH);
  await follow(d, c);
  assert.equal((await change(service, ab.id, { config: { workflowId: d } })).status, 409);
  assert.equal((await circle(c, a)).status, 201, 'two ways are no circle');
});

it('refuses the sixth run of a chain, with the reason in the history', async () => {
  const workflows: string[] = [];
  for (let count = 0; count < 7; count++) workflows.push(await service.createWorkflow(GRAPH));
  const triggers: Trigger[] = [];
  for (const [index, source] of workflows.slice(0, -1).entries())
    triggers.push(await follow(workflows[index + 1] ?? '', source));
  await service.startRun(workflows[0] ?? '');
  const last = triggers.at(-1)?.id ?? '';
  const [entry] = await untilHistory(service, last, 'refused', 1);
  assert.match(entry?.reason ?? '', /5 triggers in a row/);
  assert.equal((await history(service, triggers.at(-2)?.id ?? ''))[0]?.outcome, 'accepted');
  assert.equal((await read(service, last)).isActive, true);
});

it('needs the permission to see the runs of the other workflow, when it is saved and when they end', async () => {
  const other = await service.createUser();
  const [source, target] = [await service.createWorkflow(GRAPH), await other.createWorkflow(GRAPH)];
  const body = { kind: 'after', config: { workflowId: source } };
  assert.equal((await other.request('POST', `/workflows/${target}/triggers`, body)).status, 403);
  const share = (role: string) =>
    service.request('PUT', `/workflows/${source}/permissions`, { userId: other.userId, role });
  await share('EDIT');
  const trigger = await createTrigger(other, target, body);
  await share('VIEW');
  await service.runWorkflow(source);
  await untilHistory(other, trigger.id, 'refused', 1);
  await waitUntil('the trigger to pause', async () => !(await read(other, trigger.id)).isActive);
  assert.equal((await read(other, trigger.id)).pausedReason, 'access_lost');
});
