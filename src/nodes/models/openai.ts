// Declares the nodes for OpenAI and compatible servers. `model` is the server's name for the model.
import type { MediaRef, Value } from '../../graph/types.ts';
import { omitUndefined } from '../../lib/record.ts';
import { convertImage, inspectImage } from '../../media/images.ts';
import { createOpenAiResponsesProvider, type OpenAiCall } from '../../providers/openai.ts';
import { Attachment } from '../../providers/provider.ts';
import { choice, defineNode, image, list, type NodeContext, NodeError, number, text } from '../define.ts';
import { callOpenAi } from './openai-call.ts';
import { createUnpriced, MAX_CREDITS_FIELD } from './pricing.ts';
import { attachImage, callProvider, getText, pickDefined, storeFirstFile } from './provider-call.ts';
import { findServer, SERVER_FIELD, toOpenAiKey, toServerSize, withServers } from './servers.ts';

const OPENAI_NODE = {
  category: 'model',
  source: 'vendor',
  requires: toOpenAiKey,
} as const;
const TOKEN_PRICE_SOURCE = 'priced per token; the cost is known only after the call';
// The newest small model on https://developers.openai.com/api/docs/models on 2026-11-21.
const TEXT_MODEL = 'gpt-6-luna';
const MAX_IMAGES = 16;

const PROMPT = { prompt: text('Prompt', { required: true }) };
const IMAGE_OUTPUT = { image: image('Image') };

/** Results of named servers are reused if the seed is fixed. */
const isRepeatable = (values: Readonly<Record<string, unknown>>): boolean =>
  findServer(values) !== undefined && typeof values.seed === 'number';

/** Fields that servers of one's own know, and OpenAI does not. */
const DIFFUSION = {
  seed: number('Seed', {
    min: 0,
    max: 4_294_967_295,
    integer: true,
    description: 'For servers with Stable Diffusion, for example. With a seed, results are reused.',
  }),
  steps: number('Steps', { min: 1, max: 200, integer: true, description: 'For servers that have steps.' }),
  negative_prompt: text('Negative prompt', {
    description: 'What the image must not show, for servers that support it.',
  }),
};

const OPENAI_SIZES = ['1024x1024', '1536x1024', '1024x1536', 'auto'] as const;

const GPT_IMAGE = {
  model: text('Model', { default: 'gpt-image-2.5-flare' }),
  size: choice('Size', OPENAI_SIZES),
  quality: choice('Quality', ['auto', 'low', 'medium', 'high', 'xhigh', 'max']),
  background: choice('Background', ['auto', 'opaque', 'transparent']),
  output_format: choice('Format', ['png', 'jpeg', 'webp']),
};

export const generateOpenAi = withServers(
  defineNode({
    ...OPENAI_NODE,
    nodeType: 'generate:openai_gpt_image',
    label: 'GPT Image',
    description: 'Generates an image with OpenAI.',
    inputs: PROMPT,
    config: {
      ...SERVER_FIELD,
      ...GPT_IMAGE,
      moderation: choice('Moderation', ['auto', 'low']),
      ...DIFFUSION,
      ...MAX_CREDITS_FIELD,
    },
    outputs: IMAGE_OUTPUT,
    pricing: createUnpriced(TOKEN_PRICE_SOURCE),
    cache: isRepeatable,
    run: async ({ prompt, server, ...values }, ctx) => {
      const body = { ...toImageValues(prompt, server, values), n: 1 };
      return { image: await requestImage({ server }, { kind: 'image', body }, ctx) };
    },
  }),
  'images',
);

