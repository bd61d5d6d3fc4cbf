// The workspace of video and audio nodes: a back end, a private folder, clips opened from media, results stored as
// media.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findBackend } from '../codecs/backend.ts';
import { type Clip, decodeFrames, type FramesRequest } from '../codecs/decode.ts';
import { type EncodeRequest, encode } from '../codecs/encode.ts';
import type { VideoFacts } from '../codecs/facts.ts';
import type { Backend } from '../codecs/job.ts';
import { probeMedia } from '../codecs/probe/probe.ts';
import { withScratch } from '../codecs/scratch.ts';
import type { MediaRef } from '../graph/types.ts';
import { createGate } from '../lib/gate.ts';
import { readSettings } from '../lib/settings.ts';
import type { Size } from '../render/paint/fit-image.ts';
import { type NodeContext, NodeError } from './define.ts';

/** The longest video or sound that a node makes. */
export const MAX_SECONDS = 600;
export const MAX_FPS = 60;
const MAX_PIXELS = 3840 * 2160;
const MAX_RESULT_BYTES = 500 * 1024 * 1024;

// Each job has one to three codec processes, which share the processors with everything else.
const gate = createGate({ concurrency: 2, maxWaiting: 500 });

/** What all nodes that use a codec have in common. */
export const CODEC_NODE = { category: 'utility', requires: 'codec', cache: true } as const;

export interface Studio {
  readonly backend: Backend;
  /** A clip with the required tracks. Throws NodeError `unreadable_media` if they are missing. */
  open(ref: MediaRef, kind: 'video' | 'audio'): Promise<Clip>;
  /** Encodes and stores; progress is reported by frames if there are any. */
  make(name: string, request: Omit<EncodeRequest, 'path' | 'onFrame'>): Promise<MediaRef>;
}

/** Runs the work once a slot is free; its files are removed afterwards. */
export function inStudio<T>(ctx: NodeContext, work: (studio: Studio) => Promise<T>): Promise<T> {
  return gate(async () => {
    const backend = await findBackend(readSettings(), ctx.signal);
    return withScratch(folder => work(createStudio(backend, folder, ctx)));
  }, ctx.signal);
}

function createStudio(backend: Backend, folder: string, ctx: NodeContext): Studio {
  let count = 0;
  return {
    backend,
    async open(ref, kind) {
      const path = join(folder, `input-${count++}`);
      await writeFile(path, await ctx.media.read(ref));
      const facts = await probeMedia(path, ctx.signal);
      if (facts[kind] === undefined) {
        throw new NodeError(
          'unreadable_media',
          `The file has no ${kind === 'video' ? 'pictures' : 'sound'}.`,
        );
      }
      return { path, facts };
    },
    async make(name, request) {
      const path = join(folder, `output-${count++}.mp4`);
      const { maxSeconds, video } = request;
      if (maxSeconds > MAX_SECONDS) {
        throw new NodeError(
          'too_long',
          `The result would last ${Math.round(maxSeconds)} s. The maximum is ${MAX_SECONDS} s.`,
        );
      }
      const total = maxSeconds * (video?.fps ?? 1);
      const onFrame = (done: number) => ctx.progress(Math.min(1, done / total));
      await encode(backend, { ...request, path, onFrame }, ctx.signal);
      if ((await stat(path)).size > MAX_RESULT_BYTES) {
        throw new NodeError('file_too_large', 'The result is larger than 500 MB.');
      }
      const [contentType, ending] = video === undefined ? ['audio/mp4', 'm4a'] : ['video/mp4', 'mp4'];
      return ctx.media.put(await readFile(path), { contentType, name: `${name}.${ending}` });
    },
  };
}

/** The requested size with even sides, at most 4K. */
export function evenSize({ width, height }: Size): Size {
  const factor = Math.min(1, Math.sqrt(MAX_PIXELS / (width * height)));
  const even = (side: number): number => Math.max(2, Math.floor((side * factor) / 2) * 2);
  return { width: even(width), height: even(height) };
}

/** Returns the video track of a clip that `open` has checked. */
export function videoOf({ facts }: Clip): VideoFacts {
  if (facts.video === undefined) throw new NodeError('unreadable_media', 'The file has no video.');
  return facts.video;
}

/** Selects part of a clip's frames for a video made of several. */
export function picturesOf(
  { backend }: Studio,
  clip: Clip,
  part: Omit<FramesRequest, 'pixels'>,
  signal: AbortSignal,
): NonNullable<EncodeRequest['video']> {
  const { width, height, fps } = part;
  const frames = decodeFrames(backend, clip, { ...part, pixels: 'i420' }, signal);
  return { width, height, fps, pixels: 'i420', frames };
}

/** Whole frames, at least one. */
export const framesIn = (seconds: number, fps: number): number => Math.max(1, Math.round(seconds * fps));

/** Returns the requested part; throws NodeError if the file contains none of it. */
export function cut(
  { facts }: Clip,
  start: number,
  duration: number | undefined,
): { readonly startSeconds: number; readonly seconds: number } {
  const left = facts.durationSeconds - start;
  if (left <= 0) {
    throw new NodeError(
      'invalid_range',
      `The cut starts at ${start} s, but the file ends at ${facts.durationSeconds.toFixed(2)} s.`,
    );
  }
  return { startSeconds: start, seconds: Math.min(left, duration ?? left) };
}
