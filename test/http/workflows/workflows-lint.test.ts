// Tests that one response reports every error of a graph, and that routes refuse numbers that JavaScript cannot represent.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, at, createWorkflow, edge, node, PAIR } from '../../support/workflows.ts';

interface Issue {
  readonly severity: string;
  readonly code: string;
  readonly nodeId?: string;
  readonly edgeId?: string;
  readonly path?: string;
  readonly message: string;
  readonly suggestion?: string;
}

let test: TestApp;
let owner: ApiUser;
before(async () => {
  test = await openTestApp();
  owner = await test.createUser();
});
after(() => test.close());

const formatIssues = (issues: readonly Issue[]): string[] =>
  issues.map(({ code, path }) => `${code} ${path}`);

describe('lint of a graph with many errors', () => {
  const { nodeType: _, ...dataWithoutType } = node('b', 'input:text').data;
  const deepValue = { in: { in: { in: { in: { in: { in: { in: { in: {} } } } } } } } };
  /** Every possible structural error of a graph, before and after other errors. */
  const BROKEN = {
    nodes: [
      node('a', 'input:txt'),
      null,
      { ...node('b', 'input:text'), data: dataWithoutType },
      { ...node('c', 'input:text', { valeu: 'x' }), id: undefined },
      node('d', 'input:json', { value: deepValue }),
      node('e', 'input:number', { value: 'many' }),
      { ...node('f', 'input:text'), data: null },
      { ...node('g', 'generate:sandbox', { style: 'ring' }), position: undefined },
      { ...node('h', 'input:text'), data: { label: 'H', category: 'model' } },
      node('e', 'input:image', { mediaId: 'med_000000000000000000000000000000' }),
      node('i', 'logic:if', [] as unknown as Record<string, unknown>),
      node('p', 'input:text', {}, { type: 7 }),
    ],
    edges: [
      edge('e.number > g.promt'),
      { ...edge('a.text > nowhere.input'), id: null },
      7,
      { ...edge('d.json > g.prompt'), source: undefined },
      { id: 'x', source: 'zz', target: 'g' },
    ],
  };
  const ERRORS = [
    'invalid_node /nodes/1',
    'missing_node_type /nodes/2/data/nodeType',
    'missing_node_id /nodes/3/id',
    'too_deep /nodes/4/data/config/value/in/in/in/in/in/in/in/in',
    'missing_data /nodes/6/data',
    'missing_model /nodes/8/data/nodeType',
    'invalid_config /nodes/10/data/config',
    'missing_type /nodes/11/type',
    'missing_edge_id /edges/1/id',
    'invalid_edge /edges/2',
    'missing_source /edges/3/source',
    'duplicate_node_id /nodes/5/id',
    'missing_position /nodes/7/position',
    'unknown_node_type /nodes/0/data/nodeType',
    'unknown_source /edges/4/source',
    'unknown_target /edges/1/target',
  ];
  const WARNINGS = [
    'unknown_config_key /nodes/3/data/config/valeu',
    'value_not_in_enum /nodes/7/data/config/style',
    'wrong_value_type /nodes/5/data/config/value',
    'unknown_port /edges/0/targetHandle',
  ];

  it('reports every error and then every warning', async () => {
    const { status, body } = await owner.request<{ ok: boolean; issues: Issue[] }>(
      'POST',
      '/workflows/lint',
      BROKEN,
    );
    assert.deepEqual([status, body.ok], [200, false]);
    const errors = body.issues.filter(({ severity }) => severity === 'error');
    assert.deepEqual(formatIssues(errors).sort(), [...ERRORS].sort());
    const warnings = formatIssues(body.issues.slice(errors.length));
    for (const warning of WARNINGS) assert.ok(warnings.includes(warning), `${warning} of ${warnings.join()}`);
    assert.ok(!body.issues.some(({ nodeId, edgeId }) => nodeId === '' || edgeId === ''));
  });

  it('is also in the response to a refused write', async () => {
    const response = await owner.request('POST', '/workflows', { name: 'W', ...BROKEN });
    const refusal = assertRefused(response, 400, 'invalid_graph');
    const issues = refusal.issues as readonly Issue[];
    assert.deepEqual(
      formatIssues(issues.filter(({ severity }) => severity === 'error')).sort(),
      [...ERRORS].sort(),
    );
    for (const warning of WARNINGS) assert.ok(formatIssues(issues).includes(warning), warning);
    assert.match(refusal.error, new RegExp(` Total number of errors: ${ERRORS.length}\\.$`));
  });

  it('reports missing media together with other errors', async () => {
    const mediaId = 'med_0197c0000000000000000000000000000000';
    const graph = { nodes: [node('a', 'input:txt'), node('m', 'input:image', { mediaId })], edges: [] };
    const { body } = await owner.request<{ issues: Issue[] }>('POST', '/workflows/lint', graph);
    assert.deepEqual(
      body.issues.map(({ code }) => code),
      ['unknown_node_type', 'missing_media'],
    );
  });

  it('reports no consequential errors of an invalid list', async () => {
    const lint = async (graph: object) =>
      formatIssues((await owner.request<{ issues: Issue[] }>('POST', '/workflows/lint', graph)).body.issues);
    assert.deepEqual(
      await lint({ nodes: 'x', edges: [edge('a.text > b.input'), edge('a.text > b.input')] }),
      ['invalid_nodes /nodes', 'duplicate_edge_id /edges/1/id'],
    );
    assert.deepEqual(await lint({ nodes: PAIR.nodes, edges: 'x' }), ['invalid_edges /edges']);
  });

  it('reports at most 500 issues', async () => {
    const graph = { nodes: Array.from({ length: 400_000 }, () => null), edges: [] };
    const { body } = await owner.request<{ issues: Issue[] }>('POST', '/workflows/lint', graph);
    assert.equal(body.issues.length, 500);
  });
});

