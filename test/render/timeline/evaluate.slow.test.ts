// Tests the evaluator: reproducible frames, durations that add up, overlapping transitions.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EASINGS, ease } from '../../../src/graph/easing.ts';
import { openScene } from '../../../src/render/scene.ts';
import { TRANSITIONS } from '../../../src/render/schema/motion.ts';
import type { Easing } from '../../../src/render/schema/values.ts';
import { createRandomFromText } from '../../../src/render/stills/palette.ts';
import type { DrawNode } from '../../../src/render/timeline/draw-list.ts';
import { evaluateFrame } from '../../../src/render/timeline/evaluate.ts';
import { getTransitionState } from '../../../src/render/timeline/transitions.ts';
import { randomScene } from '../../support/render/random-scene.ts';

const open = (rest: object) => openScene({ fps: 30, width: 400, height: 200, ...rest });
const shape = (rest: object = {}) => ({ type: 'shape', shape: 'rectangle', width: 40, height: 20, ...rest });
const listPointers = (timeline: ReturnType<typeof open>, frame: number) =>
  evaluateFrame(timeline, frame).layers.map(({ pointer }) => pointer);

function getTopNode(timeline: ReturnType<typeof open>, frame: number): DrawNode {
  const node = evaluateFrame(timeline, frame).layers.at(-1)?.node;
  assert.ok(node !== undefined);
  return node;
}

describe('evaluateFrame', () => {
  it('returns the same layers for the same frame in any order of frames', () => {
    for (let seed = 0; seed < 25; seed++) {
      const [timeline, sameTimeline] = [openScene(randomScene(seed)), openScene(randomScene(seed))];
      const frames = [0, 1, 7, timeline.durationInFrames - 1];
      const forward = frames.map(frame => evaluateFrame(timeline, frame));
      const backward = frames.toReversed().map(frame => evaluateFrame(sameTimeline, frame));
      assert.deepEqual(backward.toReversed(), forward, `seed ${seed}`);
    }
  });

  it('draws no control characters, and all line ends of a text', () => {
    const text = 'one\u000btwo\r\nthree\u2028four\u0085five\u001b[0m\tsix\u007f';
    const timeline = open({ scenes: [{ duration: 1, elements: [{ type: 'text', text }] }] });
    assert.match(JSON.stringify(getTopNode(timeline, 0)), /"one\\ntwo\\nthree\\nfour\\nfive\[0m\\tsix"/);
  });

  it('returns the same hash only for an unchanged layer', () => {
    const timeline = open({
      scenes: [
        {
          duration: 2,
          elements: [
            shape(),
            shape({
              x: {
                keyframes: [
                  { time: 0, value: 0 },
                  { time: 2, value: 100 },
                ],
              },
            }),
          ],
        },
      ],
    });
    const [a, b] = [10, 11].map(frame => evaluateFrame(timeline, frame).layers.map(({ hash }) => hash));
    assert.equal(a?.[0], b?.[0]);
    assert.equal(a?.[1], b?.[1]);
    assert.notEqual(a?.[2], b?.[2]);
  });
});

describe('the scenes of a video', () => {
  it('last as long as the video and its shared transitions together', () => {
    const roll = createRandomFromText('durations');
    for (let round = 0; round < 50; round++) {
      const scenes = Array.from({ length: 1 + Math.floor(roll() * 6) }, () => ({
        duration: 0.05 + roll() * 4,
        transition: { type: 'fade', duration: roll() * 3 },
      }));
      const timeline = open({ scenes });
      const lengths = timeline.scenes.reduce((sum, { start, end }) => sum + end - start, 0);
      const shared = timeline.scenes.reduce((sum, { overlap }) => sum + overlap, 0);
      assert.equal(timeline.durationInFrames, lengths - shared);
      for (const [index, { start, end, overlap }] of timeline.scenes.entries()) {
        const next = timeline.scenes[index + 1];
        assert.ok(end > start && overlap * 2 <= end - start);
        // At most two scenes are visible in a frame.
        if (next !== undefined) assert.ok(next.start === end - next.overlap && next.start >= start + overlap);
      }
    }
  });

  it('are both visible only during a transition', () => {
    const timeline = open({
      scenes: [{ duration: 1 }, { duration: 1, transition: { type: 'push', duration: '10f' } }],
    });
    assert.equal(timeline.durationInFrames, 50);
    assert.deepEqual(listPointers(timeline, 19), ['/background']);
    assert.deepEqual(listPointers(timeline, 20), ['/background', '/scenes/0', '/scenes/1']);
    assert.deepEqual(listPointers(timeline, 29), ['/background', '/scenes/0', '/scenes/1']);
    assert.deepEqual(listPointers(timeline, 30), ['/background']);
  });

  it('end at durationInFrames', () => {
    assert.equal(open({ scenes: [{ duration: 9 }], durationInFrames: 12 }).durationInFrames, 12);
  });
});

