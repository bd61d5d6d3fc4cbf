// Tests the detection of ComfyUI's formats, and hostile and malformed files.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parsePythonJson, readComfyFile } from '../../../src/graph/comfyui/read-file.ts';
import { describeIncomplete, selectRunnable } from '../../../src/graph/comfyui/runnable.ts';
import { makeFile, makeNode, TEXT_TO_IMAGE, types } from './ui-files.ts';

const API = { '1': { class_type: 'LoadImage', inputs: { image: 'a.png' }, is_changed: ['x'] } };

describe('readComfyFile', () => {
  it('detects the formats', () => {
    const getFormat = (value: unknown) => readComfyFile(value, types)?.format;
    assert.equal(getFormat(TEXT_TO_IMAGE), 'comfyui-ui-0.4');
    assert.equal(getFormat({ ...TEXT_TO_IMAGE, version: 1, links: [] }), 'comfyui-ui-1.0');
    assert.equal(getFormat(API), 'comfyui-api');
    assert.equal(getFormat({ prompt: API, extra_data: {} }), 'comfyui-api');
    for (const other of [
      null,
      5,
      'text',
      [],
      {},
      { nodes: [] },
      { nodes: [], edges: [] },
      { prompt: 'a fox' },
    ])
      assert.equal(getFormat(other), undefined);
  });

  it('reads nodes of the API format without what servers ignore', () => {
    assert.deepEqual(readComfyFile(API, types)?.graph, {
      '1': { class_type: 'LoadImage', inputs: { image: 'a.png' } },
    });
  });

  it('refuses wrong types with a sentence and the place', () => {
    const node = makeNode(1, 'SaveImage');
    const cases: readonly (readonly [unknown, RegExp])[] = [
      [makeFile([5]), /^A node must be an object, at \/nodes\/0\.$/],
      [makeFile([{ ...node, id: {} }]), /^The id of a node must be a number or a text, at \/nodes\/0\/id\.$/],
      [makeFile([{ ...node, type: 7 }]), /^The type of a node must be a text, at \/nodes\/0\/type\.$/],
      [makeFile([{ ...node, type: 'x'.repeat(501) }]), /longer than 500 characters, at \/nodes\/0\/type\.$/],
      [makeFile([{ ...node, mode: 'muted' }]), /^mode must be a number, at \/nodes\/0\/mode\.$/],
      [makeFile([{ ...node, inputs: 'none' }]), /must be a list, at \/nodes\/0\/inputs\.$/],
      [makeFile([{ ...node, inputs: [null] }]), /must be an object, at \/nodes\/0\/inputs\/0\.$/],
      [
        makeFile([{ ...node, widgets_values: 5 }]),
        /must be a list or an object, at \/nodes\/0\/widgets_values\.$/,
      ],
      [makeFile([node, node]), /^Two nodes have the id 1, at \/nodes\/1\.$/],
      [makeFile([node], [7]), /^A link must be an object, at \/links\/0\.$/],
      [makeFile([node], [[1, 1, 'a', 1, 0]]), /^The slot of a link must be a number, at \/links\/0\.$/],
      [makeFile([node], [], { definitions: { subgraphs: 5 } }), /at \/definitions\/subgraphs\.$/],
      [makeFile([node], [], { extra: { groupNodes: [] } }), /at \/extra\/groupNodes\.$/],
      [{ ...API, '2': 5 }, /^A node must be an object, at \/2\.$/],
      [{ ...API, '2': { class_type: 'X', inputs: [] } }, /^inputs must be an object, at \/2\/inputs\.$/],
      [
        { prompt: { ...API, 'a/b': { class_type: '' } } },
        /class_type is empty, at \/prompt\/a~1b\/class_type\.$/,
      ],
    ];
    for (const [value, message] of cases)
      assert.throws(() => readComfyFile(value, types), { name: 'ComfyFormatError', message });
  });

  it('refuses names that could change prototypes', () => {
    const polluted = JSON.parse(
      '{"1":{"class_type":"A","inputs":{}},"__proto__":{"class_type":"A","inputs":{}}}',
    );
    assert.throws(() => readComfyFile(polluted, types), { message: /must not be __proto__/ });
    const input = JSON.parse('{"1":{"class_type":"A","inputs":{"__proto__":5}}}');
    assert.throws(() => readComfyFile(input, types), { message: /must not be __proto__/ });
    for (const file of [
      makeFile([makeNode(1, '__proto__')]),
      makeFile([{ ...makeNode(1, 'A'), id: '__proto__' }]),
      makeFile([makeNode(1, 'A', { inputs: [{ name: 'constructor' }] })]),
    ])
      assert.throws(() => readComfyFile(file, types), { message: /must not be/ });
    const values = makeFile([makeNode(1, 'A', { values: JSON.parse('{"__proto__": 5, "a": 1}') })]);
    const inputs = readComfyFile(values, types)?.graph['1']?.inputs ?? {};
    assert.equal(Object.getPrototypeOf(inputs), Object.prototype);
  });

  it('refuses more nodes, links and slots than graphs have', () => {
    const nodes = Array.from({ length: 2001 }, (_, id) => makeNode(id, 'VAEDecode'));
    assert.throws(() => readComfyFile(makeFile(nodes), types), {
      message: 'The graph has 2001 nodes, with its subgraphs expanded. The maximum is 2000.',
    });
    const api = Object.fromEntries(nodes.map((_, id) => [id, { class_type: 'A', inputs: {} }]));
    assert.throws(() => readComfyFile(api, types), { message: /has 2001 nodes/ });
    const unused = { id: 'x', nodes: Array.from({ length: 10_001 }, () => 5) };
    assert.throws(
      () => readComfyFile(makeFile([makeNode(1, 'A')], [], { definitions: { subgraphs: [unused] } }), types),
      { message: /more than 10000 nodes/ },
    );
    const links = Array.from({ length: 50_001 }, () => null);
    assert.throws(() => readComfyFile(makeFile([makeNode(1, 'A')], links), types), {
      message: /more than 50000 links/,
    });
    const inputs = Array.from({ length: 50_001 }, () => ({ name: 'a' }));
    assert.throws(() => readComfyFile(makeFile([{ ...makeNode(1, 'A'), inputs }]), types), {
      message: /more than 50000 inputs/,
    });
  });

  it('reads a long chain of nodes that pass a value on, and refuses a longer one', () => {
    const makeChain = (length: number) =>
      makeFile(
        Array.from({ length }, (_, id) =>
          makeNode(id, id === 0 ? 'LoadImage' : id === length - 1 ? 'SaveImage' : 'Reroute', {
            inputs: id === 0 ? [] : [{ name: 'images', link: id }],
            outputs: ['IMAGE'],
          }),
        ),
        Array.from({ length }, (_, id) => [id, id - 1, 0, id, 0, '*']),
      );
    assert.deepEqual(readComfyFile(makeChain(400), types)?.graph['399']?.inputs.images, ['0', 0]);
    // Each node is resolved on its own first, so only a chain that begins with the last one is too long.
    assert.throws(() => readComfyFile(makeChain(1900), types), {
      message: /pass through more than 500 nodes/,
    });
  });
});

