// Every refusal the service can give: one table of codes with their HTTP status, one error class that names a row.

/** Code → HTTP status and the title that the OpenAPI document shows. A new failure is a new row. */
export const ERROR_CODES = {
  invalid_request: [400, 'The request is invalid'],
  invalid_json: [400, 'The body is not JSON'],
  invalid_graph: [400, 'The graph has errors'],
  invalid_webhook: [400, 'The webhook block is invalid'],
  invalid_inputs: [400, 'The run inputs do not match the graph'],
  cyclic_graph: [400, 'The nodes to run form a cycle'],
  provider_not_configured: [400, 'A node needs a provider that is not configured'],
  svg_not_drawable: [400, 'An SVG for a paid model cannot be rasterized'],
  workflow_inactive: [400, 'The workflow is inactive'],
  field_not_writable: [400, 'A field is owned by another endpoint'],
  folder_workspace_mismatch: [400, 'The folder is in another workspace'],
  folder_cycle: [400, 'A folder cannot be its own ancestor'],
  fetch_failed: [400, 'The file could not be fetched from its address'],
  invalid_bytes: [400, 'bytes is not a positive whole number'],
  invalid_media_id: [400, 'The media ID is malformed'],
  empty_file: [400, 'The file has no bytes'],
  invalid_svg: [400, 'The SVG root element is not svg'],
  svg_too_complex: [400, 'The SVG has too many elements or is nested too deep'],
  invalid_link: [400, 'The link is unknown, expired or already used'],
  invalid_scene_graph: [400, 'The scene graph does not match its schema'],
  unauthorized: [401, 'A session or a valid API key is required'],
  invalid_api_key: [401, 'The API key is invalid'],
  expired_api_key: [401, 'The API key has expired'],
  invalid_credentials: [401, 'The email or the password is wrong'],
  insufficient_scope: [401, 'The API key lacks a scope'],
  insufficient_credits: [402, 'The credits do not cover the run'],
  max_credits_exceeded: [402, 'The run would cost more than maxCredits'],
  daily_budget_exceeded: [402, 'The run would exceed the daily credit budget'],
  forbidden: [403, 'The caller does not have permission'],
  unpriced_model: [403, 'The plan does not run models without a price'],
  sign_in_refused: [403, 'The identity provider did not confirm an account'],
  reauthentication_required: [403, 'The session must confirm its identity again'],
  cross_site_request: [403, 'Another site may have sent the request'],
  not_found: [404, 'The resource was not found'],
  upload_not_found: [404, 'The upload was not found'],
  method_not_allowed: [405, 'The path does not support this method'],
  not_acceptable: [406, 'No accepted content type is available'],
  request_timeout: [408, 'The request took too long to arrive'],
  stale_write: [409, 'The workflow changed after it was read'],
  slug_taken: [409, 'The slug is taken'],
  folder_not_empty: [409, 'The folder has subfolders'],
  team_not_empty: [409, 'The team has workflows'],
  last_owner: [409, 'A team must keep an owner'],
  idempotency_in_progress: [409, 'The first request with this key is in progress'],
  not_resumable: [409, 'The execution cannot be resumed'],
  media_in_use: [409, 'Workflows use this media'],
  conflict: [409, 'The resource already exists or is in another state'],
  file_too_large: [413, 'The file is too large'],
  storage_quota_exceeded: [413, "The storage of the account's plan is full"],
  run_output_too_large: [413, 'The outputs of the run are larger than 32 MB together'],
  payload_too_large: [413, 'The body is too large'],
  uri_too_long: [414, 'The address is too long'],
  unsupported_type: [415, 'The content type is not accepted'],
  range_not_satisfiable: [416, 'The range is outside the file'],
  idempotency_key_reused: [422, 'The idempotency key was used with another body'],
  unreadable_image: [422, 'The bytes are not a readable image'],
  unreadable_media: [422, 'The bytes are not a readable video or audio file'],
  board_too_large: [422, 'The board is too large to lay out'],
  rate_limited: [429, 'Too many requests'],
  daily_execution_limit: [429, 'The daily executions are used up'],
  too_many_streams: [429, 'Too many event streams are open'],
  render_busy: [429, 'Too many renders are waiting'],
  upload_busy: [429, 'Another upload URL is being created'],
  upload_budget_exceeded: [429, 'The hourly upload budget is used up'],
  headers_too_large: [431, 'The headers are too large'],
  duplicate_title: [500, 'Another content page has this title'],
  author_missing: [500, 'No author record is available'],
  codec_failed: [500, 'A codec failed while writing a file'],
  internal_error: [500, 'Something went wrong on our side'],
  unavailable: [503, 'The service is not ready'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** One of several things wrong with a request; `path` is a JSON pointer into the body. */
export interface Issue {
  readonly path?: string;
  readonly nodeId?: string;
  readonly edgeId?: string;
  readonly code: string;
  readonly message: string;
}

export interface AppErrorOptions {
  readonly cause?: unknown;
  /** Sent as `issues`. */
  readonly issues?: readonly Issue[];
  /** Further members of the error body, e.g. `requiredCredits`. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Response headers that belong to the refusal, e.g. `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal with a code of the table and a sentence a person can act on. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly issues: readonly Issue[] | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = ERROR_CODES[code][0];
    this.issues = options.issues;
    this.details = options.details;
    this.headers = options.headers;
  }
}

/** 400 for one member of a request: a sentence that begins with its name, and its place as a JSON pointer. */
export function invalidField(path: string, message: string, name = path.slice(1)): AppError {
  return new AppError('invalid_request', `${name} ${message}.`, {
    issues: [{ path, code: 'invalid_request', message }],
  });
}

/** The database could not be reached. `mayBeDone`: a write had been sent, and whether it was committed is not known. */
export class OutageError extends Error {
  readonly mayBeDone: boolean;

  constructor(mayBeDone: boolean, cause: Error) {
    super(`The database was lost: ${cause.message}`, { cause });
    this.name = 'OutageError';
    this.mayBeDone = mayBeDone;
  }
}

/**
 * Any thrown value as a refusal; what is not known to be the caller's fault is `internal_error`. `isRepeatable`: a
 * request whose outcome is not known may be sent again.
 */
export function toAppError(thrown: unknown, { isRepeatable }: { readonly isRepeatable: boolean }): AppError {
  if (thrown instanceof AppError) return thrown;
  const cause = toError(thrown);
  if (!(cause instanceof OutageError)) {
    const message = 'Something went wrong on our side. Give the request id to the operator of the service.';
    return new AppError('internal_error', message, { cause });
  }
  if (!cause.mayBeDone || isRepeatable) return unavailable('The database', cause);
  const message =
    'The database was lost during the request, and it is not known whether it was done: look before you repeat it.';
  return new AppError('internal_error', message, { cause });
}

/** 503 with `Retry-After`, where something that the service needs does not answer. */
export function unavailable(what: string, cause: Error): AppError {
  const message = `${what} cannot be reached at the moment: try again in a few seconds.`;
  return new AppError('unavailable', message, { cause, headers: { 'retry-after': '2' } });
}

/** Any thrown value as an Error, so that `message` and `stack` can be read. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}
