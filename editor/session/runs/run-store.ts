// Stores the run that the board shows. Starts, follows and cancels it, and sends approvals.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { followRun } from '../../../sdk/src/follow.ts';
import {
  type AcceptedRun,
  type Execution,
  hasEnded,
  type RunEvent,
  type RunRequest,
} from '../../../sdk/src/types.ts';
import { api, connection } from '../../lib/api.ts';
import { type ComponentNodeState, combineComponentStates } from '../component-states.ts';
import { type Estimate, estimateBoard, type Samples, usesSample } from './estimate.ts';
import {
  type BoardNodeState,
  combineResults,
  type NodeDisplay,
  type StoredResults,
  toBoardItem,
} from './stored-results.ts';

export type RunSummary = Omit<Execution, 'nodeStates' | 'outputs' | 'inputs'>;

export interface RunState {
  /** Undefined if the board shows no run. */
  readonly run: RunSummary | undefined;
  /** Whether `run` is a run of the caller from which this component was opened. */
  readonly isCallerRun: boolean;
  /** Whether the user chose `run` from the history, so that nodes show its results instead of later ones. */
  readonly isChosen: boolean;
  readonly nodes: ReadonlyMap<string, BoardNodeState>;
  /** The states of the nodes that call components, combined from `nodes`. */
  readonly callStates: ReadonlyMap<string, ComponentNodeState>;
  /** The newest result of each node from all runs. */
  readonly results: StoredResults;
  /** The display of each node: its state in `nodes`, or else its result in `results`. */
  readonly nodeDisplays: ReadonlyMap<string, NodeDisplay>;
  /** Why the run could not start, or why its events could not be read. */
  readonly error: unknown;
  readonly isStarting: boolean;
  /** The estimate of a complete run of the saved board, or undefined if it is unknown. */
  readonly estimate: Estimate | undefined;
  /** Defined if a provider is missing and the workflow has sample results. */
  readonly samples: Samples | undefined;
}

export type StartOptions = Pick<RunRequest, 'targets' | 'keep' | 'pins' | 'maxCredits' | 'useSample'>;

export type RunStore = StoreApi<RunState> & {
  start(options: StartOptions): Promise<void>;
  /** Shows an existing run that the user chose, in progress or ended. */
  show(executionId: string): Promise<void>;
  cancel(): Promise<void>;
  decide(nodeId: string, isApproved: boolean): Promise<void>;
  clear(): void;
  /** Reads the results of earlier runs again, after a run or a change of the workflow. */
  refreshResults(): void;
  close(): void;
};

/** The workflow that calls this workflow as a component. In its runs, the ids of the nodes here begin with `prefix`. */
export interface CallerRuns {
  readonly workflowId: string;
  readonly prefix: string;
}

const NO_RUN: RunState = {
  run: undefined,
  isCallerRun: false,
  isChosen: false,
  nodes: new Map(),
  callStates: new Map(),
  results: new Map(),
  nodeDisplays: new Map(),
  error: undefined,
  isStarting: false,
  estimate: undefined,
  samples: undefined,
};
export const isInProgress = (run: RunSummary | undefined): boolean => run !== undefined && !hasEnded(run);

/** Whether a run of this board is being started or has not ended, so that no other can start here. */
export const isRunning = ({ run, isStarting }: Pick<RunState, 'run' | 'isStarting'>): boolean =>
  isStarting || isInProgress(run);

/**
 * Creates the run store. `saveBoard` is called before a run, so that the run uses the board on screen. With `caller`, the
 * store shows the caller's run and results until the user runs this workflow by itself, or hides the run.
 */
