// Computes the cost of a model call: units by its values, times the price per unit.
import type { Model, ModelPrice, PriceUnit } from './model.ts';
import { type Pricing, unpriced } from './pricing.ts';

type Values = Readonly<Record<string, unknown>>;

interface UnitDefinition {
  readonly model: Pricing['model'];
  /** Returns the number of units of a call; null if it is not known in advance. */
  count(price: ModelPrice, values: Values): number | null;
  /** Whether fal bills in this unit, so that the call can be charged afterwards. */
  readonly isBilled?: true;
}

const FRAMES_PER_SECOND = 24;
const PIXELS_PER_MEGAPIXEL = 1_048_576;

const UNITS: Readonly<Record<PriceUnit, UnitDefinition>> = {
  call: { model: 'flat-usd', count: () => 1 },
  image: { model: 'per-image', count: ({ of }, values) => (of === undefined ? 1 : toNumber(values[of])) },
  megapixel: {
    model: 'per-image',
    isBilled: true,
    // Started megapixels count in full.
    count: (price, values) =>
      scale(countPixels(price, values), pixels => Math.ceil(pixels / PIXELS_PER_MEGAPIXEL)),
  },
  second: {
    model: 'per-second',
    isBilled: true,
    count: ({ of = 'duration' }, values) => toNumber(values[of]),
  },
  'second of audio': {
    model: 'per-second',
    isBilled: true,
    count: ({ of = 'audio' }, values) => scale(readDuration(values[of]), Math.ceil),
  },
  'million video tokens': {
    model: 'video-tokens',
    isBilled: true,
    count: ({ of = 'duration', ...price }, values) => {
      const pixels = countPixels({ ...price, of: 'resolution' }, values);
      const seconds = toNumber(values[of]);
      if (pixels === null || seconds === null) return null;
      return (pixels * FRAMES_PER_SECOND * seconds) / 1024 / 1_000_000;
    },
  },
  'thousand characters': {
    model: 'unknown',
    isBilled: true,
    count: ({ of = 'text' }, values) => {
      const text = values[of];
      return typeof text === 'string' ? [...text].length / 1000 : null;
    },
  },
  'billed unit': { model: 'unknown', count: () => null, isBilled: true },
};

export function toPricing({ price, priceSource: source, provider }: Model): Pricing {
  if (price === null) return unpriced(source);
  const { model, count, isBilled } = UNITS[price.unit];
  const usd = (values: Values): number | null => {
    const [rate, units] = [findRate(price, values), count(price, values)];
    return rate === null || units === null ? null : rate * units;
  };
  // For a model priced by a setting, fal counts in the unit of its price page: each unit costs what that setting costs.
  const isSettled = provider === 'fal' && (isBilled === true || typeof price.usd !== 'number');
  if (!isSettled) return { model, usd, source };
  return {
    model,
    usd,
    source,
    settle: (values, usage) => {
      const [rate, units] = [findRate(price, values), readBilledUnits(usage)];
      return rate === null || units === null ? null : rate * units;
    },
  };
}

function findRate({ usd, by = [] }: ModelPrice, values: Values): number | null {
  if (typeof usd === 'number') return usd;
  return usd[by.map(field => String(values[field])).join('/')] ?? null;
}

function countPixels({ of = 'image_size', pixels = {} }: ModelPrice, values: Values): number | null {
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

const scale = (value: number | null, by: (value: number) => number): number | null =>
  value === null ? null : by(value);
