// Defines tasks on graphs as plain data, and performs them. graph-work.ts decides whether a task needs a thread.
import { exportComfyGraph } from '../../graph/comfyui/export-graph.ts';
import { hideCalls } from '../../graph/components/hide-calls.ts';
import { type ComponentInterface, getInterface } from '../../graph/components/interface.ts';
import { inspectGraph } from '../../graph/inspect.ts';
import type { IssueList, LintIssue } from '../../graph/issues.ts';
import { lintGraph } from '../../graph/lint/lint.ts';
import type { Policy } from '../../graph/policy.ts';
import { redact } from '../../graph/redact.ts';
import type { Graph } from '../../graph/types.ts';
import { type NodeConfigs, withConfig } from '../../graph/with-config.ts';
import { comfyNodeTypes } from '../../nodes/comfyui/node-types.ts';
import type { Deps } from '../deps.ts';
import { lintForWrite, parseSubmittedGraph } from './check-graph.ts';
import { type StoredGraph, toGraphText } from './graph-versions.ts';
import { compareNodes } from './node-changes.ts';
import { type OwnFile, type ReadImport, readImport } from './read-import.ts';
import { type GraphInput, type GraphWrite, prepareGraph, toStoredGraph } from './write-graph.ts';

export type GraphTask =
  /** Prepares a write. Uses the stored nodes or edges if the input has none. */
  | { readonly kind: 'write'; readonly input: Omit<GraphInput, 'stored'>; readonly stored?: StoredGraph }
  /** Lints a graph that would replace the stored one. */
  | {
      readonly kind: 'lint';
      readonly nodes: unknown;
      readonly edges: unknown;
      readonly stored?: StoredGraph;
      readonly policy?: Policy | undefined;
    }
  /** Prepares a stored graph to be written again. `nodes` are its nodes with newly resolved calls. */
  | {
      readonly kind: 'restore';
      readonly stored: StoredGraph;
      readonly nodes?: unknown;
      readonly policy?: Policy | undefined;
    }
  /** Removes what readers who may not edit must not see. `readableIds` are the components that they may read. */
  | { readonly kind: 'redact'; readonly stored: StoredGraph; readonly readableIds: readonly string[] }
  /** Finds the ports of the graph as a component. */
  | { readonly kind: 'interface'; readonly stored: StoredGraph }
  /** Reads a file of another program. `label` names its graph. */
  | { readonly kind: 'import'; readonly text: string; readonly label: string }
  /** Exports the graph of a `comfyui:workflow` node, or of the first one, for ComfyUI. */
  | { readonly kind: 'comfyui'; readonly stored: StoredGraph; readonly nodeId: string | undefined }
  /** Lints the graph with config fields that a run sets. */
  | { readonly kind: 'config'; readonly stored: StoredGraph; readonly config: NodeConfigs };

/** The result of each kind of task. */
export interface GraphResults {
  readonly write: GraphWrite;
  readonly lint: IssueList & { readonly ok: boolean; readonly text: string };
  readonly restore: GraphWrite;
  readonly redact: string;
  readonly interface: ComponentInterface;
  readonly import: ReadImport | OwnFile;
  /** JSON, or undefined if there is no such node. */
  readonly comfyui: string | undefined;
  readonly config: readonly LintIssue[];
}

export type TaskOf<Kind extends GraphTask['kind']> = Extract<GraphTask, { readonly kind: Kind }>;

export type TaskDeps = Pick<Deps, 'catalog'> & {
  readonly settings: Pick<Deps['settings'], 'ARRANGE_ON_WRITE'>;
};

type Performers = {
  readonly [Kind in GraphTask['kind']]: (deps: TaskDeps, task: TaskOf<Kind>) => GraphResults[Kind];
};

const PERFORMERS: Performers = {
  write: (deps, { input, stored }) => {
    const { nodes = stored?.graph.nodes, edges = stored?.graph.edges } = input;
    return prepareGraph(deps, { ...input, nodes, edges, stored });
  },
  lint: ({ catalog }, { nodes, edges, stored, policy }) => {
    const { graph, ...report } = inspectGraph(
      catalog,
      nodes === undefined ? stored?.graph.nodes : nodes,
      edges === undefined ? stored?.graph.edges : edges,
      stored?.graph,
      policy,
    );
    return { ...report, text: toGraphText(graph) };
  },
  restore: (deps, { stored, nodes = stored.graph.nodes, policy }) => {
    const submitted = parseSubmittedGraph(deps, nodes, stored.graph.edges);
    const issueList = lintForWrite(deps, submitted, { previous: stored.graph, policy });
    const write =
      nodes === stored.graph.nodes
        ? { text: stored.text, graph: stored.graph }
        : toStoredGraph(deps, submitted.graph);
    const nodeChanges = compareNodes(stored.graph, write.graph);
    return { ...write, isChanged: true, nodeChanges, issueList, warnings: [] };
  },
  redact: (_, { stored, readableIds }) =>
    toGraphText(redact(hideCalls(stored.graph, new Set(readableIds))) as Graph),
  interface: ({ catalog }, { stored }) => getInterface(stored.graph, catalog),
  import: ({ catalog }, { text, label }) => readImport(catalog, text, label),
  comfyui: (_, { stored: { graph }, nodeId }) => {
    const node = graph.nodes.find(
      ({ id, data }) => data.nodeType === 'comfyui:workflow' && (nodeId === undefined || id === nodeId),
    );
    return node === undefined ? undefined : JSON.stringify(exportComfyGraph(node, graph, comfyNodeTypes));
  },
  config: (deps, { stored, config }) => {
    const { nodes, edges } = withConfig(stored.graph, config, deps.catalog);
    const submitted = parseSubmittedGraph(deps, nodes, edges, stored.graph);
    return lintGraph(submitted.graph, deps.catalog, { previous: stored.graph }).issues;
  },
};

/** Performs the task. Throws 400 `invalid_graph`. */
export function performGraphTask<Kind extends GraphTask['kind']>(
  deps: TaskDeps,
  task: TaskOf<Kind>,
): GraphResults[Kind] {
  return PERFORMERS[task.kind as Kind](deps, task);
}