describe('parsePythonJson', () => {
  it('reads NaN and Infinity outside of texts as null', () => {
    assert.deepEqual(parsePythonJson('{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN, \\"NaN\\""}'), {
      a: null,
      b: [null, null],
      c: 'NaN, "NaN"',
    });
    assert.throws(() => parsePythonJson('{"a": NaNa}'), SyntaxError);
    assert.throws(() => parsePythonJson('{"a": NaN, "b'), SyntaxError);
  });
});

describe('selectRunnable', () => {
  const graph = {
    '1': { class_type: 'VAEDecode', inputs: { samples: ['5', 0] } },
    '2': {
      class_type: 'SaveImage',
      inputs: { images: ['1', 0], filename_prefix: 'a' },
      _meta: { title: 'Save' },
    },
    '3': { class_type: 'LoadImage', inputs: { image: 'a.png' } },
    '4': { class_type: 'Unknown', inputs: { images: ['3', 0] } },
    '5': { class_type: 'EmptyLatentImage', inputs: {} },
  };

  it('leaves out nodes without a required input, and those that need them', () => {
    const { graph: kept, incomplete } = selectRunnable(graph, types);
    assert.deepEqual(Object.keys(kept), ['3', '4', '5']);
    assert.deepEqual([...incomplete], [['1', 'vae']]);
    assert.equal(
      describeIncomplete(graph, incomplete),
      'The node “VAEDecode” of the ComfyUI graph has no vae.',
    );
  });

  it('keeps a complete graph as it is', () => {
    const complete = { '3': graph['3'] };
    assert.equal(selectRunnable(complete, types).graph, complete);
  });
});
