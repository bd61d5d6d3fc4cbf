// Defines the types that the engine shares with the code that stores and presents runs.
import type { Json, JsonObject, Values } from '../graph/types.ts';
import type { ApprovalRequest, DrawnSeed, NodeContext, NodeDefinition, RunSecrets } from '../nodes/define.ts';

export const NODE_STATUSES = [
  'PENDING',
  'RUNNING',
  'WAITING',
  'COMPLETED',
  'FAILED',
  'SKIPPED',
  'CANCELLED',
] as const;
export type NodeStatus = (typeof NODE_STATUSES)[number];

export const isSettled = (status: NodeStatus): boolean =>
  status === 'COMPLETED' || status === 'FAILED' || status === 'SKIPPED' || status === 'CANCELLED';

export interface StepError {
  readonly code: string;
  readonly message: string;
  /** The JSON pointer of what failed in the graph that the node contains. */
  readonly pointer?: string;
}

/**
 * A record of the state of one node in one run. Each change of the state adds a step, and the newest step counts. A
 * checkpoint is a batch of steps, from which a run resumes. Clients see a step as a node state.
 */
export interface Step {
  readonly nodeId: string;
  readonly status: NodeStatus;
  readonly outputs?: Values;
  readonly error?: StepError;
  readonly cached?: true;
  /** Whether the result was recorded with the template that the workflow was copied from. */
  readonly fromSample?: true;
  /** How often the node has started in this run, including on other workers. */
  readonly attempt: number;
  readonly startedAtMs?: number;
  readonly finishedAtMs?: number;
  /** The event that a WAITING node waits for, since when and until when. */
  readonly suspended?: {
    readonly kind: 'time' | 'decision' | 'call';
    readonly sinceMs: number;
    readonly untilMs: number;
  };
  /** The request for a decision, and the decision once the node has continued with one. */
  readonly approval?: ApprovalRequest & { readonly id?: string; readonly decision?: Decision };
  /** The results of a mapped node by item, so that a resumed run repeats only the failed items. */
  readonly items?: readonly (Values | null)[];
  /** The failures of a mapped node by item, while other items are still active. */
  readonly failures?: Readonly<Record<number, StepError>>;
  /** Active provider tasks by item index (0 if the node is not mapped). A worker that takes over polls them again. */
  readonly jobs?: Readonly<Record<number, ProviderTask>>;
  /** The last provider task, so that the workflow's owner can ask the provider about the task. */
  readonly provider?: { readonly name: string; readonly jobId: string | null };
  /** Set on steps that were read for display if their values were truncated. */
  readonly truncated?: true;
  /** Sentences about how the result differs from the request. */
  readonly warnings?: readonly string[];
  /** What the node's program wrote to its console. */
  readonly log?: string;
  /** The seeds that the node drew; `item` is set for a mapped node. */
  readonly seeds?: readonly (DrawnSeed & { readonly item?: number })[];
  /** The cost of the node's delivered calls in this run so far, if not 0. */
  readonly credits?: number;
  /** The servers that ran a call that moved, in order; `item` is set for a mapped node. */
  readonly attempts?: readonly (ServerAttempt & { readonly item?: number })[];
  /** The payer of the node's calls, and the credential. */
  readonly payer?: Payer;
  /** The node type for the ledger, set if the node costs credits. */
  readonly nodeType?: string;
}

/** A decision, as it is stored with the run. */
export interface Decision {
  readonly approved: boolean;
  /** Replaces the value that waited. */
  readonly value?: Json;
  /** The type of `value`, if its JSON does not tell. */
  readonly valueType?: 'JSON';
  readonly comment?: string;
  /** Who decided. Absent for decisions of earlier versions. */
  readonly by?: DecidedBy;
  readonly atMs?: number;
}

