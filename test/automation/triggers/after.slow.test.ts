// Tests triggers that start a run after a run of another workflow.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';
import { FAILING_GRAPH } from '../graphs.ts';
import {
  changeTrigger,
  createTrigger,
  listHistory,
  listRuns,
  readTrigger,
  type Trigger,
  waitForHistory,
} from './support.ts';

const GRAPH = {
  nodes: [node('who', 'input:text', { value: 'Ada' }), node('out', 'output:preview')],
  edges: [edge('who.text > out.input')],
};

let service: TestService;
before(async () => {
  service = await startTestService({ ALLOW_PRIVATE_NETWORK: 'true' });
});
after(() => service.close());

const createFollower = (
  workflow: string,
  source: string,
  config: object = {},
  inputs: object = {},
): Promise<Trigger> =>
  createTrigger(service, workflow, { kind: 'after', config: { workflowId: source, ...config }, inputs });

it('an after trigger starts a run with the record of the completed run as payload', async () => {
  const [source, target] = [await service.createWorkflow(GRAPH), await service.createWorkflow(GRAPH)];
  const trigger = await createFollower(target, source, {}, { who: '/outputs/0/text' });
  assert.deepEqual(trigger.config, { workflowId: source, statuses: ['COMPLETED'] });
  const first = await service.runWorkflow(source, { inputs: { who: 'Grace' } });
  const [entry] = await waitForHistory(service, trigger.id, 'accepted', 1);
  const run = await service.waitForStatus(entry?.executionId ?? '');
  assert.deepEqual([run.status, run.trigger, run.inputs], ['COMPLETED', 'after', { who: 'Grace' }]);
  await service.request('POST', `/executions/${first.id}/cancel`);
  assert.equal((await listRuns(service, target, trigger.id)).length, 1);
});

it('an after trigger starts runs only after the chosen statuses', async () => {
  const [source, target] = [await service.createWorkflow(FAILING_GRAPH), await service.createWorkflow(GRAPH)];
  const [failures, successes] = [
    await createFollower(target, source, { statuses: ['FAILED', 'TIMEOUT'] }),
    await createFollower(target, source),
  ];
  await service.runWorkflow(source);
  await waitForHistory(service, failures.id, 'accepted', 1);
  await changeTrigger(service, failures.id, { isActive: false });
  await service.runWorkflow(source);
  await changeTrigger(service, failures.id, { isActive: true });
  await service.runWorkflow(source);
  await waitForHistory(service, failures.id, 'accepted', 2);
  assert.equal((await listHistory(service, failures.id)).length, 2);
  assert.deepEqual(await listHistory(service, successes.id), []);
});

it('an after trigger is refused if it would close a cycle of workflows', async () => {
  const ids = [
    await service.createWorkflow(GRAPH),
    await service.createWorkflow(GRAPH),
    await service.createWorkflow(GRAPH),
  ];
  const [a = '', b = '', c = ''] = ids;
  const triggerFromAToB = await createFollower(b, a);
  await createFollower(c, b);
  const tryFollow = (workflow: string, source: string) =>
    service.request<Trigger>('POST', `/workflows/${workflow}/triggers`, {
      kind: 'after',
      config: { workflowId: source },
    });
  for (const [workflow, source] of [
    [a, a],
    [a, b],
    [a, c],
  ] as const) {
    const { status, body } = await tryFollow(workflow, source);
    assert.deepEqual([status, body.code], [409, 'conflict']);
    assert.match(body.error ?? '', /circle/);
  }
  const d = await service.createWorkflow(GRAPH);
  await createFollower(d, c);
  assert.equal((await changeTrigger(service, triggerFromAToB.id, { config: { workflowId: d } })).status, 409);
  assert.equal((await tryFollow(c, a)).status, 201, 'two paths to a workflow are not a cycle');
});

it('an after trigger refuses the sixth run of a chain', async () => {
  const workflows: string[] = [];
  for (let count = 0; count < 7; count++) workflows.push(await service.createWorkflow(GRAPH));
  const triggers: Trigger[] = [];
  for (const [index, source] of workflows.slice(0, -1).entries())
    triggers.push(await createFollower(workflows[index + 1] ?? '', source));
  await service.startRun(workflows[0] ?? '');
  const lastTrigger = triggers.at(-1)?.id ?? '';
  const [entry] = await waitForHistory(service, lastTrigger, 'refused', 1);
  assert.match(entry?.reason ?? '', /5 triggers in a row/);
  assert.equal((await listHistory(service, triggers.at(-2)?.id ?? ''))[0]?.outcome, 'accepted');
  assert.equal((await readTrigger(service, lastTrigger)).isActive, true);
});

it('an after trigger requires permission to read the runs of the other workflow', async () => {
  const otherUser = await service.createUser();
  const [source, target] = [await service.createWorkflow(GRAPH), await otherUser.createWorkflow(GRAPH)];
  const body = { kind: 'after', config: { workflowId: source } };
  assert.equal((await otherUser.request('POST', `/workflows/${target}/triggers`, body)).status, 403);
  const share = (role: string) =>
    service.request('PUT', `/workflows/${source}/permissions`, { userId: otherUser.userId, role });
  await share('EDIT');
  const trigger = await createTrigger(otherUser, target, body);
  await share('VIEW');
  await service.runWorkflow(source);
  await waitForHistory(otherUser, trigger.id, 'refused', 1);
  await waitUntil('the trigger to pause', async () => !(await readTrigger(otherUser, trigger.id)).isActive);
  assert.equal((await readTrigger(otherUser, trigger.id)).pausedReason, 'access_lost');
});
