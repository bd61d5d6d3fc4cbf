// Creates the workspace of a video or audio node: the codec back end, a temporary folder, and functions that open media
// as clips and store encoded results.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getBackend } from '../codecs/backend.ts';
import type { Backend } from '../codecs/command.ts';
import { type Clip, decodeFrames, type FramesRequest } from '../codecs/decode.ts';
import { type EncodeRequest, encode } from '../codecs/encode.ts';
import type { VideoInfo } from '../codecs/media-info.ts';
import { probeMedia } from '../codecs/probe/probe.ts';
import type { MediaRef } from '../graph/types.ts';
import { withTempFolder } from '../lib/files.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { Size } from '../render/paint/fit-image.ts';
import { type NodeContext, NodeError } from './define.ts';

/** The maximum duration of a result. */
export const MAX_SECONDS = 600;
export const MAX_FPS = 60;
const MAX_PIXELS = 3840 * 2160;
const MAX_RESULT_BYTES = 500 * 1024 * 1024;

// Each node runs one to three codec processes, which compete for the CPUs with everything else.
const limit = createLimiter({ concurrency: 2, maxWaiting: 500 });

/** The declaration shared by all nodes that use codecs. */
export const CODEC_NODE = { category: 'utility', requires: 'codec', cache: true } as const;

export interface MediaWorkspace {
  readonly backend: Backend;
  /** Opens media as a clip. Throws NodeError `unreadable_media` if it has no track of this kind. */
  open(ref: MediaRef, kind: 'video' | 'audio'): Promise<Clip>;
  /** Encodes a file, stores it as media, and reports progress by frames. */
  createFile(name: string, request: Omit<EncodeRequest, 'path' | 'onFrame'>): Promise<MediaRef>;
}

/** Runs `work` in a new workspace once a slot is free, and removes the workspace's files afterwards. */
export function withMediaWorkspace<T>(
  ctx: NodeContext,
  work: (workspace: MediaWorkspace) => Promise<T>,
): Promise<T> {
  return limit(async () => {
    const backend = await getBackend(ctx.settings, ctx.signal);
    return withTempFolder(folder => work(createWorkspace(backend, folder, ctx)));
  }, ctx.signal);
}

function createWorkspace(backend: Backend, folder: string, ctx: NodeContext): MediaWorkspace {
  let count = 0;
  return {
    backend,
    async open(ref, kind) {
      const path = join(folder, `input-${count++}`);
      await writeFile(path, await ctx.media.read(ref));
      const info = await probeMedia(path, ctx.signal);
      if (info[kind] === undefined) {
        throw new NodeError('unreadable_media', `The file has no ${kind === 'video' ? 'video' : 'audio'}.`);
      }
      return { path, info };
    },
    async createFile(name, request) {
      const path = join(folder, `output-${count++}.mp4`);
      const { maxSeconds, video } = request;
      if (maxSeconds > MAX_SECONDS) {
        throw new NodeError(
          'too_long',
          `The result would last ${Math.round(maxSeconds)} s. The maximum is ${MAX_SECONDS} s.`,
        );
      }
      const total = maxSeconds * (video?.fps ?? 1);
      const onFrame = (frameCount: number) => ctx.progress(Math.min(1, frameCount / total));
      await encode(backend, { ...request, path, onFrame }, ctx.signal);
      if ((await stat(path)).size > MAX_RESULT_BYTES) {
        throw new NodeError('file_too_large', 'The result is larger than 500 MB.');
      }
      const [contentType, extension] = video === undefined ? ['audio/mp4', 'm4a'] : ['video/mp4', 'mp4'];
      return ctx.media.put(await readFile(path), { contentType, name: `${name}.${extension}` });
    },
  };
}

/** Returns the size with even sides, scaled down to at most 4K. */
export function toEvenSize({ width, height }: Size): Size {
  const factor = Math.min(1, Math.sqrt(MAX_PIXELS / (width * height)));
  const even = (side: number): number => Math.max(2, Math.floor((side * factor) / 2) * 2);
  return { width: even(width), height: even(height) };
}

/** Returns the video track of a clip that `open` has checked. */
export function getVideoInfo({ info }: Clip): VideoInfo {
  if (info.video === undefined) throw new NodeError('unreadable_media', 'The file has no video.');
  return info.video;
}

/** Returns the frames of part of a clip as input for the encoder. */
export function selectFrames(
  { backend }: MediaWorkspace,
  clip: Clip,
  part: Omit<FramesRequest, 'pixels'>,
  signal: AbortSignal,
): NonNullable<EncodeRequest['video']> {
  const { width, height, fps } = part;
  const frames = decodeFrames(backend, clip, { ...part, pixels: 'i420' }, signal);
  return { width, height, fps, pixels: 'i420', frames };
}

/** Returns the number of frames, at least one. */
export const countFrames = (seconds: number, fps: number): number => Math.max(1, Math.round(seconds * fps));

/** Returns the requested range. Throws NodeError if it starts after the end of the file. */
export function selectRange(
  { info }: Clip,
  start: number,
  duration: number | undefined,
): { readonly startSeconds: number; readonly seconds: number } {
  const remaining = info.durationSeconds - start;
  if (remaining <= 0) {
    throw new NodeError(
      'invalid_range',
      `The cut starts at ${start} s, but the file ends at ${info.durationSeconds.toFixed(2)} s.`,
    );
  }
  return { startSeconds: start, seconds: Math.min(remaining, duration ?? remaining) };
}
