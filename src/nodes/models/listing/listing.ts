// What a provider lists of its own models, as every reader of a listing gives it.
import type { Endpoint } from '../../../providers/provider.ts';
import { type PublishedModel, toLine, toModel } from '../from-schema.ts';
import type { Model, ModelProvider } from '../model.ts';
import { ModelError } from '../parse-model.ts';
import { UnusableSchema } from '../schema-fields.ts';

export const LISTING_PROVIDERS = ['fal', 'replicate', 'openai', 'comfyui'] as const;
export type ListingProvider = (typeof LISTING_PROVIDERS)[number];

export interface ListedModel {
  readonly provider: ListingProvider;
  readonly endpoint: string;
  readonly label: string;
  readonly category?: string;
  /** The provider says itself that it is going. */
  readonly isDeprecated?: true;
  /** Absent where no node can be made of it. */
  readonly model?: Model;
  /** Why not, as half a sentence. */
  readonly problem?: string;
}

export interface ListingQuery {
  /** These alone; in full. */
  readonly endpoints?: readonly string[];
  readonly words?: string;
  readonly category?: string;
  /** With what a node is made of: schemas and prices. */
  readonly isFull: boolean;
}

/** The provider answered with another status than 200 or 404; `detail` is what it said. */
export class ListingRefused extends Error {
  readonly status: number;
  readonly detail: string;

  constructor(message: string, status: number, detail: string) {
    super(message);
    this.status = status;
    this.detail = detail;
  }
}

export interface ListingHost {
  readonly endpoint: Endpoint;
  /** The JSON at an address; {} for 404. Rejects, in a sentence, where it is none, too large or refused (ListingRefused). */
  fetchJson(url: string, headers: Readonly<Record<string, string>>): Promise<unknown>;
  /** Today, as `2026-11-22`. */
  readonly date: string;
}

export type ListingReader = (query: ListingQuery, host: ListingHost) => Promise<readonly ListedModel[]>;

interface Facts {
  readonly provider: ModelProvider & ListingProvider;
  readonly endpoint: string;
  readonly label: string;
  readonly category?: string | undefined;
  readonly isDeprecated?: boolean;
}

/** The listed model, with its node where one can be made of what is published. */
export function toListed(
  { provider, endpoint, label, category, isDeprecated }: Facts,
  published: () => PublishedModel,
): ListedModel {
  const facts = {
    provider,
    endpoint,
    label: toLine(label, 120) || endpoint,
    ...(category === undefined ? {} : { category: toLine(category, 60) }),
    ...(isDeprecated === true ? { isDeprecated } : {}),
  };
  try {
    return { ...facts, model: toModel(published()) };
  } catch (err) {
    if (!(err instanceof UnusableSchema || err instanceof ModelError)) throw err;
    return { ...facts, problem: err.message };
  }
}
