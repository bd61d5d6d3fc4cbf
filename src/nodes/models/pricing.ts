// Computes the cost of provider calls: prices in USD as pure functions of the node's values, converted to credits.
import type { CatalogEntry, InputDef, PricingModel } from '../../graph/catalog.ts';

export type PricedValues = Readonly<Record<string, unknown>>;

export interface Pricing {
  readonly pricingModel: Exclude<PricingModel, 'free'>;
  /** Returns the cost of a call with these values in USD, or null if the cost is not known in advance. */
  usd(values: PricedValues): number | null;
  /** Returns the cost of a finished call in USD by the reported usage, or null if the provider reported no usage. */
  settle?(values: PricedValues, usage: unknown): number | null;
  /**
   * Returns the values to send so that the call costs at most `usd`, for example with fewer output tokens, or null if
   * even the smallest call with these inputs costs more. Absent if no parameter limits the cost.
   */
  bound?(values: PricedValues, usd: number): PricedValues | null;
  /** Returns whether the operator has set a price for a call with these settings. */
  isSetByOperator?(values: PricedValues): boolean;
  /** Returns whether neither the catalog nor the operator has a price for a call with these settings. */
  isUnpriced?(values: PricedValues): boolean;
  /** The source of the price, and the date on which it was read. */
  readonly source: string;
}

/** The config field of every entry without a price known in advance: the maximum charge of a call. */
export const MAX_CREDITS = 'maxCredits';

export const MAX_CREDITS_FIELD = {
  [MAX_CREDITS]: {
    type: 'NUMBER',
    label: 'Max credits',
    required: true,
    min: 1,
    max: 1_000_000,
    integer: true,
    description: 'The most that one call may cost. Required because the price is known only after the call.',
  },
} as const;

/** Returns the input as it is, except for a required `maxCredits`, which becomes optional. */
export function makeMaxCreditsOptional(input: InputDef): InputDef {
  if (input.id !== MAX_CREDITS) return input;
  const { required: _, ...optionalInput } = input;
  return optionalInput;
}

const USD_PER_CREDIT = 0.01;

/** Rounds up to whole credits. The tolerance keeps 0.07 USD at 7 credits. */
export function toCredits(usd: number): number {
  return Math.max(0, Math.ceil(usd / USD_PER_CREDIT - 1e-6));
}

export const toUsd = (credits: number): number => credits * USD_PER_CREDIT;

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

/** Returns the price that the catalog shows: the price of a call with the default config. */
export function describePricing(
  { pricingModel, usd, source }: Pricing,
  defaults: PricedValues,
): PriceOfEntry {
  const cost = usd(defaults);
  return {
    executionCost: 'paid',
    pricingModel,
    estimatedCredits: cost === null ? null : toCredits(cost),
    ...(cost === null ? {} : { costUsd: cost }),
    priceSource: source,
  };
}

/**
 * Returns the credits to reserve before a call with these values is submitted: the exact price (`isExact`), or the
 * maximum that the config declares. Returns null if there is neither, so that the call must not be made.
 */
export function getCreditsToReserve(
  definition: { readonly pricing: Pricing | undefined },
  values: PricedValues,
): { readonly credits: number; readonly isExact: boolean } | null {
  const { pricing } = definition;
  if (pricing === undefined) return { credits: 0, isExact: true };
  const usd = pricing.usd(values);
  // A setting of the wrong type has no price; the node rejects it when it runs.
  if (usd !== null && Number.isFinite(usd)) return { credits: toCredits(usd), isExact: true };
  const declared = values[MAX_CREDITS];
  return typeof declared === 'number' ? { credits: Math.ceil(declared), isExact: false } : null;
}

/**
 * Returns whether a call costs nothing, because it uses a free credential and the operator has set no price. Such a call
 * needs neither a price nor a maximum.
 */
export const isFreeCall = (
  { pricing }: { readonly pricing: Pricing | undefined },
  values: PricedValues,
  credential: { readonly isFree: boolean } | undefined,
): boolean => credential?.isFree === true && pricing?.isSetByOperator?.(values) !== true;

/** The reason for which `boundCall` rejects a call. */
export const OVER_MAX_CREDITS =
  'With these inputs, the call costs more than the maxCredits of its node. Raise maxCredits or shorten the inputs.';

/**
 * Returns the values that may be sent for the credits reserved for a call. Returns null if the call must be refused,
 * because even the smallest call with these inputs costs more than the maxCredits of its node.
 */
export function boundCall(
  definition: { readonly pricing: Pricing | undefined },
  values: PricedValues,
): PricedValues | null {
  const price = getCreditsToReserve(definition, values);
  const declared = values[MAX_CREDITS];
  if (price === null || typeof declared !== 'number') return values;
  if (price.isExact) return price.credits > declared ? null : values;
  const { bound } = definition.pricing ?? {};
  return bound === undefined ? values : bound(values, toUsd(price.credits));
}

/** Creates the pricing of a model without a known price. `source` explains why the price is unknown. */
export function createUnpriced(source: string): Pricing {
  return { pricingModel: 'unknown', usd: () => null, isUnpriced: () => true, source };
}
