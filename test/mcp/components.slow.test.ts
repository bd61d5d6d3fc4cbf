// Tests components over MCP: an agent finds components, adds component calls to workflows, and runs the workflows.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Agent, connectAgent, REVISIONS } from '../support/mcp/agent.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

let service: TestService;
let agent: Agent;
let workflowId: string;
before(async () => {
  service = await startTestService();
  agent = await connectAgent(`${service.url}/mcp`, KEY, REVISIONS[0]);
  workflowId = await service.createWorkflow({
    name: 'Greeting maker',
    nodes: [
      node('place', 'input:text', { value: 'Lisbon' }),
      node('words', 'utility:text_template', { template: 'Greetings from {{place}}' }),
      node('greeting', 'output:preview'),
    ],
    edges: [edge('place.text > words.place'), edge('words.text > greeting.input')],
  });
});
after(async () => {
  await agent.close();
  await service.close();
});

const createGraph = () => ({
  nodes: [
    { id: 'city', nodeType: 'input:text', config: { value: 'Porto' } },
    { id: 'hello', nodeType: 'component:call', label: 'Hello', config: { workflowId } },
    { id: 'result', nodeType: 'output:preview' },
  ],
  edges: ['city.text -> hello.place', 'hello.greeting -> result.input'],
});

it('find_nodes returns workflows as components with their ports', async () => {
  const component = {
    nodeType: 'component:call',
    name: 'Greeting maker',
    config: { workflowId, version: 1 },
    in: ['place TEXT'],
    out: ['greeting TEXT'],
  };
  const { data } = await agent.call('find_nodes', { query: 'greeting' });
  assert.deepEqual(data.components, [component]);
  assert.equal((await agent.call('find_nodes', { query: 'farewell' })).data.components, undefined);
  const findByTypes = async (search: object) =>
    (await agent.call('find_nodes', { query: 'greeting', ...search })).data;
  assert.deepEqual((await findByTypes({ accepts: 'TEXT', produces: 'TEXT' })).components, [component]);
  assert.equal((await findByTypes({ produces: 'IMAGE' })).components, undefined);
  // A search without words returns only workflows that other workflows call.
  assert.equal((await agent.call('find_nodes', {})).data.components, undefined);
});

it('an agent can create, read, change and run a component call', async () => {
  const workflow = (await agent.call('create_workflow', { name: 'Hello', ...createGraph() })).data;
  assert.deepEqual(workflow.issues, []);
  const { nodes } = (await agent.call('get_workflow', { workflowId: workflow.id })).data as {
    nodes: readonly { readonly id: string }[];
  };
  assert.deepEqual(
    nodes.find(({ id }) => id === 'hello'),
    {
      id: 'hello',
      nodeType: 'component:call',
      label: 'Hello',
      component: 'Greeting maker',
      in: ['place TEXT'],
      out: ['greeting TEXT'],
      config: { workflowId, version: 1 },
    },
  );
  assert.ok(JSON.stringify((await agent.call('find_nodes', {})).data.components).includes(workflowId));
  const run = async () => {
    const { data } = await agent.call('run_workflow', { workflowId: workflow.id });
    return JSON.stringify([data.status, data.outputs]);
  };
  assert.match(await run(), /COMPLETED.*Greetings from Porto/);
  const edited = await agent.call('edit_workflow', {
    workflowId: workflow.id,
    baseVersion: 1,
    operations: [
      { op: 'disconnect', edge: 'city.text -> hello.place' },
      { op: 'set_config', nodeId: 'hello', config: { values: { place: 'Faro' }, version: 'latest' } },
    ],
  });
  assert.equal(edited.data.version, 2);
  assert.match(await run(), /COMPLETED.*Greetings from Faro/);
});

it('edit_workflow adds and connects a component call in one edit', async () => {
  const { nodes } = createGraph();
  const creation = await agent.call('create_workflow', {
    name: 'Edited',
    nodes: nodes.filter(({ id }) => id !== 'hello'),
    edges: [],
  });
  const { data } = await agent.call('edit_workflow', {
    workflowId: creation.data.id,
    baseVersion: 1,
    operations: [
      { op: 'add_node', nodeId: 'hello', nodeType: 'component:call', config: { workflowId } },
      { op: 'connect', edge: 'city.text -> hello.place' },
      { op: 'connect', edge: 'hello.greeting -> result.input' },
    ],
  });
  assert.deepEqual([data.version, data.issues], [2, []]);
});

it('create_workflow rejects a component that does not exist', async () => {
  const refusal = await agent.call('create_workflow', {
    name: 'Missing',
    nodes: [{ id: 'c', nodeType: 'component:call', config: { workflowId: `wf_${'0'.repeat(26)}` } }],
    edges: [],
  });
  assert.equal(refusal.isError, true);
  assert.match(refusal.text, /does not exist\. Choose another workflow/);
});
