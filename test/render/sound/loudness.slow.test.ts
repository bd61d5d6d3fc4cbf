// Compares loudness with the values of ITU-R BS.1770-4 and EBU Tech 3341 for known signals.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHANNELS, SAMPLE_RATE } from '../../../src/codecs/command.ts';
import { createLoudnessMeter } from '../../../src/render/sound/loudness.ts';
import { createSignal, createTone, sine, splitUnevenly, toAmplitude } from './signals.ts';

function measureLoudness(...sounds: readonly Float32Array[]): number {
  const meter = createLoudnessMeter();
  for (const sound of sounds) for (const block of splitUnevenly(sound)) meter.add(block);
  return meter.integrated();
}

/** Creates a stereo sine of 1 kHz, whose loudness equals its level. A second of the tone can be repeated. */
function toneAt(level: number, seconds: number): Float32Array {
  const second = createTone(1, 1000, toAmplitude(level));
  const sound = new Float32Array(Math.round(seconds * SAMPLE_RATE) * CHANNELS);
  for (let from = 0; from < sound.length; from += second.length)
    sound.set(second.subarray(0, sound.length - from), from);
  return sound;
}

const assertNear = (value: number, expected: number): void =>
  assert.ok(Math.abs(value - expected) <= 0.1, `${value} LUFS, not ${expected}`);

describe('integrated loudness', () => {
  it('is the level of a stereo sine of 1 kHz (EBU Tech 3341, cases 1 and 2)', () => {
    assertNear(measureLoudness(toneAt(-23, 20)), -23);
    assertNear(measureLoudness(toneAt(-33, 20)), -33);
  });

  it('is -3.01 LUFS for a sine of 997 Hz at full scale on one channel (BS.1770)', () => {
    assertNear(measureLoudness(createSignal(4, second => [sine(997, second), 0])), -3.01);
    assertNear(measureLoudness(createSignal(4, second => [0, sine(997, second)])), -3.01);
  });

  it('ignores parts that are quiet compared with the rest (cases 3 and 4)', () => {
    assertNear(measureLoudness(toneAt(-36, 10), toneAt(-23, 60), toneAt(-36, 10)), -23);
    assertNear(
      measureLoudness(toneAt(-72, 10), toneAt(-36, 10), toneAt(-23, 60), toneAt(-36, 10), toneAt(-72, 10)),
      -23,
    );
  });

  it('is the mean power of parts with similar loudness (case 5)', () => {
    assertNear(measureLoudness(toneAt(-26, 20), toneAt(-20, 20.1), toneAt(-26, 20)), -23);
  });

  it('weights low tones less and high tones more', () => {
    const [low, high] = [measureLoudness(createTone(4, 40, 0.1)), measureLoudness(createTone(4, 8000, 0.1))];
    assert.ok(low < -25 && low > -28, `${low} LUFS`);
    assert.ok(high > -17 && high < -16, `${high} LUFS`);
  });

  it('is minus infinity for silence and for sounds shorter than a block', () => {
    assert.equal(measureLoudness(new Float32Array(96_000)), Number.NEGATIVE_INFINITY);
    assert.equal(measureLoudness(createTone(0.3, 1000, 1)), Number.NEGATIVE_INFINITY);
  });
});
