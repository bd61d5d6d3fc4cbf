// Draws single frames of a timeline with the available files, after reading the peaks that waveforms show.
import { type CodecSettings, getBackend } from '../../codecs/backend.ts';
import { AppError } from '../../lib/errors.ts';
import type { ImageFormat } from '../paint/canvas.ts';
import { listWaveformFiles, readPeaks } from '../sound/peaks.ts';
import type { Resource, Timeline } from '../timeline/compile.ts';
import { listUsedFiles } from '../timeline/draw-list.ts';
import { evaluateFrame } from '../timeline/evaluate.ts';
import type { DrawnStills, ResourceFiles } from './still.ts';
import { drawSceneStills } from './stills.ts';

/** Returns the files that these frames show, and the files whose audio is shown as waveforms. */
export function findUsedResources(timeline: Timeline, frames: readonly number[]): readonly Resource[] {
  const usedKeys = listUsedFiles(frames.map(frame => evaluateFrame(timeline, frame)));
  const followedKeys = listWaveformFiles(timeline);
  return [...timeline.resources.values()].filter(({ key }) => usedKeys.has(key) || followedKeys.has(key));
}

export interface FramesRequest {
  readonly frames: readonly number[];
  /** 0.1 to 1 of the graph's size. */
  readonly scale: number;
  readonly format: ImageFormat;
  readonly codecs: CodecSettings;
}

/** Draws the frames in order. Content that cannot be shown becomes a warning. */
export async function drawFrames(
  timeline: Timeline,
  files: ResourceFiles,
  { frames, scale, format, codecs }: FramesRequest,
  signal: AbortSignal,
): Promise<DrawnStills> {
  const withPeaks = { ...timeline, peaks: await tryReadPeaks(timeline, files, codecs, signal) };
  const lists = frames.map(frame => evaluateFrame(withPeaks, frame));
  const usedKeys = listUsedFiles(lists);
  const usedFiles = new Map([...files].filter(([key]) => usedKeys.has(key)));
  return drawSceneStills({ lists, files: usedFiles, scale, format, codecs }, signal);
}

/** Reads the peaks. Without a codec there are none, and waveforms are reported as missing. */
async function tryReadPeaks(
  timeline: Timeline,
  files: ResourceFiles,
  codecs: CodecSettings,
  signal: AbortSignal,
): Promise<Timeline['peaks']> {
  if (listWaveformFiles(timeline).size === 0) return timeline.peaks;
  try {
    return await readPeaks(timeline, files, await getBackend(codecs, signal), signal);
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    return timeline.peaks;
  }
}
