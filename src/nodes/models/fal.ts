// Models on fal, each under its real endpoint with its real fields: images made and edited, video, talking heads, music.
// Prices as fal's own pages gave them; the source of each says which and when.
import type { MediaRef } from '../../graph/types.ts';
import { fal } from '../../providers/fal.ts';
import { audio, choice, defineNode, image, type NodeContext, number, text, video } from '../define.ts';
import {
  CEILING,
  flat,
  perImage,
  perMegapixel,
  perSecond,
  perSpokenSecond,
  perVideoToken,
} from './pricing.ts';
import { attachAudio, attachImage, callProvider, keepFile, pickSet } from './provider-call.ts';

const READ = 'read 2026-11-21';
const ON_FAL = { category: 'model', source: 'vendor', requires: 'fal' } as const;

const PROMPT = { prompt: text('Prompt', { required: true }) };
const PROMPT_AND_IMAGE = { ...PROMPT, image: image('Image', { required: true }) };
const SEED = {
  seed: number('Seed', { min: 0, max: 2_147_483_647, description: 'Set: the result may be reused.' }),
};

const SIZE_PIXELS = {
  square_hd: 1024 * 1024,
  square: 512 * 512,
  portrait_4_3: 768 * 1024,
  portrait_16_9: 576 * 1024,
  landscape_4_3: 1024 * 768,
  landscape_16_9: 1024 * 576,
} as const;
const SIZES = [
  'landscape_4_3',
  'landscape_16_9',
  'square_hd',
  'square',
  'portrait_4_3',
  'portrait_16_9',
] as const satisfies readonly (keyof typeof SIZE_PIXELS)[];

type Input = Readonly<Record<string, unknown>>;

async function makeImage(model: string, input: Input, ctx: NodeContext): Promise<{ image: MediaRef }> {
  return {
    image: await keepFile(await callProvider('fal', fal, { model, input }, ctx), 'image', 'image', ctx),
  };
}

async function makeVideo(model: string, input: Input, ctx: NodeContext): Promise<{ video: MediaRef }> {
  return {
    video: await keepFile(await callProvider('fal', fal, { model, input }, ctx), 'video', 'video', ctx),
  };
}

const FLUX = {
  image_size: choice('Size', SIZES),
  num_inference_steps: number('Steps', { default: 28, min: 1, max: 50 }),
  guidance_scale: number('Guidance', { default: 3.5, min: 1, max: 20 }),
  output_format: choice('Format', ['jpeg', 'png']),
  ...SEED,
};

export const generateFalFlux = defineNode({
  ...ON_FAL,
  nodeType: 'generate:fal_flux_dev',
  label: 'FLUX.1 [dev]',
  description: 'fal-ai/flux-1/dev',
  cache: true,
  inputs: PROMPT,
  config: FLUX,
  outputs: { image: image('Image') },
  pricing: perMegapixel(0.025, SIZE_PIXELS, `https://fal.ai/models/fal-ai/flux-1/dev/playground, ${READ}`),
  run: ({ prompt, ...values }, ctx) =>
    makeImage('fal-ai/flux-1/dev', { prompt, ...pickSet(values, FLUX) }, ctx),
});

const SEEDREAM = {
  image_size: choice('Size', ['square_hd', ...SIZES.filter(size => size !== 'square_hd')]),
  ...SEED,
};

export const generateFalSeedream = defineNode({
  ...ON_FAL,
  nodeType: 'generate:fal_seedream',
  label: 'Seedream 4',
  description: 'fal-ai/bytedance/seedream/v4/text-to-image',
  cache: true,
  inputs: PROMPT,
  config: SEEDREAM,
  outputs: { image: image('Image') },
  pricing: perImage(0.03, 'https://fal.ai/pricing as transcribed 2026-09-20'),
  run: ({ prompt, ...values }, ctx) =>
    makeImage(
      'fal-ai/bytedance/seedream/v4/text-to-image',
      { prompt, ...pickSet(values, SEEDREAM), num_images: 1, max_images: 1 },
      ctx,
    ),
});

export const editFalSeedream = defineNode({
  ...ON_FAL,
  nodeType: 'edit:fal_seedream',
  label: 'Seedream 4 edit',
  description: 'fal-ai/bytedance/seedream/v4/edit',
  cache: true,
  inputs: PROMPT_AND_IMAGE,
  config: SEEDREAM,
  outputs: { image: image('Image') },
  pricing: perImage(0.03, `https://fal.ai/models/fal-ai/bytedance/seedream/v4/edit/llms.txt, ${READ}`),
  run: async ({ prompt, image: input, ...values }, ctx) => {
    const image_urls = [await attachImage(input, ctx)];
    const fields = { prompt, image_urls, ...pickSet(values, SEEDREAM), num_images: 1, max_images: 1 };
    return makeImage('fal-ai/bytedance/seedream/v4/edit', fields, ctx);
  },
});

