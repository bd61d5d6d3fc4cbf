// Defines the types that the engine shares with the code that stores and shows runs.
import type { Json, JsonObject, Values } from '../graph/types.ts';
import type { NodeContext, NodeDefinition, RunSecrets } from '../nodes/define.ts';

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
}

/** The newest state of one node in one run. A checkpoint is a batch of steps, and a run resumes from them. */
export interface Step {
  readonly nodeId: string;
  readonly status: NodeStatus;
  readonly outputs?: Values;
  readonly error?: StepError;
  readonly cached?: true;
  /** How often this node has started in this run, including after a change of worker. */
  readonly attempt: number;
  readonly startedAtMs?: number;
  readonly finishedAtMs?: number;
  /** While WAITING: since when, until when, and for what. */
  readonly suspended?: {
    readonly kind: 'time' | 'decision' | 'call';
    readonly sinceMs: number;
    readonly untilMs: number;
  };
  /** Fan-out: results by item, kept so that a resume runs only the failed items. */
  readonly items?: readonly (Values | null)[];
  /** Fan-out: failures by item, while other items are still active. */
  readonly failures?: Readonly<Record<number, StepError>>;
  /** Active provider tasks by item index (0 if the node is not mapped). A worker that takes over polls them again. */
  readonly jobs?: Readonly<Record<number, ProviderTask>>;
  /** The last provider task, so that the workflow's owner can ask the provider about it. */
  readonly provider?: { readonly name: string; readonly jobId: string | null };
  /** Set on states that were read for display: values in them were cut. */
  readonly truncated?: true;
  /** Sentences about what differs from the request. */
  readonly warnings?: readonly string[];
  /** The cost of the node's delivered calls in this run so far. Absent: nothing. */
  readonly credits?: number;
  /** Set on nodes that cost something, for the ledger. */
  readonly nodeType?: string;
}

export type ProviderTask = NonNullable<NodeContext['task']['stored']>;

/** Stores results of nodes by cache key within a workspace. */
export interface NodeCache {
  find(key: string, signal: AbortSignal): Promise<Values | undefined>;
  /** Never fails the run: a result that could not be stored only makes the next run slower. */
  keep(key: string, outputs: Values): void;
}

export interface Payment {
  /** The credits reserved for the call: its price, or the maximum that its node allows. */
  readonly credits: number;
  /** The values that a later bill is computed from, if the provider reports usage. */
  readonly terms?: ProviderTask['terms'];
  /** The values to send, adjusted so that the call cannot exceed the reservation. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Returns the charge for the call, given the usage that the provider reported. */
  settle(usage: unknown): number;
  /** Called if the call did not deliver: it costs nothing. */
  refund(): void;
}

/** The run's provider calls, which continue without the run. */
export interface WaitingCalls {
  hasEnded(nodeId: string, item: number): boolean;
  /** Like `hasEnded`, but consumes the event: if the provider is not done after all, the next event is waited for. */
  takeEnded(nodeId: string, item: number): boolean;
  /** Calls back when more calls have ended. Returns an unsubscribe function. */
  subscribe(onEnded: () => void): () => void;
}

/** Slots for calls at providers, shared by all runs. */
export type CallSlots = Omit<NonNullable<NodeContext['task']['slots']>, 'claim'> & {
  /** Claims a slot. A call without one waits, and counts as ended once a slot is granted. */
  claim(nodeId: string, item: number, provider: ProviderTask['provider']): Promise<SlotAnswer>;
};
type SlotAnswer = Awaited<ReturnType<NonNullable<NodeContext['task']['slots']>['claim']>>;

/** What a run may still record, and whether its process has memory for more. */
export interface RunBudget {
  /** Counts outputs that arrived. Returns false if the run exceeds its limit; the run is then stopped. */
  record(nodeId: string, outputs: Values): boolean;
  /** The node whose outputs exceeded the limit. */
  readonly exceededBy: string | undefined;
  /** Whether a node, or an item of one, may start now. */
  canStart(): boolean;
  /** Calls back when memory may be free again. Returns an unsubscribe function. */
  subscribe(onRoom: () => void): () => void;
}

export interface PaidCall {
  /** The existing reservation of a call that was already submitted. */
  readonly reserved?: number | undefined;
  readonly definition: NodeDefinition;
  readonly node: { readonly id: string; readonly nodeType: string };
  readonly values: Readonly<Record<string, unknown>>;
}

export interface RunOptions {
  readonly define: (nodeType: string) => NodeDefinition | undefined;
  /**
   * Steps of earlier attempts, by node id. COMPLETED and FAILED ones stand, WAITING ones wake when due, and all others
   * run again except for `items` that have a result. Skipped nodes are determined again.
   */
  readonly steps: ReadonlyMap<string, Step>;
  readonly context: (
    nodeId: string,
    attempt: number,
    signal: AbortSignal,
  ) => Omit<NodeContext, 'suspended' | 'nodeId' | 'signal' | 'progress' | 'task' | 'secrets'>;
  /** Config keys that the run's `inputs` set, by node id. */
  readonly overrides: ReadonlyMap<string, JsonObject>;
  /** Decisions of people, by the id of the node that waits for one. */
  readonly decisions?: ReadonlyMap<string, Json>;
  readonly cache?: NodeCache;
  /** Absent: nothing limits what the run records and holds. */
  readonly budget?: RunBudget;
  /**
   * Reserves credits just before a call and resolves to its price. Rejects if there are too few credits; the call is
   * then not made.
   */
  readonly pay?: (call: PaidCall) => Promise<Payment>;
  /**
   * Inserted into the settings of nodes that send them out, visible to the node's call only, and scrubbed from errors.
   */
  readonly secrets?: RunSecrets;
  /** Wraps each call of a node, for example in a span. */
  readonly around?: <T>(node: { readonly id: string; readonly nodeType: string }, call: () => T) => T;
  /** Called with each new state, in order. Must not throw. */
  readonly onStep: (step: Step) => void;
  /** Resolves once the reported states are stored. Rejects if the run was reassigned. */
  readonly saved?: () => Promise<void>;
  /** Absent: no earlier call has ended. */
  readonly calls?: WaitingCalls;
  /** Absent: providers always have a free slot. */
  readonly slots?: CallSlots;
  readonly onProgress?: (nodeId: string, fraction: number) => void;
  /** Called with the thrown error if the step only says that the node failed. */
  readonly onError?: (nodeId: string, err: unknown) => void;
  /** The maximum number of nodes, and items of mapped nodes, in flight at once. */
  readonly concurrency: number;
  /** How long to wait for nodes in flight after the signal fired. Default: 30 s. */
  readonly graceMs?: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/**
 * How the run of a plan ended. `suspended`: nothing can run until `untilMs`, a decision, or the end of a call.
 * `expired`: a decision did not arrive in time. `aborted`: the signal fired; nodes in flight are CANCELLED, and the
 * caller knows the reason.
 */
export type RunOutcome =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly nodeId: string; readonly error: StepError }
  | {
      readonly kind: 'suspended';
      /** null: no time ends it. */
      readonly untilMs: number | null;
      readonly waitsFor: 'time' | 'decision' | 'call';
    }
  | { readonly kind: 'expired'; readonly nodeId: string; readonly error: StepError }
  | { readonly kind: 'aborted' };
