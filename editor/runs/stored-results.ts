// Loads the newest result of each node from earlier runs, and combines it with the run shown on the board.
import type { WorkflowResults } from '../../sdk/src/schemas.ts';
import type { NodeState } from '../../sdk/src/types.ts';
import { api } from '../lib/api.ts';

type StoredResult = WorkflowResults['nodes'][string];
export type StoredResults = ReadonlyMap<string, StoredResult>;

/** The display of a node: its state in the run on the board, or its result of an earlier run. */
export interface DisplayedNode extends NodeState {
  /** Whether the node or something upstream has changed since. */
  readonly isOutdated?: boolean;
  /** The run that has the result. */
  readonly executionId?: string;
}

export async function readResults(workflowId: string, signal: AbortSignal): Promise<StoredResults> {
  const { nodes } = await api.get<WorkflowResults>(`/workflows/${workflowId}/results`, { signal });
  return new Map(Object.entries(nodes));
}

/** Statuses of nodes that have no result in this run. */
const WITHOUT_RESULT: ReadonlySet<string> = new Set(['PENDING', 'RUNNING', 'SKIPPED', 'CANCELLED']);

/** Returns what each node shows. `nodes` are the states of the shown run, `executionId`. */
export function combineResults(
  results: StoredResults,
  nodes: ReadonlyMap<string, NodeState>,
  executionId: string | undefined,
): ReadonlyMap<string, DisplayedNode> {
  const displayedNodes = new Map<string, DisplayedNode>();
  for (const [nodeId, result] of results) displayedNodes.set(nodeId, toDisplayedNode(nodeId, result));
  for (const [nodeId, state] of nodes) {
    const stored = results.get(nodeId);
    if (stored !== undefined && WITHOUT_RESULT.has(state.status))
      displayedNodes.set(nodeId, {
        ...toDisplayedNode(nodeId, stored),
        status: state.status,
        progress: state.progress,
      });
    else {
      const isOutdated = stored?.executionId === executionId && stored?.isCurrent === false;
      displayedNodes.set(nodeId, {
        ...state,
        isOutdated,
        ...(executionId === undefined ? {} : { executionId }),
      });
    }
  }
  return displayedNodes;
}

function toDisplayedNode(nodeId: string, { isCurrent, ...result }: StoredResult): DisplayedNode {
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
  } as DisplayedNode;
}