/** `link`: a person who was sent a link. `timeout`: nobody decided in time. */
export interface DecidedBy {
  readonly via: 'account' | 'link' | 'timeout';
  readonly userId?: number;
  readonly name?: string;
  readonly email?: string;
  /** The owner who created the link, and may have used it. Absent if the service sent the link by mail. */
  readonly linkCreatedBy?: number;
}

export type ProviderTask = NonNullable<NodeContext['task']['stored']>;

/** Stores node results by cache key within a workspace. */
export interface NodeCache {
  find(key: string, signal: AbortSignal): Promise<Values | undefined>;
  /** Stores a result in the background. Errors are ignored, because they only make the next run slower. */
  store(key: string, outputs: Values): void;
}

export interface Payer {
  /** `credential`: billed to the workspace's own credential. */
  readonly paidBy: 'credits' | 'credential';
  readonly credentialId: string | null;
  /** For `credential`: the cost of the delivered calls; null if it is unknown. */
  readonly costUsd: number | null;
}

/** How a call is paid. Without `paidBy`, the step does not name a payer. */
export interface Payment extends Partial<Payer> {
  /** The credits reserved for the call: its price, or the maximum that its node allows. */
  readonly credits: number;
  /** The values that a later bill is computed from, if the provider reports usage. */
  readonly terms?: ProviderTask['terms'];
  /** The values to send, adjusted so that the call cannot exceed the reservation. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Returns the charge for the call, given the usage that the provider reported. */
  settle(usage: unknown): number;
  /** Releases the reservation. Called if the call did not deliver and is free of charge. */
  refund(): void;
}

/** Tracks which calls of the run were woken, because the provider ended their work or they were granted a slot. */
export interface CallWakes {
  isWoken(nodeId: string, item: number): boolean;
  /**
   * Returns `isWoken` and resets it, so that a call that is still active at the provider waits for the next wake.
   */
  consumeWake(nodeId: string, item: number): boolean;
  /** Calls back when more calls were woken. Returns an unsubscribe function. */
  subscribe(onWoken: () => void): () => void;
}

/** Slots for calls at providers, shared by all runs. */
export type CallSlots = Omit<NonNullable<NodeContext['task']['slots']>, 'claim'> & {
  /** Claims a slot. A call that has to wait for a slot is woken once the slot is granted. */
  claim(nodeId: string, item: number, task: ProviderTask): Promise<SlotOutcome>;
};
type SlotOutcome = Awaited<ReturnType<NonNullable<NodeContext['task']['slots']>['claim']>>;

/** Limits the size of a run's outputs and the memory of its process. */
export interface RunBudget {
  /** Counts a call's outputs. Returns false if the run exceeds its limit; the run is then stopped. */
  record(nodeId: string, outputs: Values): boolean;
  /**
   * Records like `record`, but counts long texts only by their length. `recordRest` must count the rest before the
   * outputs are stored.
   */
  recordMinimum(nodeId: string, outputs: Values): boolean;
  /** Counts what `recordMinimum` left out, even if another node exceeded the limit since. */
  recordRest(nodeId: string, outputs: Values): boolean;
  /** The node whose outputs exceeded the limit. */
  readonly exceededBy: string | undefined;
  /** Returns whether a node, or an item of one, may start now. */
  canStart(): boolean;
  /** Calls back when memory may be free again. Returns an unsubscribe function. */
  subscribe(onMemoryFree: () => void): () => void;
}

/** Decides when a run that computes for a long time may continue. */
export interface LoopTurns {
  /** Increases with each turn of the event loop. */
  readonly turnNumber: number;
  /** Whether other computations of the account wait, so that this run must wait too before it starts. */
  readonly isContended: boolean;
  /** Resolves when the run may compute for another slice. */
  wait(): Promise<void>;
}

/** The queue for ComfyUI servers, for all calls of the run. */
export interface ServerQueues extends Pick<ServerQueue, 'pool' | 'open'> {
  place(
    nodeId: string,
    item: number,
    needs: Parameters<ServerQueue['place']>[0],
  ): ReturnType<ServerQueue['place']>;
  move(nodeId: string, item: number, move: Parameters<ServerQueue['move']>[0]): Promise<boolean>;
}

