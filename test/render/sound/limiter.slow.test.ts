// Tests the limiter: nothing exceeds the ceiling, and sound below the ceiling does not change.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPeakLimiter, LIMITER_DELAY } from '../../../src/render/sound/limiter.ts';
import { createRandomFromText } from '../../../src/render/stills/palette.ts';
import {
  createSignal,
  createTone,
  joinBlocks,
  measureLevel,
  measureTruePeak,
  sine,
  splitUnevenly,
  toAmplitude,
  toDecibels,
} from './signals.ts';

/** Returns the output of the limiter, without its delay. */
function applyLimiter(sound: Float32Array): Float32Array {
  const limit = createPeakLimiter();
  const paddedSound = joinBlocks([sound, new Float32Array(LIMITER_DELAY * 2)]);
  return joinBlocks([...splitUnevenly(paddedSound)].map(limit)).subarray(LIMITER_DELAY * 2);
}

const roll = createRandomFromText('limiter');
let lastValue = 0;
const LOUD_SOUNDS = {
  'a sine far too loud': createTone(0.2, 997, 3),
  'a tone whose peaks lie between its samples': createSignal(0.2, (_, sample) => {
    const value = 1.6 * Math.sin((Math.PI / 2) * sample + Math.PI / 4);
    return [value, -value];
  }),
  // The noise has no highest frequencies, like all sampled sound.
  noise: createSignal(0.2, () => {
    const [previousValue, value] = [lastValue, roll() * 6 - 3];
    lastValue = value;
    return [(value + previousValue) / 2, (value + previousValue) / -3];
  }),
  'clicks at one side': createSignal(0.2, (_, sample) => [sample % 4001 === 2000 ? 5 : 0, 0]),
  'bass that starts and stops': createSignal(0.3, second => {
    const value = second % 0.2 < 0.1 ? 4 * sine(60, second) : 0.1 * sine(60, second);
    return [value, value];
  }),
};

describe('the limiter', () => {
  for (const [name, sound] of Object.entries(LOUD_SOUNDS))
    it(`keeps ${name} below -1 dBTP`, () => {
      const peak = toDecibels(measureTruePeak(applyLimiter(sound)));
      assert.ok(peak <= -1 && peak > -4, `${peak} dBTP`);
    });

  it('does not change sound below the ceiling', () => {
    const sound = createTone(0.3, 440, toAmplitude(-2));
    assert.deepEqual(applyLimiter(sound), sound);
  });

  it('lowers the gain before a peak and recovers after the peak', () => {
    const sound = createSignal(2, (second, sample) => {
      const value = sample === 48_000 ? 3 : 0.5 * sine(1000, second);
      return [value, value];
    });
    const out = applyLimiter(sound);
    const before = measureLevel(out, 0, 0, 0.99);
    assert.ok(Math.abs(before - 0.5 * Math.SQRT1_2) < 1e-4, 'The gain does not change long before the peak.');
    assert.ok(
      measureLevel(out, 0, 1.001, 1.01) < before * 0.45,
      'The gain is still low right after the peak.',
    );
    assert.ok(measureLevel(out, 0, 1.7, 1.99) > before * 0.995, 'The gain has recovered later.');
  });

  it('lowers both channels equally', () => {
    const out = applyLimiter(createSignal(0.5, second => [2 * sine(500, second), 0.5 * sine(500, second)]));
    assert.ok(Math.abs(measureLevel(out, 0, 0.1, 0.4) / measureLevel(out, 1, 0.1, 0.4) - 4) < 1e-3);
  });
});
