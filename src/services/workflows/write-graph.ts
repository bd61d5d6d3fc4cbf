// Converts a submitted graph to the stored text: checks the graph, places new nodes, and lays out the board or reports
// that a layout is pending.
import { isDeepStrictEqual } from 'node:util';
import { diffGraphs } from '../../graph/diff.ts';
import { type IssueList, NO_ISSUES } from '../../graph/issues.ts';
import { applyLayout, LAYOUT_LIMITS, layoutGraph } from '../../graph/layout/layout.ts';
import { placeNewNodes } from '../../graph/layout/new-nodes.ts';
import type { Policy } from '../../graph/policy.ts';
import type { Graph, Position } from '../../graph/types.ts';
import type { Deps } from '../deps.ts';
import { lintForWrite, parseSubmittedGraph, type SubmittedGraph, withDims } from './check-graph.ts';
import { parseStoredGraph, type StoredGraph, toGraphText } from './graph-versions.ts';
import { compareNodes, NO_CHANGES, type NodeChanges } from './node-changes.ts';

export interface GraphInput {
  readonly nodes: unknown;
  readonly edges: unknown;
  /** The stored graph to replace; undefined for a new workflow. */
  readonly stored?: StoredGraph | undefined;
  /** `false` keeps the coordinates as sent. `always` lays out the whole board, regardless of the settings. */
  readonly autoLayout?: boolean | 'always' | undefined;
  /** What the workspace of the workflow allows. */
  readonly policy?: Policy | undefined;
  /** Whether an editor has the board open. */
  readonly isBeingEdited?: boolean;
}

export interface GraphWrite {
  readonly text: string;
  /** The parsed form of the text, if it was parsed. */
  readonly graph?: Graph | undefined;
  /** Whether the graph differs from the stored one. */
  readonly isChanged: boolean;
  /** The differences from the stored graph, by which the service knows who wrote a node last. */
  readonly nodeChanges: NodeChanges;
  readonly issueList: IssueList;
  readonly warnings: readonly string[];
}

type WriteDeps = Pick<Deps, 'catalog'> & {
  readonly settings: Pick<Deps['settings'], 'ARRANGE_ON_WRITE'>;
};

/** Prepares a graph for storage. Does not lint a graph that equals the stored one. Throws 400 `invalid_graph`. */
export function prepareGraph(deps: WriteDeps, input: GraphInput): GraphWrite {
  const submitted = parseSubmittedGraph(deps, input.nodes, input.edges, input.stored?.graph);
  const { text, graph: sized } = toStoredGraph(deps, submitted.graph);
  const { stored } = input;
  if (stored !== undefined && input.autoLayout !== 'always' && isStored(stored, sized, text)) {
    return { ...reuseStoredText(stored.text), issueList: submitted.normalizationWarnings };
  }
  const issueList = lintForWrite(deps, submitted, { previous: stored?.graph, policy: input.policy });
  const { graph, warnings } = arrange(deps, submitted, input);
  const arranged = graph === submitted.graph ? { text, graph: sized } : toStoredGraph(deps, graph);
  const isChanged = arranged.text !== stored?.text;
  const nodeChanges =
    stored !== undefined && isChanged ? compareNodes(stored.graph, arranged.graph) : NO_CHANGES;
  return { ...arranged, isChanged, nodeChanges, issueList, warnings };
}

/** Returns the graph, parsing its text if needed. */
export const getWrittenGraph = ({ graph, text }: GraphWrite): Graph => graph ?? parseStoredGraph(text).graph;

/** Returns a write of the text without checks. The text must come from a stored graph, possibly with other media ids. */
export function reuseStoredText(text: string): GraphWrite {
  return { text, isChanged: false, nodeChanges: NO_CHANGES, issueList: NO_ISSUES, warnings: [] };
}

/** Returns the graph to store, with the size of each node, and its text. */
export function toStoredGraph(
  deps: Pick<Deps, 'catalog'>,
  graph: Graph,
): { readonly text: string; readonly graph: Graph } {
  const sized = withDims(deps, graph);
  return { text: toGraphText(sized), graph: sized };
}

/**
 * Returns whether the graph equals the stored one. Clients may send the keys of objects in another order; then the
 * texts differ, but are equally long.
 */
function isStored(stored: StoredGraph, graph: Graph, text: string): boolean {
  if (text === stored.text) return true;
  return text.length === stored.text.length && isDeepStrictEqual(graph, stored.graph);
}

interface Arrangement {
  readonly graph: Graph;
  readonly warnings: readonly string[];
}

/** Lays out the board after a structural change. If that is not possible now, only places the new nodes. */
function arrange(deps: WriteDeps, submitted: SubmittedGraph, input: GraphInput): Arrangement {
  const previous = input.stored?.graph;
  const isRequested = input.autoLayout === 'always';
  if (previous !== undefined && !isRequested && !diffGraphs(previous, submitted.graph).isStructural) {
    return { graph: submitted.graph, warnings: [] };
  }
  const { graph, moves } =
    previous === undefined
      ? { graph: submitted.graph, moves: [] }
      : placeNewNodes(previous, submitted.graph, deps.catalog, {
          unplaced: submitted.unplaced,
          keepsPositions: input.autoLayout === false,
        });
  const reason = explainPending(deps, graph, input);
  if (reason === undefined) return arrangeGraph(deps, submitted, graph);
  const effect =
    moves.length === 0
      ? 'no node was moved and the graph is as written'
      : 'no node that was there before was moved';
  return {
    graph,
    warnings: [
      ...moves.map(({ id, position }) => `${id}: Placed at ${formatPosition(position)}.`),
      `layoutPending: ${effect}: ${reason}. POST /workflows/{id}/layout arranges the board.`,
    ],
  };
}

function arrangeGraph(deps: WriteDeps, submitted: SubmittedGraph, graph: Graph): Arrangement {
  const layout = layoutGraph(graph, deps.catalog);
  const arranged = applyLayout(graph, layout);
  const previousPositions = new Map(submitted.graph.nodes.map(({ id, position }) => [id, position]));
  const movedNodes = arranged.nodes.filter(({ id, position }) => {
    const previousPosition = previousPositions.get(id);
    return (
      submitted.unplaced.has(id) || previousPosition?.x !== position.x || previousPosition.y !== position.y
    );
  });
  if (movedNodes.length === 0) return { graph: arranged, warnings: layout.warnings };
  const positions = movedNodes.map(({ id, position }) => `${id} ${formatPosition(position)}`).join(', ');
  return { graph: arranged, warnings: [`layout: The board was arranged: ${positions}.`, ...layout.warnings] };
}

function explainPending(
  { settings }: WriteDeps,
  { nodes, edges }: Graph,
  { autoLayout, isBeingEdited }: GraphInput,
): string | undefined {
  if (autoLayout === false) return 'autoLayout is false';
  if (autoLayout !== 'always' && !settings.ARRANGE_ON_WRITE) return 'arrangement on write is switched off';
  if (autoLayout !== 'always' && isBeingEdited === true) return 'an editor has the board open';
  if (nodes.length > LAYOUT_LIMITS.nodes || edges.length > LAYOUT_LIMITS.edges) {
    return `the board has over ${LAYOUT_LIMITS.nodes} nodes or ${LAYOUT_LIMITS.edges} edges`;
  }
  return undefined;
}

function formatPosition({ x, y }: Position): string {
  return `(${x}, ${y})`;
}
