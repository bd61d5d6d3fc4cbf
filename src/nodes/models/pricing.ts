// What a call at a provider costs: prices as pure functions of the node's values, in USD, and credits made of them.
import type { CatalogEntry, PricingModel } from '../../graph/catalog.ts';

export type PricedValues = Readonly<Record<string, unknown>>;

export interface Pricing {
  readonly model: Exclude<PricingModel, 'free'>;
  /** What a call with these values costs; null where that is known only afterwards, or could not be confirmed. */
  usd(values: PricedValues): number | null;
  /** What a call has cost, by what its provider says that it used; null where it does not say. */
  settle?(values: PricedValues, usage: unknown): number | null;
  /**
   * The values to send so that the call costs at most this much, e.g. with fewer output tokens. null: even the smallest
   * call with these inputs costs more. Absent: nothing that is sent bounds what the provider does.
   */
  bound?(values: PricedValues, usd: number): PricedValues | null;
  /** Whether neither the catalog nor the operator has a price for a call with these settings. */
  isUnpriced?(values: PricedValues): boolean;
  /** Where the price was read, and when. */
  readonly source: string;
}

/** The config field of every entry whose price is not known beforehand: what a call may be charged at most. */
export const MAX_CREDITS = 'maxCredits';

export const CEILING = {
  [MAX_CREDITS]: {
    type: 'NUMBER',
    label: 'Max credits',
    required: true,
    min: 1,
    max: 1_000_000,
    description: 'The most that one call may cost. Required because the price is known only after the call.',
  },
} as const;

const USD_PER_CREDIT = 0.01;

/** Rounded up to whole credits; the tolerance keeps 0.07 USD at 7 credits. */
export function toCredits(usd: number): number {
  return Math.max(0, Math.ceil(usd / USD_PER_CREDIT - 1e-6));
}

type PriceOfEntry = Pick<
  CatalogEntry,
  'executionCost' | 'pricingModel' | 'estimatedCredits' | 'costUsd' | 'priceSource'
>;

export const FREE: PriceOfEntry = {
  executionCost: 'free',
  pricingModel: 'free',
  estimatedCredits: 0,
  costUsd: 0,
};

/** What the catalog says of the price: that of a run with the defaults of the config. */
export function describePricing({ model, usd, source }: Pricing, defaults: PricedValues): PriceOfEntry {
  const cost = usd(defaults);
  return {
    executionCost: 'paid',
    pricingModel: model,
    estimatedCredits: cost === null ? null : toCredits(cost),
    ...(cost === null ? {} : { costUsd: cost }),
    priceSource: source,
  };
}

/**
 * The credits that a call with these values, fields and ports resolved, must have reserved before it is submitted: its price
 * (`isExact`), or else the maximum that its config declares. null where neither is there: the call must not be made.
 */
export function priceOf(
  definition: { readonly pricing: Pricing | undefined },
  values: PricedValues,
): { readonly credits: number; readonly isExact: boolean } | null {
  const { pricing } = definition;
  if (pricing === undefined) return { credits: 0, isExact: true };
  const usd = pricing.usd(values);
  // A setting of the wrong type makes no price; the node refuses it when it runs.
  if (usd !== null && Number.isFinite(usd)) return { credits: toCredits(usd), isExact: true };
  const declared = values[MAX_CREDITS];
  return typeof declared === 'number' ? { credits: Math.ceil(declared), isExact: false } : null;
}

/** Why `boundCall` refuses a call. */
export const OVER_MAX_CREDITS =
  'With these inputs the call costs more than the maxCredits of its node: raise that, or shorten the inputs.';

/**
 * The values that may be sent for the credits reserved for a call. null: the call must be refused, because its price is
 * over the maxCredits of its node, or because the smallest call with these inputs would be.
 */
export function boundCall(
  definition: { readonly pricing: Pricing | undefined },
  values: PricedValues,
): PricedValues | null {
  const price = priceOf(definition, values);
  const declared = values[MAX_CREDITS];
  if (price === null || typeof declared !== 'number') return values;
  if (price.isExact) return price.credits > declared ? null : values;
  const { bound } = definition.pricing ?? {};
  return bound === undefined ? values : bound(values, price.credits * USD_PER_CREDIT);
}

/** Known to cost something, not how much: the reason stands in the source. */
export function unpriced(source: string): Pricing {
  return { model: 'unknown', usd: () => null, isUnpriced: () => true, source };
}
