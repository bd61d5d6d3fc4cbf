// Exports the public API of @graphwright/sdk.
// biome-ignore-all lint/performance/noBarrelFile: a package has one entry.
export type { BackfillPeriod, CreatedTriggerHandle, ScheduleHandle, TriggerHandle } from './automation.ts';
export type {
  BatchHandle,
  BatchRowOptions,
  BatchWaitOptions,
  StartedBatch,
  TableUploadOptions,
} from './batch.ts';
export { type Client, type ClientOptions, createClient, type RequestOptions } from './client.ts';
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  FileTooLargeError,
  ForbiddenError,
  GraphwrightError,
  IdempotencyKeyReusedError,
  InsufficientCreditsError,
  InvalidGraphError,
  InvalidRequestError,
  type Issue,
  NotFoundError,
  RateLimitError,
  ServerError,
  StaleWriteError,
  TimeoutError,
  UnexpectedResponseError,
  UnprocessableError,
  UnsupportedTypeError,
  WebhookVerificationError,
} from './errors.ts';
export {
  type ManyOptions,
  type Run,
  RunFailedError,
  type RunOrder,
  type RunResult,
  type StartedRun,
  type StartOptions,
  type WaitOptions,
} from './run.ts';
export type * as Schemas from './schemas.ts';
export type { Timing } from './send.ts';
export {
  type AcceptedRun,
  type Backfill,
  type Batch,
  type BatchEstimate,
  type BatchRequest,
  type BatchRow,
  type CompletionEvent,
  type CreatedTrigger,
  type Execution,
  type ExecutionStatus,
  type Firing,
  hasEnded,
  type ListedExecution,
  type Media,
  type NodeState,
  type Output,
  type RunEvent,
  type RunRequest,
  type Schedule,
  type ScheduleChange,
  type ScheduleRequest,
  type Table,
  type Trigger,
  type TriggerChange,
  type TriggerEvent,
  type TriggerRequest,
} from './types.ts';
export type { UploadHints, UploadOptions, UploadProgress } from './upload.ts';
export { verifyWebhook, type WebhookToVerify } from './webhook.ts';
