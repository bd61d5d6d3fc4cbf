// Renders a scene and stores the video and its poster as media of the run.

import type { MediaRef } from '../graph/types.ts';
import { readFileChunks } from '../lib/files.ts';
import type { RenderedVideo, RenderRequest } from '../render/video/make-video.ts';
import type { NodeContext } from './define.ts';

/** Renders a video, in one piece unless the request has a segment store, and stores it with its poster. */
export async function renderAndStore(
  ctx: NodeContext,
  name: string,
  request: Omit<RenderRequest, 'codecs' | 'onProgress'>,
): Promise<MediaRef> {
  const { renderWithPoster } = await import('../render/video/make-video.ts');
  const onProgress = (fraction: number): void => ctx.progress(fraction);
  return renderWithPoster({ ...request, codecs: ctx.settings, onProgress }, ctx.signal, video =>
    storeVideo(ctx, name, video),
  );
}

/** Renders in segments, which the next worker reuses if this worker stops. Otherwise the segments are removed. */
export async function renderInSegments(
  ctx: NodeContext,
  name: string,
  request: Omit<RenderRequest, 'codecs' | 'onProgress' | 'segmentStore'>,
): Promise<MediaRef> {
  const segmentStore = ctx.openSegments();
  try {
    return await renderAndStore(ctx, name, { ...request, segmentStore });
  } finally {
    if (!isReassigned(ctx.signal)) await segmentStore.drop();
  }
}

/** Returns whether another worker continues the node. */
function isReassigned({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason !== 'cancelled' && reason !== 'timeout';
}

async function storeVideo(ctx: NodeContext, name: string, video: RenderedVideo): Promise<MediaRef> {
  const { width, height, fps, frameCount, backend, warnings, durationSeconds: duration } = video;
  const poster = await ctx.media.put(video.poster, { contentType: 'image/jpeg', name: `${name}-poster.jpg` });
  const { mediaId: posterId, url: posterUrl } = poster;
  const file = { contentType: 'video/mp4', name: `${name}.mp4`, width, height, duration, posterId };
  const ref = await ctx.media.put(readFileChunks(video.path), file);
  return { ...ref, render: { posterId, posterUrl, fps, frameCount, backend, warnings } };
}
