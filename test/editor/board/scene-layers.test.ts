// Tests how the scene editor reads a scene graph: layers with their times, changes of the list, fields of the schema.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseScalar, type Schema, toField } from '../../../editor/pages/editor/video-editor/json-schema.ts';
import {
  findNextSelection,
  getAt,
  getDurationSeconds,
  insertAt,
  listLayers,
  moveLayer,
  type Path,
  removeAt,
  setAt,
} from '../../../editor/pages/editor/video-editor/layers.ts';
import {
  createLayer,
  listElementTypes,
  MINIMAL_GRAPH,
} from '../../../editor/pages/editor/video-editor/new-layers.ts';
import type { JsonObject } from '../../../src/graph/types.ts';
import { createPreviewSceneGraph } from '../../../src/nodes/renderer-mode.ts';
import { openScene } from '../../../src/render/scene.ts';
import { SCENE_GRAPH_SCHEMA } from '../../../src/render/schema/scene-graph.ts';
import { parseSceneGraph } from '../../../src/render/schema/validate.ts';

const schema = JSON.parse(JSON.stringify(SCENE_GRAPH_SCHEMA)) as Schema;

const GRAPH: JsonObject = {
  fps: 10,
  width: 160,
  height: 90,
  defaults: { transition: { type: 'fade', duration: '500ms' } },
  scenes: [
    {
      duration: '2s',
      elements: [
        { type: 'text', text: 'One\ntwo', start: '50%', duration: '5f' },
        { type: 'group', name: 'Both', elements: [{ type: 'shape', shape: 'star' }] },
      ],
    },
    { hidden: true, elements: [] },
    { name: 'End', elements: [], duration: 3, transition: { type: 'cut' } },
    { elements: [] },
  ],
  overlays: [{ type: 'progress' }],
};

describe('the layers of a scene graph', () => {
  it('are listed with their elements and times', () => {
    assert.deepEqual(
      listLayers(GRAPH).map(({ path, name, depth, start, end }) => [path.join('/'), name, depth, start, end]),
      [
        ['', '', 0, 0, 8.5],
        ['scenes/0', '', 1, 0, 2],
        ['scenes/0/elements/0', 'One', 2, 1, 1.5],
        ['scenes/0/elements/1', 'Both', 2, 0, 2],
        ['scenes/0/elements/1/elements/0', '', 3, 0, 2],
        ['scenes/1', '', 1, 2, 2],
        ['scenes/2', 'End', 1, 2, 5],
        ['scenes/3', '', 1, 4.5, 8.5],
        ['overlays/0', '', 1, 0, 8.5],
      ],
    );
  });

  it('have the duration that the renderer computes', () => {
    const { durationInFrames, fps } = openScene(GRAPH);
    assert.equal(getDurationSeconds(GRAPH), durationInFrames / fps);
    assert.equal(getDurationSeconds({ ...GRAPH, durationInFrames: 20 }), 2);
  });

  it('are listed for values that are not scene graphs', () => {
    for (const invalidGraph of [
      {},
      { scenes: 7 },
      { scenes: [null, 4, { elements: 'x' }], fps: 0, audioTrack: [] },
    ])
      assert.ok(listLayers(invalidGraph as unknown as JsonObject).length > 0);
    const deep = Array.from({ length: 600 }).reduce<JsonObject>(
      inner => ({ type: 'group', elements: [inner] }),
      {},
    );
    assert.ok(listLayers({ scenes: [{ elements: [deep] }] }).length < 20);
  });

  it('are changed, moved, added and removed without affecting other layers', () => {
    const text = ['scenes', 0, 'elements', 0] as const;
    const redGraph = setAt(GRAPH, [...text, 'color'], 'red');
    assert.equal(getAt(redGraph, [...text, 'color']), 'red');
    assert.equal(JSON.stringify(setAt(redGraph, [...text, 'color'], undefined)), JSON.stringify(GRAPH));
    assert.deepEqual(Object.keys(setAt(GRAPH, ['width'], 320)), Object.keys(GRAPH));
    const movedGraph = moveLayer(GRAPH, text, 1);
    assert.equal(getAt(movedGraph, ['scenes', 0, 'elements', 1, 'type']), 'text');
    assert.equal(moveLayer(GRAPH, text, -1), GRAPH);
    assert.equal(
      JSON.stringify(moveLayer(movedGraph, ['scenes', 0, 'elements', 1], -1)),
      JSON.stringify(GRAPH),
    );
    const graphWithTrack = insertAt(GRAPH, ['tracks', 0], { elements: [] });
    assert.deepEqual(graphWithTrack.tracks, [{ elements: [] }]);
    assert.deepEqual(removeAt(graphWithTrack, ['tracks', 0]).tracks, []);
  });
});