export const editOpenAi = withServers(
  defineNode({
    ...OPENAI_NODE,
    nodeType: 'edit:openai_gpt_image',
    label: 'GPT Image edit',
    description: 'Edits an image with OpenAI. Only the transparent areas of the mask are edited.',
    inputs: {
      ...PROMPT,
      image: image('Image', { required: true }),
      images: list('More images', { description: 'Up to 15 more images for the prompt to refer to.' }),
      mask: image('Mask', { description: 'Must have the size of the image.' }),
    },
    config: {
      ...SERVER_FIELD,
      ...GPT_IMAGE,
      model: text('Model', { default: 'gpt-image-2.5-sunburst' }),
      ...DIFFUSION,
      ...MAX_CREDITS_FIELD,
    },
    outputs: IMAGE_OUTPUT,
    pricing: createUnpriced(TOKEN_PRICE_SOURCE),
    cache: isRepeatable,
    run: async ({ prompt: words, server, image, images = [], mask, ...values }, ctx) => {
      const { prompt, ...rest } = toImageValues(words, server, values);
      const firstImage = await attachImage(image, ctx);
      const allImages = [firstImage, ...(await attachImages(images, ctx))];
      const maskFields =
        mask === undefined ? [] : [['mask', await attachMask(mask, firstImage, ctx)] as const];
      const name = allImages.length === 1 ? 'image' : 'image[]';
      const call = {
        kind: 'edit' as const,
        fields: [
          ['prompt', prompt],
          ...allImages.map(file => [name, file] as const),
          ...maskFields,
          ...Object.entries(rest).map(([field, value]) => [field, String(value)] as const),
        ] as const,
      };
      return { image: await requestImage({ server }, call, ctx) };
    },
  }),
  'images',
);

const IMAGE_FIELDS = { ...GPT_IMAGE, moderation: {}, ...DIFFUSION };
/** The model that the server of stable-diffusion.cpp lists. */
const SD_CPP_MODEL = 'sd-cpp-local';

/** Returns the values to send. Named servers get those that are not the default, because they may reject OpenAI's fields. */
function toImageValues(
  prompt: string,
  server: string | undefined,
  values: Readonly<Record<string, unknown>>,
): { readonly prompt: string } & Readonly<Record<string, unknown>> {
  const fields = pickDefined(values, IMAGE_FIELDS);
  if (findServer({ server }) === undefined) {
    // Only a default server that is not OpenAI's lets other sizes through.
    if (!OPENAI_SIZES.some(size => size === fields.size)) toServerSize(String(fields.size));
    return { prompt, ...fields };
  }
  const { size, model, output_format, ...rest } = fields;
  const changed = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== 'auto'));
  const format = output_format === 'png' ? {} : { output_format };
  const common = { model, ...format, ...omitUndefined({ size: toServerSize(String(size)) }) };
  // Texts of visitors must not set parameters of the server.
  const words = prompt.replaceAll(/<\/?sd_cpp_extra_args>/g, '');
  return model === SD_CPP_MODEL
    ? { prompt: withSdCppArguments(words, changed), ...common }
    : { prompt: words, ...common, ...changed };
}

/** Adds the values that the server of stable-diffusion.cpp reads only from the prompt. */
function withSdCppArguments(
  prompt: string,
  { seed, steps, negative_prompt }: Readonly<Record<string, unknown>>,
): string {
  const sample_params = steps === undefined ? undefined : { sample_steps: steps };
  const json = JSON.stringify({ seed, sample_params, negative_prompt });
  // The block must not end before its last brace.
  return json === '{}'
    ? prompt
    : `${prompt}<sd_cpp_extra_args>${json.replaceAll('<', '\\u003c')}</sd_cpp_extra_args>`;
}

async function attachImages(items: readonly Value[], ctx: NodeContext): Promise<readonly Attachment[]> {
  if (items.length >= MAX_IMAGES) {
    throw new NodeError(
      'invalid_input',
      `An edit accepts up to ${MAX_IMAGES} images, not ${items.length + 1}.`,
    );
  }
  return Promise.all(
    items.map(item => {
      if (item.type === 'IMAGE') return attachImage(item.media, ctx);
      throw new NodeError('invalid_input', '"More images" (images) accepts only images.');
    }),
  );
}

