// Tests voice detection and ducking.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDuckGain, findSpeech } from '../../../src/render/sound/duck.ts';
import { createSignal, sine, splitUnevenly, toDecibels } from './signals.ts';

/** Creates speech of an amplitude in intervals of seconds, and returns the intervals that were detected. */
async function detectSpeech(amplitude: number, ...spoken: readonly (readonly [number, number])[]) {
  const sound = createSignal(6, second => {
    const isSpoken = spoken.some(([from, to]) => second >= from && second < to);
    // Between the words there is breath and hiss.
    const value = (isSpoken ? amplitude : amplitude * 0.01) * sine(200, second);
    return [value, value];
  });
  async function* blocks() {
    yield* splitUnevenly(sound);
  }
  return (await findSpeech(blocks())).map(({ start, end }) => [start / 48_000, end / 48_000]);
}

describe('findSpeech', () => {
  it('finds speech in loud and quiet recordings', async () => {
    for (const amplitude of [0.9, 0.02])
      assert.deepEqual(await detectSpeech(amplitude, [1, 2], [4, 4.5]), [
        [1, 2],
        [4, 4.5],
      ]);
  });

  it('joins speech over short pauses', async () => {
    assert.deepEqual(await detectSpeech(0.5, [1, 2], [2.38, 3], [3.46, 4]), [
      [1, 3],
      [3.46, 4],
    ]);
  });

  it('finds no speech in silence', async () => {
    assert.deepEqual(await detectSpeech(0, [1, 2]), []);
  });
});

describe('createDuckGain', () => {
  const spoken = [
    { start: 48_000, end: 96_000 },
    { start: 105_600, end: 144_000 },
  ];
  const gain = createDuckGain(spoken, { decibels: 12, attack: 9600, release: 28_800 });
  const gainAt = (second: number): number => Math.round(toDecibels(gain(second * 48_000)) * 100) / 100;

  it('lowers the gain before the voice and raises it after the voice, evenly in decibels', () => {
    assert.deepEqual(
      [0.8, 0.9, 1, 1.5, 2, 3, 3.3, 3.6, 9].map(gainAt),
      [0, -6, -12, -12, -12, -12, -6, 0, 0],
    );
  });

  it('stays lowered between close words', () => {
    assert.deepEqual([2, 2.06, 2.12, 2.2].map(gainAt), [-12, -10.8, -9.6, -12]);
  });

  it('changes immediately if attack and release are 0', () => {
    const immediateGain = createDuckGain(spoken, { decibels: 20, attack: 0, release: 0 });
    assert.deepEqual([47_999, 48_000, 96_000, 96_001].map(immediateGain), [1, 0.1, 0.1, 1]);
  });
});
