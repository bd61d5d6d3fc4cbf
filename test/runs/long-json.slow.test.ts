// Tests that records of runs with long JSON results are read without parsing the results.
import assert from 'node:assert/strict';
import { after, before, it, type TestContext } from 'node:test';
import { forbidLongValues, replaceOutputs } from '../support/runs/long-values.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const COUNT = 60_000;
const IDS = ['a', 'b', 'c'];

let service: TestService;
let workflowId: string;
let runId: string;
before(async () => {
  service = await startTestService();
  workflowId = await service.createWorkflow({
    nodes: [node('t', 'input:json', { value: {} }), ...IDS.map(id => node(id, 'output:preview'))],
    edges: IDS.map(id => edge(`t.json > ${id}.input`)),
  });
  runId = await service.startRun(workflowId);
  await service.waitForStatus(runId);
  await replaceOutputs(service.db, IDS, COUNT);
});
after(() => service.close());

async function read(t: TestContext, path: string): Promise<string> {
  forbidLongValues(t);
  const response = await fetch(`${service.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${service.key}` },
  });
  const text = await response.text();
  t.mock.restoreAll();
  assert.equal(response.status, 200, text.slice(0, 500));
  return text;
}

const countItems = (states: readonly { readonly value?: readonly unknown[] }[]): readonly unknown[] =>
  states.map(({ value }) => value?.length);

it('has the whole values in its record', async t => {
  const record = JSON.parse(await read(t, `/executions/${runId}`));
  assert.deepEqual(countItems(record.outputs), [COUNT, COUNT, COUNT]);
  assert.deepEqual(countItems(record.nodeStates), [undefined, COUNT, COUNT, COUNT]);
});

it('has the whole value in the outputs of a node', async t => {
  const state = JSON.parse(await read(t, `/executions/${runId}/outputs/b`));
  assert.deepEqual(countItems([state]), [COUNT]);
});

it('has the whole values in the snapshot of its events', async t => {
  const text = await read(t, `/executions/${runId}/events`);
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? '';
  assert.deepEqual(countItems(JSON.parse(data).outputs), [COUNT, COUNT, COUNT]);
});

it('has the whole values in the results of its workflow', async t => {
  const { nodes } = JSON.parse(await read(t, `/workflows/${workflowId}/results`));
  assert.deepEqual(countItems(IDS.map(id => nodes[id])), [COUNT, COUNT, COUNT]);
});
