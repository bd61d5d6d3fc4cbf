// The nouns of the service that this package reads and writes.

export type ExecutionStatus =
  | 'QUEUED'
  | 'RUNNING'
  | 'WAITING'
  | 'CANCELLING'
  | 'COMPLETED'
  | 'FAILED'
  | 'TIMEOUT'
  | 'CANCELLED';

export interface NodeState {
  readonly nodeId: string;
  readonly label: string;
  readonly status: 'PENDING' | 'RUNNING' | 'WAITING' | 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'CANCELLED';
  readonly error: string | null;
  readonly outputUrl?: string;
  readonly outputUrls?: readonly string[];
  readonly text?: string;
  readonly texts?: readonly string[];
  readonly value?: unknown;
  readonly values?: readonly unknown[];
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly credits: number;
  readonly cached: boolean;
  readonly attempt: number;
  readonly progress: number;
}

export interface Output {
  readonly nodeId: string;
  readonly label: string;
  readonly type: string;
  readonly url?: string;
  readonly text?: string;
  readonly value?: unknown;
}

export interface ListedExecution {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  readonly status: ExecutionStatus;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly error: { readonly code: string; readonly message: string; readonly nodeId: string | null } | null;
  readonly progress: { readonly done: number; readonly total: number };
  readonly credits: {
    readonly estimated: number;
    readonly held: number;
    readonly charged: number;
    readonly released: number;
  };
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly resumedFromId: string | null;
}

export interface Execution extends ListedExecution {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly nodeStates: readonly NodeState[];
  readonly outputs: readonly Output[];
}

export interface AcceptedRun {
  readonly executionId: string;
  readonly workflowId: string;
  readonly estimatedCredits: number;
  readonly createdAt: string;
}

export interface RunRequest {
  /** By input node id: a string, number, JSON or list; for media an address, `{ url }` or `{ mediaId }`. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Run these nodes and what they need. */
  readonly targets?: readonly string[];
  readonly useCache?: boolean;
  readonly timeoutMs?: number;
  readonly maxCredits?: number;
  readonly webhook?: { readonly url: string; readonly secret?: string | null };
}

export interface Media {
  readonly url: string;
  readonly mediaId: string;
  readonly contentType: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly duration: number | null;
  readonly bytes: number;
}

/** What a webhook is sent when a run has ended. */
export interface CompletionEvent {
  readonly event: 'execution.completed' | 'execution.failed';
  readonly eventId: string;
  readonly executionId: string;
  readonly workflowId: string;
  readonly status: 'COMPLETED' | 'FAILED' | 'TIMEOUT' | 'CANCELLED';
  readonly nodeStates: readonly NodeState[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly createdAt: string;
}

/** A change of a run as it happens. */
export type RunEvent =
  | { readonly event: 'snapshot'; readonly data: Execution }
  | { readonly event: 'node'; readonly data: NodeState }
  | { readonly event: 'execution'; readonly data: ListedExecution }
  | { readonly event: 'progress'; readonly data: { readonly nodeId: string; readonly progress: number } };

const TERMINAL: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED']);

/** Whether a run with this status has ended for good. */
export function hasEnded({ status }: { readonly status: string }): boolean {
  return TERMINAL.has(status);
}
