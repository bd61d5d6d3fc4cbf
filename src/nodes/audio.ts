// Declares audio nodes: trim, mix, extract from a video, add to a video. Audio is streamed in blocks instead of being
// loaded into memory.
import { type Clip, decodeAudio } from '../codecs/decode.ts';
import { type AudioStream, applyGain, mix } from '../codecs/mix.ts';
import { audio, defineNode, type NodeContext, number, video } from './define.ts';
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

const AUDIO_OUTPUT = { audio: audio('Audio') };
const volume = (label: string, value = 1) => number(label, { default: value, min: 0, max: 4 });
const fade = (label: string) => number(label, { default: 0, min: 0, max: 60 });

export const audioTrim = defineNode({
  nodeType: 'utility:audio_trim',
  label: 'Trim audio',
  description: 'Trims audio and fades it in and out.',
  ...CODEC_NODE,
  inputs: { audio: audio('Audio', { required: true }) },
  config: {
    start: number('Start in seconds', { default: 0, min: 0 }),
    duration: number('Duration in seconds', {
      min: 0.01,
      max: MAX_SECONDS,
      description: 'Default: to the end.',
    }),
    fadeIn: fade('Fade-in in seconds'),
    fadeOut: fade('Fade-out in seconds'),
    volume: volume('Volume'),
  },
  outputs: AUDIO_OUTPUT,
  run: ({ audio: input, start, duration, ...options }, ctx) =>
    withMediaWorkspace(ctx, async workspace => {
      const clip = await workspace.open(input, 'audio');
      const part = selectRange(clip, start, duration);
      const trimmedAudio = decodeAudio(workspace.backend, clip, part, ctx.signal);
      return {
        audio: await workspace.createFile('trimmed', {
          maxSeconds: part.seconds,
          audio: applyGain(trimmedAudio, { ...options, seconds: part.seconds }),
        }),
      };
    }),
});

export const audioMix = defineNode({
  nodeType: 'utility:audio_mix',
  label: 'Mix audio',
  description: 'Mixes up to four audio files. The result is as long as the longest; peaks are limited.',
  ...CODEC_NODE,
  inputs: {
    audio1: audio('Audio 1', { required: true }),
    audio2: audio('Audio 2'),
    audio3: audio('Audio 3'),
    audio4: audio('Audio 4'),
  },
  config: {
    volume1: volume('Volume 1'),
    volume2: volume('Volume 2'),
    volume3: volume('Volume 3'),
    volume4: volume('Volume 4'),
  },
  outputs: AUDIO_OUTPUT,
  run: (values, ctx) =>
    withMediaWorkspace(ctx, async workspace => {
      const tracks = [
        [values.audio1, values.volume1],
        [values.audio2, values.volume2],
        [values.audio3, values.volume3],
        [values.audio4, values.volume4],
      ] as const;
      const streams: AudioStream[] = [];
      let seconds = 0;
      for (const [input, gain] of tracks) {
        if (input === undefined) continue;
        const clip = await workspace.open(input, 'audio');
        seconds = Math.max(seconds, clip.info.durationSeconds);
        streams.push(decodeWithGain(workspace, clip, clip.info.durationSeconds, gain, ctx));
      }
      return { audio: await workspace.createFile('mixed', { maxSeconds: seconds, audio: mix(streams) }) };
    }),
});

function decodeWithGain(
  { backend }: MediaWorkspace,
  clip: Clip,
  seconds: number,
  gain: number,
  { signal }: NodeContext,
): AudioStream {
  const decoded = decodeAudio(backend, clip, { startSeconds: 0, seconds }, signal);
  return applyGain(decoded, { volume: gain, fadeIn: 0, fadeOut: 0, seconds });
}

export const audioExtract = defineNode({
  nodeType: 'utility:audio_extract',
  label: 'Extract audio',
  description: 'Extracts the audio of a video.',
  ...CODEC_NODE,
  inputs: { video: video('Video', { required: true }) },
  config: {},
  outputs: AUDIO_OUTPUT,
  run: ({ video: input }, ctx) =>
    withMediaWorkspace(ctx, async workspace => {
      const clip = await workspace.open(input, 'audio');
      const seconds = clip.info.durationSeconds;
      const decoded = decodeAudio(workspace.backend, clip, { startSeconds: 0, seconds }, ctx.signal);
      return { audio: await workspace.createFile('sound', { maxSeconds: seconds, audio: decoded }) };
    }),
});

export const audioMux = defineNode({
  nodeType: 'utility:audio_mux',
  label: 'Add audio to video',
  description: 'Replaces the sound of a video or mixes audio into it. The result is as long as the video.',
  ...CODEC_NODE,
  inputs: { video: video('Video', { required: true }), audio: audio('Audio', { required: true }) },
  config: { volume: volume('Volume'), originalVolume: volume('Original volume', 0) },
  outputs: { video: video('Video') },
  run: ({ video: videoRef, audio: audioRef, volume: gain, originalVolume }, ctx) =>
    withMediaWorkspace(ctx, async workspace => {
      const clip = await workspace.open(videoRef, 'video');
      const addedClip = await workspace.open(audioRef, 'audio');
      const fps = Math.min(MAX_FPS, getVideoInfo(clip).fps);
      const frameCount = countFrames(clip.info.durationSeconds, fps);
      const seconds = frameCount / fps;
      const part = { startSeconds: 0, frameCount, fps, ...toEvenSize(getVideoInfo(clip)) };
      const originalAudio =
        originalVolume > 0 ? [decodeWithGain(workspace, clip, seconds, originalVolume, ctx)] : [];
      return {
        video: await workspace.createFile('with-sound', {
          maxSeconds: seconds,
          video: selectFrames(workspace, clip, part, ctx.signal),
          audio: mix([decodeWithGain(workspace, addedClip, seconds, gain, ctx), ...originalAudio]),
        }),
      };
    }),
});
