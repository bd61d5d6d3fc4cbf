// Defines a model as data: its endpoint, input, output and price. Catalog entries are built from models.
import type { InputDef } from '../../graph/catalog.ts';
import type { JsonObject } from '../../graph/types.ts';

/** The providers whose models are data. Other providers have nodes of their own. */
export const MODEL_PROVIDERS = ['fal', 'replicate', 'elevenlabs', 'openai'] as const;
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

export const OUTPUT_KINDS = ['image', 'images', 'video', 'audio', 'text'] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

export interface ModelField extends Omit<InputDef, 'isPort' | 'wiredOnly'> {
  readonly isPort?: boolean;
  /** The provider's name for it, if it differs from the id. */
  readonly as?: string;
  /** A single value here, a list at the provider. */
  readonly inList?: boolean;
  /** Sent in the URL instead of the body. */
  readonly inQuery?: boolean;
}

export const PRICE_UNITS = [
  'call',
  'image',
  'megapixel',
  'second',
  'second of audio',
  'million video tokens',
  'thousand characters',
  // Units that the provider counts and reports afterwards.
  'billed unit',
] as const;
export type PriceUnit = (typeof PRICE_UNITS)[number];

export interface ModelPrice {
  readonly unit: PriceUnit;
  /** The price of a unit, or prices by the values of the fields in `by`, joined with a slash. */
  readonly usd: number | Readonly<Record<string, number>>;
  readonly by?: readonly string[];
  /** The field or port that determines the number of units: a duration, size, audio file or text. */
  readonly of?: string;
  /** Pixels by the name of a size or resolution. */
  readonly pixels?: Readonly<Record<string, number>>;
}

export interface Model {
  readonly nodeType: string;
  readonly label: string;
  readonly provider: ModelProvider;
  /** Its endpoint at the provider, for example `fal-ai/flux-1/dev`. */
  readonly endpoint: string;
  readonly description?: string;
  /** Whether a result with a fixed seed may be reused. */
  readonly isRepeatable?: boolean;
  readonly fields: readonly ModelField[];
  /** Values sent with every call. */
  readonly fixed?: JsonObject;
  readonly output: {
    readonly kind: OutputKind;
    /** Path of the result in the response, for example `video`. Default: the first value with a URL. */
    readonly path?: string;
    /** Path of a transcription's timed chunks in the response, which become a second output. Only for fal. */
    readonly chunks?: string;
  };
  /** null: it costs an unknown amount; `priceSource` says why. */
  readonly price: ModelPrice | null;
  /** The source of the price, and the date on which it was read. */
  readonly priceSource: string;
  /** The published description of its input and output: where and when it was read, and its hash. */
  readonly schema: { readonly source: string; readonly date: string; readonly hash?: string };
  /** Not listed separately: a variant of another model. */
  readonly isHidden?: boolean;
  readonly deprecated?: {
    readonly since: string;
    /** The node type that replaces it. */
    readonly use?: string;
    /** By the operator, whatever its provider lists. */
    readonly isRemoved?: boolean;
  };
}
