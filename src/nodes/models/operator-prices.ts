// The operator's own prices (PRICES_FILE), in place of those that the catalog was written with.
import type { InputDef, ResolvedPorts } from '../../graph/catalog.ts';
import type { Price } from '../../lib/settings.ts';
import type { NodeDefinition } from '../define.ts';
import { describePricing, MAX_CREDITS, type Pricing } from './pricing.ts';

export type Prices = Readonly<Record<string, Price>>;

const SOURCE = 'set by the operator of this service';

/** The definition at the operator's price, where there is one for its type or for a model of it. */
export function withPrices(definition: NodeDefinition, prices: Prices): NodeDefinition {
  const { entry, pricing } = definition;
  const { nodeType } = entry;
  const isPriced = Object.keys(prices).some(name => name === nodeType || name.startsWith(`${nodeType}/`));
  if (pricing === undefined || !isPriced) return definition;
  const priced = priceBy(nodeType, prices, pricing);
  const defaults = Object.fromEntries(entry.inputs.map(({ id, default: value }) => [id, value]));
  const { costUsd: _, ...rest } = entry;
  return {
    ...definition,
    pricing: priced,
    entry: { ...rest, ...describePricing(priced, defaults), inputs: entry.inputs.map(relax) },
    ports: (config): ResolvedPorts => {
      const ports = definition.ports(config);
      return { ...ports, inputs: ports.inputs.map(relax) };
    },
  };
}

/** A ceiling may still be set; whether a call needs one depends on its model, and is told when it is made. */
function relax(input: InputDef): InputDef {
  if (input.id !== MAX_CREDITS) return input;
  const { required: _, ...free } = input;
  return free;
}

function priceBy(nodeType: string, prices: Prices, fallback: Pricing): Pricing {
  const priceFor = ({ model }: Readonly<Record<string, unknown>>): Price | undefined =>
    prices[`${nodeType}/${String(model)}`] ?? prices[nodeType];
  return {
    model: prices[nodeType]?.usdPerCall === undefined ? 'unknown' : 'flat-usd',
    source: SOURCE,
    usd: values => {
      const price = priceFor(values);
      if (price === undefined) return fallback.usd(values);
      return Object.keys(price).every(unit => unit === 'usdPerCall') ? (price.usdPerCall ?? 0) : null;
    },
    settle: (values, usage) => {
      const price = priceFor(values);
      return price === undefined ? (fallback.settle?.(values, usage) ?? null) : costOf(price, usage);
    },
  };
}

/** The names under which OpenAI, Replicate and ElevenLabs tell what a call used. */
const USAGE_NAMES = [
  ['usdPerMillionInputTokens', ['input_tokens', 'prompt_tokens', 'input_token_count']],
  ['usdPerMillionOutputTokens', ['output_tokens', 'completion_tokens', 'output_token_count']],
  ['usdPerMillionCharacters', ['characters']],
] as const;

/** null where the price asks for something that the usage does not tell. */
function costOf(price: Price, usage: unknown): number | null {
  const told = (typeof usage === 'object' && usage !== null ? usage : {}) as Readonly<
    Record<string, unknown>
  >;
  let usd = price.usdPerCall ?? 0;
  for (const [unit, names] of USAGE_NAMES) {
    const rate = price[unit];
    if (rate === undefined) continue;
    const count = names.map(name => told[name]).find(value => typeof value === 'number' && value >= 0);
    if (count === undefined) return null;
    usd += (rate * Number(count)) / 1_000_000;
  }
  return usd;
}
