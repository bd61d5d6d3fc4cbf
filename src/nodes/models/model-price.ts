// Computes the cost of a model call: units by its values, times the price per unit.
import type { Model, ModelPrice, PriceUnit } from './model.ts';
import { createUnpriced, type Pricing } from './pricing.ts';

type CallValues = Readonly<Record<string, unknown>>;

interface UnitDefinition {
  readonly pricingModel: Pricing['pricingModel'];
  /** Returns the number of units of a call; null if it is not known in advance. */
  count(price: ModelPrice, values: CallValues): number | null;
  /** Whether fal bills in this unit, so that the call can be charged afterwards. */
  readonly isBilledByFal?: true;
}

const FRAMES_PER_SECOND = 24;
const PIXELS_PER_MEGAPIXEL = 1_048_576;

const UNITS: Readonly<Record<PriceUnit, UnitDefinition>> = {
  call: { pricingModel: 'flat-usd', count: () => 1 },
  image: {
    pricingModel: 'per-image',
    count: ({ of }, values) => (of === undefined ? 1 : toNumber(values[of])),
  },
  megapixel: {
    pricingModel: 'per-image',
    isBilledByFal: true,
    // Started megapixels count in full.
    count: (price, values) =>
      mapNullable(countPixels(price, values), pixels => Math.ceil(pixels / PIXELS_PER_MEGAPIXEL)),
  },
  second: {
    pricingModel: 'per-second',
    isBilledByFal: true,
    count: ({ of = 'duration' }, values) => toNumber(values[of]),
  },
  'second of audio': {
    pricingModel: 'per-second',
    isBilledByFal: true,
    count: ({ of = 'audio' }, values) => mapNullable(readDuration(values[of]), Math.ceil),
  },
  'million video tokens': {
    pricingModel: 'video-tokens',
    isBilledByFal: true,
    count: ({ of = 'duration', ...price }, values) => {
      const pixels = countPixels({ ...price, of: 'resolution' }, values);
      const seconds = toNumber(values[of]);
      if (pixels === null || seconds === null) return null;
      return (pixels * FRAMES_PER_SECOND * seconds) / 1024 / 1_000_000;
    },
  },
  'thousand characters': {
    pricingModel: 'unknown',
    isBilledByFal: true,
    count: ({ of = 'text' }, values) => {
      const text = values[of];
      return typeof text === 'string' ? [...text].length / 1000 : null;
    },
  },
  'billed unit': { pricingModel: 'unknown', count: () => null, isBilledByFal: true },
};

export function toPricing({ price, priceSource: source, provider }: Model): Pricing {
  if (price === null) return createUnpriced(source);
  const { pricingModel: model, count, isBilledByFal: isBilled } = UNITS[price.unit];
  const usd = (values: CallValues): number | null => {
    const [rate, units] = [findRate(price, values), count(price, values)];
    return rate === null || units === null ? null : rate * units;
  };
  // For a model priced by a setting, fal counts in the unit of its price page: each unit costs what that setting costs.
  const isBilledAfterwards = provider === 'fal' && (isBilled === true || typeof price.usd !== 'number');
  if (!isBilledAfterwards) return { pricingModel: model, usd, source };
  return {
    pricingModel: model,
    usd,
    source,
    settle: (values, usage) => {
      const [rate, units] = [findRate(price, values), readBilledUnits(usage)];
      return rate === null || units === null ? null : rate * units;
    },
  };
}

function findRate({ usd, by = [] }: ModelPrice, values: CallValues): number | null {
  if (typeof usd === 'number') return usd;
  return usd[by.map(field => String(values[field])).join('/')] ?? null;
}

function countPixels({ of = 'image_size', pixels = {} }: ModelPrice, values: CallValues): number | null {
  return pixels[String(values[of])] ?? null;
}

/** Parses a number. `5`, `"5"` and `"5s"` are equal. */
function toNumber(value: unknown): number | null {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
}

function readDuration(media: unknown): number | null {
  const { duration = null } = (media ?? {}) as { readonly duration?: number | null };
  return duration;
}

function readBilledUnits(usage: unknown): number | null {
  const { billable_units } = (usage ?? {}) as { readonly billable_units?: unknown };
  return typeof billable_units === 'number' ? billable_units : null;
}

const mapNullable = (value: number | null, by: (value: number) => number): number | null =>
  value === null ? null : by(value);
