// Builds the node of a model that is defined by data: its ports and fields, and its call from their values.
import type { Json, MediaRef, PortType, Value } from '../../graph/types.ts';
import { isMediaType } from '../../graph/values.ts';
import { createElevenLabsProvider } from '../../providers/elevenlabs.ts';
import { createFalProvider } from '../../providers/fal.ts';
import { createOpenAiProvider } from '../../providers/openai.ts';
import { createReplicateProvider } from '../../providers/replicate.ts';
import type { DownloadedOutput } from '../../providers/run-call.ts';
import { defineNode, type NodeContext, type NodeDefinition, type NodeOutput, type Specs } from '../define.ts';
import type { Model, ModelField, ModelProvider, OutputKind } from './model.ts';
import { toPricing } from './model-price.ts';
import { MAX_CREDITS_FIELD } from './pricing.ts';
import {
  attachAudio,
  attachImage,
  attachVideo,
  callProvider,
  getText,
  storeFirstFile,
  storeResultFiles,
  toChunks,
} from './provider-call.ts';

type Input = Readonly<Record<string, unknown>>;

const CALLS: Readonly<
  Record<ModelProvider, (model: Model, input: Input, ctx: NodeContext) => Promise<DownloadedOutput>>
> = {
  fal: ({ endpoint: model, output: { kind, path, chunks: chunksPath } }, input, ctx) =>
    callProvider(
      'fal',
      createFalProvider,
      { model, input, expects: kind === 'text' ? 'text' : 'files', path, chunksPath },
      ctx,
    ),
  replicate: ({ endpoint: model, output: { kind } }, input, ctx) =>
    callProvider(
      'replicate',
      createReplicateProvider,
      { model, input, expects: kind === 'text' ? 'text' : 'files' },
      ctx,
    ),
  elevenlabs: (model, input, ctx) =>
    callProvider(
      'elevenlabs',
      createElevenLabsProvider,
      { path: withQuery(model, input), body: toBody(model, input) },
      ctx,
    ),
  openai: ({ endpoint: model }, { prompt, system, ...rest }, ctx) => {
    const messages = [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: prompt },
    ];
    return callProvider(
      'openai',
      createOpenAiProvider,
      { kind: 'chat', body: { ...rest, model, messages } },
      ctx,
    );
  },
};

interface OutputDefinition {
  readonly port: string;
  readonly label: string;
  readonly type: PortType;
  storeOutput(output: DownloadedOutput, ctx: NodeContext): NodeOutput | Promise<NodeOutput>;
}

const createFileOutput = (
  kind: 'image' | 'video' | 'audio',
  label: string,
  type: PortType,
): OutputDefinition => ({
  port: kind,
  label,
  type,
  storeOutput: (output, ctx) => storeFirstFile(output, kind, kind, ctx),
});

const OUTPUTS: Readonly<Record<OutputKind, OutputDefinition>> = {
  image: createFileOutput('image', 'Image', 'IMAGE'),
  images: {
    port: 'list',
    label: 'Images',
    type: 'LIST',
    storeOutput: (output, ctx) => storeResultFiles(output, 'image', 'image', ctx),
  },
  video: createFileOutput('video', 'Video', 'VIDEO'),
  audio: createFileOutput('audio', 'Audio', 'AUDIO'),
  text: { port: 'text', label: 'Text', type: 'TEXT', storeOutput: output => getText(output) },
};

const CHUNKS = { chunks: { type: 'JSON', label: 'Timed chunks' } } as const;

