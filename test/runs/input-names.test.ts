// Tests that every way to start a run accepts the names of inputs beside their ids, and stores ids.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../support/app.ts';
import {
  assertRefused,
  createWorkflow,
  edge,
  node,
  putWorkflow,
  readWorkflow,
} from '../support/workflows.ts';

const input = (id: string, label: string, more: object = {}) => {
  const { data, ...rest } = node(id, 'input:text', { value: `stored ${id}` });
  return { ...rest, data: { ...data, label, ...more } };
};
const GRAPH = {
  nodes: [
    input('n1', 'First words'),
    input('n2', 'Anything', { name: 'last_words' }),
    node('join', 'utility:prompt_concat', { separator: ' ' }),
    node('end', 'output:preview'),
  ],
  edges: [edge('n1.text > join.text1'), edge('n2.text > join.text2'), edge('join.text > end.input')],
};

let app: TestApp;
let user: ApiUser;
let id: string;
before(async () => {
  app = await openTestApp();
  user = await app.createUser();
  id = (await createWorkflow(user, GRAPH)).id;
});
after(() => app.close());

const post = (path: string, body: object) => user.request<Record<string, unknown>>('POST', path, body);
const readInputs = async (executionId: unknown): Promise<unknown> => {
  const { rows } = await app.deps.db.query<{ request: string }>(
    'select request from executions where id = $1',
    [executionId],
  );
  return (JSON.parse(rows[0]?.request ?? '{}') as { inputs?: unknown }).inputs;
};
const getError = async (path: string, body: object) =>
  assertRefused(await post(path, body), 400, 'invalid_inputs');

