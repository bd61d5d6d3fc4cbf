// Tests the conversion from ComfyUI's UI format to its API format.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { convert, getInputs, makeFile, makeNode, TEXT_TO_IMAGE } from './ui-files.ts';

describe('a converted graph', () => {
  it('has the values by name and the links of ComfyUI’s own prompt', () => {
    const { graph, nodes, hasRandomSeeds } = convert(TEXT_TO_IMAGE);
    assert.deepEqual(Object.keys(graph), ['3', '4', '5', '6', '7', '8', '9']);
    assert.deepEqual(graph['3'], {
      class_type: 'KSampler',
      inputs: {
        seed: 42,
        steps: 30,
        cfg: 7.5,
        sampler_name: 'ddim',
        scheduler: 'karras',
        denoise: 0.9,
        model: ['4', 0],
        positive: ['6', 0],
        negative: ['7', 0],
        latent_image: ['5', 0],
      },
      _meta: { title: 'KSampler', control: { seed: 'randomize' } },
    });
    assert.deepEqual(graph['6'], {
      class_type: 'CLIPTextEncode',
      inputs: { text: 'a fox', clip: ['4', 1] },
      _meta: { title: 'Prompt' },
    });
    assert.equal(hasRandomSeeds, true);
    assert.equal(nodes.find(({ placed }) => placed.key === '10')?.outcome, 'note');
  });

  it('is the same for version 1.0, whose links are objects', () => {
    const fields = ['id', 'origin_id', 'origin_slot', 'target_id', 'target_slot', 'type'];
    const links = (TEXT_TO_IMAGE.links as (unknown[] | null)[]).flatMap(link =>
      link === null ? [] : [Object.fromEntries(fields.map((field, index) => [field, link[index]]))],
    );
    const file = { ...TEXT_TO_IMAGE, version: 1, state: { lastNodeId: 9 }, links };
    assert.deepEqual(convert(file).graph, convert(TEXT_TO_IMAGE).graph);
  });

  it('says where the file has each value', () => {
    const places = convert(TEXT_TO_IMAGE).places.get('3');
    assert.equal(places?.get('seed'), '/nodes/4/widgets_values/0');
    assert.equal(places?.get('steps'), '/nodes/4/widgets_values/2');
    assert.equal(places?.get('model'), undefined);
  });
});