const KONTEXT = {
  guidance_scale: number('Guidance', { default: 3.5, min: 1, max: 20 }),
  output_format: choice('Format', ['jpeg', 'png']),
  safety_tolerance: choice('Safety tolerance', ['2', '1', '3', '4', '5', '6']),
  ...SEED,
};

export const editFalKontext = defineNode({
  ...ON_FAL,
  nodeType: 'edit:fal_flux_kontext',
  label: 'FLUX.1 Kontext [pro]',
  description: 'fal-ai/flux-pro/kontext',
  cache: true,
  inputs: PROMPT_AND_IMAGE,
  config: KONTEXT,
  outputs: { image: image('Image') },
  pricing: perImage(0.04, 'https://fal.ai/pricing as transcribed 2026-09-20'),
  run: async ({ prompt, image: input, ...values }, ctx) => {
    const image_url = await attachImage(input, ctx);
    return makeImage('fal-ai/flux-pro/kontext', { prompt, image_url, ...pickSet(values, KONTEXT) }, ctx);
  },
});

const QWEN = {
  image_size: choice('Size', ['square_hd', ...SIZES.filter(size => size !== 'square_hd')]),
  num_inference_steps: number('Steps', { default: 30, min: 2, max: 50 }),
  guidance_scale: number('Guidance', { default: 4, min: 0, max: 20 }),
  ...SEED,
};

export const editFalQwen = defineNode({
  ...ON_FAL,
  nodeType: 'edit:fal_qwen',
  label: 'Qwen Image Edit',
  description: 'fal-ai/qwen-image-edit',
  cache: true,
  inputs: PROMPT_AND_IMAGE,
  config: QWEN,
  outputs: { image: image('Image') },
  pricing: perMegapixel(0.03, SIZE_PIXELS, `https://fal.ai/models/fal-ai/qwen-image-edit/llms.txt, ${READ}`),
  run: async ({ prompt, image: input, ...values }, ctx) => {
    const image_url = await attachImage(input, ctx);
    return makeImage('fal-ai/qwen-image-edit', { prompt, image_url, ...pickSet(values, QWEN) }, ctx);
  },
});

const KLING = {
  duration: choice('Seconds', ['5', '10']),
  negative_prompt: text('Negative prompt', { default: 'blur, distort, and low quality' }),
  cfg_scale: number('Guidance', { default: 0.5, min: 0, max: 1 }),
};

export const videoFalKling = defineNode({
  ...ON_FAL,
  nodeType: 'video:fal_kling',
  label: 'Kling 2.1 standard',
  description: 'fal-ai/kling-video/v2.1/standard/image-to-video',
  inputs: PROMPT_AND_IMAGE,
  config: KLING,
  outputs: { video: video('Video') },
  pricing: perSecond(
    0.056,
    `https://fal.ai/models/fal-ai/kling-video/v2.1/standard/image-to-video/llms.txt, ${READ}`,
  ),
  run: async ({ prompt, image: input, ...values }, ctx) => {
    const image_url = await attachImage(input, ctx);
    const fields = { prompt, image_url, ...pickSet(values, KLING) };
    return makeVideo('fal-ai/kling-video/v2.1/standard/image-to-video', fields, ctx);
  },
});

export const videoFalKlingTurbo = defineNode({
  ...ON_FAL,
  nodeType: 'video:fal_kling_turbo',
  label: 'Kling 2.5 Turbo standard',
  description: 'fal-ai/kling-video/v2.5-turbo/standard/image-to-video',
  inputs: PROMPT_AND_IMAGE,
  config: KLING,
  outputs: { video: video('Video') },
  pricing: perSecond(
    0.042,
    `https://fal.ai/models/fal-ai/kling-video/v2.5-turbo/standard/image-to-video/llms.txt, ${READ}`,
  ),
  run: async ({ prompt, image: input, ...values }, ctx) => {
    const image_url = await attachImage(input, ctx);
    const fields = { prompt, image_url, ...pickSet(values, KLING) };
    return makeVideo('fal-ai/kling-video/v2.5-turbo/standard/image-to-video', fields, ctx);
  },
});