export type ServerQueue = NonNullable<NodeContext['task']['queue']>;
type ServerAttempt = Parameters<NonNullable<NodeContext['task']['recordAttempts']>>[0][number];

export interface PaidCall {
  /** The item of a mapped node, otherwise 0. */
  readonly item: number;
  /** The existing reservation of a call that was already submitted. */
  readonly reserved?: number | undefined;
  readonly definition: NodeDefinition;
  readonly node: { readonly id: string; readonly nodeType: string };
  readonly values: Readonly<Record<string, unknown>>;
}

export interface RunOptions {
  readonly findDefinition: (nodeType: string) => NodeDefinition | undefined;
  /**
   * Steps of earlier attempts, by node id. COMPLETED and FAILED nodes do not run again, WAITING nodes continue when
   * due, and all others run again, except for `items` that have a result.
   */
  readonly steps: ReadonlyMap<string, Step>;
  readonly createContext: (
    nodeId: string,
    attempt: number,
    signal: AbortSignal,
    /** The values of the call, before secrets are inserted. */
    values: Readonly<Record<string, unknown>>,
  ) => Omit<NodeContext, 'suspended' | 'nodeId' | 'signal' | 'progress' | 'task' | 'secrets'>;
  /** Config keys that the run's `inputs` set, by node id. */
  readonly overrides: ReadonlyMap<string, JsonObject>;
  /** Decisions by users, by the id of the waiting node. */
  readonly decisions?: ReadonlyMap<string, Json>;
  readonly cache?: NodeCache;
  /** If absent, outputs and memory are not limited. */
  readonly budget?: RunBudget;
  /** If absent, the run continues in the next turn of the event loop. */
  readonly turns?: LoopTurns;
  /**
   * Reserves credits just before a call and resolves to its price. Rejects if there are too few credits; the call is
   * then not made.
   */
  readonly pay?: (call: PaidCall) => Promise<Payment>;
  /**
   * The secrets that are inserted into the settings of nodes that send them. Only the call sees secrets; they are removed
   * from errors.
   */
  readonly secrets?: RunSecrets;
  /** Wraps each call of a node, for example in a span. */
  readonly wrapCall?: <T>(node: { readonly id: string; readonly nodeType: string }, call: () => T) => T;
  /** Called with each new step, in order. Must not throw. */
  readonly onStep: (step: Step) => void;
  /** Resolves once the reported steps are stored. Rejects if the run was reassigned. */
  readonly whenSaved?: () => Promise<void>;
  /** If absent, nodes that wait for a call continue immediately. */
  readonly callWakes?: CallWakes;
  /** If absent, providers always have a free slot. */
  readonly slots?: CallSlots;
  /** If absent, ComfyUI is called directly. */
  readonly queues?: ServerQueues | undefined;
  readonly onProgress?: (nodeId: string, fraction: number) => void;
  /** Called with the thrown error if the step gets only a generic message. */
  readonly onError?: (nodeId: string, err: unknown) => void;
  /** The maximum number of nodes and items of mapped nodes that are in flight concurrently. */
  readonly concurrency: number;
  /** How long to wait for nodes in flight after the signal fired. Default: 30 s. */
  readonly graceMs?: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/**
 * The outcome of running a plan. `suspended`: nothing can run until `untilMs`, a decision, or the end of a call.
 * `expired`: a decision was not made in time. `aborted`: the signal fired, and nodes in flight are CANCELLED; the
 * caller knows the reason.
 */
export type RunOutcome =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly nodeId: string; readonly error: StepError }
  | {
      readonly kind: 'suspended';
      /** null if the wait has no time limit. */
      readonly untilMs: number | null;
      readonly waitsFor: 'time' | 'decision' | 'call';
    }
  | { readonly kind: 'expired'; readonly nodeId: string; readonly error: StepError }
  | { readonly kind: 'aborted' };
