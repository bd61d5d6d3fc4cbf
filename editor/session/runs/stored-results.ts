// Combines the newest result of each node from earlier runs with the run shown on the board.
import type { ProgressEvent, WorkflowResults } from '../../../sdk/src/schemas.ts';
import type { NodeState } from '../../../sdk/src/types.ts';
import { type ComponentNodeState, combineComponentStates } from '../component-states.ts';

interface RunNodeId {
  /** The node's id in its run. Inside a component, the id begins with the ids of the enclosing component calls. */
  readonly runNodeId: string;
}

type StoredResult = WorkflowResults['nodes'][string] & RunNodeId;
/** What a node that runs reports besides its progress. */
export type RunningState = {
  readonly [K in 'detail' | 'previewUrl']?: ProgressEvent['data'][K] | undefined;
};
/** The state of a node, with the node's id on the board. */
export type BoardNodeState = NodeState & RunNodeId & RunningState;
export type StoredResults = ReadonlyMap<string, StoredResult>;

/** What a node displays: its state in the run on the board, or its result of an earlier run. */
export interface NodeDisplay extends NodeState, Partial<RunNodeId>, RunningState {
  /** Whether the node or an upstream node has changed since the run. */
  readonly isOutdated?: boolean;
  /** The run that has the result. */
  readonly executionId?: string;
  /** For a component call: the inner nodes that wait for a decision or a provider. */
  readonly waitingNodeIds?: readonly string[];
  /** For a component call: returns the display of an inner node. */
  readonly findInner?: (id: string) => NodeDisplay | undefined;
}

/** Statuses in which a node keeps showing its earlier result. */
const EARLIER_RESULT_STATUSES: ReadonlySet<string> = new Set(['PENDING', 'RUNNING', 'SKIPPED', 'CANCELLED']);

interface ShownRun {
  readonly executionId: string | undefined;
  /** Whether the user chose the run, so that its nodes show its own results. */
  readonly isChosen: boolean;
  readonly nodes: ReadonlyMap<string, BoardNodeState>;
  readonly callStates: ReadonlyMap<string, ComponentNodeState>;
}

/** Returns what each node displays: its state in the run, unless a later run has a current result. */
export function combineResults(
  results: StoredResults,
  { executionId, isChosen, nodes, callStates }: ShownRun,
): ReadonlyMap<string, NodeDisplay> {
  const nodeDisplays = new Map<string, NodeDisplay>();
  for (const [nodeId, result] of results) nodeDisplays.set(nodeId, toDisplayedNode(nodeId, result));
  for (const [nodeId, state] of nodes) {
    const stored = results.get(nodeId);
    if (stored !== undefined && EARLIER_RESULT_STATUSES.has(state.status))
      nodeDisplays.set(nodeId, {
        ...toDisplayedNode(nodeId, stored),
        status: state.status,
        progress: state.progress,
        detail: state.detail,
        previewUrl: state.previewUrl,
      });
    else {
      const isLater = !isChosen && stored !== undefined && isLaterResult(stored, state, executionId);
      // The result of the later run is already set.
      if (isLater && stored.isCurrent) continue;
      const isOutdated = (isLater || stored?.executionId === executionId) && stored?.isCurrent === false;
      nodeDisplays.set(nodeId, {
        ...state,
        isOutdated,
        ...(executionId === undefined ? {} : { executionId }),
      });
    }
  }
  for (const [id, state] of combineComponentStates(nodeDisplays)) {
    const findInner = (inner: string): NodeDisplay | undefined => nodeDisplays.get(`${id}/${inner}`);
    nodeDisplays.set(id, { ...state, ...callStates.get(id), findInner });
  }
  return nodeDisplays;
}

/** Returns whether a later run, such as one of a batch, computed the result after the state. */
const isLaterResult = (
  stored: StoredResult,
  { status, finishedAt }: NodeState,
  executionId: string | undefined,
): boolean =>
  status === 'COMPLETED' &&
  stored.executionId !== executionId &&
  Date.parse(stored.finishedAt ?? '') > Date.parse(finishedAt ?? '');

function toDisplayedNode(nodeId: string, { isCurrent, ...result }: StoredResult): NodeDisplay {
  return {
    ...result,
    nodeId,
    label: '',
    status: 'COMPLETED',
    error: null,
    startedAt: null,
    credits: 0,
    cached: false,
    attempt: 1,
    progress: 1,
    isOutdated: !isCurrent,
  } as NodeDisplay;
}

/**
 * Returns the item with the id of its node on the board, or undefined if the node is not on the board. `prefix` is the
 * path of the component call whose board is shown, such as `a/b/`, or empty for the board of the workflow that runs.
 */
export function toBoardItem<T extends { readonly nodeId: string }>(
  item: T,
  prefix: string,
): (T & RunNodeId) | undefined {
  const { nodeId } = item;
  return nodeId.startsWith(prefix)
    ? { ...item, nodeId: nodeId.slice(prefix.length), runNodeId: nodeId }
    : undefined;
}