const SEEDANCE = {
  resolution: choice('Resolution', ['1080p', '720p', '480p']),
  aspect_ratio: choice('Shape', ['16:9', '21:9', '4:3', '1:1', '3:4', '9:16']),
  duration: choice('Seconds', ['5', '2', '3', '4', '6', '7', '8', '9', '10', '11', '12']),
  ...SEED,
};
// The largest frame of each resolution, whatever its shape.
const SEEDANCE_FRAMES = { '480p': 864 * 480, '720p': 1504 * 640, '1080p': 1920 * 1088 };

export const videoFalSeedance = defineNode({
  ...ON_FAL,
  nodeType: 'video:fal_seedance',
  label: 'Seedance 1.0 Pro Fast',
  description: 'fal-ai/bytedance/seedance/v1/pro/fast/text-to-video',
  cache: true,
  inputs: PROMPT,
  config: SEEDANCE,
  outputs: { video: video('Video') },
  pricing: perVideoToken(
    1,
    SEEDANCE_FRAMES,
    `https://fal.ai/models/fal-ai/bytedance/seedance/v1/pro/fast/text-to-video/llms.txt, ${READ}`,
  ),
  run: ({ prompt, ...values }, ctx) =>
    makeVideo(
      'fal-ai/bytedance/seedance/v1/pro/fast/text-to-video',
      { prompt, ...pickSet(values, SEEDANCE) },
      ctx,
    ),
});

const TALKING = {
  ...ON_FAL,
  inputs: { image: image('Portrait', { required: true }), audio: audio('Speech', { required: true }) },
  outputs: { video: video('Video') },
} as const;

export const talkingFalOmnihuman = defineNode({
  ...TALKING,
  nodeType: 'talking:fal_omnihuman',
  label: 'OmniHuman 1.5',
  description: 'fal-ai/bytedance/omnihuman/v1.5; speech of 60 s at 720p, 30 s at 1080p at most.',
  config: { resolution: choice('Resolution', ['1080p', '720p']), prompt: text('Direction'), ...CEILING },
  pricing: perSpokenSecond(
    { '720p': 0.16, '1080p': 0.16 },
    `https://fal.ai/learn/devs/omnihuman-15-user-guide of 2026-01-11, ${READ}`,
  ),
  run: async ({ image: portrait, audio: speech, resolution, prompt }, ctx) => {
    const input = {
      image_url: await attachImage(portrait, ctx),
      audio_url: await attachAudio(speech, ctx),
      resolution,
      ...(prompt === undefined ? {} : { prompt }),
    };
    return makeVideo('fal-ai/bytedance/omnihuman/v1.5', input, ctx);
  },
});

export const talkingFalFabric = defineNode({
  ...TALKING,
  nodeType: 'talking:fal_fabric',
  label: 'VEED Fabric 1.0',
  description: 'veed/fabric-1.0',
  config: { resolution: choice('Resolution', ['480p', '720p']), ...CEILING },
  pricing: perSpokenSecond(
    { '480p': 0.08, '720p': 0.15 },
    `https://fal.ai/models/veed/fabric-1.0/llms.txt, ${READ}`,
  ),
  run: async ({ image: portrait, audio: speech, resolution }, ctx) => {
    const input = {
      image_url: await attachImage(portrait, ctx),
      audio_url: await attachAudio(speech, ctx),
      resolution,
    };
    return makeVideo('veed/fabric-1.0', input, ctx);
  },
});

const STABLE_AUDIO = {
  seconds_total: number('Seconds', { default: 30, min: 1, max: 190 }),
  num_inference_steps: number('Steps', { default: 8, min: 4, max: 8 }),
  guidance_scale: number('Guidance', { default: 1, min: 1, max: 25 }),
  ...SEED,
};

export const audioFalStable = defineNode({
  ...ON_FAL,
  nodeType: 'audio:fal_stable_audio',
  label: 'Stable Audio 2.5',
  description: 'fal-ai/stable-audio-25/text-to-audio',
  cache: true,
  inputs: PROMPT,
  config: STABLE_AUDIO,
  outputs: { audio: audio('Audio') },
  pricing: flat(0.2, `https://fal.ai/models/fal-ai/stable-audio-25/text-to-audio/llms.txt, ${READ}`),
  run: async ({ prompt, ...values }, ctx) => {
    const call = {
      model: 'fal-ai/stable-audio-25/text-to-audio',
      input: { prompt, ...pickSet(values, STABLE_AUDIO) },
    };
    return { audio: await keepFile(await callProvider('fal', fal, call, ctx), 'audio', 'audio', ctx) };
  },
});
