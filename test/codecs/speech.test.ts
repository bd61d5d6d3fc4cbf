// Tests the conversion of audio for speech recognition: the tones that remain, blocks of any size, and quiet moments.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CHANNELS, SAMPLE_RATE } from '../../src/codecs/command.ts';
import { findSilence, readSpeech, SPEECH_RATE } from '../../src/codecs/speech.ts';

/** A tone of both channels as blocks of this many frames. */
async function* createTone(hertz: number, seconds: number, blockFrames: number) {
  const frames = seconds * SAMPLE_RATE;
  for (let first = 0; first < frames; first += blockFrames) {
    const count = Math.min(blockFrames, frames - first);
    yield Float32Array.from({ length: count * CHANNELS }, (_, index) =>
      Math.sin((2 * Math.PI * hertz * (first + Math.floor(index / CHANNELS))) / SAMPLE_RATE),
    );
  }
}
const getPeak = (samples: Int16Array): number =>
  samples.subarray(100).reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0) / 32_767;

it('keeps the tones of speech, and removes those that 16 kHz cannot have', async () => {
  assert.ok(Math.abs(getPeak(await readSpeech(createTone(1_000, 1, 4_800), 1)) - 1) < 0.02);
  assert.ok(getPeak(await readSpeech(createTone(10_000, 1, 4_800), 1)) < 0.01);
});

it('does not depend on the size of the blocks', async () => {
  const whole = await readSpeech(createTone(440, 0.5, SAMPLE_RATE), 0.5);
  for (const size of [1, 7, 1000]) {
    const blocks = await readSpeech(createTone(440, 0.5, size), 0.5);
    assert.deepEqual(blocks, whole, String(size));
  }
});

it('finds the quietest moment in the range', async () => {
  const samples = await readSpeech(createTone(440, 10, 4_800), 10);
  samples.fill(0, 2 * SPEECH_RATE, 3 * SPEECH_RATE);
  samples.fill(0, 6 * SPEECH_RATE, 7 * SPEECH_RATE);
  const moment = await findSilence(samples, { fromSeconds: 4, toSeconds: 10 });
  assert.ok(moment > 6 && moment < 7, String(moment));
});