describe('a number that JavaScript would change', () => {
  const LITERALS = ['12345678901234567890', '1e400', '-9007199254740993', '0.1234567890123456789'];
  const createGraphText = (literal: string): string =>
    JSON.stringify({
      name: 'N',
      nodes: [node('a', 'input:json', { value: { deep: ['#'] } })],
      edges: [],
    }).replace('"#"', literal);
  const send = async (method: 'POST' | 'PUT', path: string, text: string) => {
    const response = await test.app.inject({
      method,
      url: `/api/v1${path}`,
      headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
      payload: text,
    });
    return { status: response.statusCode, body: response.json() };
  };

  it('is refused with its path by every route that writes a graph', async () => {
    const { id } = await createWorkflow(owner);
    for (const literal of LITERALS) {
      const routes = [
        await send('POST', '/workflows', createGraphText(literal)),
        await send('PUT', `/workflows/${id}`, createGraphText(literal)),
        await send('POST', '/workflows/import', createGraphText(literal)),
      ];
      for (const { status, body } of routes) {
        assert.deepEqual([status, body.code], [400, 'invalid_graph'], literal);
        assert.deepEqual(formatIssues(body.issues), ['invalid_number /nodes/0/data/config/value/deep/0']);
      }
      for (const path of ['/workflows/lint', `/workflows/${id}/lint`]) {
        const { status, body } = await send('POST', path, createGraphText(literal));
        assert.deepEqual([status, body.ok, formatIssues(body.issues).length], [200, false, 1]);
      }
    }
    assert.deepEqual((await owner.request('GET', `/workflows/${id}`)).body.nodes, (await read(id)).nodes);
  });

  it('does not include other notations of the same number', async () => {
    for (const literal of ['1.0', '-0', '1e2', '0.30000000000000004', '9007199254740992', '1.50']) {
      const { status, body } = await send('POST', '/workflows', createGraphText(literal));
      assert.equal(status, 201, literal);
      assert.equal(body.nodes[0].data.config.value.deep[0] + 0, Number(literal) + 0);
    }
  });

  it('is accepted in positions', async () => {
    const text = JSON.stringify({ name: 'N', nodes: [node('a', 'input:text', {}, at(0, 7))], edges: [] });
    const { status } = await send('POST', '/workflows', text.replace('"y":7', '"y":7.00000000000000012345'));
    assert.equal(status, 201);
  });

  const read = async (id: string) => (await owner.request<typeof PAIR>('GET', `/workflows/${id}`)).body;
});
