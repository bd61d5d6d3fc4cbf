// Tests that a painter that redraws only changed regions draws the same pixels as a painter that redraws every frame.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { openScene } from '../../src/render/scene.ts';
import { createRandomFromText } from '../../src/render/stills/palette.ts';
import type { Timeline } from '../../src/render/timeline/compile.ts';
import { paintTwice, type TwicePaintedFrame } from '../support/render/painting.ts';
import { randomScene } from '../support/render/random-scene.ts';
import { isNightly } from '../support/tier.ts';
import { GOLDEN_SCENES } from './golden-scenes.ts';

const SEEDS = Array.from({ length: isNightly ? 40 : 4 }, (_, index) => index);
/** The frames that are drawn after the first frame of a sequence. */
const STEPS = isNightly ? 14 : 3;

/** Sequences of neighboring frames, still frames, and jumps. */
function listFrames({ durationInFrames }: Timeline, seed: number): readonly number[] {
  const roll = createRandomFromText(`walk ${seed}`);
  const frames = [Math.floor(roll() * Math.min(durationInFrames, 60))];
  for (let step = 0; step < STEPS; step++) {
    const last = frames.at(-1) ?? 0;
    const next = roll() < 0.75 ? last + 1 : Math.floor(roll() * durationInFrames);
    frames.push(roll() < 0.1 ? last : next % durationInFrames);
  }
  return frames;
}

function openRandom(seed: number): Timeline | undefined {
  try {
    return openScene(randomScene(seed));
  } catch (err) {
    if (err instanceof AppError) return undefined;
    throw err;
  }
}

describe('a painter that reuses the previous frame', () => {
  it('draws random scenes like a new painter', async () => {
    for (const seed of SEEDS) {
      const timeline = openRandom(seed);
      if (timeline !== undefined) await checkSequence(timeline, listFrames(timeline, seed), `seed ${seed}`);
    }
  });

  for (const [name, { graph }] of Object.entries(GOLDEN_SCENES))
    it(`draws ${name} like a new painter`, async () => {
      const timeline = openScene(graph);
      await checkSequence(timeline, listFrames(timeline, 1), name);
    });
});

const openWithCaptions = (rest: object = {}): Timeline =>
  openScene({
    fps: 10,
    width: 160,
    height: 120,
    background: {
      type: 'radial',
      stops: [
        { offset: 0, color: '#fff' },
        { offset: 1, color: '#00f' },
      ],
    },
    scenes: [{ duration: 2, elements: [{ type: 'text', text: 'Title', y: '20%', textShadow: {} }] }],
    overlays: [0, 1].map(index => ({
      type: 'text',
      text: `Word ${index}`,
      start: index,
      duration: 1,
      y: '85%',
      fontSize: 14,
      ...rest,
    })),
  });

describe('the changed rows of a frame', () => {
  const paintRows = async (timeline: Timeline, frames: readonly number[]) =>
    (await paintTwice(timeline, frames)).map(({ rows }) => rows);

  it('are all rows of the first frame and no rows of an unchanged frame', async () => {
    assert.deepEqual(await paintRows(openWithCaptions(), [0, 1, 2, 9]), [
      [0, 120],
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('include a word that replaces another word', async () => {
    const [, rows = [0, 120]] = await paintRows(openWithCaptions(), [9, 10]);
    assert.ok(rows[0] > 60 && rows[1] - rows[0] < 60, `rows ${rows}`);
  });

  it('include the area of a shadow and a blur', async () => {
    const [, plainRows = [0, 0]] = await paintRows(openWithCaptions(), [9, 10]);
    const [, shadowRows = [0, 0]] = await paintRows(
      openWithCaptions({ shadow: { blur: 20, y: -30 } }),
      [9, 10],
    );
    const [, blurRows = [0, 0]] = await paintRows(
      openWithCaptions({ filters: [{ type: 'blur', amount: 6 }] }),
      [9, 10],
    );
    assert.ok(
      shadowRows[0] <= plainRows[0] - 30 && blurRows[0] <= plainRows[0] - 6,
      `rows ${plainRows}, ${shadowRows}, ${blurRows}`,
    );
  });
});

/** A copied color may be rounded differently than a drawn color. */
const MAX_ROUNDING_DIFFERENCE = 5;
/** A curve that is cut off by a redrawn region differs slightly. */
const MAX_EDGE_DIFFERENCE = 48;
const MAX_EDGE_SHARE = 0.002;

async function checkSequence(timeline: Timeline, frames: readonly number[], label: string): Promise<void> {
  for (const painted of await paintTwice(timeline, frames)) {
    const { frame, newPixels, reusedPixels } = painted;
    let edges = 0;
    for (let index = 0; index < newPixels.length; index++) {
      const difference = Math.abs((newPixels[index] ?? 0) - (reusedPixels[index] ?? 0));
      if (difference <= MAX_ROUNDING_DIFFERENCE) continue;
      edges++;
      const [x, y] = [(index >> 2) % timeline.width, Math.floor((index >> 2) / timeline.width)];
      assert.ok(
        difference <= MAX_EDGE_DIFFERENCE,
        `${label}, frame ${frame}: ${x}, ${y} differs by ${difference}`,
      );
    }
    assert.ok(edges <= MAX_EDGE_SHARE * newPixels.length, `${label}, frame ${frame}: ${edges} values differ`);
    checkRows(painted, timeline.width * 4, `${label}, frame ${frame}`);
  }
}

/** Checks that the rows that were not reported did not change. */
function checkRows(
  { reusedPixels, previousPixels, rows }: TwicePaintedFrame,
  stride: number,
  label: string,
): void {
  if (previousPixels === undefined) return;
  for (let row = 0; row * stride < reusedPixels.length; row++) {
    if (rows !== undefined && row >= rows[0] && row < rows[1]) continue;
    const [from, to] = [row * stride, (row + 1) * stride];
    assert.ok(
      reusedPixels.subarray(from, to).equals(previousPixels.subarray(from, to)),
      `${label}: row ${row} changed but was not reported`,
    );
  }
}
