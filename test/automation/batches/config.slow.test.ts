// Tests config that is passed with a run, and matrices that vary config in a batch.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseExactJson } from '../../../src/lib/exact-numbers.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const GRAPH = {
  nodes: [
    node('who', 'input:text', { value: 'Anna' }),
    node('what', 'input:text', { value: 'a fox' }),
    node('join', 'utility:prompt_concat', { separator: ' and ' }),
    node('draw', 'generate:sandbox', { width: 64, height: 64 }),
    node('out', 'output:preview'),
    node('picture', 'output:preview'),
  ],
  edges: [
    edge('who.text > join.text1'),
    edge('what.text > join.text2'),
    edge('join.text > out.input'),
    edge('join.text > draw.prompt'),
    edge('draw.image > picture.input'),
  ],
};

interface Refusal {
  readonly code: string;
  readonly error: string;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
}
interface Row {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null;
  readonly executionId: string;
  readonly outputs: readonly { readonly label: string; readonly text?: string }[];
}

const run = (workflow: string, body: object) =>
  service.request<Record<string, unknown>>('POST', `/workflows/${workflow}/run`, body, {
    prefer: 'wait=30',
  });
const getText = (body: Record<string, unknown>): unknown =>
  (body.outputs as readonly { text?: string }[]).find(({ text }) => text !== undefined)?.text;

describe('the config of a run', () => {
  it('applies only to that run and its resumptions', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const config = { join: { separator: ' or ' } };
    const { status, body } = await run(workflow, { config });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.status, getText(body), body.config], ['COMPLETED', 'Anna or a fox', config]);
    assert.equal(getText((await run(workflow, {})).body), 'Anna and a fox');
    const { status: graphStatus, body: graph } = await service.request<{
      nodes: { id: string; data: { config: object } }[];
    }>('GET', `/executions/${body.id}/workflow`);
    assert.equal(graphStatus, 200, JSON.stringify(graph));
    assert.deepEqual(graph.nodes.find(({ id }) => id === 'join')?.data.config, config.join);
    const resumption = await service.request<Record<string, unknown>>(
      'POST',
      `/executions/${body.id}/resume`,
      { fromNodeId: 'join' },
      { prefer: 'wait=30' },
    );
    assert.deepEqual([getText(resumption.body), resumption.body.config], ['Anna or a fox', config]);
  });

  it('gives a node another model with the same kind of result', async () => {
    const nodes = [
      node('made', 'generate:sandbox', { prompt: 'a fox', width: 64, height: 64 }),
      node('edited', 'edit:sandbox', { prompt: 'brighter', seed: 3 }),
    ];
    const workflow = await service.createWorkflow({ nodes, edges: [edge('made.image > edited.image')] });
    const { status, body } = await run(workflow, { config: { edited: { nodeType: 'generate:sandbox' } } });
    assert.deepEqual([status, body.status], [200, 'COMPLETED'], JSON.stringify(body));
    const { body: graph } = await service.request<{ nodes: { id: string; data: { nodeType: string } }[] }>(
      'GET',
      `/executions/${body.id}/workflow`,
    );
    assert.deepEqual(
      graph.nodes.map(({ data }) => data.nodeType),
      ['generate:sandbox', 'generate:sandbox'],
    );
    for (const [nodeId, nodeType, message] of [
      ['made', 'video:sandbox', /no model with the same kind of result/],
      ['made', 'generate:sandbx', /Did you mean/],
      ['made', 5, /must be the node type of a model/],
    ] as const) {
      const refused = await service.request<Refusal>('POST', `/workflows/${workflow}/run`, {
        config: { [nodeId]: { nodeType } },
      });
      assert.equal(refused.status, 400);
      assert.match(refused.body.error, message);
    }
    const text = await service.createWorkflow(GRAPH);
    const refused = await service.request<Refusal>('POST', `/workflows/${text}/run`, {
      config: { join: { nodeType: 'generate:sandbox' } },
    });
    assert.match(refused.body.error, /is no model/);
  });

  it('is validated like a change of the graph', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const getRefusal = async (config: object): Promise<Refusal> => {
      const { status, body } = await service.request<Refusal>('POST', `/workflows/${workflow}/run`, {
        config,
      });
      assert.equal(status, 400, JSON.stringify(body));
      return body;
    };
    assert.match((await getRefusal({ joins: {} })).error, /no node "joins". Did you mean "join"/);
    const unknownField = await getRefusal({ join: { seperator: ', ' } });
    assert.deepEqual(
      [unknownField.code, unknownField.issues[0]?.path],
      ['invalid_request', '/config/join/seperator'],
    );
    assert.match(unknownField.error, /Did you mean "separator"/);
    assert.match((await getRefusal({ join: { text1: 'x' } })).error, /from a connection/);
    const style = await getRefusal({ draw: { style: 'nonsense' } });
    assert.deepEqual(
      style.issues.map(({ path }) => path),
      ['/config/draw/style'],
    );
    assert.equal((await getRefusal({ draw: { width: 3 } })).issues[0]?.path, '/config/draw/width');
    assert.equal((await getRefusal({ draw: 1 })).issues[0]?.path, '/config/draw');
    const inexactNumber = await service.request<Refusal>('POST', `/workflows/${workflow}/estimate`, {
      config: { draw: { seed: parseExactJson('9007199254740993') } },
    });
    assert.deepEqual([inexactNumber.status, inexactNumber.body.code], [400, 'invalid_request']);
  });

  it('requires permission to edit the workflow', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { body } = await service.request<{ key: string }>('POST', '/keys', {
      name: 'runs only',
      scopes: ['workflows:read', 'workflows:execute'],
    });
    const otherClient = service.withKey(body.key);
    const path = `/workflows/${workflow}`;
    const config = { join: { separator: '!' } };
    const denied = await otherClient.request('POST', `${path}/run`, { config });
    assert.deepEqual([denied.status, denied.body.code], [401, 'insufficient_scope']);
    assert.equal((await otherClient.request('POST', `${path}/run`, {})).status, 202);
    const matrix = { config: { join: { separator: ['!', '?'] } } };
    assert.equal((await otherClient.request('POST', `${path}/batches`, { matrix })).status, 401);
    assert.equal(
      (await otherClient.request('POST', `${path}/batches`, { rows: [{ inputs: {}, config }] })).status,
      401,
    );
  });
});

