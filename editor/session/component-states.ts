// Combines the states of a component's nodes into the state of the node that calls it. The id of an inner node is the
// path to it: `call/inner`, or `call/call/inner` in a nested component.
import type { NodeState } from '../../sdk/src/types.ts';
import { type Board, findNode } from '../board/board.ts';

/** The state of a node that calls a component. The results are in the states of the inner nodes. */
export interface ComponentNodeState extends NodeState {
  /** The number of inner nodes in this run, and how many of them have ended. */
  readonly progressCounts: { readonly done: number; readonly total: number };
  /** The inner nodes that wait for a decision or a provider. */
  readonly waitingNodeIds: readonly string[];
}

/** Statuses of nodes that have ended. */
export const FINAL_STATUSES: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED']);

/** Returns the state of each node that calls a component, by node id, at every level. */
export function combineComponentStates(
  nodes: ReadonlyMap<string, NodeState>,
): ReadonlyMap<string, ComponentNodeState> {
  const groups = new Map<string, NodeState[]>();
  for (const state of nodes.values())
    for (const id of listEnclosingCalls(state.nodeId)) {
      const group = groups.get(id);
      if (group === undefined) groups.set(id, [state]);
      else group.push(state);
    }
  return new Map(
    [...groups].filter(([id]) => !nodes.has(id)).map(([id, states]) => [id, combine(id, states)]),
  );
}

/** Returns the ids of the calls around an inner node, from the outermost: `a` and `a/b` for `a/b/c`. */
export function listEnclosingCalls(path: string): readonly string[] {
  const callIds: string[] = [];
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1))
    callIds.push(path.slice(0, end));
  return callIds;
}

/** Returns the id of the node on the board that shows a node of a run: the node, or the call that contains the node. */
export function findBoardNodeId(board: Board, path: string): string | undefined {
  return [path, ...listEnclosingCalls(path)].find(id => findNode(board, id) !== undefined);
}

function combine(id: string, states: readonly NodeState[]): ComponentNodeState {
  const done = states.filter(({ status }) => FINAL_STATUSES.has(status)).length;
  const failedState = findEarliest(
    states.filter(({ status }) => status === 'FAILED'),
    'finishedAt',
  );
  const progressSum = states.reduce(
    (sum, state) => sum + (FINAL_STATUSES.has(state.status) ? 1 : state.progress),
    0,
  );
  const completed = states.filter(({ status }) => status === 'COMPLETED');
  return {
    nodeId: id,
    label: '',
    status: combineStatus(states, done),
    error:
      failedState === undefined
        ? null
        : `${failedState.label} (${failedState.nodeId.slice(id.length + 1)}): ${failedState.error}`,
    startedAt: findEarliest(states, 'startedAt')?.startedAt ?? null,
    finishedAt: done < states.length ? null : findLatest(states.map(({ finishedAt }) => finishedAt)),
    credits: states.reduce((sum, { credits }) => sum + credits, 0),
    cached: completed.length > 0 && completed.every(({ cached }) => cached),
    ...(completed.some(({ fromSample }) => fromSample) ? { fromSample: true } : {}),
    attempt: Math.max(...states.map(({ attempt }) => attempt)),
    progress: progressSum / states.length,
    progressCounts: { done, total: states.length },
    waitingNodeIds: states.filter(({ status }) => status === 'WAITING').map(({ nodeId }) => nodeId),
  };
}

function combineStatus(states: readonly NodeState[], done: number): NodeState['status'] {
  const has = (status: NodeState['status']): boolean => states.some(state => state.status === status);
  if (has('FAILED')) return 'FAILED';
  if (done === states.length)
    return has('CANCELLED') ? 'CANCELLED' : has('COMPLETED') ? 'COMPLETED' : 'SKIPPED';
  if (has('WAITING') && !has('RUNNING')) return 'WAITING';
  return done > 0 || has('RUNNING') ? 'RUNNING' : 'PENDING';
}

/** Returns the state with the earliest time. States without a time come last. */
function findEarliest(states: readonly NodeState[], key: 'startedAt' | 'finishedAt'): NodeState | undefined {
  const [first, ...others] = states;
  if (first === undefined) return undefined;
  return others.reduce((best, state) => (isBefore(state[key], best[key]) ? state : best), first);
}

const isBefore = (time: string | null, other: string | null): boolean =>
  time !== null && (other === null || time < other);

const findLatest = (times: readonly (string | null)[]): string | null =>
  times.reduce((latest, time) => (time !== null && (latest === null || time > latest) ? time : latest), null);
