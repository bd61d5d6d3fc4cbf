// A video with all that goes into it: its files read, its frames rendered, and a still of it as its poster; no more at
// once than the machine bears.
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { findBackend } from '../../codecs/backend.ts';
import { withScratch } from '../../codecs/scratch.ts';
import { createGate } from '../../lib/gate.ts';
import type { Settings } from '../../lib/settings.ts';
import { readRenderFiles } from '../files.ts';
import type { PartStore, ReadSource } from '../render-io.ts';
import { openScene } from '../scene.ts';
import { drawFrames } from '../stills/frames.ts';
import type { ResourceFiles } from '../stills/still.ts';
import type { Timeline } from '../timeline/compile.ts';
import type { VideoResult } from './job.ts';
import { renderVideo } from './video.ts';

export interface VideoOrder {
  /** As openScene takes it. */
  readonly graph: unknown;
  readonly read: ReadSource;
  /** Frames [from, to); absent: all. */
  readonly range?: readonly [number, number] | undefined;
  /** 0.1 to 1 of the graph's own size. */
  readonly scale?: number | undefined;
  /** Absent, or outside the range: two fifths into it. */
  readonly posterFrame?: number | undefined;
  readonly parts?: PartStore | undefined;
  /** 0 to 1, by frames. */
  readonly onProgress: (fraction: number) => void;
}

export interface MadeVideo extends VideoResult {
  readonly path: string;
  /** JPEG. */
  readonly poster: Uint8Array;
}

// Each render has threads and codecs of its own. Two at least, so that a clip of a second does not wait for one of an hour.
const gate = createGate({ concurrency: Math.max(2, Math.ceil(availableParallelism() / 4)), maxWaiting: 500 });
/** Up to this long a video is not worth keeping in parts. */
const WHOLE_SECONDS = 8;
const POSTER_SIDE = 1280;
/** What is left for storage. */
const RENDERED = 0.98;

/**
 * Makes the video once there is room, and has the caller take it before its file is removed. AppError
 * `invalid_scene_graph` with pointers, `codec_failed`, `unavailable`; the signal's reason where aborted.
 */
export async function makeVideo<T>(
  order: VideoOrder,
  signal: AbortSignal,
  take: (video: MadeVideo) => Promise<T>,
): Promise<T> {
  // Before the queue: what cannot be rendered is refused at once.
  const timeline = openScene(order.graph);
  return gate(
    () =>
      withScratch(async folder => {
        const files = await readRenderFiles(timeline.resources.values(), order.read, folder, signal);
        return take(await render({ order, timeline, files, folder }, signal));
      }),
    signal,
  );
}

/** AppError `unavailable` where this machine has no codec, with what to install. */
export async function requireCodec(
  settings: Pick<Settings, 'FFMPEG_PATH'>,
  signal: AbortSignal,
): Promise<void> {
  await findBackend(settings, signal);
}

interface Work {
  readonly order: VideoOrder;
  readonly timeline: Timeline;
  readonly files: ResourceFiles;
  readonly folder: string;
}

async function render(work: Work, signal: AbortSignal): Promise<MadeVideo> {
  const { order, timeline, files, folder } = work;
  const { graph, scale = 1, range = [0, timeline.durationInFrames] } = order;
  const parts = range[1] - range[0] > WHOLE_SECONDS * timeline.fps ? order.parts : undefined;
  const path = join(folder, 'video.mp4');
  const segmentFolder = parts === undefined ? undefined : join(folder, 'segments');
  if (segmentFolder !== undefined) {
    await mkdir(segmentFolder);
    await parts?.restore(segmentFolder, signal);
  }
  const job = { graph, files, range, scale, path, ...(segmentFolder === undefined ? {} : { segmentFolder }) };
  const events = {
    onFrame: (done: number, total: number) => order.onProgress((RENDERED * done) / total),
    onSegment: (segment: string) => parts?.keep(segment),
  };
  // Where one of them fails, the other is not waited for.
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  try {
    const [result, poster] = await Promise.all([
      renderVideo(job, events, both),
      drawPoster(work, range, both),
    ]);
    return { ...result, path, poster };
  } finally {
    failed.abort();
  }
}

async function drawPoster(
  { order, timeline, files }: Work,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { posterFrame = -1, scale: wanted = 1 } = order;
  const isShown = posterFrame >= from && posterFrame < to;
  const frame = isShown ? posterFrame : from + Math.floor((to - from) * 0.4);
  const scale = Math.max(0.1, Math.min(wanted, POSTER_SIDE / Math.max(timeline.width, timeline.height)));
  const drawn = await drawFrames(timeline, files, { frames: [frame], scale, format: 'jpeg' }, signal);
  return drawn.frames[0]?.bytes ?? new Uint8Array();
}
