// Applies the operator's own prices (PRICES_FILE) in place of the prices in the catalog.
import type { CatalogEntry, InputDef, ResolvedPorts } from '../../graph/catalog.ts';
import type { Price } from '../../lib/settings.ts';
import type { NodeDefinition } from '../define.ts';
import { describePricing, makeMaxCreditsOptional, type PricedValues, type Pricing } from './pricing.ts';

export type Prices = Readonly<Record<string, Price>>;

const SOURCE = 'set by the operator of this service';

/** Returns the definition with the operator's price, if there is one for its type or for one of its models. */
export function withPrices(definition: NodeDefinition, prices: Prices): NodeDefinition {
  const { entry, pricing } = definition;
  const { nodeType } = entry;
  const isPriced = Object.keys(prices).some(name => name === nodeType || name.startsWith(`${nodeType}/`));
  if (pricing === undefined || !isPriced) return definition;
  const priced = createPricing(entry, prices, pricing);
  const defaults = Object.fromEntries(entry.inputs.map(({ id, default: value }) => [id, value]));
  const { costUsd: _, ...rest } = entry;
  return {
    ...definition,
    pricing: priced,
    entry: {
      ...rest,
      ...describePricing(priced, defaults),
      inputs: entry.inputs.map(makeMaxCreditsOptional),
    },
    ports: (config): ResolvedPorts => {
      const ports = definition.ports(config);
      // Whether a call needs a maximum depends on its model and is reported when the call is made.
      return { ...ports, inputs: ports.inputs.map(makeMaxCreditsOptional) };
    },
  };
}

function createPricing({ nodeType, inputs }: CatalogEntry, prices: Prices, fallback: Pricing): Pricing {
  const priceFor = ({ model }: Readonly<Record<string, unknown>>): Price | undefined =>
    prices[`${nodeType}/${String(model)}`] ?? prices[nodeType];
  return {
    pricingModel: prices[nodeType]?.usdPerCall === undefined ? 'unknown' : 'flat-usd',
    source: SOURCE,
    usd: values => {
      const price = priceFor(values);
      if (price === undefined) return fallback.usd(values);
      return Object.keys(price).every(unit => unit === 'usdPerCall') ? (price.usdPerCall ?? 0) : null;
    },
    settle: (values, usage) => {
      const price = priceFor(values);
      return price === undefined ? (fallback.settle?.(values, usage) ?? null) : computeCost(price, usage);
    },
    bound: (values, usd) => {
      const price = priceFor(values);
      if (price !== undefined) return boundTokens(price, inputs, values, usd);
      return fallback.bound === undefined ? values : fallback.bound(values, usd);
    },
    isSetByOperator: values => priceFor(values) !== undefined,
    isUnpriced: values => priceFor(values) === undefined && fallback.isUnpriced?.(values) === true,
  };
}

/** The fields by which models limit their output tokens. */
const TOKEN_LIMITS: ReadonlySet<string> = new Set([
  'maxTokens',
  'max_tokens',
  'max_new_tokens',
  'max_completion_tokens',
  'max_output_tokens',
]);
/** The maximum number of tokens that GPT Image counts for one input image. */
const MAX_TOKENS_PER_IMAGE = 6_500;

/**
 * Returns the values with the number of output tokens that `usd` covers after the inputs are paid for. A token has at
 * least one byte, so a text has at most as many tokens as bytes. Returns null if the inputs alone, or the model's minimum
 * of tokens, cost more.
 */
function boundTokens(
  price: Price,
  inputs: readonly InputDef[],
  values: PricedValues,
  usd: number,
): PricedValues | null {
  const texts = inputs.flatMap(({ id, type, enum: options }) =>
    type === 'TEXT' && options === undefined && typeof values[id] === 'string' ? [values[id]] : [],
  );
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const characters = texts.reduce((sum, text) => sum + [...text].length, 0);
  const images = inputs.reduce((sum, input) => sum + countImages(input, values[input.id]), 0);
  const { usdPerMillionInputTokens: inputRate = 0 } = price;
  const inputUsd =
    (price.usdPerCall ?? 0) +
    (bytes * inputRate +
      characters * (price.usdPerMillionCharacters ?? 0) +
      images * MAX_TOKENS_PER_IMAGE * (price.usdPerMillionImageInputTokens ?? inputRate)) /
      MILLION;
  const outputUsd = usd - inputUsd;
  if (outputUsd < -TOLERANCE_USD) return null;
  const { usdPerMillionOutputTokens: outputRate = 0 } = price;
  const limit = inputs.find(({ id }) => TOKEN_LIMITS.has(id));
  if (limit === undefined || outputRate === 0) return values;
  const maxTokens = Math.floor(((outputUsd + TOLERANCE_USD) / outputRate) * MILLION);
  if (maxTokens < (limit.min ?? 1)) return null;
  const requestedTokens = values[limit.id];
  return typeof requestedTokens === 'number' && requestedTokens <= maxTokens
    ? values
    : { ...values, [limit.id]: maxTokens };
}

