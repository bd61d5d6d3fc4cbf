// Sandbox models for video: short, free, deterministic clips with a label, for trying a graph without a key.
import { decodeSound } from '../codecs/decode.ts';
import { CHANNELS, SAMPLE_RATE } from '../codecs/job.ts';
import { compositeImages, readRgba, resizeImage } from '../media/images.ts';
import { SANDBOX_STYLES } from '../render/still.ts';
import { drawStill } from '../render/stills.ts';
import { audio, choice, defineNode, image, number, text, video } from './define.ts';
import { cut, evenSize, framesIn, inStudio, type Size } from './studio.ts';

const FPS = 24;
const [MIN_SIDE, MAX_SIDE] = [64, 1920];
const VIDEO_OUTPUT = { video: video('Video') };

export const videoSandbox = defineNode({
  nodeType: 'video:sandbox',
  label: 'Sandbox video',
  description:
    'Two abstract pictures from the letters of the prompt, one becoming the other: a stand-in for a video model.',
  category: 'model',
  requires: 'sandbox-video',
  cache: true,
  inputs: { prompt: text('Prompt', { required: true }) },
  config: {
    width: number('Width', { default: 640, min: MIN_SIDE, max: MAX_SIDE }),
    height: number('Height', { default: 360, min: MIN_SIDE, max: MAX_SIDE }),
    duration: number('Seconds', { default: 2, min: 0.5, max: 10 }),
    seed: number('Seed', { default: 0 }),
    style: choice('Style', SANDBOX_STYLES),
  },
  outputs: VIDEO_OUTPUT,
  run: ({ prompt, duration, seed, style, ...sides }, ctx) =>
    inStudio(ctx, async studio => {
      const size = evenSize(sides);
      const draw = async (roll: number): Promise<Buffer> => {
        const picture = { prompt, seed: roll, style, ...size };
        return readRgba(await drawStill({ kind: 'sandbox-picture', picture }, ctx.signal), ctx.signal);
      };
      // The label is the same in both, so that it stands still.
      const [from, to] = [await draw(seed), await draw(seed + 1)];
      const frameCount = framesIn(duration, FPS);
      const frames = morph(from, to, frameCount);
      return {
        video: await studio.make('sandbox', {
          maxSeconds: frameCount / FPS,
          video: { ...size, fps: FPS, pixels: 'rgba', frames },
        }),
      };
    }),
});

/** There and back again, so that the clip loops. */
async function* morph(from: Uint8Array, to: Uint8Array, frameCount: number): AsyncGenerator<Uint8Array> {
  for (let count = 0; count < frameCount; count++) {
    const share = Math.round(128 * (1 - Math.cos((2 * Math.PI * count) / frameCount)));
    const frame = new Uint8Array(from.length);
    for (let i = 0; i < frame.length; i++) {
      frame[i] = ((from[i] as number) * (256 - share) + (to[i] as number) * share) >> 8;
    }
    yield frame;
  }
}

const MAX_SPEECH_SECONDS = 60;

export const talkingSandbox = defineNode({
  nodeType: 'talking:sandbox',
  label: 'Sandbox talking picture',
  description:
    'Shows an image, labelled, with a bar that moves as loud as the speech: a stand-in for a talking model.',
  category: 'model',
  requires: 'sandbox-video',
  cache: true,
  inputs: { image: image('Image', { required: true }), audio: audio('Audio', { required: true }) },
  config: { seed: number('Seed', { default: 0 }) },
  outputs: VIDEO_OUTPUT,
  run: ({ image: portrait, audio: speech, seed }, ctx) =>
    inStudio(ctx, async studio => {
      const clip = await studio.open(speech, 'audio');
      const { seconds } = cut(clip, 0, MAX_SPEECH_SECONDS);
      const frameCount = framesIn(seconds, FPS);
      const sound = () =>
        decodeSound(studio.backend, clip, { startSeconds: 0, seconds: frameCount / FPS }, ctx.signal);
      const { bytes } = await ctx.media.readRaster(portrait);
      const { size, pixels } = await labelled(bytes, seed, ctx.signal);
      const frames = speak(pixels, size, await loudnessOf(sound(), frameCount));
      return {
        video: await studio.make('sandbox-talking', {
          maxSeconds: frameCount / FPS,
          video: { ...size, fps: FPS, pixels: 'rgba', frames },
          audio: sound(),
        }),
      };
    }),
});

const PORTRAIT_SIDE = 640;

async function labelled(
  bytes: Uint8Array,
  seed: number,
  signal: AbortSignal,
): Promise<{ readonly size: Size; readonly pixels: Buffer }> {
  const box = { width: PORTRAIT_SIDE, height: PORTRAIT_SIDE, fit: 'cover', background: '#000000' } as const;
  const fitted = await resizeImage(bytes, box, signal);
  const size = { width: PORTRAIT_SIDE, height: PORTRAIT_SIDE };
  const wash = await drawStill({ kind: 'sandbox-wash', prompt: 'talking', seed, ...size }, signal);
  const options = { gravity: 'center', opacity: 1, blend: 'over' } as const;
  const { bytes: done } = await compositeImages(fitted.bytes, wash, options, signal);
  return { size, pixels: await readRgba(done, signal) };
}

/** The greatest amplitude of each frame's stretch of sound, 0 to 1. */
async function loudnessOf(sound: AsyncIterable<Float32Array>, frameCount: number): Promise<Float32Array> {
  const loudness = new Float32Array(frameCount);
  let at = 0;
  for await (const block of sound) {
    for (let i = 0; i < block.length; i += CHANNELS, at++) {
      const frame = Math.min(frameCount - 1, Math.floor((at * FPS) / SAMPLE_RATE));
      loudness[frame] = Math.max(loudness[frame] as number, Math.abs(block[i] as number));
    }
  }
  return loudness;
}

async function* speak(
  pixels: Uint8Array,
  { width, height }: Size,
  loudness: Float32Array,
): AsyncGenerator<Uint8Array> {
  const [top, bottom] = [Math.round(height * 0.7), Math.round(height * 0.74)];
  for (const level of loudness) {
    const frame = Uint8Array.from(pixels);
    const reach = Math.round((width * (0.04 + 0.36 * Math.min(1, level))) / 2);
    for (let y = top; y < bottom; y++) {
      const row = y * width;
      frame.fill(255, (row + width / 2 - reach) * 4, (row + width / 2 + reach) * 4);
    }
    yield frame;
  }
}