describe('widget values', () => {
  const inputsOf = (type: string, values: unknown, inputs = {}) =>
    getInputs(makeFile([makeNode(1, type, { values, ...inputs })]), 1);

  it('take the default if the file is older than the widget', () => {
    assert.deepEqual(inputsOf('EmptyLatentImage', [640, 480]), { width: 640, height: 480, batch_size: 1 });
  });

  it('may lack the control value of a seed', () => {
    const inputs = inputsOf('KSampler', [7, 30, 7.5, 'ddim', 'karras', 0.9]);
    assert.equal(inputs?.steps, 30);
    assert.equal(inputs?.denoise, 0.9);
  });

  it('include the value of an upload button, which is not an input', () => {
    assert.deepEqual(inputsOf('LoadImage', ['cat.png', 'image']), { image: 'cat.png' });
    assert.deepEqual(inputsOf('LoadImage', ['cat.png']), { image: 'cat.png' });
  });

  it('can be stored by name', () => {
    assert.deepEqual(inputsOf('EmptyLatentImage', { width: 64, other: 1 }), {
      width: 64,
      height: 512,
      batch_size: 1,
    });
    assert.deepEqual(inputsOf('VHS_VideoCombine', { frame_rate: 8, videopreview: { hidden: true } }), {
      frame_rate: 8,
    });
  });

  it('of a choice add the widgets of the choice', () => {
    assert.deepEqual(inputsOf('Resize', ['size', 640, 480, 'lanczos']), {
      kind: 'size',
      'kind.width': 640,
      'kind.height': 480,
      method: 'lanczos',
    });
    assert.deepEqual(inputsOf('Resize', ['factor', 1.5, 'area']), {
      kind: 'factor',
      'kind.factor': 1.5,
      method: 'area',
    });
  });

  it('skip the old values of inputs that have become sockets', () => {
    assert.deepEqual(inputsOf('Sockets', ['a', 'b', 'fixed']), { text: 'a', name: 'b' });
    assert.deepEqual(inputsOf('Sockets', [5, 'a', 'b', 'fixed']), { text: 'a', name: 'b' });
  });

  it('include the text that filters a choice with a control value', () => {
    const expected = { name: 'b', count: 3 };
    assert.deepEqual(inputsOf('Choice', ['b', 'randomize', 3]), expected);
    assert.deepEqual(inputsOf('Choice', ['b', 'randomize', '.*', 3]), expected);
  });

  it('that are lists are wrapped, because a list of two would be a link', () => {
    assert.deepEqual(inputsOf('EmptyLatentImage', [[1, 2], 480, 1])?.width, { __value__: [1, 2] });
  });

  it('of an unknown type are named by its inputs if there is one for each value', () => {
    const inputs = ['text', 'seed'].map(name => ({ name, widget: { name } }));
    const named = makeFile([makeNode(1, 'Unknown', { inputs, values: ['a', 5, 'randomize'] })]);
    assert.deepEqual(convert(named).graph['1'], {
      class_type: 'Unknown',
      inputs: { text: 'a', seed: 5 },
      _meta: { title: 'Unknown', control: { seed: 'randomize' } },
    });
    const unnamed = makeFile([makeNode(1, 'Unknown', { inputs, values: ['a', 5, 'randomize', true] })]);
    assert.deepEqual(convert(unnamed).graph['1'], {
      class_type: 'Unknown',
      inputs: {},
      _meta: { title: 'Unknown', widgets_values: ['a', 5, 'randomize', true] },
    });
  });

  it('with a link are replaced by it', () => {
    const file = makeFile(
      [
        makeNode(1, 'EmptyLatentImage', {
          inputs: [
            { name: 'width', type: 'INT', link: 1, widget: { name: 'width' } },
            { name: 'height', type: 'INT', link: null, widget: { name: 'height' } },
          ],
          values: [640, 480, 1],
        }),
        makeNode(2, 'PrimitiveInt', { outputs: ['INT'], values: [64, 'fixed'] }),
      ],
      [[1, 2, 0, 1, 0, 'INT']],
    );
    assert.deepEqual(getInputs(file, 1), { width: ['2', 0], height: 480, batch_size: 1 });
  });
});

