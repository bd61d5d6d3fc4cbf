// A model as data: where it is, what it takes, what it gives and costs. Entries of the catalog are made of these.
import type { InputDef } from '../../graph/catalog.ts';
import type { JsonObject } from '../../graph/types.ts';

/** The providers whose models are data. Others have nodes of their own. */
export const MODEL_PROVIDERS = ['fal', 'replicate', 'elevenlabs', 'openai'] as const;
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

export const OUTPUT_KINDS = ['image', 'images', 'video', 'audio', 'text'] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

export interface ModelField extends Omit<InputDef, 'isPort' | 'wiredOnly'> {
  readonly isPort?: boolean;
  /** What the provider calls it, where that is not the id. */
  readonly as?: string;
  /** One value here, a list at the provider. */
  readonly inList?: boolean;
  /** It stands in the address and not in the body. */
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
  // What the provider counts, and reports afterwards.
  'billed unit',
] as const;
export type PriceUnit = (typeof PRICE_UNITS)[number];

export interface ModelPrice {
  readonly unit: PriceUnit;
  /** Of a unit; or of a unit by the values of the fields `by`, with a slash between them. */
  readonly usd: number | Readonly<Record<string, number>>;
  readonly by?: readonly string[];
  /** The field or port that says how many units: seconds, a size, an audio, a text. */
  readonly of?: string;
  /** Pixels by the name of a size or resolution. */
  readonly pixels?: Readonly<Record<string, number>>;
}

export interface Model {
  readonly nodeType: string;
  readonly label: string;
  readonly provider: ModelProvider;
  /** Its address at the provider, e.g. `fal-ai/flux-1/dev`. */
  readonly endpoint: string;
  readonly description?: string;
  /** Whether a result with a fixed seed may be used again. */
  readonly isRepeatable?: boolean;
  readonly fields: readonly ModelField[];
  /** What is sent with every call. */
  readonly fixed?: JsonObject;
  readonly output: {
    readonly kind: OutputKind;
    /** Where the result stands in the answer, e.g. `video`; absent: the first that has an address. */
    readonly path?: string;
  };
  /** null: it costs something, and it is not known how much; `priceSource` says why. */
  readonly price: ModelPrice | null;
  /** Where the price was read, and when. */
  readonly priceSource: string;
  /** The published description of its input and output: where and when it was read, and its hash. */
  readonly schema: { readonly source: string; readonly date: string; readonly hash?: string };
  /** Not shown by itself: a variant of another. */
  readonly isHidden?: boolean;
  readonly deprecated?: {
    readonly since: string;
    /** The node type to use in its place. */
    readonly use?: string;
    /** By the operator, whatever its provider lists. */
    readonly isRemoved?: boolean;
  };
}
