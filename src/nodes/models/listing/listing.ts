// Defines the result of reading a provider's model list.
import type { Endpoint } from '../../../providers/provider.ts';
import { buildModel, type PublishedModel, toLine } from '../from-schema.ts';
import type { Model, ModelProvider } from '../model.ts';
import { ModelError } from '../parse-model.ts';
import { UnusableSchemaError } from '../schema-fields.ts';

export const LISTING_PROVIDERS = ['fal', 'replicate', 'openai', 'comfyui'] as const;
export type ListingProvider = (typeof LISTING_PROVIDERS)[number];

export interface ListedModel {
  readonly provider: ListingProvider;
  readonly endpoint: string;
  readonly label: string;
  readonly category?: string;
  /** Set if the provider announces that it will remove the model. */
  readonly isDeprecated?: true;
  /** Absent if no node can be built from the listed data. */
  readonly model?: Model;
  /** A phrase that says why no node can be built. */
  readonly problem?: string;
}

export interface ListingQuery {
  /** Only these models, with all details. */
  readonly endpoints?: readonly string[];
  readonly searchText?: string;
  readonly category?: string;
  /** Whether to read the schemas and prices that a node is built from. */
  readonly isFull: boolean;
}

/** Thrown if the provider responds with a status other than 200 or 404. `detail` is the provider's message. */
export class ListingRejectedError extends Error {
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
  /**
   * Returns the JSON at a URL, or {} for 404. Rejects with a sentence if the response is not JSON or too large, and with
   * ListingRejectedError for any other status than 200.
   */
  fetchJson(url: string, headers: Readonly<Record<string, string>>): Promise<unknown>;
  /** Today's date, for example `2026-11-22`. */
  readonly date: string;
}

export type ListingReader = (query: ListingQuery, host: ListingHost) => Promise<readonly ListedModel[]>;

interface ListingInfo {
  readonly provider: ModelProvider & ListingProvider;
  readonly endpoint: string;
  readonly label: string;
  readonly category?: string | undefined;
  readonly isDeprecated?: boolean;
}

/** Returns the listed model, with its node if one can be built from the published data. */
export function createListedModel(
  { provider, endpoint, label, category, isDeprecated }: ListingInfo,
  published: () => PublishedModel,
): ListedModel {
  const info = {
    provider,
    endpoint,
    label: toLine(label, 120) || endpoint,
    ...(category === undefined ? {} : { category: toLine(category, 60) }),
    ...(isDeprecated === true ? { isDeprecated } : {}),
  };
  try {
    return { ...info, model: buildModel(published()) };
  } catch (err) {
    if (!(err instanceof UnusableSchemaError || err instanceof ModelError)) throw err;
    return { ...info, problem: err.message };
  }
}
