// Defines all errors that the service returns: one table of codes with HTTP status, and the error class.

/** The HTTP status of each code, and its title in the OpenAPI document. */
export const ERROR_CODES = {
  app_moved: [308, 'The app has a new slug'],
  invalid_request: [400, 'The request is malformed'],
  invalid_json: [400, 'The body is not valid JSON'],
  invalid_graph: [400, 'The graph is invalid'],
  unknown_format: [400, 'The file is of no format that can be imported'],
  invalid_webhook: [400, 'The webhook is invalid'],
  invalid_inputs: [400, 'The inputs do not match the graph'],
  invalid_rows: [400, 'Rows of the batch are invalid'],
  cyclic_graph: [400, 'The nodes to run form a cycle'],
  component_missing: [400, 'A component does not exist'],
  component_circle: [400, 'A component contains itself'],
  component_too_deep: [400, 'Components are nested too deeply'],
  component_too_large: [400, 'The workflow is too large with its components'],
  local_nodes_off: [400, 'A node runs models on this machine, which is turned off or not installed'],
  provider_not_configured: [400, 'A node needs a provider that is not configured'],
  comfyui_missing: [400, 'No ComfyUI server has the node types and model files of a node'],
  svg_not_drawable: [400, 'An SVG input of a paid model cannot be rasterized'],
  workflow_inactive: [400, 'The workflow is inactive'],
  field_not_writable: [400, 'A field can be changed only by another endpoint'],
  folder_workspace_mismatch: [400, 'The folder is in another workspace'],
  folder_cycle: [400, 'A folder cannot be its own ancestor'],
  fetch_failed: [400, 'The file could not be fetched from its URL'],
  invalid_bytes: [400, 'The number of bytes is invalid'],
  invalid_media_id: [400, 'The media id does not belong to an upload'],
  empty_file: [400, 'The file is empty'],
  invalid_svg: [400, 'The file is not a valid SVG'],
  svg_too_complex: [400, 'The SVG has too many elements or is nested too deeply'],
  invalid_link: [400, 'The link has expired, was already used or is invalid'],
  invalid_scene_graph: [400, 'The scene graph does not match its schema'],
  unauthorized: [401, 'A session or a valid API key is required'],
  invalid_api_key: [401, 'The API key is invalid'],
  expired_api_key: [401, 'The API key has expired'],
  invalid_credentials: [401, 'Incorrect email or password'],
  insufficient_scope: [401, 'The API key does not have a required scope'],
  insufficient_credits: [402, 'The credits do not cover the run'],
  max_credits_exceeded: [402, 'The run would cost more than maxCredits'],
  daily_budget_exceeded: [402, 'The run would exceed the daily credit budget'],
  member_limit_exceeded: [402, "The run would exceed a member's monthly limit"],
  key_limit_exceeded: [402, "The run would exceed an API key's monthly limit"],
  app_out_of_credits: [402, 'The credits do not cover a run of the app'],
  daily_limit_exceeded: [402, 'The calls would exceed the daily USD limit of a credential'],
  invalid_proof: [403, 'The proof of work is missing, expired or was already used'],
  forbidden: [403, 'The caller does not have permission'],
  component_forbidden: [403, 'The writer of the workflow may not use a component'],
  no_sample: [400, 'The workflow has no sample results'],
  not_allowed_by_policy: [403, 'The policy of the team does not allow a provider or model'],
  unpriced_model: [403, 'The plan does not allow models without a price'],
  credentials_off: [403, 'Only the credentials of the environment are used'],
  sign_in_refused: [403, 'The identity provider did not confirm an account'],
  reauthentication_required: [403, 'The user must confirm their identity again'],
  second_factor_required: [403, 'The user must set up or use a second factor'],
  cross_site_request: [403, 'Another site may have sent the request'],
  not_found: [404, 'Not found'],
  upload_not_found: [404, 'Upload not found'],
  method_not_allowed: [405, 'The path does not support this method'],
  not_acceptable: [406, 'None of the accepted content types is available'],
  request_timeout: [408, 'The request took too long to arrive'],
  stale_write: [409, 'The workflow changed after it was read'],
  slug_taken: [409, 'The slug is in use'],
  app_would_break: [409, 'The write would break the app of the workflow'],
  folder_not_empty: [409, 'The folder has subfolders'],
  team_not_empty: [409, 'The team has workflows'],
  last_owner: [409, 'A team needs at least one owner'],
  idempotency_in_progress: [409, 'The first request with this key is still in progress'],
  already_decided: [409, 'Someone has already decided on the approval'],
  not_resumable: [409, 'The execution cannot be resumed'],
  component_in_use: [409, 'Other workflows call this workflow as a component'],
  media_in_use: [409, 'Workflows use this media'],
  credential_in_use: [409, 'Workflows or calls in flight use this credential'],
  not_published: [409, 'The workflow is not published'],
  trigger_paused: [409, 'The trigger is paused'],
  trigger_refused: [409, 'The run of the trigger was refused'],
  conflict: [409, 'The resource already exists or is in another state'],
  file_too_large: [413, 'The file is larger than the limit'],
  storage_quota_exceeded: [413, "The account's storage quota is used up"],
  run_output_too_large: [413, 'The outputs of the run exceed 32 MB in total'],
  payload_too_large: [413, 'The body is larger than the limit'],
  uri_too_long: [414, 'The URL is too long'],
  unsupported_type: [415, 'The content type is not accepted'],
  range_not_satisfiable: [416, 'The range is outside the file'],
  idempotency_key_reused: [422, 'The idempotency key was already used with a different body'],
  unreadable_image: [422, 'The bytes are not a readable image'],
  unreadable_media: [422, 'The bytes are not a readable video or sound'],
  board_too_large: [422, 'The board is too large to lay out'],
  response_too_large: [422, 'The response would be larger than 16 MB'],
  rate_limited: [429, 'Too many requests'],
  app_limit_reached: [429, 'A limit of the app is reached'],
  daily_execution_limit: [429, 'The daily execution limit is reached'],
  too_many_streams: [429, 'Too many event streams are open'],
  render_busy: [429, 'Too many renders are waiting'],
  upload_busy: [429, 'Another upload is being created'],
  upload_budget_exceeded: [429, 'The hourly upload budget is used up'],
  headers_too_large: [431, 'The headers are too large'],
  duplicate_title: [500, 'Another content page has this title'],
  author_missing: [500, 'No author record is available'],
  codec_failed: [500, 'A codec failed to write a file'],
  internal_error: [500, 'Something went wrong on our side'],
  app_out_of_order: [503, 'The app cannot run at present'],
  unavailable: [503, 'The service is not ready'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** One of several errors in a request. `path` is a JSON pointer into the body. */
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
  /** Further members of the error body, for example `requiredCredits`. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Response headers that belong to the error, for example `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error with a code from the table and a message that the caller can act on. */
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

/** Returns the value. Throws 404 with the message if it is undefined. */
export function requireFound<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw new AppError('not_found', message);
  return value;
}

export const isNotFound = (err: unknown): boolean => err instanceof AppError && err.code === 'not_found';

/** `promise.catch(ignoreNotFound)` resolves to undefined if the promise rejects with `not_found`. */
export function ignoreNotFound(err: unknown): undefined {
  if (!isNotFound(err)) throw err;
}

/** Returns a 400 for one member of a request. The message starts with `name`, and `path` is a JSON pointer. */
export function createFieldError(path: string, message: string, name = path.slice(1)): AppError {
  return new AppError('invalid_request', `${name} ${message}.`, {
    issues: [{ path, code: 'invalid_request', message }],
  });
}

/** Thrown if the database could not be reached. `mayHaveCommitted`: a write was sent, and its outcome is unknown. */
export class OutageError extends Error {
  readonly mayHaveCommitted: boolean;

  constructor(mayHaveCommitted: boolean, cause: Error) {
    super(`The database connection was lost: ${cause.message}`, { cause });
    this.name = 'OutageError';
    this.mayHaveCommitted = mayHaveCommitted;
  }
}

/**
 * Converts any thrown value to an AppError. Any other value becomes `unavailable` if the caller can safely repeat
 * the request after a database outage, otherwise `internal_error`. `isRepeatable`: the request may be sent again even if
 * its outcome is unknown.
 */
export function toAppError(thrown: unknown, { isRepeatable }: { readonly isRepeatable: boolean }): AppError {
  if (thrown instanceof AppError) return thrown;
  const cause = toError(thrown);
  if (!(cause instanceof OutageError)) {
    const message = 'Something went wrong on our side. Give the request id to the operator of the service.';
    return new AppError('internal_error', message, { cause });
  }
  if (!cause.mayHaveCommitted || isRepeatable) return createUnavailableError('The database', cause);
  const message =
    'The database connection was lost during the request, and the outcome is unknown. Check the result before you retry.';
  return new AppError('internal_error', message, { cause });
}

/** Returns a 503 with `Retry-After` for a dependency that does not respond. */
export function createUnavailableError(dependency: string, cause: Error): AppError {
  const message = `${dependency} is temporarily unavailable. Try again in a few seconds.`;
  return new AppError('unavailable', message, { cause, headers: { 'retry-after': '2' } });
}

/** Converts any thrown value to an Error with `message` and `stack`. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}
