// Declares video nodes: trim, join, extract a frame, read properties. Frames stay in I420 from decoder to encoder.
import { type Clip, decodeAudio, decodeFrames } from '../codecs/decode.ts';
import { pad } from '../codecs/pixels/i420.ts';
import { encodePng } from '../codecs/pixels/png.ts';
import type { MediaRef, Value } from '../graph/types.ts';
import type { Size } from '../render/paint/fit-image.ts';
import { defineNode, image, json, list, NodeError, number, video } from './define.ts';
import {
  CODEC_NODE,
  countFrames,
  getVideoInfo,
  MAX_FPS,
  MAX_SECONDS,
  type MediaWorkspace,
  selectFrames,
  selectRange,
  toEvenSize,
  withMediaWorkspace,
} from './media-workspace.ts';

const VIDEO_INPUT = { video: video('Video', { required: true }) };
const VIDEO_OUTPUT = { video: video('Video') };

export const videoTrim = defineNode({
  nodeType: 'utility:video_trim',
  label: 'Trim video',
  description: 'Trims a video and its sound to the exact frame.',
  ...CODEC_NODE,
  inputs: VIDEO_INPUT,
  config: {
    start: number('Start in seconds', { default: 0, min: 0 }),
    duration: number('Duration in seconds', {
      min: 0.04,
      max: MAX_SECONDS,
      description: 'Default: to the end.',
    }),
  },
  outputs: VIDEO_OUTPUT,
  run: ({ video: input, start, duration }, ctx) =>
    withMediaWorkspace(ctx, async workspace => {
      const clip = await workspace.open(input, 'video');
      const { startSeconds, seconds } = selectRange(clip, start, duration);
      const fps = Math.min(MAX_FPS, getVideoInfo(clip).fps);
      const frameCount = countFrames(seconds, fps);
      const size = toEvenSize(getVideoInfo(clip));
      const audioRange = { startSeconds, seconds: frameCount / fps };
      return {
        video: await workspace.createFile('trimmed', {
          maxSeconds: frameCount / fps,
          video: selectFrames(workspace, clip, { startSeconds, frameCount, fps, ...size }, ctx.signal),
          ...(clip.info.audio && { audio: decodeAudio(workspace.backend, clip, audioRange, ctx.signal) }),
        }),
      };
    }),
});

const MAX_CLIPS = 20;

const side = (label: string) =>
  number(label, { min: 16, max: 3840, integer: true, description: 'Default: as the first video.' });

export const videoConcat = defineNode({
  nodeType: 'utility:video_concat',
  label: 'Join videos',
  description: 'Joins a list of videos. Adds black bars to videos of other sizes.',
  ...CODEC_NODE,
  inputs: { list: list('Videos', { required: true }) },
  config: {
    width: side('Width'),
    height: side('Height'),
  },
  outputs: VIDEO_OUTPUT,
  run: ({ list: items, width, height }, ctx) =>
    withMediaWorkspace(ctx, async workspace => {
      const clips: Clip[] = [];
      for (const media of readVideos(items)) clips.push(await workspace.open(media, 'video'));
      const firstVideo = getVideoInfo(clips[0] as Clip);
      const size = toEvenSize({ width: width ?? firstVideo.width, height: height ?? firstVideo.height });
      const fps = Math.min(MAX_FPS, firstVideo.fps);
      const parts = clips.map(clip => ({ clip, frameCount: countFrames(clip.info.durationSeconds, fps) }));
      const frameCount = parts.reduce((sum, part) => sum + part.frameCount, 0);
      const hasAudio = clips.some(clip => clip.info.audio !== undefined);
      return {
        video: await workspace.createFile('joined', {
          maxSeconds: frameCount / fps,
          video: {
            ...size,
            fps,
            pixels: 'i420',
            frames: joinFrames(workspace, parts, { ...size, fps }, ctx.signal),
          },
          ...(hasAudio && { audio: joinAudio(workspace, parts, fps, ctx.signal) }),
        }),
      };
    }),
});