describe('the matrix of a batch', () => {
  it('varies config fields and inputs together', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const matrix = {
      inputs: { what: ['a fox', 'an owl'] },
      config: { join: { separator: [' + ', ' - '] } },
    };
    const { status, body } = await service.request<{ batchId: string }>(
      'POST',
      `/workflows/${workflow}/batches`,
      { matrix },
    );
    assert.equal(status, 202, JSON.stringify(body));
    const path = `/batches/${body.batchId}`;
    let axes: unknown;
    await waitUntil('the batch to end', async () => {
      const { body: batch } = await service.request<{ status: string; axes: unknown }>('GET', path);
      axes = batch.axes;
      return batch.status === 'COMPLETED';
    });
    assert.deepEqual(axes, [
      { nodeId: 'what', field: null, count: 2 },
      { nodeId: 'join', field: 'separator', count: 2 },
    ]);
    const { body: page } = await service.request<{ data: readonly Row[] }>('GET', `${path}/rows`);
    assert.deepEqual(
      page.data.map(({ inputs, config, outputs }) => [
        inputs.what,
        config?.join?.separator,
        outputs.find(({ text }) => text !== undefined)?.text,
      ]),
      [
        ['a fox', ' + ', 'Anna + a fox'],
        ['a fox', ' - ', 'Anna - a fox'],
        ['an owl', ' + ', 'Anna + an owl'],
        ['an owl', ' - ', 'Anna - an owl'],
      ],
    );
    const csv = await fetch(`${service.url}/api/v1${path}/export`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const lines = (await csv.text()).split('\r\n');
    assert.match(lines[0] ?? '', /config: join\.separator/);
    assert.match(lines[1] ?? '', / \+ /);
  });

  it('runs only the targets and the nodes that they need', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const matrix = { config: { draw: { seed: [3, 4] } } };
    const path = `/workflows/${workflow}/batches`;
    const body = { matrix, targets: ['draw'] };
    const accepted = await service.request<{ batchId: string }>('POST', path, body);
    assert.equal(accepted.status, 202, JSON.stringify(accepted.body));
    const batchPath = `/batches/${accepted.body.batchId}`;
    await waitUntil('the batch to end', async () => {
      const batch = await service.request<{ status: string; targets: unknown }>('GET', batchPath);
      assert.deepEqual(batch.body.targets, ['draw']);
      return batch.body.status === 'COMPLETED';
    });
    type SeedRow = {
      readonly executionId: string;
      readonly outputs: readonly { label: string; seed: number }[];
    };
    const page = await service.request<{ data: readonly SeedRow[] }>('GET', `${batchPath}/rows`);
    const rows = page.body.data;
    assert.deepEqual(
      rows.map(({ outputs }) => outputs.map(({ seed }) => seed)),
      [[3], [4]],
    );
    const run = await service.request<{ nodeStates: readonly { nodeId: string }[] }>(
      'GET',
      `/executions/${rows[0]?.executionId}`,
    );
    assert.deepEqual(
      run.body.nodeStates.map(({ nodeId }) => nodeId),
      ['who', 'what', 'join', 'draw'],
    );
    const unknown = await service.request('POST', path, { matrix, targets: ['none'] });
    assert.equal(unknown.status, 400);
  });

  it('is refused with the invalid combinations', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const getRefusal = async (matrix: object): Promise<Refusal> => {
      const { status, body } = await service.request<Refusal>(
        'POST',
        `/workflows/${workflow}/batches/estimate`,
        {
          matrix,
        },
      );
      assert.equal(status, 400, JSON.stringify(body));
      return body;
    };
    const invalid = await getRefusal({ config: { draw: { width: [64, 3, 128] } } });
    assert.equal(invalid.code, 'invalid_rows');
    assert.deepEqual(
      invalid.issues.map(({ message }) => message.slice(0, 6)),
      ['Row 2:'],
    );
    assert.equal((await getRefusal({ config: { none: { width: [1] } } })).code, 'invalid_rows');
    assert.equal((await getRefusal({})).code, 'invalid_request');
  });
});