export function toDefinition(model: Model): NodeDefinition {
  const hasChunks = model.output.chunks !== undefined;
  const { port, label, type, storeOutput } = OUTPUTS[model.output.kind];
  const pricing = toPricing(model);
  const ports = model.fields.filter(({ isPort }) => isPort === true);
  const fields = model.fields.filter(({ isPort }) => isPort !== true);
  const defaults = Object.fromEntries(fields.map(({ id, default: value }) => [id, value]));
  const isPricedBefore = pricing.usd(defaults) !== null;
  const deprecation = model.deprecated === undefined ? {} : ({ deprecated: true } as const);
  const definition = defineNode({
    nodeType: model.nodeType,
    label: model.label,
    description: describe(model),
    category: 'model',
    source: 'vendor',
    requires: model.provider,
    inputs: toSpecs(ports),
    config: {
      ...toSpecs(fields.filter(({ removed }) => removed !== true)),
      ...(isPricedBefore ? {} : MAX_CREDITS_FIELD),
    },
    outputs: { [port]: { type, label }, ...(hasChunks ? CHUNKS : {}) },
    pricing,
    ...deprecation,
    ...(model.isHidden === true ? { hidden: true } : {}),
    ...(model.isRepeatable === true ? { cache: true } : {}),
    run: async (values, ctx) => {
      const output = await CALLS[model.provider](model, await buildInput(model, values, ctx), ctx);
      const outputs = { [port]: await storeOutput(output, ctx) };
      return hasChunks ? { ...outputs, chunks: toChunks(output) } : outputs;
    },
  });
  const { provider, endpoint } = model;
  return withRemovedFields({ ...definition, model: { provider, endpoint } }, fields);
}

/** Returns the definition with its removed fields, which the catalog does not list but which still reject a value. */
function withRemovedFields(definition: NodeDefinition, fields: readonly ModelField[]): NodeDefinition {
  const removedFields = fields.filter(field => field.removed === true);
  if (removedFields.length === 0) return definition;
  const removedDefs = removedFields.map(({ id, label, type }) => ({
    id,
    label,
    type,
    isPort: false,
    removed: true,
  }));
  return {
    ...definition,
    ports: config => {
      const ports = definition.ports(config);
      return { ...ports, inputs: [...ports.inputs, ...removedDefs] };
    },
  };
}

/** Returns what the description adds to what the task and the ports say (`describeModel`). */
function describe({ description = '', deprecated }: Model): string {
  if (deprecated === undefined) return description;
  const advice = deprecated.use === undefined ? '' : ` Use ${deprecated.use} instead.`;
  return `${description} Deprecated since ${deprecated.since}.${advice}`.trim();
}

function toSpecs(fields: readonly ModelField[]): Specs {
  return Object.fromEntries(
    fields.map(({ id, isPort: _, as: __, inList: ___, inQuery: ____, ...spec }) => [id, spec]),
  );
}

/** Builds the provider's input: the values that are set, under the provider's names, with files as attachments. */
async function buildInput(model: Model, values: Input, ctx: NodeContext): Promise<Input> {
  const input: Record<string, unknown> = { ...model.fixed };
  for (const field of model.fields) {
    const value = values[field.id];
    if (value === undefined || (value === null && field.nullable !== true)) continue;
    const requestValue = await toRequestValue(field, value, ctx);
    input[field.as ?? field.id] = field.inList === true ? [requestValue] : requestValue;
  }
  return input;
}

async function toRequestValue(
  { type, itemType }: ModelField,
  value: unknown,
  ctx: NodeContext,
): Promise<unknown> {
  if (value === null) return null;
  if (isMediaType(type)) return ATTACH[type](value as MediaRef, ctx);
  if (type !== 'LIST') return value;
  return Promise.all((value as readonly Value[]).map(item => toRequestItem(item, itemType, ctx)));
}

const ATTACH = { IMAGE: attachImage, VIDEO: attachVideo, AUDIO: attachAudio } as const;

function toRequestItem(item: Value, itemType: PortType | undefined, ctx: NodeContext): unknown {
  if ('media' in item) return ATTACH[item.type](item.media, ctx);
  const plain: Json = item.type === 'TEXT' ? item.text : item.type === 'NUMBER' ? item.number : null;
  return itemType === 'TEXT' ? String(plain) : item.type === 'JSON' ? item.json : plain;
}

function withQuery({ endpoint, fields }: Model, input: Input): string {
  const query = new URLSearchParams();
  for (const { id, as = id, inQuery } of fields) {
    if (inQuery === true && input[as] !== undefined) query.set(as, String(input[as]));
  }
  return query.size === 0 ? endpoint : `${endpoint}?${query}`;
}

function toBody({ fields }: Model, input: Input): Input {
  const queryNames = new Set(fields.filter(({ inQuery }) => inQuery === true).map(({ id, as = id }) => as));
  return Object.fromEntries(Object.entries(input).filter(([name]) => !queryNames.has(name)));
}