describe('names of inputs', () => {
  it('sets inputs of runs by name, and stores them by id', async () => {
    const run = await post(`/workflows/${id}/run`, { inputs: { first_words: 'one', last_words: 'two' } });
    assert.deepEqual(await readInputs(run.body.executionId), { n1: 'one', n2: 'two' });
    await post(`/executions/${run.body.executionId}/cancel`, {});
    const resumed = await post(`/executions/${run.body.executionId}/resume`, {
      inputs: { last_words: 'three' },
    });
    assert.deepEqual(await readInputs(resumed.body.executionId), { n1: 'one', n2: 'three' });
    const { error } = await getError(`/executions/${run.body.executionId}/resume`, { inputs: { x: 'y' } });
    assert.match(error, /Its inputs are first_words, last_words/);
  });

  it('keeps the names of a stored graph as they were sent', async () => {
    const { nodes } = await readWorkflow(user, id);
    assert.deepEqual(
      nodes.map(({ data }) => data.name),
      [undefined, 'last_words', undefined, undefined],
    );
  });

  it('refuses unknown names, two keys of one input, and invalid values by the key that was sent', async () => {
    assert.equal(
      (await getError(`/workflows/${id}/run`, { inputs: { frst_words: 'x' } })).error,
      'The workflow has no input "frst_words". Did you mean "first_words"? Its inputs are first_words, last_words.',
    );
    const repeated = await getError(`/workflows/${id}/estimate`, { inputs: { n1: 'x', first_words: 'y' } });
    assert.deepEqual(
      repeated.issues?.map(({ path, nodeId }) => [path, nodeId]),
      [['/inputs/first_words', 'n1']],
    );
    const invalid = await getError(`/workflows/${id}/run`, { inputs: { first_words: true } });
    assert.match(invalid.error, /^Input "first_words": This input must be text/);
    assert.equal(invalid.issues?.[0]?.path, '/inputs/first_words');
  });

  it('is refused if it is invalid or not unique', async () => {
    const nodes = [input('n1', 'A', { name: 'same' }), input('n2', 'B', { name: 'same' })];
    const { issues } = assertRefused(await putWorkflow(user, id, { nodes, edges: [] }), 400, 'invalid_graph');
    assert.deepEqual(
      issues?.map(({ path, code }) => [path, code]),
      [['/nodes/1/data/name', 'duplicate_input_name']],
    );
  });

  it('sets inputs of batches: rows, mapped columns and a matrix', async () => {
    const table = await app.app.inject({
      method: 'POST',
      url: '/api/v1/tables',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'text/csv' },
      payload: 'Words\nhello\n',
    });
    const { tableId } = table.json<{ tableId: string }>();
    for (const source of [
      { rows: [{ inputs: { first_words: 'hello' } }] },
      { tableId, mapping: { first_words: 'Words' } },
      { matrix: { inputs: { first_words: ['hello'] } } },
    ]) {
      const created = await post(`/workflows/${id}/batches`, source);
      assert.equal(created.status, 202, JSON.stringify(created.body));
      const rows = await user.request<{ data: { inputs: object }[] }>(
        'GET',
        `/batches/${created.body.batchId}/rows`,
      );
      assert.deepEqual(rows.body.data[0]?.inputs, { n1: 'hello' });
    }
    const axes = await post(`/workflows/${id}/batches`, { matrix: { inputs: { first_words: ['a', 'b'] } } });
    const batch = await user.request('GET', `/batches/${axes.body.batchId}`);
    assert.deepEqual(batch.body.axes, [{ nodeId: 'n1', field: null, count: 2 }]);
    for (const source of [
      { matrix: { inputs: { first_words: ['a'], n1: ['b'] } } },
      { tableId, mapping: { first_words: 'Words', n1: 'Words' } },
    ])
      await getError(`/workflows/${id}/batches`, source);
    const rows = [{ inputs: { first_words: 7 } }, { inputs: { first_words: false } }];
    const { issues } = assertRefused(await post(`/workflows/${id}/batches`, { rows }), 400, 'invalid_rows');
    assert.deepEqual(
      issues?.map(({ path }) => path),
      ['/rows/1/inputs/first_words'],
    );
  });

  it('sets inputs of schedules and triggers', async () => {
    const schedule = await post(`/workflows/${id}/schedules`, {
      cron: '0 0 1 1 *',
      inputs: { first_words: 'hello' },
    });
    assert.deepEqual(schedule.body.inputs, { n1: 'hello' });
    const trigger = await post(`/workflows/${id}/triggers`, {
      kind: 'hook',
      inputs: { last_words: '/text' },
    });
    assert.deepEqual(trigger.body.inputs, { n2: '/text' });
    const changed = await user.request('PATCH', `/triggers/${trigger.body.id}`, {
      inputs: { first_words: '/a' },
    });
    assert.deepEqual(changed.body.inputs, { n1: '/a' });
    const { error } = await getError(`/workflows/${id}/triggers`, { kind: 'hook', inputs: { x: '/a' } });
    assert.match(error, /^The workflow has no input "x"\. Its inputs are first_words, last_words\.$/);
  });

  it('sets inputs of apps, in the form and in their runs', async () => {
    const saved = await user.request<{ inputs: object }>('PUT', `/workflows/${id}/app`, {
      slug: 'named-inputs',
      title: 'Named',
      inputs: [{ nodeId: 'first_words' }, { nodeId: 'n2' }],
      outputs: ['end'],
    });
    assert.deepEqual(
      saved.body.inputs,
      [
        { nodeId: 'n1', showsDefault: true },
        { nodeId: 'n2', showsDefault: true },
      ],
      JSON.stringify(saved.body),
    );
    const run = (inputs: object) => post('/apps/named-inputs/run', { inputs });
    const { body } = await run({ first_words: 'one', input_2: 'two' });
    assert.ok(typeof body.runId === 'string', JSON.stringify(body));
    const { issues } = assertRefused(
      await run({ first_words: 'a', input_1: 'b', n1: 'c' }),
      400,
      'invalid_inputs',
    );
    assert.deepEqual(issues?.map(({ path }) => path).sort(), ['/inputs/input_1', '/inputs/n1']);
  });
});
