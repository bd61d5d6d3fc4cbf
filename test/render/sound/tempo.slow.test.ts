// Tests that sound at another speed has the expected length and the original pitch.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTempo } from '../../../src/render/sound/tempo.ts';
import { isNightly } from '../../support/tier.ts';
import {
  countCrossings,
  createSignal,
  createTone,
  joinBlocks,
  measureLevel,
  sine,
  splitUnevenly,
} from './signals.ts';

function changeSpeed(sound: Float32Array, speed: number): Float32Array {
  const tempo = createTempo(speed);
  return joinBlocks([...[...splitUnevenly(sound)].map(tempo), tempo(undefined)]);
}

describe('createTempo', () => {
  for (const speed of isNightly ? [0.25, 0.5, 0.75, 1.25, 2, 4, 10] : [0.5, 1.25, 10])
    it(`changes the length at the same pitch and level (speed ${speed})`, () => {
      const out = changeSpeed(createTone(4, 440, 0.5), speed);
      const seconds = out.length / 2 / 48_000;
      assert.ok(Math.abs(seconds - 4 / speed) <= 0.021, `${seconds} s`);
      const end = 4 / speed - 0.1;
      assert.ok(
        Math.abs(countCrossings(out, 0.05, end) - 440) < 440 * 0.02,
        `${countCrossings(out, 0.05, end)} Hz`,
      );
      assert.ok(
        Math.abs(measureLevel(out, 0, 0.05, end) - 0.5 * Math.SQRT1_2) < 0.01,
        'as loud, without gaps',
      );
    });

  it('moves events to their new time', () => {
    const burst = (second: number): number => (second > 2 && second < 2.5 ? sine(300, second) : 0);
    const sound = createSignal(4, second => [burst(second), burst(second)]);
    for (const speed of [0.5, 2]) {
      const out = changeSpeed(sound, speed);
      const [start, end] = [2 / speed, 2.5 / speed];
      assert.ok(measureLevel(out, 0, start - 0.2 / speed, start - 0.03) < 0.01, 'silent before');
      assert.ok(measureLevel(out, 0, start + 0.03, end - 0.03) > 0.6, 'there at its time');
      assert.ok(measureLevel(out, 0, end + 0.03, end + 0.2 / speed) < 0.01, 'silent after');
    }
  });

  it('changes nothing at speed 1', () => {
    const sound = createTone(0.5, 523, 0.5);
    const out = changeSpeed(sound, 1);
    for (let i = 0; i < sound.length - 4000; i += 101)
      assert.ok(Math.abs((out[i] as number) - (sound[i] as number)) < 1e-6);
  });

  it('returns the same samples for any block size', () => {
    const sound = createSignal(1, second => [sine(200 + 300 * second, second), sine(90, second)]);
    const tempo = createTempo(1.5);
    assert.deepEqual(changeSpeed(sound, 1.5), joinBlocks([tempo(sound), tempo(undefined)]));
  });
});
