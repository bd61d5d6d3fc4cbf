// Caches graphs by workflow and version. A version never changes, so it is read, parsed and planned only once.
import type { Catalog } from '../../graph/catalog.ts';
import { type ComponentCall, listComponentCalls } from '../../graph/components/calls.ts';
import { createPlan, type PlanResult } from '../../graph/plan.ts';
import type { Graph } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { createLru } from '../../lib/lru.ts';
import type { Tx } from '../../store/db.ts';
import { findGraphText } from '../../store/workflows/versions.ts';

export interface StoredGraph {
  /** The graph as JSON members, '"nodes":[…],"edges":[…]', which GET inserts into its response. */
  readonly text: string;
  readonly graph: Graph;
}

export interface GraphVersion extends StoredGraph {
  /** The calls of components. */
  readonly calls: readonly ComponentCall[];
  /** Returns the plan of all nodes, or of the nodes that the targets need. Pinned nodes need no other nodes. */
  plan(targets?: readonly string[], pinned?: readonly string[]): PlanResult;
}

export interface GraphVersions {
  get(tx: Tx, workflowId: string, version: number): Promise<GraphVersion>;
  /** Caches a committed graph, which saves the next reader a query and the next writer parsing. */
  cache(workflowId: string, version: number, text: string, graph?: Graph): void;
}

// The maximum size of all cached graph texts. A parsed graph and its plan take several times as much memory.
const MAX_CHARACTERS = 8_000_000;

export function createGraphVersions(catalog: Catalog): GraphVersions {
  const versions = createLru<GraphVersion>(MAX_CHARACTERS);
  const store = (workflowId: string, version: number, text: string, graph?: Graph): GraphVersion => {
    const entry = createVersion({ text, graph }, catalog);
    versions.set(`${workflowId}@${version}`, entry, text.length);
    return entry;
  };
  return {
    cache: store,
    async get(tx, workflowId, version) {
      const cached = versions.get(`${workflowId}@${version}`);
      if (cached !== undefined) return cached;
      const text = await findGraphText(tx, workflowId, version);
      if (text === undefined) throw createVersionNotFoundError(version);
      return store(workflowId, version, text);
    },
  };
}

export const createVersionNotFoundError = (version: number): AppError =>
  new AppError('not_found', `Version ${version} of the workflow was not found.`);

/** Creates a version from its text or graph. Derives the rest on first use; a read needs neither graph nor plan. */
export function createVersion(
  source: { readonly text?: string; readonly graph?: Graph | undefined },
  catalog: Catalog,
): GraphVersion {
  let { text, graph } = source;
  let calls: readonly ComponentCall[] | undefined;
  let fullPlan: PlanResult | undefined;
  // The entries that the plan was built from. They are replaced when models change.
  let plannedFor: Catalog['entries'] | undefined;
  return {
    get text() {
      text ??= toGraphText(this.graph);
      return text;
    },
    get graph() {
      graph ??= parseGraphText(text as string);
      return graph;
    },
    get calls() {
      calls ??= listComponentCalls(this.graph);
      return calls;
    },
    plan(targets, pinned = []) {
      if (targets !== undefined || pinned.length > 0) return createPlan(this.graph, catalog, targets, pinned);
      if (fullPlan === undefined || plannedFor !== catalog.entries) {
        plannedFor = catalog.entries;
        fullPlan = createPlan(this.graph, catalog);
      }
      return fullPlan;
    },
  };
}

function parseGraphText(text: string): Graph {
  return JSON.parse(`{${text}}`) as Graph;
}

/** Returns a stored graph from its text. Parses the text on first use. */
export function parseStoredGraph(text: string): StoredGraph {
  let graph: Graph | undefined;
  return {
    text,
    get graph() {
      graph ??= parseGraphText(text);
      return graph;
    },
  };
}

/** Returns the text that is stored for a graph; `parseGraphText` is its inverse. */
export function toGraphText(graph: Graph): string {
  return `"nodes":${JSON.stringify(graph.nodes)},"edges":${JSON.stringify(graph.edges)}`;
}