export function createRunStore(
  workflowId: string,
  saveBoard: () => Promise<void>,
  caller?: CallerRuns,
): RunStore {
  const store = createRunState();
  const { refreshResults, stop } = createResultsReader({ workflowId, caller }, store);
  const { show, clear, close } = createRunFollower({ workflowId, caller }, store);
  store.subscribe(({ run }, before) => {
    if (run !== undefined && hasEnded(run) && run.status !== before.run?.status) refreshResults();
  });
  refreshResults();
  const start = async (body: StartOptions): Promise<void> => {
    store.setState({ isStarting: true, error: undefined });
    try {
      await saveBoard();
      const executionId = await postRun(workflowId, body, store.getState());
      store.setState({ nodes: new Map(), run: undefined, isCallerRun: false, isChosen: false });
      void show(executionId);
    } catch (error) {
      store.setState({ error });
    } finally {
      store.setState({ isStarting: false });
    }
  };
  const postAction = async (path: string, body: unknown): Promise<void> => {
    const { run, isCallerRun } = store.getState();
    if (run === undefined) return;
    try {
      await api.post(`/executions/${run.id}/${path}`, body);
      if (path === 'resume') void show(run.id, isCallerRun);
    } catch (error) {
      store.setState({ error });
    }
  };
  return Object.assign(store, {
    start,
    show: (executionId: string) => {
      store.setState({ isChosen: true });
      return show(executionId);
    },
    cancel: () => postAction('cancel', undefined),
    decide: (nodeId: string, approved: boolean) => {
      const prefix = store.getState().isCallerRun ? (caller?.prefix ?? '') : '';
      return postAction('resume', { decision: { nodeId: prefix + nodeId, approved } });
    },
    clear,
    refreshResults,
    close: () => {
      stop();
      close();
    },
  });
}

/** Creates a store that updates what depends on nodes and results in the same change, so that each event notifies once. */
function createRunState(): StoreApi<RunState> {
  const store = createStore<RunState>(() => NO_RUN);
  const { setState } = store;
  store.setState = (change: Partial<RunState> | ((state: RunState) => Partial<RunState>)): void =>
    setState(before => {
      const state = { ...before, ...(typeof change === 'function' ? change(before) : change) };
      return state.nodes === before.nodes && state.results === before.results ? state : withDisplay(state);
    });
  return store;
}

function withDisplay(state: RunState): RunState {
  const { run, isChosen, nodes, results } = state;
  const callStates = combineComponentStates(nodes);
  return {
    ...state,
    callStates,
    nodeDisplays: combineResults(results, { executionId: run?.id, isChosen, nodes, callStates }),
  };
}

interface ShownWorkflow {
  readonly workflowId: string;
  readonly caller: CallerRuns | undefined;
}

const REFRESH_PAUSE_MS = 300;

/** Reads the newest result of each node whose id begins with the prefix. The keys are the ids without the prefix. */
async function readResults({ workflowId, prefix }: CallerRuns, signal: AbortSignal): Promise<StoredResults> {
  const { nodes } = await api.get(`/workflows/${workflowId}/results`, { signal });
  return new Map(
    Object.entries(nodes).flatMap(([nodeId, result]) => {
      const boardResult = toBoardItem({ ...result, nodeId }, prefix);
      return boardResult === undefined ? [] : [[boardResult.nodeId, boardResult] as const];
    }),
  );
}

/** Creates a reader of earlier results. The reader waits for a pause, so that consecutive changes cost one request. */
function createResultsReader(
  { workflowId, caller }: ShownWorkflow,
  store: StoreApi<RunState>,
): { refreshResults(): void; stop(): void } {
  let controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const read = async ({ signal }: AbortController): Promise<void> => {
    try {
      const results = await readResults(caller ?? { workflowId, prefix: '' }, signal);
      if (!signal.aborted) store.setState({ results });
    } catch {
      // The board is usable without earlier results, and the next change reads them again.
    }
  };
  const stop = (): void => {
    clearTimeout(timer);
    controller.abort();
  };
  return {
    stop,
    refreshResults: () => {
      stop();
      controller = new AbortController();
      timer = setTimeout(() => void read(controller), REFRESH_PAUSE_MS);
    },
  };
}

