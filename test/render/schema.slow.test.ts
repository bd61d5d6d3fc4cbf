// Tests the schema of scene graphs: its structure, accepted graphs, and issues with pointers.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { AppError, type Issue } from '../../src/lib/errors.ts';
import { openScene } from '../../src/render/scene.ts';
import { renderSceneGraphDoc } from '../../src/render/schema/doc.ts';
import { ELEMENT_TYPES } from '../../src/render/schema/elements.ts';
import { SCENE_GRAPH_SCHEMA } from '../../src/render/schema/scene-graph.ts';
import { parseSceneGraph } from '../../src/render/schema/validate.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples', 'scenes');
const examples = readdirSync(EXAMPLES).map(
  name => [name, JSON.parse(readFileSync(join(EXAMPLES, name), 'utf8')) as Record<string, unknown>] as const,
);

const createGraph = (elements: readonly object[], rest: object = {}): object => ({
  fps: 30,
  width: 320,
  height: 180,
  scenes: [{ duration: 2, elements }],
  ...rest,
});

function getIssues(act: () => unknown): readonly Issue[] {
  try {
    act();
  } catch (err) {
    assert.ok(err instanceof AppError && err.code === 'invalid_scene_graph');
    return err.issues ?? [];
  }
  return [];
}

const getPaths = (act: () => unknown): readonly (string | undefined)[] =>
  getIssues(act).map(({ path }) => path);

