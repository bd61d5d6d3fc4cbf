// Creates a model in the format of fal's list. Tests modify the model.
import type { PublishedModel } from '../../../src/nodes/models/from-schema.ts';

type Properties = Readonly<Record<string, unknown>>;

/** Returns the OpenAPI document of an endpoint in fal's queue. */
export function createOpenApi(
  endpoint: string,
  properties: Properties,
  required: readonly string[] = ['prompt'],
) {
  const input = { type: 'object', required, properties };
  return {
    openapi: '3.0.4',
    components: {
      schemas: { Input: input, Output: OUTPUT, File: { type: 'object', properties: { url: {} } } },
    },
    paths: {
      [`/${endpoint}`]: {
        post: {
          requestBody: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Input' } } },
          },
        },
      },
      [`/${endpoint}/requests/{request_id}`]: {
        get: {
          responses: {
            '200': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Output' } } } },
          },
        },
      },
    },
  };
}

const OUTPUT = { type: 'object', properties: { video: { $ref: '#/components/schemas/File' } } };

export const VIDEO_INPUT: Properties = {
  prompt: { type: 'string' },
  image_url: { type: 'string' },
  duration: { type: 'string', enum: ['4s', '6s', '8s'], default: '8s' },
  resolution: { type: 'string', enum: ['720p', '1080p'], default: '720p' },
  seed: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
  generate_audio: { type: 'boolean', default: true },
  num_inference_steps: { type: 'integer', minimum: 1, maximum: 50, default: 28 },
  reference_image_urls: { type: 'array', items: { type: 'string' }, maxItems: 3 },
  sync_mode: { type: 'boolean', default: false },
};

export function createPublishedModel(
  properties: Properties = VIDEO_INPUT,
  more: Partial<PublishedModel> = {},
): PublishedModel {
  const document = createOpenApi('fal-ai/veo3.1', properties);
  return {
    provider: 'fal',
    endpoint: 'fal-ai/veo3.1',
    label: 'Veo 3.1',
    document,
    input: { $ref: '#/components/schemas/Input' },
    output: { $ref: '#/components/schemas/Output' },
    price: { usd: 0.2, unit: 'seconds' },
    source: 'https://fal.ai/models/fal-ai/veo3.1',
    date: '2026-11-22',
    ...more,
  };
}
