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
  /** The provider's name for the field, if it differs from the id. */
  readonly as?: string;
  /** Whether the provider expects a list that contains the field's single value. */
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
  /** The price of a unit, or a table of prices. A key of the table joins the values of the fields in `by` with slashes. */
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
  /** The endpoint at the provider, for example `fal-ai/flux-1/dev`. */
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
  /** null if the price is unknown, as `priceSource` explains. */
  readonly price: ModelPrice | null;
  /** The source of the price, and the date on which it was read. */
  readonly priceSource: string;
  /** Where and when the published description of the input and output was read, and the hash of the description. */
  readonly schema: { readonly source: string; readonly date: string; readonly hash?: string };
  /** Whether the catalog does not list the model: a variant of another model, or a removed one. */
  readonly isHidden?: boolean;
  readonly deprecated?: {
    readonly since: string;
    /** The node type to use instead. */
    readonly use?: string;
    /** Whether an administrator removed the model, so that a sync does not restore it. */
    readonly isRemoved?: boolean;
  };
}
