// Builds a model from its provider's published data: its name, price, and the schemas of its input and output.

import { sha256Hex } from '../../lib/crypto.ts';
import { cutText } from '../../lib/cut-text.ts';
import { isRecord } from '../../lib/record.ts';
import { SchemaDocument } from './json-schema.ts';
import type { Model, ModelField, ModelPrice, ModelProvider, OutputKind } from './model.ts';
import { parseModel } from './parse-model.ts';
import { readFields, UnusableSchemaError } from './schema-fields.ts';

export interface PublishedModel {
  readonly provider: ModelProvider;
  readonly endpoint: string;
  readonly label: string;
  /** The provider's category, for example `text-to-image`. */
  readonly category?: string | undefined;
  /** The OpenAPI document that references resolve in, and the schemas in it. */
  readonly document: unknown;
  readonly input: unknown;
  readonly output: unknown;
  readonly price?: PublishedPrice | undefined;
  /** The URL of the description. */
  readonly source: string;
  readonly date: string;
}

export interface PublishedPrice {
  readonly usd: number;
  /** The provider's name of the unit, for example `seconds`. */
  readonly unit: string;
}

/** Throws UnusableSchemaError if no node can be built from the data, and ModelError if a value is out of bounds. */
export function buildModel(published: PublishedModel): Model {
  const { provider, endpoint, source, date } = published;
  const document = new SchemaDocument(published.document);
  const { fields, fixed } = readFields(document, published.input);
  const output = readOutputKind(document, published.output);
  const hasSeed = fields.some(({ id, type }) => id === 'seed' && type === 'NUMBER');
  return parseModel({
    nodeType: `${chooseFamily(output.kind, fields, published.category)}:${provider}_${toModelSlug(endpoint)}`,
    label: toLine(published.label, 120) || endpoint,
    provider,
    endpoint,
    ...(hasSeed ? { isRepeatable: true } : {}),
    fields,
    ...(Object.keys(fixed).length === 0 ? {} : { fixed }),
    output,
    ...readPrice(published, fields),
    schema: { source, date, hash: hashJson([published.input, published.output]) },
  });
}

/** Returns the text as one line that is safe to show on a page. */
export function toLine(text: string, maxLength: number): string {
  const line = text
    .replaceAll(/[<>\p{Cc}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return cutText(line, maxLength);
}

export function toModelSlug(endpoint: string): string {
  const name = endpoint
    .toLowerCase()
    .replace(/^\//, '')
    .replace(/^fal-ai\//, '')
    .replace(/:.*$/, '');
  return name
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 68);
}

function chooseFamily(kind: OutputKind, fields: readonly ModelField[], category = ''): string {
  const hasInput = (type: string): boolean =>
    fields.some(field => field.isPort === true && (field.type === type || field.itemType === type));
  if (kind === 'text' || kind === 'audio') return kind;
  if (kind !== 'video') return hasInput('IMAGE') ? 'edit' : 'generate';
  const isTalking =
    /lip|talk|avatar|audio-to-video/.test(category) ||
    (hasInput('AUDIO') && (hasInput('IMAGE') || hasInput('VIDEO')));
  return isTalking ? 'talking' : 'video';
}

const OUTPUT_NAMES: readonly (readonly [OutputKind, RegExp])[] = [
  ['video', /^(?:video|videos|video_url|output_video)$/],
  ['image', /^(?:image|images|image_url|output_image|upscaled_image)$/],
  ['audio', /^(?:audio|audio_file|audio_url|music|speech)$/],
  ['text', /^(?:output|text|result|transcription|answer|results)$/],
];

function readOutputKind(document: SchemaDocument, output: unknown): Model['output'] {
  const { schema } = document.resolve(output);
  const properties = isRecord(schema.properties) ? schema.properties : undefined;
  if (properties === undefined) return readBareOutput(document, output);
  const names = Object.keys(properties);
  for (const [kind, form] of OUTPUT_NAMES) {
    const name = names.find(candidate => form.test(candidate));
    if (name === undefined) continue;
    const isText = document.resolve(properties[name]).schema.type === 'string';
    if (kind === 'text' && !isText) continue;
    return { kind, path: name };
  }
  throw new UnusableSchemaError('its result is not an image, video, audio or text');
}

/** Reads an output without named properties: a URL, a list of URLs, or text fragments. */
function readBareOutput(document: SchemaDocument, output: unknown): Model['output'] {
  const { schema } = document.resolve(output);
  const item = schema.type === 'array' ? document.resolve(schema.items).schema : schema;
  const title = `${String(schema.title ?? '')} ${String(schema.description ?? '')}`.toLowerCase();
  if (item.type === 'string' && item.format !== 'uri') return { kind: 'text' };
  if (item.type !== 'string') throw new UnusableSchemaError('its result has no published type');
  const kind = /video/.test(title) ? 'video' : /audio|music|speech|sound/.test(title) ? 'audio' : 'image';
  return { kind };
}

interface PublishedUnit {
  readonly form: RegExp;
  readonly unit: ModelPrice['unit'];
  /**
   * Possible names of the field with the number of units. If the model has no such field, the price is known only after
   * the call.
   */
  readonly countFields?: readonly string[];
  /** The number of the provider's units in one unit of ModelPrice. Default: 1. */
  readonly factor?: number;
}

const UNITS: readonly PublishedUnit[] = [
  { form: /^(?:images?|generated images?)$/, unit: 'image' },
  { form: /^(?:videos?|generations?|requests?|calls?|songs?|units?)$/, unit: 'call' },
  {
    form: /^(?:seconds?|video seconds?|video_second)$/,
    unit: 'second',
    countFields: ['duration', 'seconds_total', 'seconds'],
  },
  { form: /^1000 characters?$/, unit: 'thousand characters', countFields: ['text', 'prompt'] },
  { form: /^characters?$/, unit: 'thousand characters', countFields: ['text', 'prompt'], factor: 1000 },
];
const MAX_USD = 1_000;

function readPrice(
  { price, provider, date, source }: PublishedModel,
  fields: readonly ModelField[],
): Pick<Model, 'price' | 'priceSource'> {
  if (price === undefined)
    return { price: null, priceSource: `no price is published (${source}, read ${date})` };
  const { usd, unit } = price;
  const priceSource = `${usd} USD a ${toLine(unit, 40)}, by the list of ${provider}, read ${date}`;
  // An implausible price is an error in the list and must not be charged.
  if (!Number.isFinite(usd) || usd <= 0 || usd > MAX_USD)
    return { price: null, priceSource: `implausible: ${priceSource}` };
  const publishedUnit = UNITS.find(({ form }) => form.test(unit.toLowerCase().trim()));
  const countField = publishedUnit?.countFields?.find(name => fields.some(({ id }) => id === name));
  const isCountable =
    publishedUnit !== undefined && (publishedUnit.countFields === undefined || countField !== undefined);
  if (!isCountable) return { price: { unit: 'billed unit', usd }, priceSource };
  return {
    price: {
      unit: publishedUnit.unit,
      usd: usd * (publishedUnit.factor ?? 1),
      ...(countField === undefined ? {} : { of: countField }),
    },
    priceSource,
  };
}

/** Returns the hash of a description as it was published. */
export function hashJson(value: unknown): string {
  return sha256Hex(JSON.stringify(value) ?? '').slice(0, 16);
}