describe('the elements of a scene', () => {
  it('are visible from their start up to, not including, their end', () => {
    const timeline = open({ scenes: [{ duration: 3, elements: [shape({ start: '10f', duration: 0.5 })] }] });
    const visibleFrames = Array.from({ length: 90 }, (_, frame) => frame).filter(
      frame => listPointers(timeline, frame).length > 1,
    );
    assert.deepEqual([visibleFrames[0], visibleFrames.at(-1), visibleFrames.length], [10, 24, 15]);
  });

  it('are positioned by their anchor in pixels, fractions and percent of the frame', () => {
    const getPosition = (rest: object) =>
      getTopNode(open({ scenes: [{ elements: [shape(rest)] }] }), 0).matrix.slice(4);
    assert.deepEqual(getPosition({}), [180, 90]);
    assert.deepEqual(getPosition({ x: 0, y: 0, anchor: 'top-left' }), [0, 0]);
    assert.deepEqual(getPosition({ x: '100%', y: '50vh', anchor: 'right' }), [360, 90]);
    assert.deepEqual(getPosition({ x: '10vmin', y: 10, anchor: [0, 0] }), [20, 10]);
  });

  it('follow keyframes and are constant before the first and after the last', () => {
    const x = {
      keyframes: [
        { time: 0.5, value: 100 },
        { time: 1, value: 200, easing: 'linear' },
      ],
    };
    const timeline = open({ scenes: [{ duration: 2, elements: [shape({ x, anchor: 'left' })] }] });
    const getX = (frame: number) => getTopNode(timeline, frame).matrix[4];
    assert.deepEqual([getX(0), getX(15), getX(30), getX(59)], [100, 100, 200, 200]);
    assert.ok(Math.abs((getX(21) ?? 0) - 140) < 1e-6);
  });

  it('use the box and time of their group', () => {
    const group = {
      type: 'group',
      start: 1,
      width: 100,
      height: 100,
      speed: 2,
      elements: [shape({ start: 1, x: '50%' })],
    };
    const timeline = open({ scenes: [{ duration: 4, elements: [group] }] });
    const children = (frame: number) => {
      const { content } = getTopNode(timeline, frame);
      return content.kind === 'group' ? content.children : [];
    };
    assert.equal(children(44).length, 0);
    assert.equal(children(45)[0]?.matrix[4], 30);
  });

  it('are ordered by zIndex, then by their position in the list', () => {
    const timeline = open({ scenes: [{ elements: [shape({ zIndex: 1 }), shape(), shape()] }] });
    assert.deepEqual(listPointers(timeline, 0).slice(1), [
      '/scenes/0/elements/1',
      '/scenes/0/elements/2',
      '/scenes/0/elements/0',
    ]);
  });
});

describe('ease', () => {
  it('returns 0 at the start and 1 at the end of every curve', () => {
    const springs = [1, 20, 170, 2000].flatMap(stiffness =>
      [1, 18, 200].map(damping => ({ spring: { stiffness, damping } })),
    );
    const otherEasings: readonly Easing[] = [{ steps: 4 }, { cubicBezier: [0.3, -1, 0.7, 2] }];
    for (const easing of [...EASINGS, ...springs, ...otherEasings]) {
      assert.equal(ease(easing, 0), 0);
      assert.equal(ease(easing, 1), 1);
      for (let step = 1; step < 100; step++) {
        const value = ease(easing, step / 100);
        assert.ok(value > -2 && value < 3, JSON.stringify([easing, step, value]));
      }
    }
  });

  it('has no jump at the end of a spring', () => {
    assert.ok(Math.abs(ease({ spring: {} }, 0.999) - 1) < 0.02);
  });
});

describe('getTransitionState', () => {
  it('shows only the outgoing scene at the start and only the incoming scene at the end', () => {
    for (const type of TRANSITIONS.filter(name => name !== 'cut'))
      for (const direction of ['left', 'right', 'up', 'down'] as const) {
        const getState = (p: number) =>
          getTransitionState(type, { p, direction, width: 160, height: 90, isOpaque: true });
        const { from, dip } = getState(0);
        assert.deepEqual(
          [from.matrix.map(value => Math.round(value) + 0), from.opacity, from.blur, dip],
          [[1, 0, 0, 1, 0, 0], 1, 0, 0],
          type,
        );
        const endState = getState(1);
        assert.deepEqual(
          [
            endState.to.matrix.map(value => Math.round(value) + 0),
            endState.to.opacity,
            endState.to.blur,
            Math.abs(endState.dip),
          ],
          [[1, 0, 0, 1, 0, 0], 1, 0, 0],
          type,
        );
      }
  });
});
