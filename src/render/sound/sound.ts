// Renders the audio of a video: mixes the sounds, lowers music under speech, and normalizes the loudness.
import { type Backend, CHANNELS, SAMPLE_RATE } from '../../codecs/command.ts';
import type { AudioStream } from '../../codecs/mix.ts';
import type { Time } from '../schema/values.ts';
import type { ResourceFiles } from '../stills/still.ts';
import type { Timeline } from '../timeline/compile.ts';
import { toSeconds } from '../timeline/scope.ts';
import { createDuckGain, findSpeech } from './duck.ts';
import { createSoundGain, createVolumeGain, type Gain } from './gain.ts';
import { createPeakLimiter, LIMITER_DELAY } from './limiter.ts';
import { createLoudnessMeter } from './loudness.ts';
import { GAIN_STEP_SAMPLES, type MixInput, mixInputs } from './mixer.ts';
import { BLOCK_SAMPLES, toSample } from './plan.ts';
import { type ResolvedSound, resolveAudio } from './resolve-sounds.ts';
import { createSoundReader } from './sound-reader.ts';

const DEFAULT_LUFS = -14;
/** Maximum loudness correction in decibels, so that quiet audio and noise are not amplified too much. */
const MAX_GAIN_DECIBELS = 24;
const DUCK = { decibels: 12, attack: 0.2, release: 0.6 } as const;
/** The limiter needs this many blocks before a range to reach the same state as in the complete video. */
const WARM_UP_BLOCKS = 20;

/**
 * Yields interleaved stereo at 48 kHz in blocks of any size, for the frames [from, to). The audio of a range equals that
 * part of the complete video. Throws `unreadable_media` with the sound's pointer, or `invalid_scene_graph`.
 */
export async function* renderAudio(
  timeline: Timeline,
  files: ResourceFiles,
  [from, to]: readonly [number, number],
  backend: Backend,
  signal: AbortSignal,
): AsyncGenerator<Float32Array> {
  const { sounds } = resolveAudio(timeline, files);
  const total = toSample(timeline.durationInFrames, timeline.fps);
  const [firstSample, lastSample] = [toSample(from, timeline.fps), toSample(to, timeline.fps)];
  const soundReader = createSoundReader(backend, signal);
  const mix: Mix = (inputs, range) => mixInputs(inputs, soundReader, range, signal);
  const inputs = await duckUnderSpeech(timeline, sounds, speech => mix(speech, [0, total]));
  const gain = createMasterGain(
    timeline,
    total,
    await measureLoudnessFactor(timeline, () => mix(inputs, [0, total])),
  );
  const start = Math.max(0, Math.floor(firstSample / BLOCK_SAMPLES) - WARM_UP_BLOCKS) * BLOCK_SAMPLES;
  const limit = createPeakLimiter();
  let position = start - LIMITER_DELAY;
  let sample = start;
  for await (const block of mix(inputs, [start, lastSample + LIMITER_DELAY])) {
    amplify(block, sample, gain);
    sample += block.length / CHANNELS;
    const limited = limit(block);
    const output = limited.subarray(Math.max(0, firstSample - position) * CHANNELS);
    position += limited.length / CHANNELS;
    if (output.length > 0) yield output;
  }
}

type Mix = (inputs: readonly MixInput[], range: readonly [number, number]) => AudioStream;

/** Adds a gain to each sound. If the graph has `duck` and a voice, music and effects are lowered during speech. */
async function duckUnderSpeech(
  timeline: Timeline,
  sounds: readonly ResolvedSound[],
  mixWhole: (inputs: readonly MixInput[]) => AudioStream,
): Promise<readonly MixInput[]> {
  const inputs = sounds.map((sound): MixInput => ({ sound, gain: createSoundGain(sound, timeline) }));
  const { fps, durationInFrames, graph } = timeline;
  const duck = graph.audioTrack?.duck;
  const speech = inputs.filter(({ sound }) => sound.role === 'voice');
  if (duck === undefined || speech.length === 0 || speech.length === inputs.length) return inputs;
  const toSamples = (time: Time): number => toSeconds(time, durationInFrames / fps, fps) * SAMPLE_RATE;
  const duckGain = createDuckGain(await findSpeech(mixWhole(speech)), {
    decibels: duck.by ?? DUCK.decibels,
    attack: toSamples(duck.attack ?? DUCK.attack),
    release: toSamples(duck.release ?? DUCK.release),
  });
  return inputs.map(({ sound, gain }) =>
    sound.role === 'voice' ? { sound, gain } : { sound, gain: sample => gain(sample) * duckGain(sample) },
  );
}

/** Returns the gain that normalizes the loudness. Measures the whole audio, so that every range is equally loud. */
async function measureLoudnessFactor({ graph }: Timeline, mixWhole: () => AudioStream): Promise<number> {
  const { loudness = graph.audioTrack === undefined ? 'off' : DEFAULT_LUFS } = graph.audioTrack ?? {};
  if (loudness === 'off') return 1;
  const meter = createLoudnessMeter();
  for await (const block of mixWhole()) meter.add(block);
  const loudnessLufs = meter.integrated();
  return Number.isFinite(loudnessLufs)
    ? 10 ** (Math.min(MAX_GAIN_DECIBELS, loudness - loudnessLufs) / 20)
    : 1;
}

function createMasterGain(timeline: Timeline, total: number, factor: number): Gain {
  const span = total / SAMPLE_RATE;
  const volume = createVolumeGain(
    timeline.graph.audioTrack?.volume ?? 1,
    { start: 0, rate: 1, span },
    timeline,
  );
  return sample => factor * volume(sample);
}

/** Applies the gain in place. The block must start at a multiple of GAIN_STEP_SAMPLES. */
function amplify(block: Float32Array, from: number, gain: Gain): void {
  let high = gain(from);
  for (let i = 0; i < block.length; i += GAIN_STEP_SAMPLES * CHANNELS) {
    const low = high;
    high = gain(from + i / CHANNELS + GAIN_STEP_SAMPLES);
    const end = Math.min(block.length, i + GAIN_STEP_SAMPLES * CHANNELS);
    for (let k = i; k < end; k++)
      block[k] = (block[k] as number) * (low + ((high - low) * ((k - i) >> 1)) / GAIN_STEP_SAMPLES);
  }
}