describe('nodes of the frontend', () => {
  /** A loader, nodes in between, and a node that saves. */
  const makeChain = (between: readonly unknown[], links: readonly unknown[], more: object = {}) =>
    makeFile(
      [
        makeNode(1, 'LoadImage', { outputs: ['IMAGE', 'MASK'], values: ['cat.png', 'image'] }),
        ...between,
        makeNode(9, 'SaveImage', { inputs: [{ name: 'images', type: 'IMAGE', link: 9 }], values: ['x'] }),
      ],
      links,
      more,
    );
  const makeReroute = (id: number, link: number, more = {}) =>
    makeNode(id, 'Reroute', { inputs: [{ name: '', link }], outputs: ['*'], ...more });

  it('that reroute pass their input on, in a chain too', () => {
    const file = makeChain(
      [makeReroute(2, 1), makeReroute(3, 2)],
      [
        [1, 1, 0, 2, 0, 'IMAGE'],
        [2, 2, 0, 3, 0, '*'],
        [9, 3, 0, 9, 0, '*'],
      ],
    );
    assert.deepEqual(convert(file).graph['9']?.inputs.images, ['1', 0]);
    assert.deepEqual(Object.keys(convert(file).graph), ['1', '9']);
  });

  it('that hold a primitive write their value into the inputs', () => {
    const file = makeFile(
      [
        makeNode(1, 'PrimitiveNode', { outputs: ['INT'], values: [800, 'fixed'] }),
        makeReroute(2, 1),
        makeNode(3, 'EmptyLatentImage', {
          inputs: [{ name: 'width', type: 'INT', link: 2, widget: { name: 'width' } }],
          values: [640, 480, 1],
        }),
      ],
      [
        [1, 1, 0, 2, 0, 'INT'],
        [2, 2, 0, 3, 0, 'INT'],
      ],
    );
    assert.equal(getInputs(file, 3)?.width, 800);
    assert.equal(convert(file).places.get('3')?.get('width'), '/nodes/0/widgets_values/0');
  });

  it('that set and get connect by name', () => {
    const set = makeNode(2, 'SetNode', {
      inputs: [{ name: 'IMAGE', type: 'IMAGE', link: 1 }],
      values: ['picture'],
    });
    const get = makeNode(3, 'GetNode', { outputs: ['IMAGE'], values: ['picture'] });
    const links = [
      [1, 1, 0, 2, 0, 'IMAGE'],
      [9, 3, 0, 9, 0, 'IMAGE'],
    ];
    assert.deepEqual(convert(makeChain([set, get], links)).graph['9']?.inputs.images, ['1', 0]);
    const other = { ...get, widgets_values: ['another'] };
    assert.equal(convert(makeChain([set, other], links)).graph['9']?.inputs.images, undefined);
  });

  it('that connect everything of a type connect free inputs only', () => {
    const everywhere = makeNode(2, 'Anything Everywhere', { inputs: [{ name: 'anything', link: 1 }] });
    const preview = makeNode(3, 'PreviewImage', { inputs: [{ name: 'images', type: 'IMAGE' }] });
    const links = [[1, 1, 0, 2, 0, 'IMAGE']];
    assert.deepEqual(getInputs(makeChain([everywhere, preview], links), 3), { images: ['1', 0] });
    const other = { ...everywhere, id: 4 };
    assert.deepEqual(getInputs(makeChain([everywhere, preview, other], links), 3), {});
  });

  it('that only help in the editor are dropped with a reason', () => {
    const file = makeChain([makeNode(2, 'Fast Groups Muter (rgthree)')], []);
    const line = convert(file).nodes.find(({ placed }) => placed.key === '2');
    assert.deepEqual([line?.outcome, line?.message !== undefined], ['dropped', true]);
  });

  it('that form a loop are an error that names one of them', () => {
    const file = makeChain(
      [makeReroute(2, 2), makeReroute(3, 1)],
      [
        [1, 2, 0, 3, 0, '*'],
        [2, 3, 0, 2, 0, '*'],
        [9, 3, 0, 9, 0, '*'],
      ],
    );
    assert.throws(() => convert(file), { name: 'ComfyFormatError', message: /form a loop.*\/nodes\/\d\.$/ });
  });

  describe('that are muted or bypassed', () => {
    const makeScale = (mode: number) =>
      makeNode(2, 'ImageScale', {
        inputs: [
          { name: 'mask', type: 'MASK', link: null },
          { name: 'image', type: 'IMAGE', link: 1 },
        ],
        outputs: ['IMAGE'],
        values: ['area', 64],
        mode,
      });
    const links = [
      [1, 1, 0, 2, 1, 'IMAGE'],
      [9, 2, 0, 9, 0, 'IMAGE'],
    ];

    it('are left out, with the inputs that they fed', () => {
      const { graph, nodes } = convert(makeChain([makeScale(2)], links));
      assert.deepEqual(Object.keys(graph), ['1', '9']);
      assert.deepEqual(graph['9']?.inputs, { filename_prefix: 'x' });
      assert.equal(nodes[1]?.message, 'The node is muted.');
    });

    it('pass on the first input of the type if they are bypassed', () => {
      assert.deepEqual(convert(makeChain([makeScale(4)], links)).graph['9']?.inputs.images, ['1', 0]);
    });

    it('run in the modes that old files have', () => {
      for (const mode of [0, 1, 3])
        assert.deepEqual(convert(makeChain([makeScale(mode)], links)).graph['9']?.inputs.images, ['2', 0]);
    });
  });
});

describe('file names', () => {
  it('contain the values that they refer to by the name of a node', () => {
    const file = makeFile([
      makeNode(1, 'EmptyLatentImage', { values: [640, 480, 1], title: 'Size' }),
      makeNode(2, 'SaveImage', { values: ['%Size.width%/%EmptyLatentImage.height%_%width%_%No.x%'] }),
    ]);
    assert.equal(getInputs(file, 2)?.filename_prefix, '640/480_%width%_%No.x%');
  });
});
