// Computes the price of a model call: the number of units, which the call's values determine, times the price per unit.
import type { Model, ModelPrice, PriceUnit } from './model.ts';
import { createUnpriced, type Pricing } from './pricing.ts';

type CallValues = Readonly<Record<string, unknown>>;

interface UnitDefinition {
  readonly pricingModel: Pricing['pricingModel'];
  /** Returns the number of units of a call, or null if the number is not known in advance. */
  count(price: ModelPrice, values: CallValues): number | null;
  /** Whether fal bills in this unit, so that a call can be charged by the units that fal reports. */
  readonly isBilledByFal?: true;
}

const FRAMES_PER_SECOND = 24;
// fal counts an image of 1024 × 1024 pixels as one megapixel.
const PIXELS_PER_MEGAPIXEL = 1024 * 1024;

const UNITS: Readonly<Record<PriceUnit, UnitDefinition>> = {
  call: { pricingModel: 'flat-usd', count: () => 1 },
  image: {
    pricingModel: 'per-image',
    count: ({ of: countField }, values) => (countField === undefined ? 1 : parseNumber(values[countField])),
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
    count: ({ of: durationField = 'duration' }, values) => parseNumber(values[durationField]),
  },
  'second of audio': {
    pricingModel: 'per-second',
    isBilledByFal: true,
    count: ({ of: audioPort = 'audio' }, values) => mapNullable(readDuration(values[audioPort]), Math.ceil),
  },
  'million video tokens': {
    pricingModel: 'video-tokens',
    isBilledByFal: true,
    count: ({ of: durationField = 'duration', ...price }, values) => {
      const pixels = countPixels({ ...price, of: 'resolution' }, values);
      const seconds = parseNumber(values[durationField]);
      if (pixels === null || seconds === null) return null;
      return (pixels * FRAMES_PER_SECOND * seconds) / 1024 / 1_000_000;
    },
  },
  'thousand characters': {
    pricingModel: 'unknown',
    isBilledByFal: true,
    count: ({ of: textField = 'text' }, values) => {
      const text = values[textField];
      return typeof text === 'string' ? [...text].length / 1000 : null;
    },
  },
  'billed unit': { pricingModel: 'unknown', count: () => null, isBilledByFal: true },
};

export function toPricing({ price, priceSource: source, provider }: Model): Pricing {
  if (price === null) return createUnpriced(source);
  const { pricingModel, count, isBilledByFal } = UNITS[price.unit];
  const usd = (values: CallValues): number | null => {
    const [rate, units] = [findRate(price, values), count(price, values)];
    return rate === null || units === null ? null : rate * units;
  };
  // If the price depends on settings, fal reports units that each cost the price for these settings.
  const isBilledAfterwards = provider === 'fal' && (isBilledByFal === true || typeof price.usd !== 'number');
  if (!isBilledAfterwards) return { pricingModel, usd, source };
  return {
    pricingModel,
    usd,
    source,
    settle: (values, usage) => {
      const [rate, units] = [findRate(price, values), readBilledUnits(usage)];
      return rate === null || units === null ? null : rate * units;
    },
  };
}

/** Returns the price of a unit for these values, or null if it is unknown. */
function findRate({ usd, by: rateFields = [] }: ModelPrice, values: CallValues): number | null {
  if (typeof usd === 'number') return usd;
  return usd[rateFields.map(field => String(values[field])).join('/')] ?? null;
}

function countPixels(
  { of: sizeField = 'image_size', pixels = {} }: ModelPrice,
  values: CallValues,
): number | null {
  return pixels[String(values[sizeField])] ?? null;
}

/** Parses a number. `5`, `"5"` and `"5s"` are equal. */
function parseNumber(value: unknown): number | null {
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

const mapNullable = (value: number | null, map: (value: number) => number): number | null =>
  value === null ? null : map(value);
