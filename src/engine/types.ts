// What a run is made of, between the engine that produces it and the services that keep and show it.
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

/** The newest state of one node in one run: a checkpoint is a batch of these, and a run resumes from them. */
export interface Step {
  readonly nodeId: string;
  readonly status: NodeStatus;
  readonly outputs?: Values;
  readonly error?: StepError;
  readonly cached?: true;
  /** Starts of this node in this run, takeovers included. */
  readonly attempt: number;
  readonly startedAtMs?: number;
  readonly finishedAtMs?: number;
  /** While WAITING: since when, until when, and for what. */
  readonly suspended?: {
    readonly kind: 'time' | 'decision' | 'call';
    readonly sinceMs: number;
    readonly untilMs: number;
  };
  /** Fan-out: results by item, kept so that a resume runs only the items that failed. */
  readonly items?: readonly (Values | null)[];
  /** Fan-out: failures by item while others are still under way. */
  readonly failures?: Readonly<Record<number, StepError>>;
  /** Calls at providers under way, by the index of their item, 0 where the node is not mapped: asked for again after a takeover. */
  readonly jobs?: Readonly<Record<number, ProviderTask>>;
  /** The last call at a provider, for its owner to ask about there. */
  readonly provider?: { readonly name: string; readonly jobId: string | null };
  /** Of a state that was read to be shown: values in it were cut. */
  readonly truncated?: true;
  /** What is not as it was asked for, in sentences. */
  readonly warnings?: readonly string[];
  /** What the node has cost in this run so far: of calls that delivered. Absent: nothing. */
  readonly credits?: number;
  /** Of a node that has cost something, for the ledger. */
  readonly nodeType?: string;
}

export type ProviderTask = NonNullable<NodeContext['job']['stored']>;

/** Kept results of nodes whose key has been seen before in this workspace. */
export interface NodeCache {
  find(key: string, signal: AbortSignal): Promise<Values | undefined>;
  /** Never fails the run: a result that could not be kept is only slower next time. */
  keep(key: string, outputs: Values): void;
}

export interface Payment {
  /** What is reserved for the call: its price, or the most that its node allows. */
  readonly credits: number;
  /** By what a bill of the call is counted, where its provider says what it used. */
  readonly terms?: ProviderTask['terms'];
  /** The values to send, where what is reserved bounds them. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** What the call is charged, by what its provider says that it used. */
  settle(usage: unknown): number;
  /** Called where the call did not deliver: it costs nothing. */
  refund(): void;
}

/** What the run knows of its calls at providers, which go on without it. */
export interface WaitingCalls {
  hasEnded(nodeId: string, item: number): boolean;
  /** The same, for who now asks for the result: if it has not ended, the next sign is waited for. */
  takeEnded(nodeId: string, item: number): boolean;
  /** Calls back when more of them have ended; returns the way out. */
  subscribe(onEnded: () => void): () => void;
}

/** What the calls of all runs share of each provider. */
export type CallSlots = Omit<NonNullable<NodeContext['job']['slots']>, 'claim'> & {
  /** Whether the call may be submitted; else it has to wait, and counts as ended once there is room. */
  claim(nodeId: string, item: number, provider: ProviderTask['provider']): Promise<SlotAnswer>;
};
type SlotAnswer = Awaited<ReturnType<NonNullable<NodeContext['job']['slots']>['claim']>>;

/** What a run may still record, and whether its process has memory for more of it. */
export interface RunBudget {
  /** Counts outputs that have arrived; false where the run records too much with them. It is then stopped. */
  record(nodeId: string, outputs: Values): boolean;
  /** The node whose outputs were too large. */
  readonly exceededBy: string | undefined;
  /** Whether a node, or an item of one, may be started now. */
  canStart(): boolean;
  /** Calls back when there may be room again; returns an unsubscribe function. */
  subscribe(onRoom: () => void): () => void;
}

export interface PaidCall {
  /** Of a call that is under way already: what is reserved for it. */
  readonly reserved?: number | undefined;
  readonly definition: NodeDefinition;
  readonly node: { readonly id: string; readonly nodeType: string };
  readonly values: Readonly<Record<string, unknown>>;
}

export interface RunOptions {
  readonly define: (nodeType: string) => NodeDefinition | undefined;
  /**
   * Steps of earlier attempts, by node id. COMPLETED and FAILED ones stand; WAITING ones wake when due; all others
   * run again, less the `items` that have a result. Whether a node is skipped is found anew.
   */
  readonly steps: ReadonlyMap<string, Step>;
  readonly context: (
    nodeId: string,
    attempt: number,
    signal: AbortSignal,
  ) => Omit<NodeContext, 'suspended' | 'nodeId' | 'signal' | 'progress' | 'job' | 'secrets'>;
  /** Config keys that the run's `inputs` set, by node id. */
  readonly overrides: ReadonlyMap<string, JsonObject>;
  /** Decisions of people, by node id of a node WAITING for one. */
  readonly decisions?: ReadonlyMap<string, Json>;
  readonly cache?: NodeCache;
  /** Absent: the run records and holds what it likes. */
  readonly budget?: RunBudget;
  /**
   * Sets aside what a call may cost, just before it is made, and resolves to its price. Rejects where
   * there are too few credits: the call is then not made.
   */
  readonly pay?: (call: PaidCall) => Promise<Payment>;
  /** Put into the settings of nodes that send them to somebody, for the eyes of the node's call alone; scrubbed from failures. */
  readonly secrets?: RunSecrets;
  /** Called with each call of a node, to do it in a context of its own. */
  readonly around?: <T>(node: { readonly id: string; readonly nodeType: string }, call: () => T) => T;
  /** Called with each new state, in order; must not throw. */
  readonly onStep: (step: Step) => void;
  /** Resolves once the states reported so far would outlive this process; rejects where the run has been taken away. */
  readonly saved?: () => Promise<void>;
  /** Absent: no call of before has ended. */
  readonly calls?: WaitingCalls;
  /** Absent: providers always have room. */
  readonly slots?: CallSlots;
  readonly onProgress?: (nodeId: string, fraction: number) => void;
  /** Called with what a node threw, where its step says only that it failed. */
  readonly onError?: (nodeId: string, err: unknown) => void;
  /** Nodes, and items of nodes mapped over lists, in flight at once. */
  readonly concurrency: number;
  /** How long nodes in flight are waited for once the signal has fired; 30 s where absent. */
  readonly graceMs?: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/**
 * How a run of a plan ended. `suspended`: nothing else can run until `untilMs` or, where any node waits for one, a
 * decision or the end of a call. `expired`: a decision did not come in time.
 * `aborted`: the signal fired; nodes in flight are CANCELLED, the reason is known to the caller.
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