describe('createLayer', () => {
  it('creates a valid and visible layer of every kind', () => {
    assert.equal(listElementTypes(schema).length, 12);
    for (const label of [...listElementTypes(schema), 'scene', 'track', 'sound']) {
      const { path, item } = createLayer(schema, MINIMAL_GRAPH, ['scenes', 0], label);
      // The file of a sound is an input of the node.
      const graph = createPreviewSceneGraph({
        kind: 'sceneGraph',
        graph: insertAt(MINIMAL_GRAPH, path, item),
      });
      assert.doesNotThrow(() => parseSceneGraph(graph), label);
    }
  });

  it('places the layer next to or inside the selected layer', () => {
    const addTextAt = (...selected: (string | number)[]): string =>
      createLayer(schema, GRAPH, selected, 'text').path.join('/');
    assert.equal(addTextAt('scenes', 0, 'elements', 0), 'scenes/0/elements/1');
    assert.equal(addTextAt('scenes', 0, 'elements', 1), 'scenes/0/elements/1/elements/1');
    assert.equal(addTextAt('scenes', 2), 'scenes/2/elements/0');
    assert.equal(addTextAt('overlays', 0), 'overlays/1');
    assert.equal(addTextAt(), 'scenes/0/elements/2');
    assert.equal(
      createLayer(schema, GRAPH, ['scenes', 0, 'elements', 0], 'scene').path.join('/'),
      'scenes/1',
    );
  });
});

describe('the removal of a layer', () => {
  it('selects the layer before it, or the layer or the video that contains it', () => {
    const item = { type: 'shape' };
    const graph = {
      scenes: [{ elements: [item, { type: 'group', elements: [item] }] }],
      overlays: [item],
      audioTrack: { items: [item] },
    };
    const selectAfter = (...path: Path): string => findNextSelection(graph, path).join('/');
    assert.equal(selectAfter('scenes', 0, 'elements', 1), 'scenes/0/elements/0');
    assert.equal(selectAfter('scenes', 0, 'elements', 0), 'scenes/0/elements/0');
    assert.equal(selectAfter('scenes', 0, 'elements', 1, 'elements', 0), 'scenes/0/elements/1');
    assert.equal(selectAfter('overlays', 0), '');
    assert.equal(selectAfter('audioTrack', 'items', 0), '');
  });
});

describe('a field of the scene-graph schema', () => {
  it('has the control that fits its values', () => {
    const kinds = Object.fromEntries(
      [
        'text',
        'fontSize',
        'color',
        'italic',
        'align',
        'x',
        'duration',
        'zIndex',
        'shadow',
        'filters',
        'name',
      ].map(key => [key, toField(schema, schema.$defs?.Text?.properties?.[key] ?? {}).kind]),
    );
    assert.deepEqual(kinds, {
      text: 'multiline',
      fontSize: 'scalar',
      color: 'color',
      italic: 'flag',
      align: 'choice',
      x: 'scalar',
      duration: 'scalar',
      zIndex: 'number',
      shadow: 'object',
      filters: 'json',
      name: 'text',
    });
    assert.equal(toField(schema, schema.$defs?.Image?.properties?.src ?? {}).kind, 'source');
  });

  it('is parsed as a number, a text with a unit, or JSON', () => {
    assert.deepEqual(['', '12', '-0.5', '50%', '{"keyframes":[]}', '{half', '.5'].map(parseScalar), [
      undefined,
      12,
      -0.5,
      '50%',
      { keyframes: [] },
      '{half',
      0.5,
    ]);
  });
});
