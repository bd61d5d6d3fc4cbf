// Caches graphs by workflow and version. A version never changes, so it is read, parsed and planned only once.
import type { Catalog } from '../../graph/catalog.ts';
import { type ComponentCall, listComponentCalls } from '../../graph/components/calls.ts';
import { MAX_EXPANDED_CHARACTERS, MAX_EXPANDED_NODES } from '../../graph/components/component-tree.ts';
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

/** A graph that can run. It has no text if it contains the nodes of components, because their values would repeat in it. */
export interface RunnableGraph {
  readonly graph: Graph;
  /** Whether the graph may refer to secrets. */
  readonly mentionsSecrets: boolean;
  /** The approximate memory of the graph and its plan. */
  readonly memoryBytes: number;
  /** Returns the plan of all nodes, or of the nodes that the targets need. Pinned nodes need no other nodes. */
  plan(targets?: readonly string[], pinned?: readonly string[]): PlanResult;
}

export interface GraphVersion extends StoredGraph, RunnableGraph {
  readonly componentCalls: readonly ComponentCall[];
  /** The size of the text. */
  readonly characters: number;
}

/** A version with the nodes of its components in place of the calls. */
export interface Expansion {
  readonly version: RunnableGraph;
  /** What the expansion depends on, besides the version that was expanded. */
  readonly key: string;
  readonly entries: Catalog['entries'];
}

export interface GraphVersions {
  get(tx: Tx, workflowId: string, version: number): Promise<GraphVersion>;
  /** Caches a committed graph, which saves the next reader a query and the next writer parsing. */
  cache(workflowId: string, version: number, text: string, graph?: Graph): void;
  /** Returns the last cached expansion of the version. */
  findExpansion(version: GraphVersion): Expansion | undefined;
  /** Caches the expansion of a stored version, charged with all that it contains. */
  cacheExpansion(version: GraphVersion, expansion: Expansion, characters: number): void;
}

// The maximum size of all cached graph texts. A parsed graph and its plan take several times as much memory.
const MAX_CHARACTERS = 8_000_000;
/** What a node of an expansion and its plan take in addition to the node's text. */
const NODE_CHARACTERS = 1000;
/** The maximum size of all cached expansions. They share the values of a component, but also keep it in memory. */
const MAX_EXPANSION_CHARACTERS = MAX_EXPANDED_CHARACTERS + MAX_EXPANDED_NODES * NODE_CHARACTERS;

export function createGraphVersions(catalog: Catalog): GraphVersions {
  const versions = createLru<GraphVersion>(MAX_CHARACTERS);
  const expansions = createLru<Expansion>(MAX_EXPANSION_CHARACTERS);
  /** The keys of stored versions. */
  const keys = new WeakMap<GraphVersion, string>();
  const store = (workflowId: string, version: number, text: string, graph?: Graph): GraphVersion => {
    const entry = createVersion({ text, graph }, catalog);
    const key = `${workflowId}@${version}`;
    keys.set(entry, key);
    versions.set(key, entry, text.length);
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
    findExpansion(version) {
      const key = keys.get(version);
      return key === undefined ? undefined : expansions.get(key);
    },
    cacheExpansion(version, expansion, characters) {
      const key = keys.get(version);
      const nodeCount = expansion.version.graph.nodes.length;
      if (key !== undefined) expansions.set(key, expansion, characters + nodeCount * NODE_CHARACTERS);
    },
  };
}

export const createVersionNotFoundError = (version: number): AppError =>
  new AppError('not_found', `Version ${version} of the workflow was not found.`);

/** Where a version comes from. `characters` saves writing the text only to measure it. */
interface VersionSource {
  readonly text?: string;
  readonly graph?: Graph | undefined;
  readonly characters?: number;
}

/** Creates a version from its text or graph. Derives the rest on first use; a read needs neither graph nor plan. */
export function createVersion(source: VersionSource, catalog: Catalog): GraphVersion {
  let { text, graph, characters } = source;
  let calls: readonly ComponentCall[] | undefined;
  const getGraph = (): Graph => {
    graph ??= parseGraphText(text as string);
    return graph;
  };
  return {
    get text() {
      text ??= toGraphText(getGraph());
      return text;
    },
    get graph() {
      return getGraph();
    },
    get componentCalls() {
      calls ??= listComponentCalls(getGraph());
      return calls;
    },
    get characters() {
      characters ??= this.text.length;
      return characters;
    },
    get mentionsSecrets() {
      return this.text.includes('secrets.');
    },
    get memoryBytes() {
      return measureMemory(getGraph(), this.characters);
    },
    plan: createPlanner(getGraph, catalog),
  };
}

interface RunnableSource extends Pick<RunnableGraph, 'graph' | 'mentionsSecrets'> {
  /** The size of the texts of the graphs whose values the graph shares. */
  readonly characters: number;
}

/** Creates a graph that can run but has no text, such as the expansion of a version. */
export function createRunnableGraph(
  { graph, mentionsSecrets, characters }: RunnableSource,
  catalog: Catalog,
): RunnableGraph {
  const memoryBytes = measureMemory(graph, characters);
  return { graph, mentionsSecrets, memoryBytes, plan: createPlanner(() => graph, catalog) };
}

/** Estimates the memory of a graph, its text and its plan. Measured: 17 MB for 24,000 nodes with 4 MB of text. */
const measureMemory = ({ nodes, edges }: Graph, characters: number): number =>
  2 * characters + 400 * nodes.length + 200 * edges.length;

/** Returns a function that plans the graph, and that plans all nodes only once. */
function createPlanner(getGraph: () => Graph, catalog: Catalog): RunnableGraph['plan'] {
  let fullPlan: PlanResult | undefined;
  // The entries that the plan was built from. They are replaced when models change.
  let plannedFor: Catalog['entries'] | undefined;
  return (targets, pinned = []) => {
    if (targets !== undefined || pinned.length > 0) return createPlan(getGraph(), catalog, targets, pinned);
    if (fullPlan === undefined || plannedFor !== catalog.entries) {
      plannedFor = catalog.entries;
      fullPlan = createPlan(getGraph(), catalog);
    }
    return fullPlan;
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
