// Reads the peaks of the audio that waveforms show, once per render, before frames are evaluated.

import { type Backend, CHANNELS, SAMPLE_RATE } from '../../codecs/command.ts';
import { type Clip, decodeAudio } from '../../codecs/decode.ts';
import { AppError } from '../../lib/errors.ts';
import type { ResourceFiles } from '../stills/still.ts';
import type { Timeline } from '../timeline/compile.ts';
import type { Peaks, PlayedInterval } from '../timeline/scope.ts';
import { resolveAudio } from './resolve-sounds.ts';

const PEAKS_PER_SECOND = 25;
const LOOKAHEAD_SECONDS = 4;
/** Floor for normalization, so that near-silence is not drawn as loud. */
const SILENCE_LEVEL = 0.01;
const WINDOW_SAMPLES = (SAMPLE_RATE / PEAKS_PER_SECOND) * CHANNELS;

/** Returns the keys of the files that `readPeaks` reads. */
export function listWaveformFiles({ keys }: Timeline): ReadonlySet<string> {
  return new Set(
    [...keys].filter(([element]) => 'type' in element && element.type === 'waveform').map(([, key]) => key),
  );
}

/**
 * Returns the `peaks` of a timeline by file key. A file that cannot be read has no peaks, and its waveforms are reported as
 * missing when they are drawn.
 */
export async function readPeaks(
  timeline: Timeline,
  files: ResourceFiles,
  backend: Backend,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Peaks>> {
  const peaks = new Map<string, Peaks>();
  for (const key of listWaveformFiles(timeline)) {
    const file = files.get(key);
    if (file?.kind !== 'clip' || file.info.audio === undefined) continue;
    try {
      const playedIntervals = findIntervals(timeline, files, key);
      const values = await computePeaks(backend, file, getNeededSeconds(timeline, playedIntervals), signal);
      peaks.set(key, { perSecond: PEAKS_PER_SECOND, values, playedIntervals });
    } catch (err) {
      if (!(err instanceof AppError) || err.code !== 'unreadable_media') throw err;
    }
  }
  return peaks;
}

/** Returns the end of the part that waveforms need, because the video may play only the start of a long file. */
function getNeededSeconds(
  { durationInFrames, fps }: Timeline,
  playedIntervals: readonly PlayedInterval[],
): number {
  if (playedIntervals.length === 0) return durationInFrames / fps;
  const ends = playedIntervals.map(
    ({ start, end, trim, speed, period }) => trim + (period ?? (end - start) * speed),
  );
  return ends.reduce((max, end) => Math.max(max, end), 0);
}

/** Returns the peak amplitude of each window, normalized to the loudest. */
async function computePeaks(
  backend: Backend,
  clip: Clip,
  maxEnd: number,
  signal: AbortSignal,
): Promise<Float32Array> {
  // Waveforms also show audio after the current moment.
  const seconds = Math.min(maxEnd + LOOKAHEAD_SECONDS, clip.info.durationSeconds);
  const values = new Float32Array(Math.ceil(seconds * PEAKS_PER_SECOND));
  let count = 0;
  for await (const block of decodeAudio(backend, clip, { startSeconds: 0, seconds }, signal))
    for (const value of block) {
      const window = Math.floor(count++ / WINDOW_SAMPLES);
      values[window] = Math.max(values[window] ?? 0, Math.abs(value));
    }
  const loudest = values.reduce((greatest, value) => Math.max(greatest, value), SILENCE_LEVEL);
  // Quantized to what a bar can show, so that back ends that differ in the last bit draw the same.
  return values.map(value => Math.round((value / loudest) * 1000) / 1000);
}

/** Returns the intervals in which the video plays the file, as audio or within a clip. */
function findIntervals(timeline: Timeline, files: ResourceFiles, key: string): readonly PlayedInterval[] {
  // A key is the kind followed by the hash of the source.
  const getSource = (resource: string): string => resource.slice(resource.indexOf('-'));
  return resolveAudio(timeline, files)
    .sounds.filter(({ resource }) => getSource(resource) === getSource(key))
    .map(({ start, length, from, sourceSamples, speed, isRepeated }) => ({
      start: start / SAMPLE_RATE,
      end: (start + length) / SAMPLE_RATE,
      trim: from / SAMPLE_RATE,
      speed,
      ...(isRepeated ? { period: sourceSamples / SAMPLE_RATE } : {}),
    }));
}
