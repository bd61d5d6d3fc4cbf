// Tests the expansion of subgraphs and old group nodes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { convert, type InputFields, makeFile, makeNode } from './ui-files.ts';

const ID = '1f5e0b9c-6c1c-4c5e-9a53-111111111111';
const OTHER_ID = '1f5e0b9c-6c1c-4c5e-9a53-222222222222';

const makeLink = (id: number, origin: readonly [number, number], target: readonly [number, number]) => ({
  id,
  origin_id: origin[0],
  origin_slot: origin[1],
  target_id: target[0],
  target_slot: target[1],
  type: '*',
});

/** A subgraph that scales an image to a width, which its border shows. */
const SCALE = {
  id: ID,
  name: 'Scale',
  inputNode: { id: -10 },
  outputNode: { id: -20 },
  inputs: [
    { name: 'image', type: 'IMAGE' },
    { name: 'width', type: 'INT' },
  ],
  outputs: [{ name: 'IMAGE', type: 'IMAGE' }],
  nodes: [
    makeNode(6, 'ImageScale', {
      inputs: [
        { name: 'image', type: 'IMAGE', link: 1 },
        { name: 'width', type: 'INT', link: 2, widget: { name: 'width' } },
      ],
      outputs: ['IMAGE'],
      values: ['area', 100],
    }),
  ],
  links: [makeLink(1, [-10, 0], [6, 0]), makeLink(2, [-10, 1], [6, 1]), makeLink(3, [6, 0], [-20, 0])],
};
const IMAGE_INPUT = { name: 'image', type: 'IMAGE', link: 1 };
const WIDTH_INPUT = { name: 'width', type: 'INT', widget: { name: 'width' } };

function makeInstance(more: object = {}, inputs: readonly InputFields[] = [IMAGE_INPUT, WIDTH_INPUT]) {
  return makeNode(20, ID, { inputs, outputs: ['IMAGE'], ...more });
}

/** A loader, an instance, and a node that saves its output. */
const makeInstanceFile = (
  instance: unknown,
  subgraphs: readonly unknown[] = [SCALE],
  nodes: readonly unknown[] = [],
) =>
  makeFile(
    [
      makeNode(1, 'LoadImage', { outputs: ['IMAGE', 'MASK'], values: ['cat.png', 'image'] }),
      instance,
      makeNode(9, 'SaveImage', { inputs: [{ name: 'images', type: 'IMAGE', link: 9 }], values: ['x'] }),
      ...nodes,
    ],
    [
      [1, 1, 0, 20, 0, 'IMAGE'],
      [2, 30, 0, 20, 1, 'INT'],
      [9, 20, 0, 9, 0, 'IMAGE'],
    ],
    { definitions: { subgraphs } },
  );

