// What pages are rendered from besides a content record: the site, and a workflow as its reader may see it.
import type { Catalog } from '../graph/catalog.ts';
import type { Graph } from '../graph/types.ts';

/** A workflow as its reader may see it. */
export interface FlowView {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly graph: Graph;
  /** Ids of the input nodes that are offered; null: all of them. */
  readonly exposedInputs: readonly string[] | null;
  /** Addresses of pictures that a run made, by node id. */
  readonly pictures?: ReadonlyMap<string, string> | undefined;
}

/** What is the same for every page. */
export interface Site {
  /** BASE_URL, without a slash at its end. */
  readonly baseUrl: string;
  readonly catalog: Catalog;
}
