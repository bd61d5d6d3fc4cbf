// Tests the keyframes of the scene editor: which properties can be animated, and the curve of the strip.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveRef, type Schema } from '../../../editor/pages/editor/video-editor/json-schema.ts';
import {
  addKeyframe,
  animate,
  drawStrip,
  findKeyframeValue,
  readKeyframes,
} from '../../../editor/pages/editor/video-editor/keyframes.ts';
import { createLayer, findElementSchema } from '../../../editor/pages/editor/video-editor/new-layers.ts';
import type { JsonObject } from '../../../src/graph/types.ts';
import { openScene } from '../../../src/render/scene.ts';
import { SCENE_GRAPH_SCHEMA } from '../../../src/render/schema/scene-graph.ts';

const schema = JSON.parse(JSON.stringify(SCENE_GRAPH_SCHEMA)) as Schema;

describe('keyframes', () => {
  it('can animate numbers and lengths, but no texts', () => {
    const { properties = {} } = findElementSchema(schema, 'text') ?? {};
    const canAnimate = (key: string): boolean =>
      findKeyframeValue(schema, resolveRef(schema, properties[key] ?? {})) !== undefined;
    assert.deepEqual(
      ['opacity', 'x', 'rotation', 'text', 'hidden'].map(key => [key, canAnimate(key)]),
      [
        ['opacity', true],
        ['x', true],
        ['rotation', true],
        ['text', false],
        ['hidden', false],
      ],
    );
  });

  it('begin with a constant value, and are valid in a scene', () => {
    const opacity = animate(0.5);
    const keyframes = readKeyframes(opacity) ?? [];
    assert.deepEqual(addKeyframe(keyframes).at(-1), { time: 2, value: 0.5 });
    openScene({
      fps: 30,
      width: 64,
      height: 64,
      scenes: [{ duration: 2, elements: [{ type: 'text', text: 'a', opacity }] }],
    });
    assert.equal(readKeyframes(0.5), undefined);
    assert.equal(readKeyframes({ keyframes: ['x'] }), undefined);
  });

  it('draw the curve from left to right in the order of their times', () => {
    const { points, marks } = drawStrip([
      { time: '2s', value: 10, easing: 'linear' },
      { time: 0, value: 0 },
    ]);
    assert.deepEqual(marks, [
      { x: 0, y: 1 },
      { x: 1, y: 0 },
    ]);
    const [x = 0, y = 0] = points[13] ?? [];
    assert.ok(Math.abs(1 - x - y) < 1e-9, `${x} ${y}`);
    // A curve may leave the range of its keyframes.
    const back = drawStrip([
      { time: 0, value: 0 },
      { time: 1, value: 1, easing: 'back-out' },
    ]);
    assert.ok((back.marks[1]?.y ?? 0) > 0);
  });

  it('draw constant values, colors and invalid easings', () => {
    for (const [value, easing] of [
      [3, 'linear'],
      ['#ff0000', { spring: {} }],
      [[1, 2], 'nonsense'],
    ] as const)
      for (const [x, y] of drawStrip([
        { time: 0, value: value as number },
        { time: 0, value: value as number, easing: easing as string },
      ]).points)
        assert.ok(x >= 0 && x <= 1 && y >= 0 && y <= 1, `${x} ${y}`);
  });
});

it('makes the file of a new sound an input of the node', () => {
  const graph: JsonObject = { fps: 30, width: 64, height: 64, scenes: [{ duration: 1, elements: [] }] };
  const first = createLayer(schema, graph, [], 'sound').item as JsonObject;
  assert.equal(first.src, '{{music}}');
  const second = createLayer(schema, { ...graph, audioTrack: { items: [first] } }, [], 'sound').item;
  assert.equal((second as JsonObject).src, '{{music2}}');
});
