// Tests the lint rules for component calls.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getInterface } from '../../src/graph/components/interface.ts';
import { lintGraph } from '../../src/graph/lint/lint.ts';
import type { Graph } from '../../src/graph/types.ts';
import { createNodeCatalog } from '../../src/nodes/catalog.ts';
import { edge, node } from '../support/workflows.ts';

const catalog = createNodeCatalog({ SANDBOX_MODELS: true });
const COMPONENT = {
  nodes: [
    node('text', 'input:text'),
    node('count', 'input:number'),
    node('list', 'input:list'),
    node('photo', 'input:image'),
    node('logo', 'input:image', { url: 'https://example.com/logo.png' }),
    node('name', 'input:json'),
    node('out', 'output:preview', {}, { position: { x: 500, y: 0 } }),
  ],
  edges: [edge('photo.image > out.input')],
} as unknown as Graph;
const { inputs, outputs } = getInterface(COMPONENT, catalog);

const lint = (values: unknown, edges: readonly object[] = []) => {
  const call = node('call', 'component:call', {
    workflowId: 'wf_1',
    version: 1,
    name: 'C',
    inputs,
    outputs,
    values,
  });
  const photo = node('photo', 'input:image', { url: 'https://example.com/a.png' });
  const { issues } = lintGraph({ nodes: [call, photo], edges } as unknown as Graph, catalog);
  return issues.map(({ code, path = '', message }) => [
    code,
    path.replace('/nodes/0/data/config/', ''),
    message,
  ]);
};

it('requires a value for a media input whose component has no file', () => {
  assert.deepEqual(
    lint({}).map(([code, , message]) => [code, message?.includes('"photo"')]),
    [['required_port_unfed', true]],
  );
  assert.deepEqual(lint({ photo: { mediaId: 'med_1' } }), []);
  assert.deepEqual(lint({}, [edge('photo.image > call.photo')]), []);
});

it('reports values of unknown inputs and values of the wrong type', () => {
  const validValues = {
    text: ['a', 'b'],
    count: '4',
    list: [1],
    photo: 'https://example.com/a.png',
    logo: null,
    name: { any: 'value' },
  };
  assert.deepEqual(lint(validValues), []);
  assert.deepEqual(
    lint({ text: true, count: 'four', list: 'x', photo: 7, logo: {}, nam: 1 }).map(([code, path]) => [
      code,
      path,
    ]),
    [
      ['unknown_component_input', 'values/nam'],
      ['wrong_value_type', 'values/text'],
      ['wrong_value_type', 'values/count'],
      ['wrong_value_type', 'values/list'],
      ['wrong_value_type', 'values/photo'],
      ['wrong_value_type', 'values/logo'],
    ],
  );
  assert.match(String(lint({ nam: 1, photo: 'https://example.com/a.png' })[0]?.[2]), /Did you mean "name"\?/);
});

it('accepts an input that has the name of a setting of the call', () => {
  assert.deepEqual(lint({ photo: 'https://example.com/a.png', name: 3 }), []);
});

it('reports an edge to a port that the component does not have', () => {
  const edges = [edge('photo.image > call.photo'), edge('photo.image > call.gone')];
  assert.deepEqual(
    lint({}, edges).map(([code]) => code),
    ['unknown_port'],
  );
});
