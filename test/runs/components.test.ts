// Tests runs of workflows that call components: results, states, latest versions, permissions, and requests that name
// nodes by the path of their call.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { deleteOldVersions } from '../../src/store/retention/old-versions.ts';
import { type Client, type Execution, mapStates } from '../support/client.ts';
import { modelNode, PRICE, readBalance, setUpPaidService } from '../support/credits/paid.ts';
import { startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import { edge, node } from '../support/workflows.ts';

const paid = setUpPaidService({ ALLOW_PRIVATE_NETWORK: 'true' });
let user: Client;
beforeEach(async () => {
  user = await paid.newUser(300);
});

const TEMPLATE = '{{a}}-{{b}}';

/** A component that joins two texts. */
const createJoiner = (template = TEMPLATE) => ({
  name: 'Joiner',
  nodes: [
    node('a', 'input:text', { value: 'A' }),
    node('b', 'input:text', { value: 'B' }),
    node('joined', 'utility:text_template', { template }),
    node('out', 'output:preview'),
  ],
  edges: [edge('a.text > joined.a'), edge('b.text > joined.b'), edge('joined.text > out.input')],
});

const call = (workflowId: string, config: object = {}, id = 'c') =>
  node(id, 'component:call', { workflowId, ...config });

/** A workflow that feeds a text to the first input of a component and shows the output of the component. */
const createCaller = (workflowId: string, config: object = {}) => ({
  nodes: [
    node('start', 'input:text', { value: 'S' }),
    call(workflowId, config),
    node('end', 'output:preview'),
  ],
  edges: [edge('start.text > c.a'), edge('c.out > end.input')],
});

const mapTexts = ({ nodeStates }: Execution): Record<string, unknown> =>
  Object.fromEntries(nodeStates.map(({ nodeId, text }) => [nodeId, text]));

async function changeGraph(
  client: Client,
  id: string,
  graph: { nodes: unknown; edges: unknown },
): Promise<void> {
  const { nodes, edges } = graph;
  const { status, body } = await client.request('PUT', `/workflows/${id}`, { nodes, edges });
  assert.equal(status, 200, JSON.stringify(body));
}

async function getRefusal(workflowId: string, body: object = {}, path = 'run') {
  const reply = await user.request<{ code: string; error: string; issues: { nodeId: string }[] }>(
    'POST',
    `/workflows/${workflowId}/${path}`,
    body,
  );
  assert.ok(reply.status >= 400, JSON.stringify(reply.body));
  return { status: reply.status, ...reply.body };
}

describe('a run of a workflow with a component', () => {
  it('executes the nodes of the component under the path of the call', async () => {
    const id = await user.createWorkflow(
      createCaller(await user.createWorkflow(createJoiner()), { values: { b: 'V', a: 'unused' } }),
    );
    const record = await user.runWorkflow(id);
    assert.equal(record.status, 'COMPLETED', JSON.stringify(record.error));
    assert.deepEqual(mapTexts(record), {
      start: 'S',
      'c/b': 'V',
      'c/joined': 'S-V',
      'c/out': 'S-V',
      end: 'S-V',
    });
    assert.deepEqual(record.progress, { done: 5, total: 5 });
    assert.deepEqual(
      record.outputs.map(({ nodeId, text }) => [nodeId, text]),
      [['end', 'S-V']],
    );
  });

  it('returns the outputs of its last call if it has no output nodes', async () => {
    const component = await user.createWorkflow(createJoiner());
    const id = await user.createWorkflow({
      nodes: [call(component, {}, 'one'), call(component, {}, 'two')],
      edges: [edge('one.out > two.a')],
    });
    const record = await user.runWorkflow(id);
    assert.deepEqual(
      record.outputs.map(({ nodeId, text }) => [nodeId, text]),
      [['two/out', 'A-B-B']],
    );
  });

  it('accepts paths of inner nodes in inputs, targets, pins and keep', async () => {
    const id = await user.createWorkflow(createCaller(await user.createWorkflow(createJoiner())));
    const first = await user.runWorkflow(id, { inputs: { 'c/b': 'I', start: 'J' } });
    assert.equal(mapTexts(first).end, 'J-I');
    const innerRun = await user.runWorkflow(id, { targets: ['c/joined'] });
    assert.deepEqual(Object.keys(mapTexts(innerRun)).sort(), ['c/b', 'c/joined', 'start']);
    const wholeRun = await user.runWorkflow(id, { targets: ['c'] });
    assert.deepEqual(Object.keys(mapTexts(wholeRun)).sort(), ['c/b', 'c/joined', 'c/out', 'start']);
    const pinned = await user.runWorkflow(id, { pins: { 'c/joined': first.id } });
    assert.deepEqual(mapTexts(pinned), { 'c/joined': 'J-I', 'c/out': 'J-I', end: 'J-I' });
    const keeping = await user.runWorkflow(id, { keep: { executionId: wholeRun.id, again: ['c/joined'] } });
    const { start, 'c/joined': joined } = mapStates(keeping);
    assert.deepEqual([start?.cached, joined?.cached], [true, false]);
    const again = await user.runWorkflow(id, { keep: { executionId: keeping.id, again: ['c'] } });
    assert.equal(mapStates(again)['c/b']?.cached, false);
    const { error } = await getRefusal(id, { inputs: { 'c/x': 1 } });
    assert.match(error, /no input "c\/x".*Its inputs are start, c\/b\./);
    assert.match((await getRefusal(id, { inputs: { 'c/a': 'fed' } })).error, /no input "c\/a"/);
  });

  it('accepts only values as config of the call', async () => {
    const component = await user.createWorkflow(createJoiner());
    const id = await user.createWorkflow(createCaller(component));
    const record = await user.runWorkflow(id, { config: { c: { values: { b: 'R' } } } });
    assert.equal(mapTexts(record).end, 'S-R');
    for (const field of ['workflowId', 'version', 'inputs', 'outputs', 'name']) {
      const { code, error } = await getRefusal(id, { config: { c: { [field]: 'latest' } } });
      assert.equal(code, 'invalid_request');
      assert.match(error, /only sets values/, field);
    }
  });

  it('maps a list over the component like over a node', async () => {
    const component = await user.createWorkflow(createJoiner());
    const id = await user.createWorkflow({
      nodes: [
        node('many', 'input:list', { items: ['1', '2'] }),
        call(component),
        node('end', 'output:preview'),
      ],
      edges: [edge('many.list > c.a'), edge('c.out > end.input')],
    });
    const record = await user.runWorkflow(id);
    assert.deepEqual((mapStates(record).end as { texts?: unknown } | undefined)?.texts, ['1-B', '2-B']);
  });

  it('returns the output of one node by its encoded path', async () => {
    const id = await user.createWorkflow(createCaller(await user.createWorkflow(createJoiner())));
    const { id: executionId } = await user.runWorkflow(id);
    const { body } = await user.request(
      'GET',
      `/executions/${executionId}/outputs/${encodeURIComponent('c/joined')}`,
    );
    assert.equal(body.text, 'S-B');
  });

  it('fails with the path of the failed node', async () => {
    const component = await user.createWorkflow({
      nodes: [
        node('list', 'input:list', { items: [] }),
        node('item', 'utility:list_item', { index: 5 }),
        node('out', 'output:preview'),
      ],
      edges: [edge('list.list > item.list'), edge('item.item > out.input')],
    });
    const record = await user.runWorkflow(await user.createWorkflow({ nodes: [call(component)], edges: [] }));
    assert.equal(record.error?.nodeId, 'c/item');
    assert.equal(mapStates(record)['c/item']?.status, 'FAILED');
  });

  it('costs the sum of its inner nodes', async () => {
    const component = await user.createWorkflow({
      nodes: [modelNode('m'), node('out', 'output:preview')],
      edges: [edge('m.image > out.input')],
    });
    const id = await user.createWorkflow({
      nodes: [call(component, {}, 'one'), call(component, {}, 'two')],
      edges: [],
    });
    const { body } = await user.request<{
      credits: number;
      breakdown: { nodeId: string; credits: number }[];
    }>('POST', `/workflows/${id}/estimate`, {});
    assert.equal(body.credits, 2 * PRICE);
    assert.deepEqual(
      body.breakdown.map(({ nodeId, credits }) => [nodeId, credits]),
      [
        ['one/m', PRICE],
        ['two/m', PRICE],
      ],
    );
    const record = await user.runWorkflow(id, { useCache: false });
    assert.equal(record.status, 'COMPLETED', JSON.stringify(record.error));
    assert.deepEqual(await readBalance(user), [300 - 2 * PRICE, 0]);
  });
});

describe('a workflow that calls a component', () => {
  it('accepts inputs of inner nodes in the rows of a batch', async () => {
    const id = await user.createWorkflow(createCaller(await user.createWorkflow(createJoiner())));
    const rows = [{ inputs: { start: '1', 'c/b': 'x' } }, { inputs: { start: '2' } }];
    const { status, body } = await user.request<{ batchId: string }>('POST', `/workflows/${id}/batches`, {
      rows,
    });
    assert.equal(status, 202, JSON.stringify(body));
    await waitUntil('the batch to end', async () => {
      const batch = await user.request<{ status: string }>('GET', `/batches/${body.batchId}`);
      return batch.body.status === 'COMPLETED';
    });
    const page = await user.request<{ data: { outputs: { text: string }[] }[] }>(
      'GET',
      `/batches/${body.batchId}/rows`,
    );
    assert.deepEqual(
      page.body.data.map(({ outputs }) => outputs.map(({ text }) => text)),
      [['1-x'], ['2-B']],
    );
    const invalidRows = [{ inputs: { 'c/none': 'x' } }];
    const refusal = await user.request('POST', `/workflows/${id}/batches`, { rows: invalidRows });
    assert.equal(refusal.status, 400);
  });

  it('lists results by the paths of inner nodes', async () => {
    const id = await user.createWorkflow(
      createCaller(await user.createWorkflow(createJoiner()), { version: 'latest' }),
    );
    await user.runWorkflow(id);
    const { body } = await user.request<{ nodes: Record<string, { text: string; isCurrent: boolean }> }>(
      'GET',
      `/workflows/${id}/results`,
    );
    assert.deepEqual(
      [body.nodes['c/joined']?.text, body.nodes['c/joined']?.isCurrent, body.nodes.end?.isCurrent],
      ['S-B', true, true],
    );
  });

  it('inserts the secrets of the caller into requests of inner nodes, if they have hosts', async () => {
    const receiver = await startReceiver();
    try {
      const component = await user.createWorkflow({
        nodes: [
          node('ask', 'utility:http_request', {
            url: receiver.url,
            headers: { 'x-token': '{{secrets.TOKEN}}' },
          }),
          node('out', 'output:preview'),
        ],
        edges: [edge('ask.text > out.input')],
      });
      const runWith = async (TOKEN: unknown) => {
        const graph = { nodes: [call(component)], edges: [], secrets: { TOKEN } };
        return user.runWorkflow(await user.createWorkflow(graph));
      };
      // The author of the component decides where it would be sent.
      assert.equal((await runWith('of-the-caller')).error?.code, 'secret_not_allowed');
      assert.equal(receiver.received.length, 0);
      const hosts = [new URL(receiver.url).host];
      assert.equal((await runWith({ value: 'of-the-caller', hosts })).status, 'COMPLETED');
      assert.equal(receiver.received[0]?.headers['x-token'], 'of-the-caller');
    } finally {
      await receiver.close();
    }
  });
});

describe('the latest version of a component', () => {
  it('stays the version that was current when the run was accepted', async () => {
    const component = await user.createWorkflow(createJoiner());
    const nested = await user.createWorkflow({
      nodes: [call(component, { version: 'latest' }, 'in'), node('out', 'output:preview')],
      edges: [edge('in.out > out.input')],
    });
    const id = await user.createWorkflow({
      nodes: [
        call(nested, { version: 'latest' }),
        node('ask', 'logic:approval'),
        node('then', 'output:preview'),
      ],
      edges: [edge('c.out > ask.input'), edge('ask.approved > then.input')],
    });
    const executionId = await user.startRun(id);
    await user.waitForStatus(executionId, 'WAITING');
    await changeGraph(user, component, createJoiner('{{a}}+{{b}}'));
    const { rows } = await paid.service.db.query<{ components: object }>(
      'select components from executions where id = $1',
      [executionId],
    );
    assert.deepEqual(rows[0]?.components, { [component]: 1, [nested]: 1 });
    await user.request('POST', `/executions/${executionId}/resume`, {
      decision: { nodeId: 'ask', approved: true },
    });
    const record = await user.waitForStatus(executionId);
    assert.equal(mapTexts(record)['c/in/joined'], 'A-B');
    const next = await user.startRun(id);
    assert.equal(mapTexts(await user.waitForStatus(next, 'WAITING'))['c/in/joined'], 'A+B');
  });

  it('stays the same in a resumed run, unless that uses the latest workflow', async () => {
    const component = await user.createWorkflow(createJoiner());
    const id = await user.createWorkflow(createCaller(component, { version: 'latest' }));
    const { id: executionId } = await user.runWorkflow(id);
    await changeGraph(user, component, createJoiner('{{a}}+{{b}}'));
    const resume = async (body: object): Promise<Execution> => {
      const path = `/executions/${executionId}/resume`;
      const reply = await user.request<{ executionId: string }>('POST', path, { fromNodeId: 'end', ...body });
      return user.waitForStatus(reply.body.executionId);
    };
    const listRun = ({ nodeStates }: Execution): readonly string[] =>
      nodeStates.filter(({ cached }) => !cached).map(({ nodeId }) => nodeId);
    const resumed = await resume({});
    assert.deepEqual([mapTexts(resumed).end, listRun(resumed)], ['S-B', ['end']]);
    const latest = await resume({ useLatestWorkflow: true });
    assert.deepEqual([mapTexts(latest).end, listRun(latest)], ['S+B', ['c/joined', 'c/out', 'end']]);
  });

  it('is not deleted by the cleanup while a run of it exists', async () => {
    const component = await user.createWorkflow(createJoiner());
    const id = await user.createWorkflow(createCaller(component, { version: 'latest' }));
    const { id: executionId } = await user.runWorkflow(id);
    for (let version = 2; version < 6; version++)
      await changeGraph(user, component, createJoiner(`{{a}}${version}{{b}}`));
    await paid.service.db.query("update workflow_versions set created_at = now() - interval '3 days'");
    await paid.service.db.transaction(tx => deleteOldVersions(tx, component, 1));
    const { rows } = await paid.service.db.query<{ version: number }>(
      'select version from workflow_versions where workflow_id = $1 order by version',
      [component],
    );
    assert.deepEqual(
      rows.map(({ version }) => version),
      [1, 5],
    );
    assert.equal(mapTexts(await user.readExecution(executionId)).end, 'S-B');
  });
});

describe('a run that calls a component without access to it', () => {
  it('is refused with the path of the call if the component was deleted after another run was accepted', async () => {
    const component = await user.createWorkflow(createJoiner());
    const innerCall = call(component, {}, 'in');
    const outer = await user.createWorkflow({
      nodes: [
        { ...innerCall, data: { ...innerCall.data, label: 'Joiner' } },
        node('ask', 'logic:approval'),
        node('out', 'output:preview'),
      ],
      edges: [edge('in.out > ask.input'), edge('ask.approved > out.input')],
    });
    const id = await user.createWorkflow({ nodes: [call(outer)], edges: [] });
    const executionId = await user.startRun(id);
    await user.waitForStatus(executionId, 'WAITING');
    assert.equal((await user.request('DELETE', `/workflows/${component}?force=true`)).status, 200);
    const { status, code, error, issues } = await getRefusal(id);
    assert.deepEqual([status, code, issues[0]?.nodeId], [400, 'component_missing', 'c/in']);
    assert.match(error, /^The component "Joiner" was deleted/);
    assert.equal((await getRefusal(id, {}, 'estimate')).code, 'component_missing');
    await user.request('POST', `/executions/${executionId}/resume`, {
      decision: { nodeId: 'c/ask', approved: true },
    });
    const record = await user.waitForStatus(executionId);
    assert.equal(record.status, 'COMPLETED', JSON.stringify(record.error));
    assert.deepEqual(
      record.outputs.map(({ nodeId, text }) => [nodeId, text]),
      [['c/out', 'A-B']],
    );
  });

  it('is refused if the user who added the call may no longer read the component', async () => {
    const owner = await paid.newUser(0);
    const component = await owner.createWorkflow(createJoiner());
    const open = (linkPermission: string) =>
      owner.request('POST', `/workflows/${component}/visibility`, { linkPermission });
    assert.equal((await open('VIEW')).status, 200);
    const id = await user.createWorkflow(createCaller(component));
    assert.equal((await user.runWorkflow(id)).status, 'COMPLETED');
    await open('PRIVATE');
    const { status, code, issues } = await getRefusal(id);
    assert.deepEqual([status, code, issues[0]?.nodeId], [403, 'component_forbidden', 'c']);
  });

  it('hides the inner nodes from a user who may run only the caller', async () => {
    const component = await user.createWorkflow(createJoiner());
    const id = await user.createWorkflow(createCaller(component));
    const otherUser = await paid.newUser(0);
    const { body } = await otherUser.request<{ email: string }>('GET', '/me');
    const share = { email: body.email, role: 'EDIT' };
    const shared = await user.request('PUT', `/workflows/${id}/permissions`, share);
    assert.equal(shared.status, 200, JSON.stringify(shared.body));
    await otherUser.request('GET', `/workflows/${id}`);
    assert.equal((await otherUser.request('GET', `/workflows/${component}`)).status, 403);
    const record = await otherUser.runWorkflow(id);
    assert.deepEqual(mapTexts(record), {
      start: 'S',
      'c/b': undefined,
      'c/joined': undefined,
      'c/out': 'S-B',
      end: 'S-B',
    });
    const joined = record.nodeStates.find(({ nodeId }) => nodeId === 'c/joined');
    assert.deepEqual([joined?.status, joined?.label], ['COMPLETED', '']);
    const innerOutput = await otherUser.request<{ text?: string }>(
      'GET',
      `/executions/${record.id}/outputs/c%2Fjoined`,
    );
    assert.deepEqual([innerOutput.status, innerOutput.body.text], [200, undefined]);
    const ownRecord = (await user.request<Execution>('GET', `/executions/${record.id}`)).body;
    assert.equal(mapTexts(ownRecord)['c/joined'], 'S-B');
  });
});