interface Part {
  readonly clip: Clip;
  readonly frameCount: number;
}

async function* joinFrames(
  { backend }: MediaWorkspace,
  parts: readonly Part[],
  { width, height, fps }: Size & { readonly fps: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const { clip, frameCount } of parts) {
    const info = getVideoInfo(clip);
    const factor = Math.min(width / info.width, height / info.height);
    const side = (from: number, to: number) => Math.min(to, Math.max(2, Math.round((from * factor) / 2) * 2));
    const frameSize = { width: side(info.width, width), height: side(info.height, height) };
    const request = { startSeconds: 0, frameCount, fps, ...frameSize, pixels: 'i420' } as const;
    for await (const data of decodeFrames(backend, clip, request, signal)) {
      yield pad({ ...frameSize, data }, width, height).data;
    }
  }
}

async function* joinAudio(
  { backend }: MediaWorkspace,
  parts: readonly Part[],
  fps: number,
  signal: AbortSignal,
): AsyncGenerator<Float32Array> {
  for (const { clip, frameCount } of parts) {
    yield* decodeAudio(backend, clip, { startSeconds: 0, seconds: frameCount / fps }, signal);
  }
}

function readVideos(items: readonly Value[]): readonly MediaRef[] {
  const media = items.flatMap(item => (item.type === 'VIDEO' ? [item.media] : []));
  if (media.length === items.length && media.length >= 1 && media.length <= MAX_CLIPS) return media;
  throw new NodeError('invalid_list', `Joining requires a list of 1 to ${MAX_CLIPS} videos.`);
}

export const videoFrame = defineNode({
  nodeType: 'utility:video_frame',
  label: 'Video frame',
  description: 'Extracts one frame of a video as PNG.',
  ...CODEC_NODE,
  inputs: VIDEO_INPUT,
  config: {
    at: number('Time in seconds', {
      default: 0,
      min: 0,
      description: 'Past the end, the last frame is used.',
    }),
  },
  outputs: { image: image('Image') },
  run: ({ video: input, at }, ctx) =>
    withMediaWorkspace(ctx, async workspace => {
      const clip = await workspace.open(input, 'video');
      const size = toEvenSize(getVideoInfo(clip));
      const startSeconds = Math.min(at, clip.info.durationSeconds);
      const request = {
        startSeconds,
        frameCount: 1,
        fps: getVideoInfo(clip).fps,
        ...size,
        pixels: 'rgba',
      } as const;
      for await (const frame of decodeFrames(workspace.backend, clip, request, ctx.signal)) {
        const bytes = await encodePng(frame, size.width, size.height);
        return { image: await ctx.media.put(bytes, { contentType: 'image/png', name: 'frame.png' }) };
      }
      throw new NodeError('unreadable_media', 'The video contains no frames.');
    }),
});

export const videoInfo = defineNode({
  nodeType: 'utility:video_info',
  label: 'Video info',
  description: 'Outputs the size, duration and other properties of a video.',
  ...CODEC_NODE,
  inputs: VIDEO_INPUT,
  config: {},
  outputs: {
    width: number('Width'),
    height: number('Height'),
    duration: number('Duration in seconds'),
    json: json('Info'),
  },
  run: ({ video: input }, ctx) =>
    withMediaWorkspace(ctx, async workspace => {
      const clip = await workspace.open(input, 'video');
      const { width, height, fps, codec, rotation } = getVideoInfo(clip);
      const { contentType, durationSeconds: duration, audio } = clip.info;
      const audioInfo = audio === undefined ? null : { ...audio };
      const info = {
        contentType,
        width,
        height,
        duration,
        fps,
        codec,
        rotation,
        bytes: input.bytes,
        audio: audioInfo,
      };
      return { width, height, duration, json: info };
    }),
});
