// Kills all processes while runs wait inside components for a provider, a decision, a time and a render.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { mapStates } from '../support/client.ts';
import { waitUntil } from '../support/processes.ts';
import { type FalDouble, startImageFal } from '../support/providers/fal.ts';
import { type ServiceChild, spawnService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const RUN_COUNT = 4;

/** A component that calls a provider, waits for a decision and a time, and renders a clip. */
const WORK_GRAPH = {
  nodes: [
    node('prompt', 'input:text', { value: 'unused' }),
    node('m', 'generate:fal_seedream'),
    node('ask', 'logic:approval'),
    node('pause', 'logic:delay', { ms: 2500 }),
    node('clip', 'video:sandbox', { duration: 2 }),
    node('out', 'output:preview'),
    node('film', 'output:preview'),
  ],
  edges: [
    edge('prompt.text > m.prompt'),
    edge('m.image > ask.input'),
    edge('ask.approved > pause.input'),
    edge('pause.output > out.input'),
    edge('prompt.text > clip.prompt'),
    edge('clip.video > film.input'),
  ],
};
const call = (workflowId: string) => node('in', 'component:call', { workflowId, version: 'latest' });
const createMiddle = (work: string) => ({
  nodes: [node('topic', 'input:text'), call(work), node('result', 'output:preview')],
  edges: [edge('topic.text > in.prompt'), edge('in.out > result.input')],
});
const createCaller = (middle: string) => ({
  nodes: [
    node('start', 'input:text', { value: 'a fox' }),
    { ...call(middle), id: 'c' },
    node('end', 'output:preview'),
  ],
  edges: [edge('start.text > c.topic'), edge('c.result > end.input')],
});

let folder: string;
let fal: FalDouble;
let service: ServiceChild;
const serve = async (): Promise<void> => {
  service = await spawnService(folder, { FAL_KEY: 'fal-key', FAL_BASE_URL: fal.url });
};
const killAndServe = async (): Promise<void> => {
  await service.end('SIGKILL');
  await serve();
};

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphwright-components-'));
  fal = await startImageFal();
  fal.polls = 1e9;
  await serve();
});
after(async () => {
  await service.end('SIGKILL');
  await fal.close();
  // PostgreSQL takes a moment to exit after its parent.
  await rm(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

it('a killed service continues runs inside components and submits no call twice', async () => {
  const work = await service.createWorkflow(WORK_GRAPH);
  const middle = await service.createWorkflow(createMiddle(work));
  const caller = await service.createWorkflow(createCaller(middle));
  const ids: string[] = [];
  for (let index = 0; index < RUN_COUNT; index++)
    ids.push(await service.startRun(caller, { inputs: { start: `fox ${index}` } }));
  await waitUntil('a poll of each call', () => {
    const isPolled = (id: string) => fal.count(new RegExp(`^GET .*/${id}/status$`)) > 0;
    return fal.accepted.length === RUN_COUNT && fal.accepted.every(isPolled);
  });
  // The accepted runs execute the version before this change.
  const { status } = await service.request('PUT', `/workflows/${work}`, {
    nodes: [WORK_GRAPH.nodes[0]],
    edges: [],
  });
  assert.equal(status, 200);
  await killAndServe();

  fal.polls = 0;
  for (const id of ids)
    await waitUntil('the node to wait for a decision', async () => {
      const { ask } = toInnerStates(await service.readExecution(id));
      return ask?.status === 'WAITING';
    });
  await killAndServe();

  for (const executionId of ids) {
    // The status is WAITING only after the render has ended.
    await service.waitForStatus(executionId, 'WAITING');
    const decision = { nodeId: 'c/in/ask', approved: true };
    const { status } = await service.request('POST', `/executions/${executionId}/resume`, { decision });
    assert.equal(status, 202);
  }
  await killAndServe();

  for (const id of ids) {
    const record = await service.waitForStatus(id);
    assert.equal(record.status, 'COMPLETED', JSON.stringify(record.error));
    const { m, ask, pause, clip, film, end } = toInnerStates(record);
    assert.deepEqual(
      [m, ask, pause, clip].map(state => state?.status),
      ['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED'],
    );
    assert.match(film?.outputUrl ?? '', /\.mp4$/);
    assert.match(end?.outputUrl ?? '', /^http/);
  }
  assert.equal(fal.accepted.length, RUN_COUNT);
});

/** Returns the node states by the ids of the nodes inside their components. */
const toInnerStates = (record: Parameters<typeof mapStates>[0]) =>
  Object.fromEntries(
    Object.entries(mapStates(record)).map(([id, state]) => [id.replace(/^.*\//, ''), state]),
  );