describe('the scene-graph schema', () => {
  it('has fifteen properties and requires four', () => {
    assert.deepEqual(Object.keys(SCENE_GRAPH_SCHEMA.properties).sort(), [
      'assets',
      'audioTrack',
      'background',
      'captionTrack',
      'defaults',
      'durationInFrames',
      'fonts',
      'fps',
      'height',
      'metadata',
      'overlays',
      'scenes',
      'theme',
      'tracks',
      'width',
    ]);
    assert.deepEqual(SCENE_GRAPH_SCHEMA.required, ['fps', 'width', 'height', 'scenes']);
  });

  it('has about 54 KB and its guide has about 21 KB', () => {
    const size = JSON.stringify(SCENE_GRAPH_SCHEMA).length;
    assert.ok(size > 45_000 && size < 62_000, `${size}`);
    const { length } = renderSceneGraphDoc();
    assert.ok(length > 17_000 && length < 25_000, `${length}`);
  });

  it('has no undefined references', () => {
    const names = new Set(Object.keys(SCENE_GRAPH_SCHEMA.$defs));
    const usedNames = [...JSON.stringify(SCENE_GRAPH_SCHEMA).matchAll(/#\/\$defs\/(\w+)/g)].map(
      ([, name]) => name ?? '',
    );
    assert.deepEqual(
      usedNames.filter(name => !names.has(name)),
      [],
    );
  });

  it('has a guide with every element type and every top-level property', () => {
    const doc = renderSceneGraphDoc();
    for (const { properties } of Object.values(ELEMENT_TYPES))
      assert.ok(doc.includes(`### ${properties.type.const}\n`));
    for (const name of Object.keys(SCENE_GRAPH_SCHEMA.properties))
      assert.ok(doc.includes(`- \`${name}\``), name);
  });

  for (const [name, example] of examples)
    it(`accepts examples/scenes/${name}`, () => {
      openScene(example);
    });

  for (const [name, example] of examples)
    it(`rejects changes to examples/scenes/${name} by pointer`, () => {
      const scenes = example.scenes as readonly object[];
      const changes: readonly (readonly [string, object])[] = [
        ['/nonsense', { nonsense: 1 }],
        ['/fps', { fps: 0 }],
        ['/width', { width: '1080' }],
        ['/scenes', { scenes: [] }],
        ['/scenes/0/duration', { scenes: [{ ...scenes[0], duration: 'soon' }] }],
        ['/scenes/0/elements/0/type', { scenes: [{ elements: [{ type: 'hologram' }] }] }],
        ['/background', { background: 'rainbow' }],
      ];
      for (const [pointer, change] of changes)
        assert.deepEqual(
          getPaths(() => parseSceneGraph({ ...example, ...change })),
          [pointer],
        );
    });

  it('reports several issues with their pointers', () => {
    const invalidGraph = createGraph([
      { type: 'text', text: 'x', opacty: 1, x: { keyframes: [{ time: 'q', value: 1 }] } },
    ]);
    assert.deepEqual(getPaths(() => parseSceneGraph(invalidGraph)).toSorted(), [
      '/scenes/0/elements/0/opacty',
      '/scenes/0/elements/0/x/keyframes/0/time',
    ]);
  });

  it('reports only the issue of the intended gradient', () => {
    assert.deepEqual(
      getPaths(() => parseSceneGraph(createGraph([], { background: { type: 'linear' } }))),
      ['/background/stops'],
    );
  });

  it('lists the allowed types for an unknown type', () => {
    const [gradient] = getIssues(() => parseSceneGraph(createGraph([], { background: { type: 'lineer' } })));
    assert.equal(gradient?.path, '/background/type');
    assert.equal(
      gradient?.message,
      'has the unknown value "lineer". Allowed are linear, radial, conic, image, video',
    );
    const [element] = getIssues(() => parseSceneGraph(createGraph([{ type: 'x'.repeat(10_000) }])));
    assert.match(element?.message ?? '', /^has the unknown value "x{99}\. Allowed are text, image, video, /);
  });

  it('describes the allowed forms of a value that matches no form', () => {
    const [issue] = getIssues(() => parseSceneGraph(createGraph([], { background: 'rainbow' })));
    assert.equal(issue?.code, 'no_matching_form');
    assert.match(
      issue?.message ?? '',
      /^matches none of the allowed forms\. The background: a color, .*[^.]$/,
    );
  });

  it('describes the form of a text that has another one', () => {
    const [issue] = getIssues(() => parseSceneGraph(createGraph([{ type: 'video', src: 'clip.mp4' }])));
    assert.equal(issue?.path, '/scenes/0/elements/0/src');
    assert.match(issue?.message ?? '', /^has the wrong form\. The location of a file: an https URL, .*[^.]$/);
  });

  it('rejects more than 32 levels of nesting in limited time', () => {
    let deep: object = { type: 'group', elements: [] };
    for (let level = 0; level < 5000; level++) deep = { type: 'group', elements: [deep] };
    assert.equal(getPaths(() => parseSceneGraph(createGraph([deep]))).length, 1);
  });
});

describe('parseSceneGraph with many invalid elements', () => {
  const invalid = (count: number): object[] => Array.from({ length: count }, () => ({ kind: 'text' }));
  /** Scenes whose lists have an allowed length, so that the length is not the error. */
  const scenes = Array.from({ length: 3 }, () => ({ duration: 2, elements: invalid(10_000) }));

  it('rejects the graph quickly with its first issue', () => {
    const before = process.cpuUsage();
    const paths = getPaths(() => parseSceneGraph(createGraph([], { scenes })));
    const { user, system } = process.cpuUsage(before);
    assert.deepEqual(paths, ['/scenes/0/elements/0/type']);
    assert.ok(user + system < 3_000_000, `${(user + system) / 1000} ms of processor time`);
  });

  it('checks the length of a list before its items', () => {
    assert.deepEqual(
      getPaths(() => parseSceneGraph(createGraph(invalid(390_000)))),
      ['/scenes/0/elements'],
    );
  });

  it('reports up to 20 issues for a small graph', () => {
    assert.equal(getPaths(() => parseSceneGraph(createGraph(invalid(30)))).length, 20);
  });

  it('reports only the path of the nesting if it is too deep', () => {
    let deep: object = {};
    for (let level = 0; level < 40; level++) deep = { a: deep };
    assert.deepEqual(
      getPaths(() => parseSceneGraph(createGraph([], { 'x/y': deep }))),
      [`/x~1y${'/a'.repeat(31)}`],
    );
  });
});

describe('openScene', () => {
  it('rejects unknown assets, tokens, blocks, sources and captions', () => {
    const invalidGraph = createGraph([
      { type: 'image', asset: 'nobody' },
      { type: 'text', text: '$5 is no token', color: '$gone' },
      { type: 'image' },
      { type: 'text' },
    ]);
    assert.deepEqual(getPaths(() => openScene(invalidGraph)).toSorted(), [
      '/scenes/0/elements/0',
      '/scenes/0/elements/0/asset',
      '/scenes/0/elements/1/color',
      '/scenes/0/elements/2',
      '/scenes/0/elements/3',
    ]);
    assert.deepEqual(
      getPaths(() => openScene({ ...createGraph([]), scenes: [{ blockId: 'nobody' }] })),
      ['/scenes/0/blockId'],
    );
  });

  it('rejects circular tokens', () => {
    const circle = createGraph([], { theme: { colors: { a: '$b', b: '$a' } } });
    assert.deepEqual(getPaths(() => openScene(circle)).toSorted(), ['/theme/colors/a', '/theme/colors/b']);
  });

  it('rejects more than 10,000 elements', () => {
    const elements = Array.from({ length: 10_000 }, () => ({ type: 'shape', shape: 'circle' }));
    openScene(createGraph(elements));
    assert.deepEqual(
      getPaths(() => openScene(createGraph(elements, { overlays: [elements[0]] }))),
      [''],
    );
    // The number is checked before names.
    const elementWithUnknownToken = { type: 'shape', shape: 'circle', fill: '$none' };
    assert.deepEqual(
      getPaths(() => openScene(createGraph(elements, { overlays: [elementWithUnknownToken] }))),
      [''],
    );
  });
});