/** Creates a follower of one run at a time, which starts with the run that this tab showed last. */
function createRunFollower(
  { workflowId, caller }: ShownWorkflow,
  store: StoreApi<RunState>,
): Pick<RunStore, 'clear' | 'close'> & { show(executionId: string, isCallerRun?: boolean): Promise<void> } {
  let controller = new AbortController();
  const show = async (executionId: string, isCallerRun = false): Promise<void> => {
    if (!isCallerRun) storeShownRunId(workflowId, executionId);
    store.setState({ isCallerRun });
    const prefix = isCallerRun ? (caller?.prefix ?? '') : '';
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    try {
      for await (const event of followRun(connection, executionId, { signal })) {
        if (signal.aborted) return;
        store.setState(state => applyEvent(state, event, prefix));
      }
    } catch (error) {
      if (!signal.aborted) store.setState({ error });
    }
  };
  const clear = (): void => {
    if (!store.getState().isCallerRun) storeShownRunId(workflowId, undefined);
    controller.abort();
    const { estimate, samples, results } = store.getState();
    store.setState({ ...NO_RUN, nodes: new Map(), estimate, samples, results });
  };
  const lastShownId = loadShownRunId((caller ?? { workflowId }).workflowId);
  if (lastShownId !== undefined)
    void show(lastShownId, caller !== undefined).then(() => {
      // A stored run that was deleted or is no longer accessible is not an error for the user.
      const { run, error } = store.getState();
      if (run === undefined && error !== undefined) clear();
    });
  return { show, clear, close: () => controller.abort() };
}

/**
 * Starts a run. A complete run is limited to the displayed price if the price is exact. The options of a partial run
 * already have a limit and say whether to use samples.
 */
async function postRun(
  workflowId: string,
  options: StartOptions,
  { estimate, samples }: Pick<RunState, 'estimate' | 'samples'>,
): Promise<string> {
  const body = options.targets === undefined ? { ...(await getCompleteRunOptions()), ...options } : options;
  const { executionId } = await api.post<AcceptedRun>(`/workflows/${workflowId}/run`, body, {
    headers: { 'idempotency-key': crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}` },
    repeatable: true,
  });
  return executionId;

  async function getCompleteRunOptions(): Promise<StartOptions> {
    if (estimate !== undefined)
      return {
        ...(estimate.exact ? { maxCredits: estimate.credits } : {}),
        ...(usesSample(samples) ? { useSample: true } : {}),
      };
    // The user started the run before the estimate arrived.
    const current = await estimateBoard(workflowId, options).catch(() => undefined);
    return usesSample(current?.samples) ? { useSample: true } : {};
  }
}

/** Applies an event of the run. Ignores nodes whose ids do not begin with the prefix: they are not on this board. */
function applyEvent(state: RunState, event: RunEvent, prefix: string): RunState {
  if (event.event === 'snapshot') {
    const { nodeStates, ...run } = event.data;
    const nodes = nodeStates.flatMap(node => toBoardItem(node, prefix) ?? []);
    return { ...state, run: toBoardRun(run, prefix), nodes: new Map(nodes.map(node => [node.nodeId, node])) };
  }
  if (event.event === 'execution') return { ...state, run: toBoardRun(event.data, prefix) };
  if (event.event === 'node') {
    const changed = toBoardItem(event.data, prefix);
    if (changed === undefined) return state;
    return { ...state, nodes: new Map(state.nodes).set(changed.nodeId, changed) };
  }
  const change = toBoardItem(event.data, prefix);
  const node = state.nodes.get(change?.nodeId ?? '');
  return node === undefined
    ? state
    : { ...state, nodes: new Map(state.nodes).set(node.nodeId, { ...node, ...change }) };
}

/** Returns the run with the failed node's id on this board. */
function toBoardRun(run: RunSummary, prefix: string): RunSummary {
  const { error } = run;
  return error?.nodeId?.startsWith(prefix)
    ? { ...run, error: { ...error, nodeId: error.nodeId.slice(prefix.length) } }
    : run;
}

const SHOWN_RUN_KEY = 'graphwright-run:';

function loadShownRunId(workflowId: string): string | undefined {
  try {
    return sessionStorage.getItem(SHOWN_RUN_KEY + workflowId) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores the id of the shown run for this tab. `undefined` removes it. */
function storeShownRunId(workflowId: string, executionId: string | undefined): void {
  try {
    if (executionId === undefined) sessionStorage.removeItem(SHOWN_RUN_KEY + workflowId);
    else sessionStorage.setItem(SHOWN_RUN_KEY + workflowId, executionId);
  } catch {
    // Without storage, the run is shown until the user leaves the board.
  }
}
