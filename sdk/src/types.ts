// Names the types of the OpenAPI document that this package uses.
import type * as schemas from './schemas.ts';

export type Execution = schemas.Execution;
export type ExecutionStatus = Execution['status'];
export type ListedExecution = schemas.ExecutionListItem;
export type NodeState = schemas.NodeState;
export type Output = Execution['outputs'][number];
export type AcceptedRun = schemas.AcceptedRun;
export type RunRequest = schemas.RunRequest;
export type Media = schemas.Media;
export type Batch = schemas.Batch;
export type BatchEstimate = schemas.BatchEstimate;
export type BatchRequest = schemas.BatchRequest;
export type BatchRow = schemas.BatchRow;
export type Table = schemas.Table;
export type Schedule = schemas.Schedule;
export type ScheduleRequest = schemas.ScheduleRequest;
export type ScheduleChange = schemas.ScheduleChange;
export type Firing = schemas.Firing;
export type Backfill = schemas.Backfill;
export type Trigger = schemas.Trigger;
export type CreatedTrigger = schemas.CreatedTrigger;
export type TriggerRequest = schemas.TriggerRequest;
export type TriggerChange = schemas.TriggerChange;
export type TriggerEvent = schemas.TriggerEvent;
export type MintedUpload = schemas.MintedUpload;
/** The body of a webhook that reports the end of a run. */
export type CompletionEvent = schemas.CompletionEvent;

/** An event of a run. */
export type RunEvent = WithoutId<schemas.RunEvent>;

/** Maps each event of the union to its name and data, without the id, which the connection tracks. */
type WithoutId<E> = E extends { readonly event: infer Name; readonly data: infer Data }
  ? { readonly event: Name; readonly data: Data }
  : never;

const TERMINAL: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED']);

/** Returns whether a run with this status has ended. */
export function hasEnded({ status }: { readonly status: string }): boolean {
  return TERMINAL.has(status);
}
