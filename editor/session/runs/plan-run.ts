// Plans a partial run before it starts: which nodes run, which results are reused, and the price.
import type { RunRequest } from '../../../sdk/src/types.ts';
import { isBypassed } from '../../../src/graph/bypass.ts';
import { createPlan } from '../../../src/graph/plan.ts';
import type { Board } from '../../board/board.ts';
import { api } from '../../lib/api.ts';
import { findBoardNodeId } from '../component-states.ts';
import type { EditorContextValue, PlannedRun } from '../editor-context.tsx';
import { type Estimate, estimateBoard, usesSample } from './estimate.ts';
import { getPins } from './pins.ts';
import { isRunning } from './run-store.ts';

/**
 * Says which nodes run. `to`: the chosen nodes and everything upstream; `from`: the chosen nodes and everything
 * downstream; `again`: only the chosen nodes.
 */
export type RunKind = 'to' | 'again' | 'from';
type Editor = Pick<EditorContextValue, 'session' | 'runs' | 'view'>;

/**
 * Highlights the nodes of the planned run, then requests the price. Never throws; shows errors like those of a run.
 */
export async function showRunPlan(editor: Editor, kind: RunKind, nodeIds?: readonly string[]): Promise<void> {
  const plan = await preparePlan(editor, kind, nodeIds);
  if (plan !== undefined) editor.view.setState({ plan });
}

/** Runs one node again, with earlier results of the upstream nodes. Asks first only if the run costs credits. */
export async function rerunNode(editor: Editor, nodeId: string): Promise<void> {
  const plan = await preparePlan(editor, 'again', [nodeId]);
  if (plan === undefined) return;
  editor.view.setState({ plan });
  const { credits, exact } = plan.estimate ?? {};
  if (credits === 0 && exact === true) await startPlannedRun(editor);
}

/** Highlights the nodes and returns the plan with its price, or undefined if no run can start. */
async function preparePlan(
  editor: Editor,
  kind: RunKind,
  nodeIds: readonly string[] | undefined,
): Promise<PlannedRun | undefined> {
  const { session, runs, view } = editor;
  const { board, selection } = session.store.getState();
  const wantedIds = new Set(nodeIds ?? selection);
  const chosenIds = board.nodes
    .filter(node => wantedIds.has(node.id) && !isBypassed(node))
    .map(({ id }) => id);
  if (chosenIds.length === 0 || isRunning(runs.getState())) return undefined;
  const targets = kind === 'from' ? listWithDependents(board, chosenIds) : chosenIds;
  const plan: PlannedRun = { kind, request: { targets, ...getPins(board) }, states: new Map() };
  // Another plan may replace this one, or the user may cancel it.
  const isShown = (): boolean => view.getState().plan?.request === plan.request;
  runs.setState({ error: undefined });
  view.setState({ plan: { ...plan, states: computeStates(editor, plan.request) } });
  try {
    await session.saver.flushOrThrowOnConflict('autosave');
    const earlierRunId = kind === 'to' ? undefined : await findEarlierRunId(editor);
    const keep = earlierRunId === undefined ? {} : { keep: { executionId: earlierRunId, again: chosenIds } };
    const { estimate, samples } = await estimateBoard(session.id, { ...plan.request, ...keep });
    const request = { ...plan.request, ...keep, ...(usesSample(samples) ? { useSample: true } : {}) };
    if (!isShown()) return undefined;
    return { kind, request, estimate, states: computeStates(editor, request, estimate) };
  } catch (error) {
    if (!isShown()) return undefined;
    view.setState({ plan: undefined });
    runs.setState({ error });
    return undefined;
  }
}

/** Starts the planned run, limited to the price that was shown. */
export async function startPlannedRun({ runs, view }: Editor): Promise<void> {
  const { plan } = view.getState();
  if (plan?.estimate === undefined) return;
  view.setState({ plan: undefined });
  const { credits, exact } = plan.estimate;
  await runs.start({ ...plan.request, ...(exact ? { maxCredits: credits } : {}) });
}

/** Returns the id of the run on the board, or otherwise of the newest finished run that is not of the app. */
async function findEarlierRunId({ session, runs }: Editor): Promise<string | undefined> {
  const { run } = runs.getState();
  if (run !== undefined) return run.id;
  const path = `/workflows/${session.id}/executions` as const;
  const { data } = await api.get(path, {
    query: { limit: 100 },
  });
  return data.find(({ finishedAt, trigger }) => finishedAt !== null && trigger !== 'app')?.id;
}

function computeStates(
  { session }: Editor,
  { targets, pins = {}, keep }: RunRequest,
  estimate?: Estimate,
): PlannedRun['states'] {
  const { board } = session.store.getState();
  const result = createPlan(board, session.catalog, targets, Object.keys(pins));
  if (!result.ok) return new Map();
  // The state of a component call combines the lines of all nodes of the component.
  const lines = Map.groupBy(estimate?.breakdown ?? [], ({ nodeId }) => findBoardNodeId(board, nodeId));
  const rerunIds = new Set(keep?.again);
  const keptOrSampledIds = [...(estimate?.kept ?? []), ...(estimate?.sampled ?? [])]
    .map(path => findBoardNodeId(board, path))
    .filter(id => id && !rerunIds.has(id));
  const reusedIds = new Set([...keptOrSampledIds, ...Object.keys(pins)]);
  const getState = (id: string): 'run' | 'cached' | 'reused' => {
    if (reusedIds.has(id)) return 'reused';
    return lines.get(id)?.every(({ cached }) => cached) ? 'cached' : 'run';
  };
  return new Map(result.plan.nodes.map(({ id }) => [id, getState(id)]));
}

function listWithDependents({ edges }: Board, nodeIds: readonly string[]): readonly string[] {
  const edgesBySource = Map.groupBy(edges, ({ source }) => source);
  const ids = new Set(nodeIds);
  for (const id of ids) for (const { target } of edgesBySource.get(id) ?? []) ids.add(target);
  return [...ids];
}
