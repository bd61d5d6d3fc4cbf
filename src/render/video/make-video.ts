// Makes videos: reads the files, renders the frames and draws a poster. Limits how many renders run concurrently.
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type CodecSettings, getBackend } from '../../codecs/backend.ts';
import { withTempFolder } from '../../lib/files.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { readRenderFiles } from '../read-files.ts';
import type { ReadSource, SegmentStore } from '../render-io.ts';
import { openScene } from '../scene.ts';
import { drawFrames } from '../stills/draw-frames.ts';
import type { ResourceFiles } from '../stills/still.ts';
import type { Timeline } from '../timeline/compile.ts';
import { renderVideo } from './render-video.ts';
import type { VideoResult } from './video-request.ts';

export interface RenderRequest {
  /** An unvalidated scene graph. */
  readonly graph: unknown;
  readonly read: ReadSource;
  /** Frames [from, to). Default: all frames. */
  readonly range?: readonly [number, number] | undefined;
  /** 0.1 to 1 of the graph's size. */
  readonly scale?: number | undefined;
  /** Frame of the poster. If absent or outside the range, a frame two fifths into the range is used. */
  readonly posterFrame?: number | undefined;
  readonly segmentStore?: SegmentStore | undefined;
  readonly codecs: CodecSettings;
  /** Receives the share of frames that are finished, 0 to 1. */
  readonly onProgress: (fraction: number) => void;
}

export interface RenderedVideo extends VideoResult {
  readonly path: string;
  /** JPEG. */
  readonly poster: Uint8Array;
}

// Each render has its own threads and codecs. At least two run concurrently, so that a short clip does not wait for a
// long one.
const limit = createLimiter({
  concurrency: Math.max(2, Math.ceil(availableParallelism() / 4)),
  maxWaiting: 500,
});
/** Shorter videos are not worth storing in segments. */
const MIN_SEGMENTED_SECONDS = 8;
const POSTER_SIDE = 1280;
/** The share of the progress that is rendering. The rest is storing the result. */
const RENDER_SHARE = 0.98;

/**
 * Makes the video once a slot is free, and removes its file after `onVideo`. Throws
 * `invalid_scene_graph` with pointers, `codec_failed` or `unavailable`; the signal's reason if aborted.
 */
export async function renderWithPoster<T>(
  request: RenderRequest,
  signal: AbortSignal,
  onVideo: (video: RenderedVideo) => Promise<T>,
): Promise<T> {
  // The scene is opened before queueing, so that an invalid one is refused immediately.
  const timeline = openScene(request.graph);
  return limit(
    () =>
      withTempFolder(async folder => {
        const files = await readRenderFiles(timeline.resources.values(), request.read, folder, signal);
        return onVideo(await render({ request, timeline, files, folder }, signal));
      }),
    signal,
  );
}

/** Throws `unavailable` if this machine has no codec, with the package to install. */
export async function requireCodec(codecs: CodecSettings, signal: AbortSignal): Promise<void> {
  await getBackend(codecs, signal);
}

interface RenderInput {
  readonly request: RenderRequest;
  readonly timeline: Timeline;
  readonly files: ResourceFiles;
  readonly folder: string;
}

async function render(input: RenderInput, signal: AbortSignal): Promise<RenderedVideo> {
  const { request, timeline, files, folder } = input;
  const { graph, scale = 1, range = [0, timeline.durationInFrames] } = request;
  const segmentStore =
    range[1] - range[0] > MIN_SEGMENTED_SECONDS * timeline.fps ? request.segmentStore : undefined;
  const path = join(folder, 'video.mp4');
  const segmentFolder = segmentStore === undefined ? undefined : join(folder, 'segments');
  if (segmentFolder !== undefined) {
    await mkdir(segmentFolder);
    await segmentStore?.restore(segmentFolder, signal);
  }
  const videoRequest = {
    graph,
    files,
    range,
    scale,
    path,
    codecs: request.codecs,
    ...(segmentFolder === undefined ? {} : { segmentFolder }),
  };
  const events = {
    onFrame: (done: number, total: number) => request.onProgress((RENDER_SHARE * done) / total),
    onSegment: (segment: string) => segmentStore?.store(segment),
  };
  // If the video or the poster fails, the other is aborted.
  const failureController = new AbortController();
  const eitherSignal = AbortSignal.any([signal, failureController.signal]);
  try {
    const [result, poster] = await Promise.all([
      renderVideo(videoRequest, events, eitherSignal),
      drawPoster(input, range, eitherSignal),
    ]);
    return { ...result, path, poster };
  } finally {
    failureController.abort();
  }
}

async function drawPoster(
  { request, timeline, files }: RenderInput,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { posterFrame = -1, scale: requestedScale = 1 } = request;
  const isInRange = posterFrame >= from && posterFrame < to;
  const frame = isInRange ? posterFrame : from + Math.floor((to - from) * 0.4);
  const scale = Math.max(
    0.1,
    Math.min(requestedScale, POSTER_SIDE / Math.max(timeline.width, timeline.height)),
  );
  const options = { frames: [frame], scale, format: 'jpeg', codecs: request.codecs } as const;
  const poster = await drawFrames(timeline, files, options, signal);
  return poster.frames[0]?.bytes ?? new Uint8Array();
}
