// Defines the data from which pages are rendered: the site, and a workflow as its reader may see it.
import type { Catalog } from '../graph/catalog.ts';
import type { Graph } from '../graph/types.ts';

/** A workflow as its reader may see it. */
export interface DrawnWorkflow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** The slug of the published page. null if the workflow is not published. */
  readonly slug: string | null;
  /** The slug of the workflow's app. null if there is no app that the reader may open. */
  readonly appSlug: string | null;
  /** Whether the reader may edit the workflow, and so run it with an API key. */
  readonly canEdit: boolean;
  readonly graph: Graph;
  /** Ids of the input nodes to show. null shows all of them. */
  readonly exposedInputs: readonly string[] | null;
  /** URLs of result images, by node id. */
  readonly images?: ReadonlyMap<string, string> | undefined;
}

/** The data that all pages share. */
export interface Site {
  /** BASE_URL without a trailing slash. */
  readonly baseUrl: string;
  readonly catalog: Catalog;
}
