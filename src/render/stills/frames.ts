// Single frames of a timeline with its files that are there: the waveforms read first, then what the frames show is drawn.
import { findBackend } from '../../codecs/backend.ts';
import { AppError } from '../../lib/errors.ts';
import { readSettings } from '../../lib/settings.ts';
import type { StillFormat } from '../paint/canvas.ts';
import { followedFiles, readPeaks } from '../sound/peaks.ts';
import type { Resource, Timeline } from '../timeline/compile.ts';
import { evaluateFrame } from '../timeline/evaluate.ts';
import { usedFiles } from '../timeline/used-files.ts';
import type { DrawnStills, ResourceFiles } from './still.ts';
import { drawSceneStills } from './stills.ts';

/** Of the timeline's files, those that the frames show or follow. */
export function resourcesOf(timeline: Timeline, frames: readonly number[]): readonly Resource[] {
  const used = usedFiles(frames.map(frame => evaluateFrame(timeline, frame)));
  const followed = followedFiles(timeline);
  return [...timeline.resources.values()].filter(({ key }) => used.has(key) || followed.has(key));
}

export interface FramesOrder {
  readonly frames: readonly number[];
  /** 0.1 to 1 of the graph's own size. */
  readonly scale: number;
  readonly format: StillFormat;
}

/** Draws them in order. What cannot be shown is a warning. */
export async function drawFrames(
  timeline: Timeline,
  files: ResourceFiles,
  { frames, scale, format }: FramesOrder,
  signal: AbortSignal,
): Promise<DrawnStills> {
  const heard = { ...timeline, peaks: await peaksOf(timeline, files, signal) };
  const lists = frames.map(frame => evaluateFrame(heard, frame));
  const used = usedFiles(lists);
  const shown = new Map([...files].filter(([key]) => used.has(key)));
  return drawSceneStills({ lists, files: shown, scale, format, codecs: readSettings() }, signal);
}

/** None where nothing here decodes: the waveforms are then reported as missing. */
async function peaksOf(
  timeline: Timeline,
  files: ResourceFiles,
  signal: AbortSignal,
): Promise<Timeline['peaks']> {
  if (followedFiles(timeline).size === 0) return timeline.peaks;
  try {
    return await readPeaks(timeline, files, await findBackend(readSettings(), signal), signal);
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    return timeline.peaks;
  }
}
