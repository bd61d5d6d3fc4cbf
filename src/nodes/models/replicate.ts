// Models on Replicate, each under its owner and name with its real fields.
import { type ReplicateCall, replicate } from '../../providers/replicate.ts';
import { choice, defineNode, image, type NodeContext, number, text, video } from '../define.ts';
import { CEILING, perImage, unpriced } from './pricing.ts';
import { attachImage, callProvider, keepFile, keepText, pickSet } from './provider-call.ts';

const ON_REPLICATE = { category: 'model', source: 'vendor', requires: 'replicate' } as const;
const PRICES = 'https://replicate.com/pricing as transcribed 2026-10-07';
const UNCONFIRMED = 'no price could be confirmed (2026-11-21); it stands on the page of the model';

const PROMPT = { prompt: text('Prompt', { required: true }) };
const SEED = {
  seed: number('Seed', { min: 0, max: 2_147_483_647, description: 'Set: the result may be reused.' }),
};

function ask(
  model: string,
  input: ReplicateCall['input'],
  expects: ReplicateCall['expects'],
  ctx: NodeContext,
) {
  return callProvider('replicate', replicate, { model, input, expects }, ctx);
}

const FLUX_PRO = {
  aspect_ratio: choice('Shape', ['1:1', '16:9', '3:2', '2:3', '4:5', '5:4', '9:16', '3:4', '4:3']),
  output_format: choice('Format', ['webp', 'jpg', 'png']),
  output_quality: number('Quality', { default: 80, min: 0, max: 100 }),
  safety_tolerance: number('Safety tolerance', { default: 2, min: 1, max: 6 }),
  ...SEED,
};

export const generateReplicateFluxPro = defineNode({
  ...ON_REPLICATE,
  nodeType: 'generate:replicate_flux_pro',
  label: 'FLUX 1.1 [pro]',
  description: 'black-forest-labs/flux-1.1-pro',
  cache: true,
  inputs: PROMPT,
  config: FLUX_PRO,
  outputs: { image: image('Image') },
  pricing: perImage(0.04, PRICES),
  run: async ({ prompt, ...values }, ctx) => {
    const input = { prompt, ...pickSet(values, FLUX_PRO) };
    const delivery = await ask('black-forest-labs/flux-1.1-pro', input, 'files', ctx);
    return { image: await keepFile(delivery, 'image', 'image', ctx) };
  },
});

const FLUX_SCHNELL = {
  aspect_ratio: choice('Shape', [
    '1:1',
    '16:9',
    '21:9',
    '3:2',
    '2:3',
    '4:5',
    '5:4',
    '3:4',
    '4:3',
    '9:16',
    '9:21',
  ]),
  output_format: choice('Format', ['webp', 'jpg', 'png']),
  num_inference_steps: number('Steps', { default: 4, min: 1, max: 4 }),
  ...SEED,
};

export const generateReplicateFluxSchnell = defineNode({
  ...ON_REPLICATE,
  nodeType: 'generate:replicate_flux_schnell',
  label: 'FLUX.1 [schnell]',
  description: 'black-forest-labs/flux-schnell',
  cache: true,
  inputs: PROMPT,
  config: FLUX_SCHNELL,
  outputs: { image: image('Image') },
  pricing: perImage(0.003, PRICES),
  run: async ({ prompt, ...values }, ctx) => {
    const input = { prompt, ...pickSet(values, FLUX_SCHNELL), num_outputs: 1 };
    const delivery = await ask('black-forest-labs/flux-schnell', input, 'files', ctx);
    return { image: await keepFile(delivery, 'image', 'image', ctx) };
  },
});

const KONTEXT = {
  aspect_ratio: choice('Shape', [
    'match_input_image',
    '1:1',
    '16:9',
    '9:16',
    '4:3',
    '3:4',
    '3:2',
    '2:3',
    '4:5',
    '5:4',
    '21:9',
    '9:21',
    '2:1',
    '1:2',
  ]),
  output_format: choice('Format', ['png', 'jpg']),
  safety_tolerance: number('Safety tolerance', { default: 2, min: 0, max: 2 }),
  ...SEED,
};

export const editReplicateKontext = defineNode({
  ...ON_REPLICATE,
  nodeType: 'edit:replicate_flux_kontext',
  label: 'FLUX.1 Kontext [pro]',
  description: 'black-forest-labs/flux-kontext-pro',
  cache: true,
  inputs: { ...PROMPT, image: image('Image', { required: true }) },
  config: { ...KONTEXT, ...CEILING },
  outputs: { image: image('Image') },
  pricing: unpriced(UNCONFIRMED),
  run: async ({ prompt, image: picture, ...values }, ctx) => {
    const input = { prompt, input_image: await attachImage(picture, ctx), ...pickSet(values, KONTEXT) };
    const delivery = await ask('black-forest-labs/flux-kontext-pro', input, 'files', ctx);
    return { image: await keepFile(delivery, 'image', 'image', ctx) };
  },
});

const SEEDANCE = {
  duration: number('Seconds', { default: 5, min: 2, max: 12 }),
  resolution: choice('Resolution', ['1080p', '720p', '480p']),
  aspect_ratio: choice('Shape', ['16:9', '4:3', '1:1', '3:4', '9:16', '21:9', '9:21']),
  ...SEED,
};

export const videoReplicateSeedance = defineNode({
  ...ON_REPLICATE,
  nodeType: 'video:replicate_seedance',
  label: 'Seedance 1 Pro',
  description: 'bytedance/seedance-1-pro',
  cache: true,
  inputs: { ...PROMPT, image: image('First frame') },
  config: { ...SEEDANCE, ...CEILING },
  outputs: { video: video('Video') },
  pricing: unpriced(UNCONFIRMED),
  run: async ({ prompt, image: frame, ...values }, ctx) => {
    const first = frame === undefined ? {} : { image: await attachImage(frame, ctx) };
    const input = { prompt, ...first, ...pickSet(values, SEEDANCE) };
    const delivery = await ask('bytedance/seedance-1-pro', input, 'files', ctx);
    return { video: await keepFile(delivery, 'video', 'video', ctx) };
  },
});

const LLAMA = {
  system_prompt: text('System prompt', { default: 'You are a helpful assistant.' }),
  max_tokens: number('Most tokens', { default: 512, min: 1, max: 16_384 }),
  temperature: number('Temperature', { default: 0.6, min: 0, max: 5 }),
  top_p: number('Top p', { default: 0.9, min: 0, max: 1 }),
  top_k: number('Top k', { default: 50, min: 0, max: 1000 }),
};

export const textReplicateLlama = defineNode({
  ...ON_REPLICATE,
  nodeType: 'text:replicate_llama',
  label: 'Llama 3.1 405B',
  description: 'meta/meta-llama-3.1-405b-instruct',
  inputs: PROMPT,
  config: { ...LLAMA, ...CEILING },
  outputs: { text: text('Text') },
  pricing: unpriced('priced by the token, which is known only afterwards'),
  run: async ({ prompt, ...values }, ctx) => {
    const input = { prompt, ...pickSet(values, LLAMA) };
    return { text: keepText(await ask('meta/meta-llama-3.1-405b-instruct', input, 'text', ctx)) };
  },
});