describe('a subgraph', () => {
  it('is expanded, and ids of inner nodes are paths', () => {
    const { graph } = convert(makeInstanceFile(makeInstance()));
    assert.deepEqual(Object.keys(graph), ['1', '9', '20:6']);
    assert.deepEqual(graph['20:6']?.inputs, { method: 'area', width: 100, image: ['1', 0] });
    assert.deepEqual(graph['9']?.inputs.images, ['20:6', 0]);
  });

  it('takes the value of the instance for a widget on its border', () => {
    const file = makeInstanceFile(makeInstance({ values: [64] }));
    assert.equal(convert(file).graph['20:6']?.inputs.width, 64);
    assert.equal(convert(file).places.get('20:6')?.get('width'), '/nodes/1/widgets_values/0');
  });

  it('takes the value also if the instance leaves unlinked inputs out', () => {
    const file = makeInstanceFile(makeInstance({ values: [64] }, [IMAGE_INPUT]));
    assert.equal(convert(file).graph['20:6']?.inputs.width, 64);
  });

  it('keeps the value of the inner node if the instance has none', () => {
    const instance = makeInstance({ properties: { proxyWidgets: [['6', 'width']] } });
    assert.equal(convert(makeInstanceFile(instance)).graph['20:6']?.inputs.width, 100);
  });

  it('prefers a connection to the value of the instance', () => {
    const instance = makeInstance({ values: [64] }, [IMAGE_INPUT, { ...WIDTH_INPUT, link: 2 }]);
    const number = makeNode(30, 'PrimitiveInt', { outputs: ['INT'], values: [32, 'fixed'] });
    const file = makeInstanceFile(instance, [SCALE], [number]);
    assert.deepEqual(convert(file).graph['20:6']?.inputs.width, ['30', 0]);
  });

  it('can contain another, whose value the outermost level gives', () => {
    const outer = {
      ...SCALE,
      id: OTHER_ID,
      nodes: [
        makeNode(5, ID, {
          inputs: [IMAGE_INPUT, { ...WIDTH_INPUT, link: 2 }],
          outputs: ['IMAGE'],
          values: [64],
        }),
      ],
      links: [makeLink(1, [-10, 0], [5, 0]), makeLink(2, [-10, 1], [5, 1]), makeLink(3, [5, 0], [-20, 0])],
    };
    const nested = makeInstanceFile(makeInstance({ type: OTHER_ID, values: [32] }), [SCALE, outer]);
    assert.deepEqual(convert(nested).graph['20:5:6']?.inputs, { method: 'area', width: 32, image: ['1', 0] });
    assert.deepEqual(convert(nested).graph['9']?.inputs.images, ['20:5:6', 0]);
    const withoutValue = makeInstanceFile(makeInstance({ type: OTHER_ID }), [SCALE, outer]);
    assert.equal(convert(withoutValue).graph['20:5:6']?.inputs.width, 64);
  });

  it('that is muted is removed with all that it contains', () => {
    const { graph, nodes } = convert(makeInstanceFile(makeInstance({ mode: 2 })));
    assert.deepEqual(Object.keys(graph), ['1', '9']);
    assert.equal(graph['9']?.inputs.images, undefined);
    assert.deepEqual(
      nodes.map(({ placed, outcome }) => [placed.key, outcome]),
      [
        ['1', 'wrapped'],
        ['20', 'dropped'],
        ['20:6', 'dropped'],
        ['9', 'wrapped'],
      ],
    );
  });

  it('that is bypassed passes its input on', () => {
    const { graph } = convert(makeInstanceFile(makeInstance({ mode: 4 })));
    assert.deepEqual(graph['9']?.inputs.images, ['1', 0]);
  });

  it('that contains itself is refused', () => {
    const own = { ...SCALE, nodes: [makeNode(6, ID)], links: [] };
    assert.throws(() => convert(makeInstanceFile(makeInstance(), [own])), {
      message: 'The subgraph “Scale” contains itself, at /definitions/subgraphs/0/nodes/0.',
    });
  });

  it('that would expand to very many nodes is refused before that', () => {
    const makeId = (level: number) => `${ID}-${level}`;
    const subgraphs = Array.from({ length: 12 }, (_, level) => ({
      id: makeId(level),
      name: `Level ${level}`,
      inputs: [],
      outputs: [],
      links: [],
      nodes: Array.from({ length: 10 }, (_, index) =>
        makeNode(index, level === 0 ? 'VAEDecode' : makeId(level - 1)),
      ),
    }));
    const file = makeFile([makeNode(1, makeId(11))], [], { definitions: { subgraphs } });
    assert.throws(() => convert(file), {
      message: /more than a billion nodes, with its subgraphs expanded\. The maximum is 2000\./,
    });
  });

  it('that is nested too deeply is refused', () => {
    const subgraphs = Array.from({ length: 50 }, (_, level) => ({
      ...SCALE,
      id: `${ID}-${level}`,
      nodes: [makeNode(1, level === 0 ? 'VAEDecode' : `${ID}-${level - 1}`)],
      links: [],
    }));
    const file = makeFile([makeNode(1, `${ID}-49`)], [], { definitions: { subgraphs } });
    assert.throws(() => convert(file), { message: /nested more than 20 levels deep/ });
  });
});

describe('an old group node', () => {
  const group = {
    nodes: [
      makeNode(0, 'LoadImage', { outputs: ['IMAGE', 'MASK'], values: ['a.png', 'image'] }),
      makeNode(0, 'ImageScale', {
        inputs: [{ name: 'image', type: 'IMAGE', link: 77 }],
        outputs: ['IMAGE'],
        values: ['area', 100],
      }),
      makeNode(0, 'VAEDecode', {
        inputs: [
          { name: 'samples', type: 'LATENT', link: 78 },
          { name: 'vae', type: 'VAE', link: 79 },
        ],
        outputs: ['IMAGE'],
      }),
    ],
    links: [[0, 0, 1, 0, 5, 'IMAGE']],
    external: [],
  };
  const file = makeFile(
    [
      makeNode(1, 'EmptyLatentImage', { outputs: ['LATENT'], values: [64, 64, 1] }),
      makeNode(5, 'workflow>Mine', {
        inputs: [
          { name: 'samples', type: 'LATENT', link: 1 },
          { name: 'vae', type: 'VAE' },
        ],
        outputs: ['MASK', 'IMAGE', 'IMAGE'],
        values: ['b.png', 'image', 'nearest', 50],
      }),
      makeNode(9, 'SaveImage', { inputs: [{ name: 'images', type: 'IMAGE', link: 2 }], values: ['x'] }),
    ],
    [
      [1, 1, 0, 5, 0, 'LATENT'],
      [2, 5, 1, 9, 0, 'IMAGE'],
    ],
    { extra: { groupNodes: { Mine: group } } },
  );

  it('is expanded with the values of the instance', () => {
    const { graph } = convert(file);
    assert.deepEqual(graph['5:0']?.inputs, { image: 'b.png' });
    assert.deepEqual(graph['5:1']?.inputs, { method: 'nearest', width: 50, image: ['5:0', 0] });
  });

  it('connects its inputs and outputs in the order of its nodes', () => {
    const { graph, places } = convert(file);
    assert.deepEqual(graph['5:2']?.inputs, { samples: ['1', 0] });
    assert.deepEqual(graph['9']?.inputs.images, ['5:1', 0]);
    assert.equal(places.get('5:1')?.get('width'), '/nodes/1/widgets_values/3');
  });
});