// Tolerance for arithmetic with fractions of a cent.
const TOLERANCE_USD = 1e-9;

function countImages({ type }: InputDef, value: unknown): number {
  if (type === 'IMAGE') return value === undefined || value === null ? 0 : 1;
  if (type !== 'LIST' || !Array.isArray(value)) return 0;
  return (value as readonly { readonly type: string }[]).filter(item => item.type === 'IMAGE').length;
}

type Usage = Readonly<Record<string, unknown>>;

/** The usage of a call under uniform names for all providers. Counts that were not reported are undefined. */
interface UsageCounts {
  readonly units?: number | undefined;
  readonly input?: number | undefined;
  readonly cached?: number | undefined;
  readonly imageInput?: number | undefined;
  readonly output?: number | undefined;
  readonly imageOutput?: number | undefined;
  readonly characters?: number | undefined;
}

function readUsageCounts(usage: unknown): UsageCounts {
  const usageRecord = asUsage(usage);
  const firstCount = (from: Usage, ...names: readonly string[]): number | undefined =>
    names.map(name => from[name]).find((value): value is number => typeof value === 'number' && value >= 0);
  const input = asUsage(usageRecord.input_tokens_details ?? usageRecord.prompt_tokens_details);
  const output = asUsage(usageRecord.output_tokens_details);
  return {
    units: firstCount(usageRecord, 'billable_units'),
    characters: firstCount(usageRecord, 'characters'),
    input: firstCount(usageRecord, 'input_tokens', 'prompt_tokens', 'input_token_count'),
    cached: firstCount(input, 'cached_tokens'),
    imageInput: firstCount(input, 'image_tokens'),
    output: firstCount(usageRecord, 'output_tokens', 'completion_tokens', 'output_token_count'),
    imageOutput: firstCount(output, 'image_tokens'),
  };
}

const asUsage = (value: unknown): Usage =>
  typeof value === 'object' && value !== null ? (value as Usage) : {};

/**
 * Computes the cost in USD. Tokens with a price of their own do not count at the general price. Returns null if a count
 * is missing.
 */
function computeCost(price: Price, usage: unknown): number | null {
  const counts = readUsageCounts(usage);
  const countPriced = (unit: keyof Price, count = 0): number => (price[unit] === undefined ? 0 : count);
  const imageInput = countPriced('usdPerMillionImageInputTokens', counts.imageInput);
  const cached = countPriced('usdPerMillionCachedInputTokens', counts.cached);
  const imageOutput = countPriced('usdPerMillionImageOutputTokens', counts.imageOutput);
  const amounts: Readonly<Record<keyof Price, number | undefined>> = {
    usdPerCall: 1,
    usdPerUnit: counts.units,
    usdPerMillionInputTokens: toRemainingMillions(counts.input, imageInput + cached),
    usdPerMillionCachedInputTokens: cached / MILLION,
    usdPerMillionImageInputTokens: imageInput / MILLION,
    usdPerMillionOutputTokens: toRemainingMillions(counts.output, imageOutput),
    usdPerMillionImageOutputTokens: imageOutput / MILLION,
    usdPerMillionCharacters: toRemainingMillions(counts.characters, 0),
  };
  let usd = 0;
  for (const [unit, rate] of Object.entries(price)) {
    const amount = amounts[unit as keyof Price];
    if (amount === undefined) return null;
    usd += rate * amount;
  }
  return usd;
}

const MILLION = 1_000_000;

/** Returns the part of the count that has no price of its own, in millions. */
function toRemainingMillions(count: number | undefined, separatelyPricedCount: number): number | undefined {
  return count === undefined ? undefined : Math.max(0, count - separatelyPricedCount) / MILLION;
}
