// Loads the newest result of each node from earlier runs, and combines it with the run shown on the board.
import type { WorkflowResults } from '../../sdk/src/schemas.ts';
import type { NodeState } from '../../sdk/src/types.ts';
import { api } from '../lib/api.ts';

type StoredResult = WorkflowResults['nodes'][string];
export type StoredResults = ReadonlyMap<string, StoredResult>;

/** What a node shows: its state in the shown run, or its result of an earlier one. */
export interface ShownNode extends NodeState {
  /** Whether the node or something upstream has changed since. */
  readonly isOutdated?: boolean;
  /** The run that has the result. */
  readonly executionId?: string;
}

export async function readResults(workflowId: string, signal: AbortSignal): Promise<StoredResults> {
  const { nodes } = await api.get<WorkflowResults>(`/workflows/${workflowId}/results`, { signal });
  return new Map(Object.entries(nodes));
}

/** States in which a node of the run has no result of its own yet. */
const WITHOUT_RESULT: ReadonlySet<string> = new Set(['PENDING', 'RUNNING', 'SKIPPED', 'CANCELLED']);

/** `executionId` is the shown run, whose states are in `nodes`. */
export function combineResults(
  results: StoredResults,
  nodes: ReadonlyMap<string, NodeState>,
  executionId: string | undefined,
): ReadonlyMap<string, ShownNode> {
  const shown = new Map<string, ShownNode>();
  for (const [nodeId, result] of results) shown.set(nodeId, toShownNode(nodeId, result));
  for (const [nodeId, state] of nodes) {
    const stored = results.get(nodeId);
    if (stored !== undefined && WITHOUT_RESULT.has(state.status))
      shown.set(nodeId, { ...toShownNode(nodeId, stored), status: state.status, progress: state.progress });
    else {
      const isOutdated = stored?.executionId === executionId && stored?.isCurrent === false;
      shown.set(nodeId, { ...state, isOutdated, ...(executionId === undefined ? {} : { executionId }) });
    }
  }
  return shown;
}

function toShownNode(nodeId: string, { isCurrent, ...result }: StoredResult): ShownNode {
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
  } as ShownNode;
}
