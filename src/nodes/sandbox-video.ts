// Declares sandbox models for video: free, deterministic, labeled clips, for testing a graph without API keys.
import { readFileChunks } from '../lib/files.ts';
import { resizeImage } from '../media/images.ts';
import type { ReadSource, SourceBytes } from '../render/render-io.ts';
import { SANDBOX_STYLES } from '../render/stills/still.ts';
import { drawImage } from '../render/stills/stills.ts';
import { audio, choice, defineNode, image, number, text, video } from './define.ts';
import { countFrames, selectRange, toEvenSize, withMediaWorkspace } from './media-workspace.ts';
import { renderAndStore } from './rendering.ts';
import { createSandboxScene, createTalkingScene, FPS, SOURCES } from './sandbox-scenes.ts';

const [MIN_SIDE, MAX_SIDE] = [64, 1920];
const VIDEO_OUTPUT = { video: video('Video') };

export const videoSandbox = defineNode({
  nodeType: 'video:sandbox',
  label: 'Sandbox video',
  description: 'Simulates a video model: fades between two abstract images drawn from the prompt.',
  category: 'model',
  requires: 'sandbox-video',
  cache: true,
  version: 2,
  inputs: { prompt: text('Prompt', { required: true }) },
  config: {
    width: number('Width', { default: 640, min: MIN_SIDE, max: MAX_SIDE, integer: true }),
    height: number('Height', { default: 360, min: MIN_SIDE, max: MAX_SIDE, integer: true }),
    duration: number('Duration in seconds', { default: 2, min: 0.5, max: 10 }),
    seed: number('Seed', { default: 0, integer: true }),
    style: choice('Style', SANDBOX_STYLES),
  },
  outputs: VIDEO_OUTPUT,
  run: async ({ prompt, duration, seed, style, ...sides }, ctx) => {
    const size = toEvenSize(sides);
    const draw = (imageSeed: number) => async (): Promise<Uint8Array> => {
      const picture = { prompt, seed: imageSeed, style, ...size, isUnlabeled: true } as const;
      return drawImage({ kind: 'sandbox-image', image: picture }, ctx.signal);
    };
    const readSource = createSourceReader({ [SOURCES.first]: draw(seed), [SOURCES.second]: draw(seed + 1) });
    const graph = createSandboxScene({ ...size, frameCount: countFrames(duration, FPS) }, prompt);
    return { video: await renderAndStore(ctx, 'sandbox', { graph, read: readSource }) };
  },
});

const MAX_SPEECH_SECONDS = 60;
const PORTRAIT = { width: 640, height: 640 } as const;

export const talkingSandbox = defineNode({
  nodeType: 'talking:sandbox',
  label: 'Sandbox talking video',
  description: 'Simulates a talking model: labels the image and shows the speech as moving volume bars.',
  category: 'model',
  requires: 'sandbox-video',
  cache: true,
  version: 3,
  inputs: { image: image('Image', { required: true }), audio: audio('Audio', { required: true }) },
  config: { seed: number('Seed', { default: 0, integer: true }) },
  outputs: VIDEO_OUTPUT,
  run: ({ image: portrait, audio: speech, seed }, ctx) =>
    withMediaWorkspace(ctx, async workspace => {
      const clip = await workspace.open(speech, 'audio');
      const { seconds } = selectRange(clip, 0, MAX_SPEECH_SECONDS);
      const readSource = createSourceReader({
        [SOURCES.portrait]: async () => {
          const box = { ...PORTRAIT, fit: 'cover', background: '#000000' } as const;
          return (await resizeImage((await ctx.media.readRaster(portrait)).bytes, box, ctx.signal)).bytes;
        },
        [SOURCES.wash]: () =>
          drawImage({ kind: 'sandbox-wash', prompt: 'talking', seed, ...PORTRAIT }, ctx.signal),
        [SOURCES.speech]: async () => readFileChunks(clip.path),
      });
      const graph = createTalkingScene({ ...PORTRAIT, frameCount: countFrames(seconds, FPS) });
      return { video: await renderAndStore(ctx, 'sandbox-talking', { graph, read: readSource }) };
    }),
});

/** Returns a reader for the URLs of the scene only. */
function createSourceReader(files: Readonly<Record<string, () => Promise<SourceBytes['body']>>>): ReadSource {
  return async source => {
    const openFile = 'src' in source ? files[source.src] : undefined;
    if (openFile === undefined) throw new Error('The scene refers to an unknown file.');
    return { body: await openFile(), declaredContentType: undefined };
  };
}