/** Returns the mask as PNG, the only format that OpenAI accepts. Throws NodeError if it has another size than the image, or no transparency. */
async function attachMask(ref: MediaRef, image: Attachment, ctx: NodeContext): Promise<Attachment> {
  const mask = await attachImage(ref, ctx);
  const [maskInfo, imageInfo] = await Promise.all([
    inspectImage(mask.bytes, ctx.signal),
    inspectImage(image.bytes, ctx.signal),
  ]);
  if (maskInfo.width !== imageInfo.width || maskInfo.height !== imageInfo.height) {
    const sizes = `${maskInfo.width}×${maskInfo.height}, and the image ${imageInfo.width}×${imageInfo.height}`;
    throw new NodeError(
      'invalid_input',
      `The mask must have the same size as the image, but it has ${sizes}.`,
    );
  }
  if (!maskInfo.hasAlpha) {
    throw new NodeError(
      'invalid_input',
      'The mask has no transparent areas. Make the areas to edit transparent, and use PNG or WebP.',
    );
  }
  if (mask.contentType === 'image/png') return mask;
  const { bytes } = await convertImage(
    mask.bytes,
    { format: 'png', quality: 100, background: '#ffffff' },
    ctx.signal,
  );
  return new Attachment(bytes, 'image/png', 'mask.png');
}

async function requestImage(
  config: { readonly server: string | undefined },
  call: OpenAiCall,
  ctx: NodeContext,
): Promise<MediaRef> {
  return storeFirstFile(await callOpenAi(config, call, ctx), 'image', 'image', ctx);
}

const TEXT_INPUTS = {
  ...PROMPT,
  system: text('Instructions'),
  image: image('Image', { description: 'For models with image input.' }),
};

export const textOpenAiChat = withServers(
  defineNode({
    ...OPENAI_NODE,
    nodeType: 'text:openai_chat',
    label: 'Chat model',
    description: 'Generates text with OpenAI or a compatible server.',
    inputs: TEXT_INPUTS,
    config: {
      ...SERVER_FIELD,
      model: text('Model', { default: TEXT_MODEL }),
      maxTokens: number('Max tokens', { default: 2048, min: 1, max: 128_000, integer: true }),
      tokenField: choice('Token limit field', ['max_completion_tokens', 'max_tokens'], {
        description: 'Compatible servers usually use max_tokens.',
      }),
      temperature: number('Temperature', { min: 0, max: 2 }),
      ...MAX_CREDITS_FIELD,
    },
    outputs: { text: text('Text') },
    pricing: createUnpriced(TOKEN_PRICE_SOURCE),
    run: async ({ prompt, system, image, server, model, maxTokens, tokenField, temperature }, ctx) => {
      const content =
        image === undefined
          ? prompt
          : [
              { type: 'text', text: prompt },
              { type: 'image_url', image_url: { url: await attachImage(image, ctx) } },
            ];
      const messages = [
        ...(system === undefined ? [] : [{ role: 'system', content: system }]),
        { role: 'user', content },
      ];
      // Some servers stream unless told otherwise.
      const options =
        findServer({ server }) === undefined
          ? { [tokenField]: maxTokens }
          : { max_tokens: maxTokens, stream: false };
      const body = { model, messages, ...options, temperature };
      return { text: getText(await callOpenAi({ server }, { kind: 'chat', body }, ctx)) };
    },
  }),
  'chat',
);

export const textOpenAiResponses = defineNode({
  ...OPENAI_NODE,
  requires: 'openai',
  nodeType: 'text:openai_responses',
  label: 'OpenAI response',
  description:
    'Generates text with OpenAI in the background. Long calls survive a restart and can be cancelled.',
  inputs: TEXT_INPUTS,
  config: {
    model: text('Model', { default: TEXT_MODEL }),
    effort: text('Reasoning effort', {
      enum: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
      description: 'Default: set by the model. Models without reasoning reject any value.',
    }),
    maxTokens: number('Max tokens', { default: 4096, min: 16, max: 128_000, integer: true }),
    ...MAX_CREDITS_FIELD,
  },
  outputs: { text: text('Text') },
  pricing: createUnpriced(TOKEN_PRICE_SOURCE),
  run: async ({ prompt, system, image, model, effort, maxTokens }, ctx) => {
    const content =
      image === undefined
        ? []
        : [{ type: 'input_image', detail: 'auto', image_url: await attachImage(image, ctx) }];
    const body = {
      model,
      instructions: system,
      input: [{ role: 'user', content: [{ type: 'input_text', text: prompt }, ...content] }],
      ...(effort === undefined ? {} : { reasoning: { effort } }),
      max_output_tokens: maxTokens,
    };
    return { text: getText(await callProvider('openai', createOpenAiResponsesProvider, body, ctx)) };
  },
});
