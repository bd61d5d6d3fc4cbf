// The nouns of the service that this package reads and writes, as its OpenAPI document has them.
import type * as schemas from './schemas.ts';

export type Execution = schemas.Execution;
export type ExecutionStatus = Execution['status'];
export type ListedExecution = schemas.ExecutionListItem;
export type NodeState = schemas.NodeState;
export type Output = Execution['outputs'][number];
export type AcceptedRun = schemas.AcceptedRun;
export type RunRequest = schemas.RunRequest;
export type Media = schemas.Media;
export type MintedUpload = schemas.MintedUpload;
/** What a webhook is sent when a run has ended. */
export type CompletionEvent = schemas.CompletionEvent;

/** A change of a run as it happens. */
export type RunEvent = Change<schemas.RunEvent>;

/** Each of the union by itself, without the id, which the connection keeps. */
type Change<E> = E extends { readonly event: infer Name; readonly data: infer Data }
  ? { readonly event: Name; readonly data: Data }
  : never;

const TERMINAL: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED']);

/** Whether a run with this status has ended for good. */
export function hasEnded({ status }: { readonly status: string }): boolean {
  return TERMINAL.has(status);
}
