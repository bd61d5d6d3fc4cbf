// Removes noise from speech with RNNoise, and finds the parts with speech with Silero VAD.
import { type LocalTasks, SPEECH_RATE, VOICE_SAMPLES } from '../tasks.ts';
import { loadPackage } from './load-package.ts';
import { createInteger, runModel } from './onnx.ts';

/** RNNoise expects the range of 16-bit samples. */
const RANGE = 32_768;
/** RNNoise returns a frame when it has received this many more. */
const DELAY_FRAMES = 2;
const VOICE_RATE = 16_000;
const REDUCTION = SPEECH_RATE / VOICE_RATE;
/** Each input of the voice model repeats the last samples of the one before. */
const CONTEXT = 64;
const WINDOW = VOICE_SAMPLES / REDUCTION;
const STATE_DIMS = [2, 1, 128];

export async function cleanSpeech({
  model,
  samples,
  skip,
  keep,
}: LocalTasks['speech']['input']): Promise<LocalTasks['speech']['output']> {
  const cleaned = await removeNoise(samples);
  const voice = await detectVoice(model, reduceRate(samples));
  const [first, count] = [Math.floor(skip / VOICE_SAMPLES), Math.ceil(keep / VOICE_SAMPLES)];
  return { samples: cleaned.slice(skip, skip + keep), voice: voice.slice(first, first + count) };
}

interface Rnnoise {
  readonly frameSize: number;
  createDenoiseState(): { processFrame(frame: Float32Array): number; destroy(): void };
}

interface RnnoiseModule {
  readonly Rnnoise: { load(): Promise<Rnnoise> };
}

let rnnoise: Promise<Rnnoise> | undefined;

function loadRnnoise(): Promise<Rnnoise> {
  // The package runs only where it finds a browser or a worker.
  Object.assign(globalThis, { WorkerGlobalScope: class {} });
  rnnoise ??= loadPackage<RnnoiseModule>('@shiguredo/rnnoise-wasm').then(({ Rnnoise: loader }) =>
    loader.load(),
  );
  return rnnoise;
}

async function removeNoise(samples: Float32Array): Promise<Float32Array> {
  const module = await loadRnnoise();
  const { frameSize } = module;
  const state = module.createDenoiseState();
  const result = new Float32Array(samples.length);
  const frame = new Float32Array(frameSize);
  const delay = DELAY_FRAMES * frameSize;
  for (let at = 0; at - delay < samples.length; at += frameSize) {
    for (let index = 0; index < frameSize; index++) frame[index] = (samples[at + index] ?? 0) * RANGE;
    state.processFrame(frame);
    const to = at - delay;
    for (let index = 0; index < frameSize && to + index < result.length; index++)
      if (to + index >= 0) result[to + index] = (frame[index] ?? 0) / RANGE;
  }
  state.destroy();
  return result;
}

/** A low-pass filter of a third of the bandwidth. */
const TAPS = createLowPass(48, 0.9 / (2 * REDUCTION));

function createLowPass(half: number, cutoff: number): Float32Array {
  const taps = Float32Array.from({ length: 2 * half + 1 }, (_, index) => {
    const at = index - half;
    const ideal = at === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * at) / (Math.PI * at);
    return ideal * (0.5 + 0.5 * Math.cos((Math.PI * at) / half));
  });
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map(tap => tap / sum);
}

/** Reduces 48 kHz to 16 kHz. */
function reduceRate(samples: Float32Array): Float32Array {
  const half = (TAPS.length - 1) / 2;
  return Float32Array.from({ length: Math.ceil(samples.length / REDUCTION) }, (_, index) => {
    let sum = 0;
    for (let tap = 0; tap < TAPS.length; tap++)
      sum += (TAPS[tap] ?? 0) * (samples[index * REDUCTION + tap - half] ?? 0);
    return sum;
  });
}

/** Returns the probability of speech in each window. */
async function detectVoice(model: string, samples: Float32Array): Promise<Float32Array> {
  const count = Math.ceil(samples.length / WINDOW);
  const result = new Float32Array(count);
  const rate = await createInteger(VOICE_RATE);
  let state = new Float32Array(2 * 128);
  const window = new Float32Array(CONTEXT + WINDOW);
  for (let index = 0; index < count; index++) {
    window.copyWithin(0, WINDOW);
    window.fill(0, CONTEXT);
    window.set(samples.subarray(index * WINDOW, (index + 1) * WINDOW), CONTEXT);
    const outputs = await runModel(model, {
      input: { values: window, dims: [1, window.length] },
      state: { values: state, dims: STATE_DIMS },
      sr: rate,
    });
    result[index] = outputs.find(({ name }) => name === 'output')?.values[0] ?? 0;
    state = Float32Array.from(outputs.find(({ name }) => name === 'stateN')?.values ?? state);
  }
  return result;
}
