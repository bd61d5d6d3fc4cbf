// The named schemas of the service's OpenAPI document, as types. Written by test/sdk/schema-types.slow.test.ts --write.

/** The body of every error response. */
export type Error = {
  /** What is wrong and what to do, for people */
  readonly error: string;
  /**
   * - `app_moved`: The app has a new slug
   * - `invalid_request`: The request is malformed
   * - `invalid_json`: The body is not valid JSON
   * - `invalid_graph`: The graph is invalid
   * - `unknown_format`: The file is of no format that can be imported
   * - `invalid_webhook`: The webhook is invalid
   * - `invalid_inputs`: The inputs do not match the graph
   * - `invalid_rows`: Rows of the batch are invalid
   * - `cyclic_graph`: The nodes to run form a cycle
   * - `component_missing`: A component does not exist
   * - `component_circle`: A component contains itself
   * - `component_too_deep`: Components are nested too deeply
   * - `component_too_large`: The workflow is too large with its components
   * - `local_nodes_off`: A node runs models on this machine, which is turned off or not installed
   * - `provider_not_configured`: A node needs a provider that is not configured
   * - `comfyui_missing`: No ComfyUI server has the node types and model files of a node
   * - `svg_not_drawable`: An SVG input of a paid model cannot be rasterized
   * - `workflow_inactive`: The workflow is inactive
   * - `field_not_writable`: A field can be changed only by another endpoint
   * - `folder_workspace_mismatch`: The folder is in another workspace
   * - `folder_cycle`: A folder cannot be its own ancestor
   * - `fetch_failed`: The file could not be fetched from its URL
   * - `invalid_bytes`: The number of bytes is invalid
   * - `invalid_media_id`: The media id does not belong to an upload
   * - `empty_file`: The file is empty
   * - `invalid_svg`: The file is not a valid SVG
   * - `svg_too_complex`: The SVG has too many elements or is nested too deeply
   * - `invalid_link`: The link has expired, was already used or is invalid
   * - `invalid_scene_graph`: The scene graph does not match its schema
   * - `unauthorized`: A session or a valid API key is required
   * - `invalid_api_key`: The API key is invalid
   * - `expired_api_key`: The API key has expired
   * - `invalid_credentials`: Incorrect email or password
   * - `insufficient_scope`: The API key does not have a required scope
   * - `insufficient_credits`: The credits do not cover the run
   * - `max_credits_exceeded`: The run would cost more than maxCredits
   * - `daily_budget_exceeded`: The run would exceed the daily credit budget
   * - `member_limit_exceeded`: The run would exceed a member's monthly limit
   * - `key_limit_exceeded`: The run would exceed an API key's monthly limit
   * - `app_out_of_credits`: The credits do not cover a run of the app
   * - `daily_limit_exceeded`: The calls would exceed the daily USD limit of a credential
   * - `invalid_proof`: The proof of work is missing, expired or was already used
   * - `forbidden`: The caller does not have permission
   * - `component_forbidden`: The writer of the workflow may not use a component
   * - `no_sample`: The workflow has no sample results
   * - `not_allowed_by_policy`: The policy of the team does not allow a provider or model
   * - `unpriced_model`: The plan does not allow models without a price
   * - `credentials_off`: Only the credentials of the environment are used
   * - `sign_in_refused`: The identity provider did not confirm an account
   * - `reauthentication_required`: The user must confirm their identity again
   * - `second_factor_required`: The user must set up or use a second factor
   * - `cross_site_request`: Another site may have sent the request
   * - `not_found`: Not found
   * - `upload_not_found`: Upload not found
   * - `method_not_allowed`: The path does not support this method
   * - `not_acceptable`: None of the accepted content types is available
   * - `request_timeout`: The request took too long to arrive
   * - `stale_write`: The workflow changed after it was read
   * - `slug_taken`: The slug is in use
   * - `app_would_break`: The write would break the app of the workflow
   * - `folder_not_empty`: The folder has subfolders
   * - `team_not_empty`: The team has workflows
   * - `last_owner`: A team needs at least one owner
   * - `idempotency_in_progress`: The first request with this key is still in progress
   * - `already_decided`: Someone has already decided on the approval
   * - `not_resumable`: The execution cannot be resumed
   * - `component_in_use`: Other workflows call this workflow as a component
   * - `media_in_use`: Workflows use this media
   * - `credential_in_use`: Workflows or calls in flight use this credential
   * - `not_published`: The workflow is not published
   * - `trigger_paused`: The trigger is paused
   * - `trigger_refused`: The run of the trigger was refused
   * - `conflict`: The resource already exists or is in another state
   * - `file_too_large`: The file is larger than the limit
   * - `storage_quota_exceeded`: The account's storage quota is used up
   * - `run_output_too_large`: The outputs of the run exceed 32 MB in total
   * - `payload_too_large`: The body is larger than the limit
   * - `uri_too_long`: The URL is too long
   * - `unsupported_type`: The content type is not accepted
   * - `range_not_satisfiable`: The range is outside the file
   * - `idempotency_key_reused`: The idempotency key was already used with a different body
   * - `unreadable_image`: The bytes are not a readable image
   * - `unreadable_media`: The bytes are not a readable video or sound
   * - `board_too_large`: The board is too large to lay out
   * - `response_too_large`: The response would be larger than 16 MB
   * - `rate_limited`: Too many requests
   * - `app_limit_reached`: A limit of the app is reached
   * - `daily_execution_limit`: The daily execution limit is reached
   * - `too_many_streams`: Too many event streams are open
   * - `render_busy`: Too many renders are waiting
   * - `upload_busy`: Another upload is being created
   * - `upload_budget_exceeded`: The hourly upload budget is used up
   * - `headers_too_large`: The headers are too large
   * - `duplicate_title`: Another content page has this title
   * - `author_missing`: No author record is available
   * - `codec_failed`: A codec failed to write a file
   * - `internal_error`: Something went wrong on our side
   * - `app_out_of_order`: The app cannot run at present
   * - `unavailable`: The service is not ready
   */
  readonly code:
    | 'app_moved'
    | 'invalid_request'
    | 'invalid_json'
    | 'invalid_graph'
    | 'unknown_format'
    | 'invalid_webhook'
    | 'invalid_inputs'
    | 'invalid_rows'
    | 'cyclic_graph'
    | 'component_missing'
    | 'component_circle'
    | 'component_too_deep'
    | 'component_too_large'
    | 'local_nodes_off'
    | 'provider_not_configured'
    | 'comfyui_missing'
    | 'svg_not_drawable'
    | 'workflow_inactive'
    | 'field_not_writable'
    | 'folder_workspace_mismatch'
    | 'folder_cycle'
    | 'fetch_failed'
    | 'invalid_bytes'
    | 'invalid_media_id'
    | 'empty_file'
    | 'invalid_svg'
    | 'svg_too_complex'
    | 'invalid_link'
    | 'invalid_scene_graph'
    | 'unauthorized'
    | 'invalid_api_key'
    | 'expired_api_key'
    | 'invalid_credentials'
    | 'insufficient_scope'
    | 'insufficient_credits'
    | 'max_credits_exceeded'
    | 'daily_budget_exceeded'
    | 'member_limit_exceeded'
    | 'key_limit_exceeded'
    | 'app_out_of_credits'
    | 'daily_limit_exceeded'
    | 'invalid_proof'
    | 'forbidden'
    | 'component_forbidden'
    | 'no_sample'
    | 'not_allowed_by_policy'
    | 'unpriced_model'
    | 'credentials_off'
    | 'sign_in_refused'
    | 'reauthentication_required'
    | 'second_factor_required'
    | 'cross_site_request'
    | 'not_found'
    | 'upload_not_found'
    | 'method_not_allowed'
    | 'not_acceptable'
    | 'request_timeout'
    | 'stale_write'
    | 'slug_taken'
    | 'app_would_break'
    | 'folder_not_empty'
    | 'team_not_empty'
    | 'last_owner'
    | 'idempotency_in_progress'
    | 'already_decided'
    | 'not_resumable'
    | 'component_in_use'
    | 'media_in_use'
    | 'credential_in_use'
    | 'not_published'
    | 'trigger_paused'
    | 'trigger_refused'
    | 'conflict'
    | 'file_too_large'
    | 'storage_quota_exceeded'
    | 'run_output_too_large'
    | 'payload_too_large'
    | 'uri_too_long'
    | 'unsupported_type'
    | 'range_not_satisfiable'
    | 'idempotency_key_reused'
    | 'unreadable_image'
    | 'unreadable_media'
    | 'board_too_large'
    | 'response_too_large'
    | 'rate_limited'
    | 'app_limit_reached'
    | 'daily_execution_limit'
    | 'too_many_streams'
    | 'render_busy'
    | 'upload_busy'
    | 'upload_budget_exceeded'
    | 'headers_too_large'
    | 'duplicate_title'
    | 'author_missing'
    | 'codec_failed'
    | 'internal_error'
    | 'app_out_of_order'
    | 'unavailable';
  /** The X-Request-Id of the response */
  readonly requestId: string;
  /** With 429: when to retry, in Unix seconds, as X-RateLimit-Reset */
  readonly retryAfter?: number;
  /** With 402 */
  readonly insufficientCredits?: true;
  /** With 402: the cost of the run */
  readonly requiredCredits?: number;
  /** With 402: the available credits */
  readonly availableCredits?: number;
  /** With 402: the cost of each node */
  readonly breakdown?: readonly {
    readonly nodeId?: string;
    readonly nodeLabel?: string;
    readonly credits?: number;
    readonly paidBy?: 'credits' | 'credential';
    readonly credentialId?: string | null;
    readonly costUsd?: number | null;
  }[];
  /** With `reauthentication_required`: the ways to confirm the identity of the session */
  readonly methods?: readonly ('passkey' | 'totp' | 'recovery_code' | 'password' | 'openid')[];
  /** With 500 when starting a run: the id of the run, which may have been started */
  readonly executionId?: string;
  /** With `component_in_use`: workflows that call the component and that you may read */
  readonly callers?: readonly {
    readonly workflowId?: string;
    readonly name?: string;
  }[];
  /** With `component_in_use`: the number of other callers */
  readonly hidden?: number;
  /** The individual problems, if the request has several */
  readonly issues?: readonly ErrorIssue[];
  /** With issues: the list is incomplete */
  readonly truncated?: true;
  /** With truncated: the total number of issues */
  readonly total?: number;
};

/** One of several problems of a request. */
export type ErrorIssue = {
  /** The severity of a lint result */
  readonly severity?: 'error' | 'warning';
  /** A JSON pointer into the body */
  readonly path?: string;
  readonly nodeId?: string;
  readonly edgeId?: string;
  /** The id of an input of the node */
  readonly port?: string;
  readonly code: string;
  readonly message: string;
  readonly suggestion?: string;
};

/** A link, and the password it sets */
export type AcceptInviteInput = {
  /** The part of the link after # */
  readonly token: string;
  readonly password: string;
  /** Also revokes all API keys of the account and ends its connections */
  readonly revokeKeys?: boolean;
};

/** A run of an app that was accepted */
export type AcceptedAppRun = {
  readonly runId: string;
  readonly urls: {
    readonly self: string;
    readonly events: string;
    readonly cancel: string;
    readonly page: string;
  };
};

/** A batch that was accepted */
export type AcceptedBatch = {
  readonly batchId: string;
  readonly status: 'RUNNING' | 'PAUSED' | 'STOPPING' | 'STOPPED' | 'COMPLETED';
  readonly reason: string | null;
  readonly counts: {
    readonly total: number;
    readonly waiting: number;
    readonly running: number;
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly skipped: number;
  };
  readonly estimate: BatchEstimate;
  readonly urls: {
    readonly self: string;
    readonly rows: string;
    readonly events: string;
    readonly stop: string;
  };
};

/** A clip that will be rendered */
export type AcceptedRender = {
  readonly data: {
    readonly renderId: string;
    readonly status: 'QUEUED';
    readonly urls: {
      readonly self: string;
      readonly cancel: string;
    };
  };
};

/** A run that is stored and will be executed */
export type AcceptedRun = {
  readonly executionId: string;
  readonly workflowId: string;
  /** QUEUED; with `Prefer: wait` the status when the wait ended */
  readonly status:
    | 'QUEUED'
    | 'RUNNING'
    | 'WAITING'
    | 'CANCELLING'
    | 'COMPLETED'
    | 'FAILED'
    | 'TIMEOUT'
    | 'CANCELLED';
  readonly estimatedCredits: number;
  readonly createdAt: string;
  readonly urls: {
    readonly self: string;
    readonly events: string;
    readonly cancel: string;
  };
  /** Changes to the request, such as a wait limited to 60 s */
  readonly warnings?: readonly string[];
  /** Nodes that take a sample result */
  readonly meta?: {
    readonly warnings: readonly string[];
  };
};

/** An app as its visitors see it */
export type App = {
  readonly title: string;
  readonly slug: string;
  readonly url: string;
  readonly description: string | null;
  /** JSON Schema of `inputs`. Its properties are `input_1`, `input_2` and so on */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputs: readonly {
    readonly key: string;
    readonly label: string;
    readonly type: string;
  }[];
  readonly examples: readonly {
    readonly inputs: Readonly<Record<string, unknown>>;
    /** By `output_1`, `output_2` and so on: `url` of a file, `text`, or the `value` of a number or of data. A list has the members of its first item, and up to 200 items in `items`. The outputs of a run have at most 4 MB, and in lists 64 kB. A longer value is cut, which turns JSON into text, and has `truncated: true` */
    readonly outputs: Readonly<
      Record<
        string,
        {
          /** `IMAGE`, `VIDEO`, `AUDIO`, `TEXT`, `NUMBER` or `JSON` */
          readonly type: string;
          readonly url?: string;
          /** A still of a rendered video */
          readonly posterUrl?: string;
          readonly text?: string;
          readonly value?: unknown;
          readonly truncated?: true;
        } & Readonly<Record<string, unknown>>
      >
    >;
  }[];
  readonly limits: {
    readonly payer: 'owner' | 'visitor';
    /** Whether a run needs a proof of work */
    readonly needsProof: boolean;
    readonly runsPerVisitor: number | null;
    readonly runsLeft: number | null;
  };
  readonly isOutOfOrder: boolean;
  readonly hasGallery: boolean;
};

/** A challenge in the format of ALTCHA */
export type AppChallenge = {
  readonly algorithm: string;
  readonly challenge: string;
  readonly maxnumber?: number;
  readonly salt: string;
  readonly signature: string;
};

/** The key that signs the tokens of visitors. It is shown only once */
export type AppEmbedKey = {
  readonly key: string;
};

/** What a run would cost your workspace */
export type AppEstimate = {
  readonly credits: number;
  /** False: the run may cost less */
  readonly exact: boolean;
  readonly availableCredits: number;
};

/** The inputs of a run of an app */
export type AppEstimateRequest = {
  /** By `input_1`, `input_2` and so on, as in the `inputSchema` of the app, or by the name of the input in the workflow. A file is `{ mediaId }` */
  readonly inputs: Readonly<Record<string, unknown>>;
};

/** An input of the form */
export type AppInput = {
  /** An input node. When you save the app, its name works too */
  readonly nodeId: string;
  /** Default: its kind, such as Text or Image */
  readonly label?: string;
  /** A sentence below the label */
  readonly help?: string;
  /** An example that an empty field shows */
  readonly placeholder?: string;
  /** The heading of the group of fields that it belongs to */
  readonly group?: string;
  /** How it is shown. Text: `textarea` (default), `text` or `choice`. Number: `text` (default), `slider`, `choice` or `switch` (1 or 0). JSON: `textarea` (default), `choice` or `switch` (true or false). List: `textarea` with one item per line. Image, video and audio: `media`. */
  readonly control?: 'text' | 'textarea' | 'slider' | 'choice' | 'media' | 'switch';
  /** The smallest number. Required for a slider */
  readonly min?: number;
  /** The largest number. Required for a slider */
  readonly max?: number;
  readonly choices?: readonly string[];
  /** The maximum number of characters of a text. Default: 10,000 */
  readonly maxLength?: number;
  /** A required field is empty at first, unless it is a slider, choice or switch */
  readonly isRequired?: boolean;
  /** An optional field shows the value or file that the workflow has, with which it runs if the field is empty */
  readonly showsDefault?: boolean;
};

/** An app in a list */
export type AppListItem = {
  readonly title: string;
  readonly id: string;
  readonly slug: string;
  readonly url: string;
  readonly description: string | null;
  readonly audience: 'workspace' | 'signed_in' | 'anyone';
  readonly payer: 'owner' | 'visitor';
  readonly isEnabled: boolean;
  readonly canEdit: boolean;
  /** Only for editors of the workflow */
  readonly workflowId?: string;
  /** Runs of the last 30 days, only for editors */
  readonly runs?: number;
  /** Credits charged for them, only for editors */
  readonly credits?: number;
  readonly poster?: string | null;
  readonly updatedAt: string;
};

/** One page of a list */
export type AppPage = {
  readonly data: readonly AppListItem[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** The settings of an app. Settings that are left out get their default */
export type AppRequest = {
  readonly title: string;
  /** The address: `/a/{slug}` */
  readonly slug: string;
  readonly description?: string | null;
  /** Whether people who cannot edit the workflow see the app */
  readonly isEnabled?: boolean;
  /** The version that runs: a number, or `current` (default), which follows the workflow */
  readonly version?: 'current' | number;
  /** In the order of the form */
  readonly inputs: readonly AppInput[];
  /** Node IDs, in the order shown */
  readonly outputs: readonly string[];
  /** Labels of outputs by node ID. Default: its kind, such as Text or Image */
  readonly outputLabels?: Readonly<Record<string, string>>;
  /** IDs of completed executions of the workflow, whose inputs and results the page shows */
  readonly examples?: readonly string[];
  /** `workspace`: people with a role in the workflow. `signed_in`: everyone with an account here. `anyone`: everyone with the link */
  readonly audience?: 'workspace' | 'signed_in' | 'anyone';
  /** `owner`: the workspace of the workflow pays. `visitor`: the visitor's active workspace pays; anonymous visitors must sign in to run the app */
  readonly payer?: 'owner' | 'visitor';
  readonly maxCreditsPerRun?: number | null;
  readonly dailyCredits?: number | null;
  readonly runsPerVisitor?: number | null;
  readonly runsPerDay?: number | null;
  readonly uploadBytesPerDay?: number | null;
  /** Show the diagram of the workflow */
  readonly showsGraph?: boolean;
  /** Let visitors who are signed in copy the workflow */
  readonly allowsDuplicate?: boolean;
  /** Show the results that you picked for the gallery */
  readonly showsGallery?: boolean;
  /** Origins of the pages that may embed the app, such as `https://example.com` */
  readonly embedOrigins?: readonly string[];
};

/** A result in the gallery of an app */
export type AppResult = {
  readonly runId: string;
  /** By `output_1`, `output_2` and so on: `url` of a file, `text`, or the `value` of a number or of data. A list has the members of its first item, and up to 200 items in `items`. The outputs of a run have at most 4 MB, and in lists 64 kB. A longer value is cut, which turns JSON into text, and has `truncated: true` */
  readonly outputs: Readonly<
    Record<
      string,
      {
        /** `IMAGE`, `VIDEO`, `AUDIO`, `TEXT`, `NUMBER` or `JSON` */
        readonly type: string;
        readonly url?: string;
        /** A still of a rendered video */
        readonly posterUrl?: string;
        readonly text?: string;
        readonly value?: unknown;
        readonly truncated?: true;
      } & Readonly<Record<string, unknown>>
    >
  >;
  readonly createdAt: string;
  readonly page: string;
};

/** One page of a list */
export type AppResultPage = {
  readonly data: readonly AppResult[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** A run of an app. Whoever has its id can read it until it expires */
export type AppRun = {
  readonly runId: string;
  readonly status: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly progress: number;
  /** By `output_1`, `output_2` and so on: `url` of a file, `text`, or the `value` of a number or of data. A list has the members of its first item, and up to 200 items in `items`. The outputs of a run have at most 4 MB, and in lists 64 kB. A longer value is cut, which turns JSON into text, and has `truncated: true` */
  readonly outputs: Readonly<
    Record<
      string,
      {
        /** `IMAGE`, `VIDEO`, `AUDIO`, `TEXT`, `NUMBER` or `JSON` */
        readonly type: string;
        readonly url?: string;
        /** A still of a rendered video */
        readonly posterUrl?: string;
        readonly text?: string;
        readonly value?: unknown;
        readonly truncated?: true;
      } & Readonly<Record<string, unknown>>
    >
  >;
  readonly error: {
    readonly code: string;
    readonly message: string;
  } | null;
  readonly inGallery: boolean;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly page: string;
};

/** The event `run` */
export type AppRunChangeEvent = {
  readonly event: 'run';
  readonly data: AppRun;
};

/** An event of a run of an app */
export type AppRunEvent = AppRunChangeEvent;

/** The inputs of a run of an app */
export type AppRunRequest = {
  /** By `input_1`, `input_2` and so on, as in the `inputSchema` of the app, or by the name of the input in the workflow. A file is `{ mediaId }` */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The solution of a challenge, for anonymous visitors */
  readonly proof?: string;
  /** If your workspace pays: the most that the run may cost */
  readonly maxCredits?: number;
};

/** The app of a workflow */
export type AppSettings = {
  readonly title: string;
  readonly id: string;
  readonly workflowId: string;
  readonly url: string;
  /** The address: `/a/{slug}` */
  readonly slug: string;
  readonly description?: string | null;
  /** Whether people who cannot edit the workflow see the app */
  readonly isEnabled?: boolean;
  /** The version that runs: a number, or `current` (default), which follows the workflow */
  readonly version?: 'current' | number;
  /** In the order of the form */
  readonly inputs: readonly AppInput[];
  /** Node IDs, in the order shown */
  readonly outputs: readonly string[];
  /** Labels of outputs by node ID. Default: its kind, such as Text or Image */
  readonly outputLabels?: Readonly<Record<string, string>>;
  /** IDs of completed executions of the workflow, whose inputs and results the page shows */
  readonly examples?: readonly string[];
  /** `workspace`: people with a role in the workflow. `signed_in`: everyone with an account here. `anyone`: everyone with the link */
  readonly audience?: 'workspace' | 'signed_in' | 'anyone';
  /** `owner`: the workspace of the workflow pays. `visitor`: the visitor's active workspace pays; anonymous visitors must sign in to run the app */
  readonly payer?: 'owner' | 'visitor';
  readonly maxCreditsPerRun?: number | null;
  readonly dailyCredits?: number | null;
  readonly runsPerVisitor?: number | null;
  readonly runsPerDay?: number | null;
  readonly uploadBytesPerDay?: number | null;
  /** Show the diagram of the workflow */
  readonly showsGraph?: boolean;
  /** Let visitors who are signed in copy the workflow */
  readonly allowsDuplicate?: boolean;
  /** Show the results that you picked for the gallery */
  readonly showsGallery?: boolean;
  /** Origins of the pages that may embed the app, such as `https://example.com` */
  readonly embedOrigins?: readonly string[];
  /** The limits of a day that apply now, as set or by the plan */
  readonly dayLimits: {
    /** Runs that visitors may start */
    readonly runs: number;
    /** Bytes that visitors may upload */
    readonly uploadBytes: number;
  };
  readonly hasEmbedKey: boolean;
  /** Who saved the app last. Its runs are started with the rights of this user */
  readonly userId: number;
  /** Why the app is out of order; empty if it can run */
  readonly issues: readonly ({
    readonly path: string;
    readonly code: string;
    readonly message: string;
  } & Readonly<Record<string, unknown>>)[];
  /** Absent if there is nothing to warn of, such as secrets without hosts */
  readonly meta?: {
    readonly warnings: readonly string[];
  };
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** A file for runs of the app */
export type AppUpload = {
  readonly mediaId: string;
  readonly url: string;
  readonly contentType: string;
  readonly expiresAt: string;
};

/** A decision that a run waits for */
export type Approval = {
  readonly id: string;
  /** The label of the node */
  readonly label: string;
  /** The question */
  readonly message: string;
  readonly status: 'waiting' | 'approved' | 'rejected' | 'expired' | 'cancelled';
  /** The type of the value that waits, such as `TEXT` */
  readonly type: string;
  /** The value; of a list, its first 50 items */
  readonly items: readonly {
    readonly type: string;
    readonly text?: string;
    /** A number or JSON */
    readonly value?: unknown;
    /** A media file */
    readonly url?: string;
    readonly contentType?: string;
    readonly posterUrl?: string;
  }[];
  /** Whether `value` is incomplete because it was too large */
  readonly truncated: boolean;
  /** Whether a decision may have `edits` */
  readonly editable: boolean;
  /** Who started the run */
  readonly startedBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly decision: Decision | null;
  readonly executionId: string;
  readonly nodeId: string;
  readonly workflowId: string | null;
  readonly workflowName: string | null;
  /** Who is asked. Empty if you may not view the workflow */
  readonly assignees: readonly {
    readonly userId: number | null;
    readonly email: string | null;
    /** `limited`: no mail was sent, because too many were sent on this day. `stopped`: the person wants none */
    readonly mail: 'none' | 'queued' | 'limited' | 'stopped';
  }[];
};

/** A link to an approval */
export type ApprovalLink = {
  /** The token of the link in the mail */
  readonly token: string;
};

/** For whom to create a link */
export type ApprovalLinkRequest = {
  /** An assignee without an account */
  readonly email: string;
};

/** Whether to stop mails */
export type ApprovalMailsRequest = {
  /** The token of the link in the mail */
  readonly token: string;
  readonly isStopped: boolean;
};

/** One page of a list */
export type ApprovalPage = {
  readonly data: readonly Approval[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** The actions that the audit log can contain */
export type AuditActions = {
  readonly actions: readonly {
    readonly action: string;
    readonly sentence: string;
  }[];
};

/** A recorded action */
export type AuditEvent = {
  /** `aud_…` */
  readonly id: string;
  readonly at: string;
  readonly actor: {
    readonly userId: number | null;
    readonly name: string;
    readonly via: 'session' | 'key' | 'oauth' | 'cli' | 'service';
    readonly keyId: string | null;
  };
  readonly action: string;
  /** The action as a sentence */
  readonly summary: string;
  readonly target: string | null;
  readonly targetName: string | null;
  readonly teamId: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly address: string | null;
  readonly requestId: string | null;
};

/** One page of a list */
export type AuditEventPage = {
  readonly data: readonly AuditEvent[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** The runs that make up for times in the past */
export type Backfill = {
  readonly runs: number;
  readonly dueAt: readonly string[];
  /** The number of due times that are left out, because an earlier request ran them */
  readonly alreadyRun: number;
  readonly estimate: {
    /** Of all runs */
    readonly credits: number;
    readonly exact: boolean;
    readonly perRun: number;
  };
};

/** When the last backup was made, and what a new one would contain */
export type Backups = {
  readonly last: {
    /** Time of the snapshot */
    readonly createdAt: string;
    readonly finishedAt: string;
    readonly databaseBytes: number;
    readonly media: {
      readonly files: number;
      readonly bytes: number;
    };
    readonly madeBy: 'command line' | 'download';
  } | null;
  /** Size of the database. A backup is usually smaller */
  readonly databaseBytes: number;
  readonly mediaBytes: number;
};

/** A workflow that runs over many rows */
export type Batch = {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly workflowVersion: number;
  readonly status: 'RUNNING' | 'PAUSED' | 'STOPPING' | 'STOPPED' | 'COMPLETED';
  readonly reason: string | null;
  readonly counts: {
    readonly total: number;
    readonly waiting: number;
    readonly running: number;
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly skipped: number;
  };
  readonly concurrency: number;
  readonly stopAfterFailures: number;
  readonly firstRows: number | null;
  readonly maxCredits: number | null;
  readonly credits: {
    readonly estimated: number;
    readonly exact: boolean;
    readonly charged: number;
  };
  readonly axes:
    | readonly {
        readonly nodeId: string;
        readonly field: string | null;
        /** The number of its values */
        readonly count: number;
      }[]
    | null;
  readonly targets: readonly string[] | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** Set in lists and events if `axes` or `metadata` has more than 16 KB and is therefore null. Read the batch to get them. */
  readonly truncated?: boolean;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly urls: {
    readonly self: string;
    readonly rows: string;
    readonly events: string;
    readonly stop: string;
  };
};

/** The event `batch` */
export type BatchBatchEvent = {
  readonly event: 'batch';
  readonly data: Batch;
};

/** What a batch would cost */
export type BatchEstimate = {
  readonly rows: number;
  /** The credits of all rows */
  readonly credits: number;
  readonly exact: boolean;
  readonly perRow: number | null;
  /** Absent if there is nothing to warn of, such as secrets without hosts */
  readonly meta?: {
    readonly warnings: readonly string[];
  };
};

/** An event of a batch */
export type BatchEvent = BatchSnapshotEvent | BatchRowEvent | BatchBatchEvent;

/** One page of a list */
export type BatchPage = {
  readonly data: readonly Batch[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** The rows to run, as exactly one of `rows`, `tableId` with `mapping`, and `matrix` */
export type BatchRequest = {
  /** The inputs of each row */
  readonly rows?: readonly {
    /** Your name for the row, unique in the batch */
    readonly key?: string;
    /** Values by input name or node ID, as in the request to run a workflow */
    readonly inputs: Readonly<Record<string, unknown>>;
    /** Config fields by node ID, as in the request to run a workflow */
    readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  }[];
  /** A table that was uploaded, `tbl_…` */
  readonly tableId?: string;
  /** With `tableId`: by input name or node ID, the column with its values. An empty cell keeps the default. */
  readonly mapping?: Readonly<Record<string, string>>;
  /** With `tableId`: the column with the keys of the rows */
  readonly keyColumn?: string;
  /** Varies inputs and config fields. The last one varies fastest. */
  readonly matrix?: {
    /** By input name or node ID, the values to vary */
    readonly inputs?: Readonly<Record<string, readonly unknown[]>>;
    /** By node ID and config field, the values to vary, such as {"picture": {"model": ["fast", "best"]}}. Needs the scope workflows:write. */
    readonly config?: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;
    /** `product`: every combination; `zip`: the first values, then the second ones, … */
    readonly mode?: 'product' | 'zip';
  };
  /** Run only these nodes and the nodes that they need */
  readonly targets?: readonly string[];
  /** The most that the whole batch may cost. It stops before a row that would exceed it. */
  readonly maxCredits?: number;
  /** How many rows run at the same time */
  readonly concurrency?: number;
  /** Stops the batch after this many failed rows in a row; 0: never */
  readonly stopAfterFailures?: number;
  /** Runs this many rows and then pauses */
  readonly firstRows?: number;
  readonly webhook?: {
    /** https; plain http for localhost only */
    readonly url: string;
    readonly secret?: string | null;
  };
  /** Echoed in the webhook */
  readonly metadata?: Readonly<Record<string, unknown>>;
};

/** A row of a batch */
export type BatchRow = {
  /** From 1 */
  readonly row: number;
  readonly key: string | null;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly status: 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled' | 'skipped';
  readonly executionId: string | null;
  /** As in the execution record */
  readonly outputs: readonly Readonly<Record<string, unknown>>[];
  readonly error: {
    readonly code: string;
    readonly message: string;
  } | null;
  /** Charged, with earlier attempts */
  readonly credits: number;
  readonly rating: number | null;
  readonly isPicked: boolean;
};

/** The event `row` */
export type BatchRowEvent = {
  readonly event: 'row';
  readonly data: BatchRow;
};

/** One page of a list */
export type BatchRowPage = {
  readonly data: readonly BatchRow[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** The event `snapshot` */
export type BatchSnapshotEvent = {
  readonly event: 'snapshot';
  readonly data: Batch;
};

/** The daily budget of a workflow, and what it has spent today (UTC) */
export type Budget = {
  readonly workflowId: string;
  readonly name: string;
  readonly dailyCreditBudget: number;
  /** Charged and reserved for runs accepted today (UTC) */
  readonly spentToday: number;
};

/** One page of a list */
export type BudgetPage = {
  readonly data: readonly Budget[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** Every node type */
export type Catalog = {
  readonly version: number;
  readonly generatedAt: string;
  readonly count: number;
  readonly nodes: readonly CatalogEntry[];
};

/** A node type */
export type CatalogEntry = {
  /** `family:name` */
  readonly nodeType: string;
  readonly label: string;
  readonly category: 'model' | 'input' | 'utility' | 'output' | 'logic' | 'video';
  readonly description?: string;
  readonly source: 'vendor' | 'non-vendor' | 'registry-shell';
  readonly inputs: readonly CatalogInput[];
  readonly outputs: readonly CatalogOutput[];
  readonly executionCost: 'free' | 'paid';
  readonly pricingModel: 'free' | 'flat-usd' | 'per-second' | 'video-tokens' | 'per-image' | 'unknown';
  readonly estimatedCredits: number | null;
  readonly costUsd?: number;
  /** Where the price was read, and when */
  readonly priceSource?: string;
  /** Runs a model or library on the machine of the service, without network */
  readonly runsLocally?: true;
  /** The license of the model or library, such as `MIT`. For a model of a provider: of its published weights, if known; the terms of the provider apply to calls */
  readonly license?: string;
  /** With `runsLocally`: the URL where the model or library comes from */
  readonly origin?: string;
  /** The `type` that the node must have */
  readonly customNodeType?: string;
  readonly dynamicPorts?: true;
  readonly dynamicPortsNote?: string;
  readonly deprecated?: true;
  /** Listed only with `includeHidden=1` */
  readonly hidden?: true;
  /** False if its provider or a program that it needs is not configured; running it fails */
  readonly isAvailable?: false;
  /** If `isAvailable` is false: the provider that needs a key, such as `fal` */
  readonly provider?: string;
  /** If the policy of the active team does not allow it: why */
  readonly policyReason?: string;
  /** For a model, also one that runs on this machine: what it is for. The type of its output says of which medium the result is */
  readonly task?:
    | 'make'
    | 'edit'
    | 'upscale'
    | 'cutout'
    | 'animate'
    | 'talk'
    | 'speak'
    | 'compose'
    | 'transcribe'
    | 'describe'
    | 'write';
  /** For a model: the name that it shares with its other versions, such as `Veo` */
  readonly family?: string;
  readonly medianSeconds?: number | null;
};

/** A port or a config field */
export type CatalogInput = {
  /** Edges refer to it as `in-<id>` or `out-<id>` */
  readonly id: string;
  readonly label: string;
  readonly type: 'TEXT' | 'NUMBER' | 'JSON' | 'IMAGE' | 'VIDEO' | 'AUDIO' | 'LIST' | 'ANY' | 'BOOLEAN';
  /** True for a port that edges connect to, false for a field of `data.config` */
  readonly isPort: boolean;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Whether only integers are allowed */
  readonly integer?: boolean;
  /** Step between valid values, counted from `min`, or from 0 */
  readonly step?: number;
  /** For a LIST: the type of its items */
  readonly itemType?: 'TEXT' | 'NUMBER' | 'JSON' | 'IMAGE' | 'VIDEO' | 'AUDIO' | 'LIST' | 'ANY';
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Whether null is a value that means none, instead of the default */
  readonly nullable?: boolean;
  /** Whether only the service or an import writes it */
  readonly isInternal?: boolean;
  /** Whether an editor shows it on the node. If no input is primary, the first text field is shown */
  readonly isPrimary?: boolean;
  readonly description?: string;
};

/** An output port */
export type CatalogOutput = {
  /** Edges refer to it as `in-<id>` or `out-<id>` */
  readonly id: string;
  readonly label: string;
  readonly type: 'TEXT' | 'NUMBER' | 'JSON' | 'IMAGE' | 'VIDEO' | 'AUDIO' | 'LIST' | 'ANY';
  /** True for a port that edges connect to, false for a field of `data.config` */
  readonly isPort: boolean;
};

/** A collection of media */
export type Collection = {
  readonly id: string;
  readonly name: string;
  readonly mediaCount: number;
  readonly teamId: string | null;
  readonly coverUrl: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** The fields and files to change */
export type CollectionChanges = {
  readonly name?: string;
  /** The files to add */
  readonly addMediaIds?: readonly string[];
  /** The files to remove from the collection */
  readonly removeMediaIds?: readonly string[];
};

/** The collection to create */
export type CollectionInput = {
  readonly name: string;
  /** The first files of the collection */
  readonly mediaIds?: readonly string[];
};

/** One page of a list */
export type CollectionPage = {
  readonly data: readonly Collection[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** What the service knows about a ComfyUI server */
export type ComfyServer = {
  /** `down`: no answer for 30 seconds. `unknown`: never answered */
  readonly status: 'up' | 'down' | 'unknown';
  readonly checkedAt: string | null;
  readonly version: string | null;
  /** With the memory in bytes */
  readonly devices: readonly {
    readonly name: string;
    readonly vramTotal: number | null;
    readonly vramFree: number | null;
  }[];
  /** Prompts that run there, also of others */
  readonly running: number;
  /** Prompts that wait there */
  readonly waiting: number;
  /** The number of node types */
  readonly nodeTypes: number;
  readonly error: string | null;
};

/** A graph for ComfyUI: the imported file with the current values, or the graph in API format */
export type ComfyUiFile = Readonly<Record<string, unknown>>;

/** The upload to complete */
export type CompleteRequest = {
  readonly mediaId: string;
  /** Of a video; images are measured */
  readonly width?: number;
  /** Of a video; images are measured */
  readonly height?: number;
  /** Seconds, of a video or sound */
  readonly duration?: number;
};

/** The body of a webhook when a run has ended */
export type CompletionEvent = {
  readonly event: 'execution.completed' | 'execution.failed';
  /** Identical across retries */
  readonly eventId: string;
  readonly executionId: string;
  readonly workflowId: string;
  readonly status: 'COMPLETED' | 'FAILED' | 'TIMEOUT' | 'CANCELLED';
  /** The nodes that ran */
  readonly nodeStates: readonly NodeState[];
  /** If sent on the run */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** If `webhook.include` has `outputs`: as in the execution */
  readonly outputs?: readonly {
    readonly nodeId: string;
    readonly label: string;
    readonly type: string;
    readonly url?: string;
    /** The seed from which a model made it: that of the run, or the one that the provider chose */
    readonly seed?: number;
    /** Details of a rendered video */
    readonly render?: {
      readonly width: number | null;
      readonly height: number | null;
      readonly duration: number | null;
      readonly fps: number;
      readonly frameCount: number;
      /** The poster, JPEG */
      readonly posterUrl: string;
      /** The codecs that made it: ffmpeg or codec-host */
      readonly backend: string;
      readonly warnings: readonly string[];
    };
    readonly text?: string;
    readonly value?: unknown;
  }[];
  /** The event with its outputs would have more than 16 MB. Read them with `GET /executions/{id}`. */
  readonly outputsOmitted?: true;
  readonly createdAt: string;
};

/** A workflow that calls the component */
export type ComponentCallerListItem = {
  readonly workflowId: string;
  readonly name: string;
  /** A pinned version, or `latest` */
  readonly version: number | 'latest';
  /** The nodes with this version; at most 100 */
  readonly nodeIds: readonly string[];
  readonly canEdit: boolean;
};

/** One page of a list */
export type ComponentCallerPage = {
  readonly data: readonly ComponentCallerListItem[];
  /** Null on the last page */
  readonly nextCursor: string | null;
  /** The number of other callers, which you cannot read; at most 10,000 */
  readonly hidden: number;
};

/** An input of a component */
export type ComponentInput = {
  /** ID of its node in the component */
  readonly id: string;
  readonly label: string;
  readonly type: 'TEXT' | 'NUMBER' | 'JSON' | 'IMAGE' | 'VIDEO' | 'AUDIO' | 'LIST' | 'ANY';
  /** An input that has no file of its own, so that a call must provide one */
  readonly required?: true;
  /** The name by which runs of the workflow set it, beside the node ID */
  readonly name: string;
};

/** The ports of a workflow as a component */
export type ComponentInterface = {
  readonly workflowId: string;
  readonly name: string;
  readonly version: number;
  readonly inputs: readonly ComponentInput[];
  readonly outputs: readonly ComponentPort[];
};

/** A port of a component */
export type ComponentPort = {
  /** ID of its node in the component */
  readonly id: string;
  readonly label: string;
  readonly type: 'TEXT' | 'NUMBER' | 'JSON' | 'IMAGE' | 'VIDEO' | 'AUDIO' | 'LIST' | 'ANY';
  /** An input that has no file of its own, so that a call must provide one */
  readonly required?: true;
};

/** How to confirm your identity */
export type ConfirmationOptions = {
  readonly methods: readonly ('passkey' | 'totp' | 'recovery_code' | 'password' | 'openid')[];
  readonly passkey: Readonly<Record<string, unknown>> | null;
};

/** A program that you granted access by OAuth */
export type Connection = {
  readonly id: string;
  /** The client ID, or the URL of the client metadata document */
  readonly clientId: string;
  /** The name that the client gives itself */
  readonly clientName: string;
  /** Host of the redirect address */
  readonly redirectHost: string;
  readonly scopes: readonly ('workflows:read' | 'workflows:write' | 'workflows:execute')[];
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
};

/** One page of a list */
export type ConnectionPage = {
  readonly data: readonly Connection[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** The fields of a page to change */
export type ContentPageChanges = {
  readonly title?: string;
  /** Lowercase letters, digits and hyphens */
  readonly slug: string;
  /** Optional if event names it */
  readonly type?: 'TOOL' | 'FEATURE' | 'APP' | 'MODEL' | 'ARTICLE';
  /** Default: the title */
  readonly subtitle?: string | null;
  readonly body_markdown?: string | null;
  readonly heroImage?: string | null;
  readonly isPublished?: boolean;
  readonly meta_description?: string | null;
  readonly seoKeywords?: readonly string[] | null;
  readonly canonicalUrl?: string | null;
  readonly ogImage?: string | null;
  readonly pillar?: string | null;
  readonly c2aTitle?: string | null;
  readonly c2aSubtitle?: string | null;
  /** Default: Start Creating */
  readonly c2aButtonCopy?: string | null;
  /** Default: /workflows */
  readonly c2aLink?: string | null;
  readonly valueProps?:
    | readonly {
        readonly title: string;
        readonly description: string;
        readonly icon?: string;
        readonly image?: string;
      }[]
    | null;
  readonly faqSchema?:
    | readonly {
        readonly question: string;
        readonly answer: string;
      }[]
    | null;
  readonly howToSteps?:
    | readonly {
        readonly title: string;
        readonly description: string;
        readonly image?: string;
      }[]
    | null;
  readonly contentBlocks?:
    | readonly {
        readonly type: string;
      }[]
    | null;
  readonly crossLinks?:
    | readonly {
        readonly url: string;
        readonly anchorText: string;
        readonly description?: string;
      }[]
    | null;
  readonly quickAnswer?: {
    readonly question: string;
    readonly answer: string;
    readonly bullets?: readonly string[];
    readonly variant?: 'default' | 'highlight' | 'compact';
  } | null;
  /** The page shows its preview if the workflow is public */
  readonly workflowId?: string | null;
  readonly subcategory?: string | null;
  /** Default: depends on the type */
  readonly parentCategory?: 'features' | 'models' | 'articles' | null;
  readonly event?:
    | 'create_tool'
    | 'create_feature'
    | 'create_app'
    | 'create_model'
    | 'create_article'
    | 'update_page';
};

/** The page to create */
export type ContentPageInput = {
  readonly title: string;
  /** Lowercase letters, digits and hyphens */
  readonly slug: string;
  /** Optional if event names it */
  readonly type?: 'TOOL' | 'FEATURE' | 'APP' | 'MODEL' | 'ARTICLE';
  /** Default: the title */
  readonly subtitle?: string | null;
  readonly body_markdown?: string | null;
  readonly heroImage?: string | null;
  readonly isPublished?: boolean;
  readonly meta_description?: string | null;
  readonly seoKeywords?: readonly string[] | null;
  readonly canonicalUrl?: string | null;
  readonly ogImage?: string | null;
  readonly pillar?: string | null;
  readonly c2aTitle?: string | null;
  readonly c2aSubtitle?: string | null;
  /** Default: Start Creating */
  readonly c2aButtonCopy?: string | null;
  /** Default: /workflows */
  readonly c2aLink?: string | null;
  readonly valueProps?:
    | readonly {
        readonly title: string;
        readonly description: string;
        readonly icon?: string;
        readonly image?: string;
      }[]
    | null;
  readonly faqSchema?:
    | readonly {
        readonly question: string;
        readonly answer: string;
      }[]
    | null;
  readonly howToSteps?:
    | readonly {
        readonly title: string;
        readonly description: string;
        readonly image?: string;
      }[]
    | null;
  readonly contentBlocks?:
    | readonly {
        readonly type: string;
      }[]
    | null;
  readonly crossLinks?:
    | readonly {
        readonly url: string;
        readonly anchorText: string;
        readonly description?: string;
      }[]
    | null;
  readonly quickAnswer?: {
    readonly question: string;
    readonly answer: string;
    readonly bullets?: readonly string[];
    readonly variant?: 'default' | 'highlight' | 'compact';
  } | null;
  /** The page shows its preview if the workflow is public */
  readonly workflowId?: string | null;
  readonly subcategory?: string | null;
  /** Default: depends on the type */
  readonly parentCategory?: 'features' | 'models' | 'articles' | null;
  readonly event?:
    | 'create_tool'
    | 'create_feature'
    | 'create_app'
    | 'create_model'
    | 'create_article'
    | 'update_page';
};

/** A link to an approval */
export type CreatedApprovalLink = {
  /** Works once, without an account */
  readonly url: string;
  readonly expiresAt: string;
};

/** A new key, shown only once */
export type CreatedKey = {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly (
    | 'workflows:read'
    | 'workflows:write'
    | 'workflows:execute'
    | 'account:admin'
    | 'instance:admin'
  )[];
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly monthlyCredits: number | null;
  /** Charged and reserved for runs accepted this month (UTC) */
  readonly spentThisMonth: number;
  readonly createdAt: string;
  /** Shown once */
  readonly key: string;
};

/** A schedule that was created */
export type CreatedSchedule = {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly name: string;
  readonly cron: string | null;
  readonly everySeconds: number | null;
  readonly timeZone: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly maxCredits: number | null;
  readonly version: 'published' | 'current';
  readonly overlap: 'skip' | 'queue' | 'allow' | 'cancel_previous';
  readonly catchUp: 'latest' | 'all' | 'none';
  readonly jitterSeconds: number;
  readonly isActive: boolean;
  readonly pausedReason: 'access_lost' | 'credits' | 'unpublished' | 'failures' | null;
  readonly nextRunAt: string | null;
  readonly lastRunAt: string | null;
  readonly lastExecutionId: string | null;
  /** The user as whom it runs */
  readonly createdBy: number;
  readonly createdAt: string;
  /** Absent if there is nothing to warn of, such as secrets without hosts */
  readonly meta?: {
    readonly warnings: readonly string[];
  };
};

/** A new SCIM token */
export type CreatedScimToken = {
  /** Shown once */
  readonly token: string;
  /** The base URL that the identity provider calls */
  readonly url: string;
  readonly lastUsedAt: string | null;
  readonly createdAt: string;
};

/** A trigger, with the URL of a hook */
export type CreatedTrigger = {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly kind: 'hook' | 'after' | 'feed' | 'bucket';
  readonly name: string;
  /** The settings of this kind, without secrets */
  readonly config: {
    readonly hasSecret?: boolean;
  } & Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly maxCredits: number | null;
  readonly isActive: boolean;
  readonly pausedReason: string | null;
  readonly lastRunAt: string | null;
  readonly lastExecutionId: string | null;
  readonly createdBy: number;
  readonly createdAt: string;
  /** hook: the address with its token. It cannot be shown again. */
  readonly url?: string;
  /** Absent if there is nothing to warn of, such as secrets without hosts */
  readonly meta?: {
    readonly warnings: readonly string[];
  };
};

/** A new account, with its key or invitation if requested */
export type CreatedUser = {
  readonly userId: number;
  /** Not case-sensitive */
  readonly email: string;
  readonly name: string;
  readonly plan: string;
  readonly isAuthor: boolean;
  readonly isAdmin: boolean;
  readonly disabled: boolean;
  readonly createdAt: string;
  readonly apiKey?: string;
  readonly inviteUrl?: string;
  /** Whether the link of an invitation is mailed to the person */
  readonly isMailed?: boolean;
};

/** A credential for a model provider, without its values */
export type Credential = {
  readonly id: string;
  /** The provider */
  readonly kind: 'fal' | 'replicate' | 'openai' | 'elevenlabs' | 'comfyui';
  readonly name: string;
  /** `instance`: for everyone here, managed by administrators. `workspace`: for one workspace */
  readonly owner: 'instance' | 'workspace';
  readonly teamId: string | null;
  readonly isDefault: boolean;
  readonly dailyUsdLimit: number | null;
  /** `failed`: the provider rejected the key at the last test or call */
  readonly status: 'ok' | 'failed' | 'untested';
  readonly error: string | null;
  readonly lastTestedAt: string | null;
  readonly lastUsedAt: string | null;
  readonly hint: string | null;
  /** `environment`: set by the settings of the service and not changeable here */
  readonly source: 'stored' | 'environment';
  /** For `comfyui`: the state of the server */
  readonly server: string | ComfyServer | null;
  readonly serves: readonly ('chat' | 'images' | 'speech' | 'transcriptions' | 'embeddings')[] | null;
  /** Only for `comfyui`: the pool of the server. Default: `default` */
  readonly pool?: string;
  /** Only for `comfyui`: the most calls that the server gets at the same time. Default: 1 */
  readonly maxConcurrent?: number;
  /** Only for `comfyui`: whether the server gets no new calls */
  readonly isDraining?: boolean;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly createdBy: number | null;
};

/** The credential to store */
export type CredentialInput = {
  /** The provider */
  readonly kind: 'fal' | 'replicate' | 'openai' | 'elevenlabs' | 'comfyui';
  readonly name: string;
  /** `instance`: for everyone here, managed by administrators. `workspace`: for one workspace */
  readonly owner: 'instance' | 'workspace';
  readonly values: CredentialValues;
  /** The team whose credential it is, or `user:…` for your own. Default: your active workspace */
  readonly teamId?: string;
  /** Whether the owner's workflows use it if they select no other credential. Default: true for the first of its kind without `server` */
  readonly isDefault?: boolean;
  readonly dailyUsdLimit?: number | null;
  /** Only for `openai`: the name by which nodes choose this server, unique for its owner. Lower-case letters, digits and hyphens */
  readonly server?: string;
  readonly serves?: readonly ('chat' | 'images' | 'speech' | 'transcriptions' | 'embeddings')[] | null;
  /** Only for `comfyui`: the pool of the server. Default: `default` */
  readonly pool?: string;
  /** Only for `comfyui`: the most calls that the server gets at the same time. Default: 1 */
  readonly maxConcurrent?: number;
};

/** One page of a list */
export type CredentialPage = {
  readonly data: readonly Credential[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** How the provider responded to a free request */
export type CredentialTest = {
  readonly ok: boolean;
  readonly latencyMs: number;
  /** The name of the account at the provider */
  readonly account?: string;
  /** Why the credential cannot be used */
  readonly error?: string;
  /** Only for `openai`: what the server serves. Nodes offer only servers that serve what they need */
  readonly serves?: readonly ('chat' | 'images' | 'speech' | 'transcriptions' | 'embeddings')[];
  /** Only for `openai`: the first 500 models that the server lists */
  readonly models?: readonly string[];
};

/** The values to test */
export type CredentialTestInput = {
  /** The provider */
  readonly kind: 'fal' | 'replicate' | 'openai' | 'elevenlabs' | 'comfyui';
  readonly values: CredentialValues;
  /** `instance`: for everyone here, managed by administrators. `workspace`: for one workspace */
  readonly owner?: 'instance' | 'workspace';
  /** Only for `openai`: the name by which nodes choose this server, unique for its owner. Lower-case letters, digits and hyphens */
  readonly server?: string;
};

/** What uses a credential */
export type CredentialUses = {
  /** Workflows that selected the credential, or whose active runs use it, newest first */
  readonly workflows: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  /** Calls at the provider that have not ended */
  readonly callsInFlight: number;
};

/** What to send to the provider. Never returned */
export type CredentialValues = {
  /** Required, except for ComfyUI and OpenAI-compatible servers. For ComfyUI: the value of the Authorization header, or another header as `Name: value` */
  readonly apiKey?: string;
  /** The address, if it is not the provider's own. Required for ComfyUI */
  readonly baseUrl?: string;
  /** Only for ComfyUI: the key of a comfy.org account, for nodes that call external models */
  readonly partnerKey?: string;
};

/** A balance after a grant */
export type CreditPool = {
  readonly workspace: string;
  readonly balance: number;
  readonly held: number;
};

/** A balance and a page of its ledger */
export type Credits = {
  readonly teamId: string | null;
  readonly balance: number;
  /** Reserved for active runs */
  readonly held: number;
  /** What your runs cost the workspace, and your limit there */
  readonly own?: {
    readonly monthlyCredits: number | null;
    /** Charged and reserved for runs accepted this month (UTC) */
    readonly spentThisMonth: number;
  };
  /** The ledger, newest first */
  readonly entries: readonly LedgerEntry[];
  readonly nextCursor: string | null;
};

/** A decision on an approval */
export type Decision = {
  readonly decision: 'approve' | 'reject';
  readonly comment: string | null;
  /** Whether the value was changed */
  readonly edited: boolean;
  /** `link`: by the link in a mail. `timeout`: nobody decided in time */
  readonly by: {
    readonly via: 'account' | 'link' | 'timeout';
    readonly userId?: number;
    readonly name?: string;
    readonly email?: string;
    /** The owner who created the link, if the service did not send it */
    readonly linkCreatedBy?: number;
  };
  readonly at: string | null;
};

/** A decision on an approval */
export type DecisionRequest = {
  readonly decision: 'approve' | 'reject';
  readonly comment?: string;
  /** If the approval is `editable` */
  readonly edits?: {
    /** The text, number or JSON that continues instead */
    readonly input: unknown;
  };
};

/** The outcome of a deletion */
export type DeletedMedia = {
  /** The IDs of the deleted files */
  readonly deleted: readonly string[];
  /** The files that remain, with the error that `DELETE /media/{id}` would return */
  readonly failed: readonly {
    readonly mediaId: string;
    readonly code: string;
    readonly message: string;
  }[];
};

/** The work of a deleted account that others have now */
export type DeletedUser = {
  /** Workflows of the personal workspace */
  readonly workflows: number;
  /** Uploads and results of the personal workspace */
  readonly media: number;
};

/** A webhook delivery with its attempts */
export type Delivery = {
  /** Sent as `X-Service-Delivery` with every attempt */
  readonly id: string;
  readonly executionId: string;
  readonly event: string;
  readonly eventId: string;
  readonly url: string;
  readonly state: 'pending' | 'attempting' | 'delivered' | 'exhausted';
  readonly lastStatusCode: number | null;
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly attempts: readonly {
    readonly attempt: number;
    readonly startedAt: string;
    readonly durationMs: number | null;
    readonly statusCode: number | null;
    readonly error: string | null;
    readonly response: string | null;
  }[];
};

/** One page of a list */
export type DeliveryPage = {
  readonly data: readonly Delivery[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** The workflow that an import would create */
export type DryImport = {
  readonly workflow: {
    readonly name: string;
    readonly nodes: readonly Node[];
    readonly edges: readonly Edge[];
  };
  readonly report: ImportReport;
};

/** A connection that passes a value from one node to another */
export type Edge = {
  /** Unique in the workflow */
  readonly id: string;
  /** ID of the source node */
  readonly source: string;
  /** ID of the target node */
  readonly target: string;
  /** `out-<port id>` */
  readonly sourceHandle?: string | null;
  /** `in-<port id>` */
  readonly targetHandle?: string | null;
} & Readonly<Record<string, unknown>>;

/** An edge, as sent */
export type EdgeInput = {
  /** Unique in the workflow; default: made of its two ports, such as `idea.text->picture.prompt` */
  readonly id?: string;
  /** ID of the source node */
  readonly source: string;
  /** ID of the target node */
  readonly target: string;
  /** `out-<port id>` */
  readonly sourceHandle?: string | null;
  /** `in-<port id>` */
  readonly targetHandle?: string | null;
} & Readonly<Record<string, unknown>>;

/** The run to estimate */
export type EstimateRequest = {
  /** Values by input name or node ID: a string, number, JSON or list; for media a URL, {url} or {mediaId} */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** By node ID, the config fields to set for this run only, such as {"picture": {"model": "fast"}}. `nodeType` gives a model node another model with the same kind of result; the node keeps the settings that the model accepts. Checked like a change of the workflow; needs the scope workflows:write. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Run only these nodes and the nodes that they need */
  readonly targets?: readonly string[];
  /** An ended execution of this workflow whose results are reused if they are still valid */
  readonly keep?: {
    readonly executionId: string;
    /** Run these nodes and all nodes after them again */
    readonly again?: readonly string[];
  };
  /** By node ID, the execution of this workflow whose result is used instead of running the node */
  readonly pins?: Readonly<Record<string, string>>;
  /** Nodes whose provider cannot be used take the result that came with the template, free of charge */
  readonly useSample?: boolean;
};

/** How to run a workflow */
export type ExecuteRequest = {
  /** Values by input name or node ID: a string, number, JSON or list; for media a URL, {url} or {mediaId} */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** By node ID, the config fields to set for this run only, such as {"picture": {"model": "fast"}}. `nodeType` gives a model node another model with the same kind of result; the node keeps the settings that the model accepts. Checked like a change of the workflow; needs the scope workflows:write. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Echoed in the delivery, with members in the same order */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Run only these nodes and the nodes that they need */
  readonly targets?: readonly string[];
  /** An ended execution of this workflow whose results are reused if they are still valid */
  readonly keep?: {
    readonly executionId: string;
    /** Run these nodes and all nodes after them again */
    readonly again?: readonly string[];
  };
  /** By node ID, the execution of this workflow whose result is used instead of running the node */
  readonly pins?: Readonly<Record<string, string>>;
  /** Nodes whose provider cannot be used take the result that came with the template, free of charge */
  readonly useSample?: boolean;
  readonly useCache?: boolean;
  readonly timeoutMs?: number;
  readonly maxCredits?: number;
};

/** The graph that a run executes */
export type ExecutedGraph = {
  readonly workflowId: string;
  readonly workflowVersion: number;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
};

/** A run: its status, nodes, outputs and costs */
export type Execution = {
  /** `ex_…` */
  readonly id: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  readonly status:
    | 'QUEUED'
    | 'RUNNING'
    | 'WAITING'
    | 'CANCELLING'
    | 'COMPLETED'
    | 'FAILED'
    | 'TIMEOUT'
    | 'CANCELLED';
  readonly trigger:
    | 'api'
    | 'editor'
    | 'mcp'
    | 'cli'
    | 'resume'
    | 'sample'
    | 'batch'
    | 'schedule'
    | 'hook'
    | 'after'
    | 'feed'
    | 'bucket'
    | 'app';
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly nodeId: string | null;
    /** The type of the failed node */
    readonly nodeType?: string;
  } | null;
  readonly progress: {
    readonly done: number;
    readonly total: number;
  };
  readonly credits: {
    readonly estimated: number;
    readonly held: number;
    readonly charged: number;
    readonly released: number;
  };
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly webhook: {
    readonly url: string;
    readonly state: 'pending' | 'attempting' | 'delivered' | 'exhausted';
    readonly attempts: number;
    readonly lastStatusCode: number | null;
  } | null;
  readonly idempotencyKey: string | null;
  readonly resumedFromId: string | null;
  /** The batch that started the run */
  readonly batchId?: string;
  /** The key or number of its row in the batch */
  readonly rowKey?: string;
  /** The schedule that started the run */
  readonly scheduleId?: string;
  /** The trigger that started the run */
  readonly triggerId?: string;
  /** The app that started the run */
  readonly appId?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** By node ID, the config that the run set */
  readonly config?: Readonly<Record<string, unknown>>;
  /** In topological order */
  readonly nodeStates: readonly NodeState[];
  /** Results of the output nodes; without output nodes, results of the last nodes */
  readonly outputs: readonly {
    readonly nodeId: string;
    readonly label: string;
    readonly type: string;
    readonly url?: string;
    /** The seed from which a model made it: that of the run, or the one that the provider chose */
    readonly seed?: number;
    /** Details of a rendered video */
    readonly render?: {
      readonly width: number | null;
      readonly height: number | null;
      readonly duration: number | null;
      readonly fps: number;
      readonly frameCount: number;
      /** The poster, JPEG */
      readonly posterUrl: string;
      /** The codecs that made it: ffmpeg or codec-host */
      readonly backend: string;
      readonly warnings: readonly string[];
    };
    readonly text?: string;
    readonly value?: unknown;
  }[];
  /** Nodes that take a sample result */
  readonly meta?: {
    readonly warnings: readonly string[];
  };
};

/** The run has changed; the last event has its final status */
export type ExecutionEvent = {
  readonly event: 'execution';
  /** Increases with each event; send it back as Last-Event-ID */
  readonly id: number;
  readonly data: ExecutionSummary;
};

/** A run without its nodes, inputs and outputs */
export type ExecutionListItem = {
  /** `ex_…` */
  readonly id: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  readonly status:
    | 'QUEUED'
    | 'RUNNING'
    | 'WAITING'
    | 'CANCELLING'
    | 'COMPLETED'
    | 'FAILED'
    | 'TIMEOUT'
    | 'CANCELLED';
  readonly trigger:
    | 'api'
    | 'editor'
    | 'mcp'
    | 'cli'
    | 'resume'
    | 'sample'
    | 'batch'
    | 'schedule'
    | 'hook'
    | 'after'
    | 'feed'
    | 'bucket'
    | 'app';
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly nodeId: string | null;
    /** The type of the failed node */
    readonly nodeType?: string;
  } | null;
  readonly progress: {
    readonly done: number;
    readonly total: number;
  };
  readonly credits: {
    readonly estimated: number;
    readonly held: number;
    readonly charged: number;
    readonly released: number;
  };
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly webhook: {
    readonly url: string;
    readonly state: 'pending' | 'attempting' | 'delivered' | 'exhausted';
    readonly attempts: number;
    readonly lastStatusCode: number | null;
  } | null;
  readonly idempotencyKey: string | null;
  readonly resumedFromId: string | null;
  /** The batch that started the run */
  readonly batchId?: string;
  /** The key or number of its row in the batch */
  readonly rowKey?: string;
  /** The schedule that started the run */
  readonly scheduleId?: string;
  /** The trigger that started the run */
  readonly triggerId?: string;
  /** The app that started the run */
  readonly appId?: string;
  readonly preview: {
    /** Up to four inputs, or the prompts of a workflow without input nodes */
    readonly inputs: readonly {
      /** Label of the node */
      readonly label: string;
      /** Up to 200 characters */
      readonly text?: string;
      readonly url?: string;
      readonly contentType?: string;
      readonly posterUrl?: string;
    }[];
    /** Up to six results */
    readonly outputs: readonly {
      /** Label of the node */
      readonly label: string;
      /** Up to 200 characters */
      readonly text?: string;
      readonly url?: string;
      readonly contentType?: string;
      readonly posterUrl?: string;
    }[];
  } | null;
  readonly batch: {
    /** `bat_…` */
    readonly id: string;
    /** Number of rows */
    readonly total: number;
    readonly completed: number;
    readonly failed: number;
    readonly running: number;
  } | null;
  /** Name of the user who started the run */
  readonly userName: string;
};

/** One page of a list */
export type ExecutionPage = {
  readonly data: readonly ExecutionListItem[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** A run without its nodes, inputs, outputs and user */
export type ExecutionSummary = {
  /** `ex_…` */
  readonly id: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  readonly status:
    | 'QUEUED'
    | 'RUNNING'
    | 'WAITING'
    | 'CANCELLING'
    | 'COMPLETED'
    | 'FAILED'
    | 'TIMEOUT'
    | 'CANCELLED';
  readonly trigger:
    | 'api'
    | 'editor'
    | 'mcp'
    | 'cli'
    | 'resume'
    | 'sample'
    | 'batch'
    | 'schedule'
    | 'hook'
    | 'after'
    | 'feed'
    | 'bucket'
    | 'app';
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly nodeId: string | null;
    /** The type of the failed node */
    readonly nodeType?: string;
  } | null;
  readonly progress: {
    readonly done: number;
    readonly total: number;
  };
  readonly credits: {
    readonly estimated: number;
    readonly held: number;
    readonly charged: number;
    readonly released: number;
  };
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly webhook: {
    readonly url: string;
    readonly state: 'pending' | 'attempting' | 'delivered' | 'exhausted';
    readonly attempts: number;
    readonly lastStatusCode: number | null;
  } | null;
  readonly idempotencyKey: string | null;
  readonly resumedFromId: string | null;
  /** The batch that started the run */
  readonly batchId?: string;
  /** The key or number of its row in the batch */
  readonly rowKey?: string;
  /** The schedule that started the run */
  readonly scheduleId?: string;
  /** The trigger that started the run */
  readonly triggerId?: string;
  /** The app that started the run */
  readonly appId?: string;
};

/** Failed runs, grouped by error and failed node type */
export type Failures = {
  /** Largest group first, at most 50 */
  readonly groups: readonly {
    readonly code: string;
    readonly nodeType: string | null;
    readonly label: string | null;
    readonly runs: number;
    readonly workflows: number;
    readonly users: number;
    readonly lastAt: string;
    /** The message of the newest run */
    readonly message: string;
  }[];
  /** Whether there are more failed runs than the newest that are grouped */
  readonly isCut: boolean;
};

/** A time at which a schedule was due */
export type Firing = {
  readonly dueAt: string;
  readonly acceptedAt: string | null;
  readonly kind: 'scheduled' | 'catch_up' | 'backfill' | 'manual';
  readonly outcome: 'waiting' | 'accepted' | 'skipped' | 'refused';
  readonly reason: string | null;
  readonly executionId: string | null;
};

/** One page of a list */
export type FiringPage = {
  readonly data: readonly Firing[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** A folder of workflows */
export type Folder = {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  readonly teamId: string | null;
  /** Number of workflows directly in the folder */
  readonly workflowCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** The fields of a folder to change */
export type FolderChanges = {
  readonly name?: string;
  readonly parentId?: string | null;
};

/** The folder to create */
export type FolderInput = {
  readonly name: string;
  readonly parentId?: string | null;
  readonly teamId?: string | null;
};

/** The email of an account */
export type ForgottenPasswordInput = {
  /** Not case-sensitive */
  readonly email: string;
};

/** A server of models that answers on this machine */
export type FoundServer = {
  /** The kind of credential to store for it */
  readonly kind: 'openai' | 'comfyui';
  readonly baseUrl: string;
  /** A name for it that no other server here has, for `server` */
  readonly name: string;
  /** Empty for ComfyUI */
  readonly serves: readonly ('chat' | 'images' | 'speech' | 'transcriptions' | 'embeddings')[];
  readonly models: readonly string[];
  /** Whether the instance has a credential for this address */
  readonly isAdded: boolean;
};

/** A graph that is not stored */
export type GraphInput = {
  readonly nodes: readonly NodeInput[];
  readonly edges: readonly EdgeInput[];
};

/** The role that a group gives in a team */
export type GroupMapping = {
  /** The group, as the claim `groups` or the name or external ID of a SCIM group writes it */
  readonly group: string;
  /** Team ID, `team_…` */
  readonly teamId: string;
  /** The role of its members in the team */
  readonly role: 'OWNER' | 'EDITOR' | 'VIEWER';
  readonly teamName: string;
};

/** The role that a group gives in a team */
export type GroupMappingInput = {
  /** The group, as the claim `groups` or the name or external ID of a SCIM group writes it */
  readonly group: string;
  /** Team ID, `team_…` */
  readonly teamId: string;
  /** The role of its members in the team */
  readonly role: 'OWNER' | 'EDITOR' | 'VIEWER';
};

/** The time until which the board counts as open */
export type Heartbeat = {
  readonly lastEditorHeartbeatAt: string;
  readonly heldUntil: string;
};

/** What became of the nodes of an imported file */
export type ImportReport = {
  readonly format: 'graphwright' | 'comfyui-ui-0.4' | 'comfyui-ui-1.0' | 'comfyui-api' | 'fal';
  readonly nodes: readonly {
    /** ID in the file; a path such as `20:3` in a subgraph */
    readonly source: string;
    readonly sourceType: string;
    /** `mapped`: became a node of its own; `wrapped`: part of a `comfyui:workflow` node; `kept`: unchanged; `dropped`: see `message` */
    readonly outcome: 'mapped' | 'wrapped' | 'kept' | 'dropped';
    /** The node that has it; absent if dropped */
    readonly nodeId?: string;
    readonly message?: string;
  }[];
  readonly counts: {
    readonly mapped: number;
    readonly wrapped: number;
    readonly kept: number;
    readonly dropped: number;
  };
};

/** A workflow from a file */
export type ImportedWorkflow = {
  readonly workflow: Workflow;
  readonly report: ImportReport;
};

/** A file as a data URL, or its URL */
export type InlineUpload = {
  /** `data:<type>;base64,…`, up to 3 MB of file */
  readonly dataUrl?: string;
  /** A public URL; the service downloads and stores the file */
  readonly url?: string;
  /** Of a video; images are measured */
  readonly width?: number;
  /** Of a video; images are measured */
  readonly height?: number;
  /** Seconds, of a video or sound */
  readonly duration?: number;
};

/** A port of a template, and the prop it fills */
export type InputMapping = {
  /** Path of the value in the props */
  readonly propPath: string;
  /** Edges target it as in-<portId> */
  readonly portId: string;
  readonly portLabel: string;
  readonly portType: 'TEXT' | 'IMAGE' | 'VIDEO' | 'AUDIO' | 'JSON' | 'NUMBER';
  readonly required: boolean;
  /** What the value is for */
  readonly description?: string;
};

/** A team, as administrators see it */
export type InstanceTeam = {
  readonly id: string;
  readonly name: string;
  readonly members: number;
  /** Names of up to three owners */
  readonly owners: readonly string[];
  readonly credits: {
    readonly balance: number;
    readonly held: number;
  };
  /** Credits charged this month (UTC) */
  readonly spentThisMonth: number;
  readonly dailyCreditBudget: number | null;
  /** Charged and reserved for runs accepted today (UTC) */
  readonly spentToday: number;
  readonly createdAt: string;
};

/** One page of a list */
export type InstanceTeamPage = {
  readonly data: readonly InstanceTeam[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** An invitation of yours to a team */
export type Invitation = {
  readonly id: string;
  readonly role: 'OWNER' | 'EDITOR' | 'VIEWER';
  readonly invitedBy: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly team: {
    /** Team ID, `team_…` */
    readonly id: string;
    readonly name: string;
  };
};

/** One page of a list */
export type InvitationPage = {
  readonly data: readonly Invitation[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** An API key without its secret */
export type Key = {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly (
    | 'workflows:read'
    | 'workflows:write'
    | 'workflows:execute'
    | 'account:admin'
    | 'instance:admin'
  )[];
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly monthlyCredits: number | null;
  /** Charged and reserved for runs accepted this month (UTC) */
  readonly spentThisMonth: number;
  readonly createdAt: string;
};

/** The key to create */
export type KeyInput = {
  readonly name: string;
  readonly scopes: readonly (
    | 'workflows:read'
    | 'workflows:write'
    | 'workflows:execute'
    | 'account:admin'
    | 'instance:admin'
  )[];
  readonly expiresAt?: string | null;
  readonly monthlyCredits?: number | null;
};

/** One page of a list */
export type KeyPage = {
  readonly data: readonly Key[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** The moved nodes */
export type LayoutReport = {
  readonly id: string;
  readonly updatedAt: string;
  readonly moved: readonly {
    readonly id: string;
    readonly position: {
      readonly x: number;
      readonly y: number;
    };
  }[];
  readonly groups: readonly {
    readonly id: string;
    readonly position: {
      readonly x: number;
      readonly y: number;
    };
    readonly width: number;
    readonly height: number;
    readonly childNodeIds: readonly string[];
  }[];
  readonly meta: {
    readonly warnings: readonly string[];
  };
};

/** One change of a balance */
export type LedgerEntry = {
  readonly id: number;
  readonly kind: 'grant' | 'hold' | 'charge' | 'release' | 'overrun';
  readonly amount: number;
  readonly executionId: string | null;
  readonly workflowId: string | null;
  readonly nodeId: string | null;
  readonly note: string | null;
  readonly createdAt: string;
};

/** A decision by a link */
export type LinkDecisionRequest = {
  /** The token of the link in the mail */
  readonly token: string;
  readonly decision: 'approve' | 'reject';
  readonly comment?: string;
  /** If the approval is `editable` */
  readonly edits?: {
    /** The text, number or JSON that continues instead */
    readonly input: unknown;
  };
};

/** What a person sees who decides by a link */
export type LinkedApproval = {
  readonly id: string;
  /** The label of the node */
  readonly label: string;
  /** The question */
  readonly message: string;
  readonly status: 'waiting' | 'approved' | 'rejected' | 'expired' | 'cancelled';
  /** The type of the value that waits, such as `TEXT` */
  readonly type: string;
  /** The value; of a list, its first 50 items */
  readonly items: readonly {
    readonly type: string;
    readonly text?: string;
    /** A number or JSON */
    readonly value?: unknown;
    /** A media file */
    readonly url?: string;
    readonly contentType?: string;
    readonly posterUrl?: string;
  }[];
  /** Whether `value` is incomplete because it was too large */
  readonly truncated: boolean;
  /** Whether a decision may have `edits` */
  readonly editable: boolean;
  /** Who started the run */
  readonly startedBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly decision: Decision | null;
  readonly email: string | null;
  readonly mailsStopped: boolean | null;
};

/** An issue that the lint found */
export type LintIssue = {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly nodeId?: string;
  readonly edgeId?: string;
  /** JSON pointer into { nodes, edges } */
  readonly path?: string;
  /** The id of an input of the node */
  readonly port?: string;
  readonly message: string;
  readonly suggestion?: string;
};

/** Whether a graph could be stored, and its lint issues */
export type LintReport = {
  readonly ok: boolean;
  /** At most 500 */
  readonly issues: readonly LintIssue[];
  /** Not all issues are listed */
  readonly truncated?: true;
  /** With truncated: the number of issues */
  readonly total?: number;
};

/** A session of your account */
export type ListedSession = {
  readonly id: string;
  readonly userAgent: string | null;
  /** Network address from which it was started */
  readonly address: string;
  readonly createdAt: string;
  /** Accurate to a few seconds */
  readonly lastSeenAt: string;
  readonly expiresAt: string;
  /** Whether it is the session of this request */
  readonly isCurrent: boolean;
};

/** One page of a list */
export type ListedSessionPage = {
  readonly data: readonly ListedSession[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** A port that the caller uses and the new version does not have */
export type LostPort = {
  /** The node of the caller */
  readonly nodeId: string;
  readonly id: string;
  readonly label: string;
  readonly direction: 'input' | 'output';
  readonly reason: 'removed' | 'type_changed';
  /** What the caller would lose */
  readonly use: 'edge' | 'value';
};

/** A mail of the service, without its content */
export type Mail = {
  readonly id: string;
  readonly address: string;
  /** The kind of the notice, or `invitation` or `password_reset` */
  readonly kind: string;
  /** `unconfirmed`: the server has the mail, but its answer was lost, so that it is not sent again */
  readonly state: 'waiting' | 'sent' | 'unconfirmed' | 'failed';
  readonly attempts: number;
  readonly result: string | null;
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
};

/** One page of a list */
export type MailPage = {
  readonly data: readonly Mail[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** The outcome of a test mail */
export type MailTest = {
  readonly isSent: boolean;
  readonly address: string;
  /** The answer of the server, or what is wrong */
  readonly result: string;
};

/** The caller */
export type Me = {
  readonly userId: number;
  /** Not case-sensitive */
  readonly email: string;
  readonly name: string;
  readonly plan: string;
  readonly isAuthor: boolean;
  readonly isAdmin: boolean;
  /** Scopes of the credential of this request */
  readonly scopes: readonly (
    | 'workflows:read'
    | 'workflows:write'
    | 'workflows:execute'
    | 'account:admin'
    | 'instance:admin'
  )[];
  /** The team ID of your personal workspace */
  readonly personalTeamId: string;
  readonly activeTeamId: string | null;
  readonly activeRole: 'OWNER' | 'EDITOR' | 'VIEWER';
  readonly storage: {
    /** Your files in all workspaces, incomplete uploads, batches and tables */
    readonly usedBytes: number;
    readonly limitBytes: number | null;
  };
  readonly createdAt: string;
};

/** A stored file */
export type Media = {
  readonly url: string;
  readonly mediaId: string;
  readonly contentType: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly duration: number | null;
  /** Size of the stored file; an SVG is stored sanitized */
  readonly bytes: number;
  /** What was removed from an SVG although it was visible */
  readonly warnings?: readonly string[];
};

/** The fields of a media file to change */
export type MediaChanges = {
  readonly name?: string;
  /** Whether it is one of your favorites */
  readonly isFavorite?: boolean;
};

/** The files to delete */
export type MediaDeletion = {
  /** The files to delete */
  readonly mediaIds: readonly string[];
  /** Delete them even if workflows use them */
  readonly force?: boolean;
};

/** A media file with its name and owner */
export type MediaItem = {
  readonly url: string;
  readonly mediaId: string;
  readonly contentType: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly duration: number | null;
  /** Size of the stored file; an SVG is stored sanitized */
  readonly bytes: number;
  /** The name that users see. The URL keeps the first name */
  readonly name: string;
  readonly teamId: string | null;
  /** The user who uploaded it or started its run */
  readonly userId: number;
  readonly userName: string | null;
  /** Whether it is one of your favorites */
  readonly isFavorite: boolean;
  readonly origin: 'upload' | 'output' | 'input' | 'preview';
  readonly posterUrl: string | null;
  readonly prompt: string | null;
  readonly workflow: {
    readonly id: string;
    readonly name: string;
  } | null;
  readonly model: {
    readonly nodeType: string;
    readonly label: string;
  } | null;
  readonly seed: number | null;
  readonly executionId: string | null;
  readonly createdAt: string;
};

/** One page of a list */
export type MediaItemPage = {
  readonly data: readonly MediaItem[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** The files to mark */
export type MediaMark = {
  /** The files to mark */
  readonly mediaIds: readonly string[];
  /** Whether they are your favorites */
  readonly isFavorite: boolean;
};

/** A place where a media file is used */
export type MediaUse = {
  readonly kind: 'workflow' | 'publication' | 'execution';
  readonly workflow: {
    readonly id: string;
    readonly name: string;
  };
  /** The nodes that use the file, in a workflow or its publication; at most 100 */
  readonly nodes: readonly {
    readonly id: string;
    readonly label: string;
  }[];
  /** Whether the file is the `mediaId` of the workflow */
  readonly isLinked: boolean;
  readonly slug: string | null;
  readonly isTemplate: boolean;
  readonly executionId: string | null;
  /** Whether the execution created the file. False if it used the file */
  readonly isMaker: boolean;
  readonly createdAt: string;
};

/** One page of a list */
export type MediaUsePage = {
  readonly data: readonly MediaUse[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** A user in a team */
export type Member = {
  readonly userId: number;
  readonly name: string;
  readonly role: 'OWNER' | 'EDITOR' | 'VIEWER';
  readonly monthlyCredits: number | null;
  /** Charged and reserved for runs accepted this month (UTC) */
  readonly spentThisMonth: number;
  /** Whether a group of the identity provider gave the membership, and may change it */
  readonly fromGroup: boolean;
  readonly createdAt: string;
};

/** The person to invite */
export type MemberInput = {
  readonly userId?: number;
  /** Not case-sensitive */
  readonly email?: string;
  readonly role: 'OWNER' | 'EDITOR' | 'VIEWER';
};

/** One page of a list */
export type MemberPage = {
  readonly data: readonly Member[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** The file to upload */
export type MintRequest = {
  readonly contentType: string;
  /** The exact length of the file */
  readonly bytes: number;
  readonly filename: string;
};

/** The URL and headers for an upload */
export type MintedUpload = {
  /** PUT the bytes here within 15 minutes */
  readonly uploadUrl: string;
  readonly method: 'PUT';
  /** Content-Type, Content-Length and Cache-Control; send them exactly */
  readonly headers: Readonly<Record<string, string>>;
  readonly mediaId: string;
  /** Where the file is served once the upload is complete */
  readonly url: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly expiresAt: string;
};

/** Every node type that is a model */
export type ModelCatalog = {
  readonly version: number;
  readonly generatedAt: string;
  readonly count: number;
  readonly models: readonly CatalogEntry[];
};

/** The prices of models with given settings */
export type ModelPrices = {
  /** In the order of the request */
  readonly prices: readonly {
    readonly nodeType: string;
    readonly credits: number | null;
  }[];
};

/** The argument of `PublicKeyCredential.parseCreationOptionsFromJSON` */
export type NewPasskeyOptions = Readonly<Record<string, unknown>>;

/** One step of a graph */
export type Node = {
  /** Unique in the workflow */
  readonly id: string;
  /** `basedNode`, or the `customNodeType` of the catalog entry */
  readonly type: string;
  readonly data: NodeData;
  readonly position: Position;
  readonly dims?: NodeDims;
} & Readonly<Record<string, unknown>>;

/** The type and settings of a node */
export type NodeData = {
  /** Display name */
  readonly label: string;
  readonly category: 'model' | 'input' | 'utility' | 'output' | 'logic';
  /** Node type of the catalog, such as `utility:text_template` */
  readonly nodeType: string;
  /** Settings of the node */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Legacy settings; use `config` */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly inputs?: readonly Port[];
  readonly outputs?: readonly Port[];
  /** Whether runs skip the node. Each output then passes on the value of the first connected input of the same type, or else of the first that fits */
  readonly bypassed?: boolean;
} & Readonly<Record<string, unknown>>;

/** The type and settings of a node, as sent */
export type NodeDataInput = {
  /** Display name; default: the label of the catalog entry */
  readonly label?: string;
  /** Default: the category of the catalog entry */
  readonly category?: 'model' | 'input' | 'utility' | 'output' | 'logic';
  /** Node type of the catalog, such as `utility:text_template` */
  readonly nodeType: string;
  /** Settings of the node */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Legacy settings; use `config` */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly inputs?: readonly Port[];
  readonly outputs?: readonly Port[];
  /** Whether runs skip the node. Each output then passes on the value of the first connected input of the same type, or else of the first that fits */
  readonly bypassed?: boolean;
} & Readonly<Record<string, unknown>>;

/** The size of a node, and how it was determined */
export type NodeDims = {
  readonly width: number;
  readonly height: number;
  readonly source: 'measured' | 'declared' | 'estimated';
};

/** A node has changed */
export type NodeEvent = {
  readonly event: 'node';
  /** Increases with each event; send it back as Last-Event-ID */
  readonly id: number;
  readonly data: NodeState;
};

/** A node, as sent */
export type NodeInput = {
  /** Unique in the workflow */
  readonly id: string;
  /** `basedNode`, or the `customNodeType` of the catalog entry */
  readonly type: string;
  readonly data: NodeDataInput;
  readonly position?: Position;
} & Readonly<Record<string, unknown>>;

/** One node of a run */
export type NodeState = {
  readonly nodeId: string;
  readonly label: string;
  readonly status: 'PENDING' | 'RUNNING' | 'WAITING' | 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'CANCELLED';
  readonly error: string | null;
  /** With `comfyui:workflow`: the JSON pointer of what failed in `config.graph` */
  readonly errorPointer?: string;
  /** A media result */
  readonly outputUrl?: string;
  /** Several media results, in the order of the list */
  readonly outputUrls?: readonly string[];
  readonly text?: string;
  readonly texts?: readonly string[];
  /** A number or JSON result */
  readonly value?: unknown;
  readonly values?: readonly unknown[];
  /** The values of all output ports, if several have one */
  readonly ports?: readonly {
    /** The output port */
    readonly id: string;
    /** Type of its value, such as `TEXT` or `LIST` */
    readonly type: string;
    readonly text?: string;
    /** A number, JSON or a list */
    readonly value?: unknown;
    /** A media result */
    readonly url?: string;
    /** The seed from which a model made it: that of the run, or the one that the provider chose */
    readonly seed?: number;
  }[];
  /** The seed from which a model made it: that of the run, or the one that the provider chose */
  readonly seed?: number;
  /** The seeds of `outputUrls`, in the same order; null for a result without a seed */
  readonly seeds?: readonly (number | null)[];
  /** Details of a rendered video */
  readonly render?: {
    readonly width: number | null;
    readonly height: number | null;
    readonly duration: number | null;
    readonly fps: number;
    readonly frameCount: number;
    /** The poster, JPEG */
    readonly posterUrl: string;
    /** The codecs that made it: ffmpeg or codec-host */
    readonly backend: string;
    readonly warnings: readonly string[];
  };
  /** true: the recorded result of the template; the node did not run */
  readonly fromSample?: boolean;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly credits: number;
  /** Who paid for the calls of the node. `credential`: the provider billed the workspace's own credential */
  readonly paidBy?: 'credits' | 'credential';
  readonly credentialId?: string | null;
  readonly costUsd?: number | null;
  /** Served from the node cache or an earlier run, at no charge */
  readonly cached: boolean;
  /** How often the node was started in this run */
  readonly attempt: number;
  readonly progress: number;
  /** true: values were truncated, because the record is limited to 16 MB. `GET /executions/{id}/outputs/{nodeId}` has the complete values. */
  readonly truncated?: boolean;
  /** Deviations from the request, e.g. a text that was cut off */
  readonly warnings?: readonly string[];
  /** The decision that the node waits or waited for */
  readonly approval?: {
    readonly id: string | null;
    /** The question */
    readonly message: string;
    /** Emails and user IDs of those who are asked. Empty: who started the run */
    readonly assignees: readonly (string | number)[];
    /** Whether the value may be edited */
    readonly editable: boolean;
    readonly expiresAt: string | null;
    readonly decision: Decision | null;
  };
  /** The seeds that a `comfyui:workflow` node drew for this run */
  readonly graphSeeds?: readonly {
    /** The ID in `config.graph` */
    readonly node: string;
    readonly input: string;
    readonly value: number;
    /** The item, if the node ran once per item */
    readonly item?: number;
  }[];
  /** The ComfyUI servers of a call that moved because its server was down, in order */
  readonly attempts?: readonly {
    readonly credentialId: string;
    /** The name of the server */
    readonly server: string;
    readonly startedAt: string;
    readonly error: string | null;
    /** The item, if the node ran once per item */
    readonly item?: number;
  }[];
  /** The task at the provider; only for owners of the workflow */
  readonly provider?: {
    readonly name: string;
    readonly jobId: string | null;
  };
  /** The last 64 KB that a code node wrote to its console; only for owners of the workflow */
  readonly log?: string;
};

/** A message about an event, such as the end of a batch */
export type Notice = {
  readonly title: string;
  readonly id: string;
  readonly kind:
    | 'schedule_paused'
    | 'trigger_paused'
    | 'app_out_of_order'
    | 'app_limit_reached'
    | 'credits_low'
    | 'credit_limit'
    | 'storage_high'
    | 'credential_failed'
    | 'batch_stopped'
    | 'workflow_shared'
    | 'approval_waiting'
    | 'new_browser'
    | 'second_factor_changed'
    | 'password_changed'
    | 'email_changed';
  /** What happened, and what to do */
  readonly text: string;
  readonly link: string | null;
  readonly createdAt: string;
  readonly readAt: string | null;
};

/** An event of your notices */
export type NoticeEvent = NoticeUnreadEvent | NoticeNoticeEvent;

/** The event `notice` */
export type NoticeNoticeEvent = {
  readonly event: 'notice';
  readonly data: Notice;
};

/** One page of a list */
export type NoticePage = {
  readonly data: readonly Notice[];
  /** Null on the last page */
  readonly nextCursor: string | null;
  /** How many notices you have not read */
  readonly unread: number;
};

/** How you receive notices of each kind: in the menu of the bell, by mail, both, or not at all */
export type NoticeSettings = {
  readonly schedule_paused: 'bell' | 'mail' | 'both' | 'none';
  readonly trigger_paused: 'bell' | 'mail' | 'both' | 'none';
  readonly app_out_of_order: 'bell' | 'mail' | 'both' | 'none';
  readonly app_limit_reached: 'bell' | 'mail' | 'both' | 'none';
  readonly credits_low: 'bell' | 'mail' | 'both' | 'none';
  readonly credit_limit: 'bell' | 'mail' | 'both' | 'none';
  readonly storage_high: 'bell' | 'mail' | 'both' | 'none';
  readonly credential_failed: 'bell' | 'mail' | 'both' | 'none';
  readonly batch_stopped: 'bell' | 'mail' | 'both' | 'none';
  readonly workflow_shared: 'bell' | 'mail' | 'both' | 'none';
  readonly approval_waiting: 'bell' | 'mail' | 'both' | 'none';
  readonly new_browser: 'bell' | 'mail' | 'both' | 'none';
  readonly second_factor_changed: 'bell' | 'mail' | 'both' | 'none';
  readonly password_changed: 'bell' | 'mail' | 'both' | 'none';
  readonly email_changed: 'bell' | 'mail' | 'both' | 'none';
};

/** The event `unread` */
export type NoticeUnreadEvent = {
  readonly event: 'unread';
  readonly data: UnreadNotices;
};

/** The state of the instance */
export type Overview = {
  /** Version of Graphwright */
  readonly version: string;
  /** `ok`, or what is wrong, by part */
  readonly health: {
    readonly database: string;
    readonly queue: string;
    readonly storage: string;
  };
  readonly database: {
    readonly version: string | null;
    readonly bytes: number;
  };
  readonly storage: {
    readonly kind: 'disk' | 'bucket';
    readonly mediaBytes: number;
    readonly disk: {
      readonly freeBytes: number;
      readonly totalBytes: number;
    } | null;
  };
  readonly lastBackup: {
    /** Time of the snapshot */
    readonly createdAt: string;
    readonly finishedAt: string;
    readonly databaseBytes: number;
    readonly media: {
      readonly files: number;
      readonly bytes: number;
    };
    readonly madeBy: 'command line' | 'download';
  } | null;
  readonly runs: {
    /** Runs of the last 24 hours by the hour in which they were accepted, oldest first */
    readonly hours: readonly {
      readonly from: string;
      readonly completed: number;
      /** FAILED or TIMEOUT */
      readonly failed: number;
      readonly cancelled: number;
      /** Not ended */
      readonly active: number;
    }[];
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly active: number;
    /** Whether there were more runs than were counted */
    readonly isCut: boolean;
  };
  readonly spending: {
    /** First day of the month (UTC) */
    readonly month: string;
    readonly total: number;
    readonly lastMonth: number;
    /** Who started the runs, most expensive first, at most 10 */
    readonly users: readonly {
      readonly userId: number | null;
      readonly name: string | null;
      readonly credits: number;
      readonly charges: number;
    }[];
    /** Most expensive first, at most 10. `teamId` null: all personal workspaces */
    readonly teams: readonly {
      readonly teamId: string | null;
      readonly name: string | null;
      readonly credits: number;
      readonly charges: number;
    }[];
    /** Most expensive first, at most 10 */
    readonly models: readonly {
      readonly nodeType: string | null;
      readonly label: string | null;
      readonly provider: string | null;
      readonly credits: number;
      readonly charges: number;
    }[];
    /** Most expensive first. `name` null: no provider, or a model that is no longer known */
    readonly providers: readonly {
      readonly name: string | null;
      readonly label: string | null;
      readonly credits: number;
      readonly charges: number;
    }[];
    /** Calls that were billed to workspaces' own credentials, in USD. They cost no credits */
    readonly ownKeys: {
      /** Without calls of unknown cost */
      readonly costUsd: number;
      /** Without calls of unknown cost */
      readonly lastMonthUsd: number;
      /** Most expensive first */
      readonly providers: readonly {
        readonly name: string;
        readonly label: string | null;
        /** Without calls of unknown cost */
        readonly costUsd: number;
        readonly calls: number;
        /** Calls of unknown cost */
        readonly unpricedCalls: number;
      }[];
    };
  };
  /** Teams and users that spent credits this or last month and have fewer than 500 left */
  readonly lowBalances: readonly {
    readonly teamId: string | null;
    readonly userId: number | null;
    readonly name: string;
    readonly balance: number;
  }[];
};

/** A passkey of your account */
export type Passkey = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
};

/** The response of `navigator.credentials.get`, as its `toJSON()` returns it */
export type PasskeyAssertion = {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle?: string;
  } & Readonly<Record<string, unknown>>;
  readonly clientExtensionResults?: Readonly<Record<string, unknown>>;
} & Readonly<Record<string, unknown>>;

/** The response of `navigator.credentials.create`, as its `toJSON()` returns it */
export type PasskeyAttestation = {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject: string;
    readonly transports?: readonly string[];
  } & Readonly<Record<string, unknown>>;
  readonly clientExtensionResults?: Readonly<Record<string, unknown>>;
} & Readonly<Record<string, unknown>>;

/** A new passkey */
export type PasskeyInput = {
  readonly name: string;
  readonly attestation: PasskeyAttestation;
};

/** Your passkeys */
export type PasskeyList = {
  readonly data: readonly Passkey[];
};

/** The current and the new password */
export type PasswordChange = {
  readonly current: string;
  readonly next: string;
  /** Also revokes all API keys of the account and ends its connections */
  readonly revokeKeys?: boolean;
};

/** A link that sets a password */
export type PasswordLink = {
  /** Shown once, and valid for one use */
  readonly url: string;
  readonly expiresAt: string | null;
  /** Whether the link of an invitation is mailed to the person */
  readonly isMailed?: boolean;
};

/** The account whose password the link sets */
export type PasswordLinkInput = {
  /** `setup`: for the account of the first user; `invite`: for a new account; `reset`: for a forgotten password */
  readonly kind: 'setup' | 'invite' | 'reset';
  /** Not case-sensitive */
  readonly email?: string;
  /** The page that opens when the user has set a password, such as `/flow/wf_…` */
  readonly next?: string;
};

/** A user or an email that a workflow is shared with */
export type Permission = {
  readonly userId: number | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly role: 'VIEW' | 'EDIT' | 'OWNER';
  readonly createdAt: string;
};

/** The person to share with, and the role */
export type PermissionInput = {
  readonly userId?: number;
  /** Not case-sensitive */
  readonly email?: string;
  readonly role: 'VIEW' | 'EDIT' | 'OWNER';
};

/** One page of a list */
export type PermissionPage = {
  readonly data: readonly Permission[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** The available plans */
export type Plans = {
  readonly plans: readonly {
    readonly name: string;
    readonly requestsPerMinute: number;
    readonly executionsPerMinute: number;
    readonly executionsPerDay: number | null;
    readonly storageBytes: number | null;
    /** Whether runs may call models without a price */
    readonly runsUnpriced: boolean;
    /** Whether new accounts get this plan by default */
    readonly isDefault: boolean;
  }[];
  /** Starting balance of new accounts, unless set otherwise */
  readonly newAccountCredits: number;
};

/** A port of a node that edges connect to */
export type Port = {
  /** Edges refer to it as `in-<id>` or `out-<id>` */
  readonly id: string;
  /** Display name */
  readonly label?: unknown;
  /** `TEXT`, `NUMBER`, `JSON`, `IMAGE`, `VIDEO`, `AUDIO`, `LIST` or `ANY` */
  readonly type?: unknown;
};

/** The position of a node on the board */
export type Position = {
  readonly x: number;
  readonly y: number;
};

/** Where to download a backup */
export type PreparedBackup = {
  /** Path of the download */
  readonly url: string;
};

/** The current viewers of the workflow */
export type PresenceEvent = {
  readonly event: 'presence';
  readonly data: {
    readonly users: readonly {
      readonly userId: number;
      readonly name: string;
      /** Number of open streams */
      readonly sessions: number;
      /** IDs of the selected nodes */
      readonly selected: readonly string[];
    }[];
  };
};

/** Stills of a video */
export type Preview = {
  readonly data: {
    readonly frames: readonly PreviewFrame[];
    readonly fps: number;
    readonly durationInFrames: number;
    readonly warnings: readonly string[];
  };
};

/** A still */
export type PreviewFrame = {
  readonly frame: number;
  /** URL of the media; a data URL if `keep` is false */
  readonly url: string;
  readonly width: number;
  readonly height: number;
};

/** What to render */
export type PreviewRequest = {
  /** As GET /renderer/scene-graph describes */
  readonly sceneGraph?: unknown;
  readonly templateId?: string;
  /** Merged over the template's defaultProps */
  readonly props?: Readonly<Record<string, unknown>>;
  /** By port ID, the values of connected inputs: text, a number or JSON; for media a URL, {url} or {mediaId}. A port without a value has its default, or a placeholder */
  readonly values?: Readonly<Record<string, unknown>>;
  readonly workflowId?: string;
  readonly nodeId?: string;
  /** Counted from 0. Default: the frame of timeSeconds, else the middle */
  readonly frames?: readonly number[];
  readonly timeSeconds?: number;
  /** png (default), jpeg or webp for stills, mp4 for a clip */
  readonly format?: string;
  readonly scale?: number;
  /** False to get each still as a data URL without storing it, for previews that update on each change */
  readonly keep?: boolean;
  /** Frames of the clip: [from, to) */
  readonly range?: readonly number[];
};

/** The progress of a node; not stored, so without an id */
export type ProgressEvent = {
  readonly event: 'progress';
  readonly data: {
    readonly nodeId: string;
    readonly progress: number;
    /** The node of a ComfyUI graph that executes */
    readonly detail?: string;
    /** An image of the work so far; valid while the node runs */
    readonly previewUrl?: string;
  };
};

/** A prop of a template that no port fills */
export type PropText = {
  readonly label: string;
  readonly description: string;
};

/** The model providers, and whether they respond */
export type Providers = {
  readonly providers: readonly {
    readonly name: string;
    readonly label: string;
    /** The setting that enables it without a stored credential */
    readonly setting: string;
    /** Whether the instance has a credential for it, stored or set by the environment */
    readonly isConfigured: boolean;
    readonly address: string | null;
    readonly answers: boolean | null;
    readonly latencyMs: number | null;
    readonly error: string | null;
  }[];
  readonly checkedAt: string;
};

/** One of these: the second factor of an account that has one, else the password */
export type ReauthenticateInput = {
  readonly password?: string;
  /** The six digits of an authenticator app */
  readonly code?: string;
  readonly recoveryCode?: string;
  readonly assertion?: PasskeyAssertion;
};

/** New recovery codes, shown once */
export type RecoveryCodes = {
  readonly codes: readonly string[];
};

/** Why a clip was not rendered */
export type RenderFailure = {
  readonly code: string;
  readonly message: string;
  readonly issues?: readonly {
    readonly path?: string;
    readonly code: string;
    readonly message: string;
  }[];
};

/** The status of a clip */
export type RenderStatus = {
  readonly data: {
    readonly renderId: string;
    readonly status: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
    readonly progress: number;
    /** Frames [from, to) */
    readonly range: readonly number[];
    readonly url: string | null;
    readonly posterUrl: string | null;
    readonly result: RenderedClip | null;
    readonly error: RenderFailure | null;
    readonly createdAt: string;
    readonly startedAt: string | null;
    readonly finishedAt: string | null;
    readonly urls: {
      readonly self: string;
      readonly cancel: string;
    };
  };
};

/** Properties of a rendered clip */
export type RenderedClip = {
  readonly width: number;
  readonly height: number;
  /** Seconds */
  readonly duration: number;
  readonly fps: number;
  readonly frameCount: number;
  /** The codecs that made it: ffmpeg or codec-host */
  readonly backend: string;
  readonly warnings: readonly string[];
};

/** A workflow that was deleted */
export type RestoredWorkflow = {
  readonly id: string;
  readonly name: string;
  readonly userId: number;
  readonly restored: boolean;
};

/** A decision for a waiting run, or how to run an ended one again */
export type ResumeRequest = {
  /** The decision for a waiting execution */
  readonly decision?: {
    readonly nodeId: string;
    readonly approved: boolean;
    /** Replaces the value that waited for approval */
    readonly value?: unknown;
  };
  /** Run this node and all nodes after it again */
  readonly fromNodeId?: string;
  /** Use the current graph, and the current versions of components that are called at their latest version. Otherwise, those of the earlier run are used. */
  readonly useLatestWorkflow?: boolean;
  /** Values by input name or node ID: a string, number, JSON or list; for media a URL, {url} or {mediaId} */
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly webhook?: {
    /** https; plain http for localhost only */
    readonly url: string;
    readonly secret?: string | null;
    /** `outputs`: the event contains the outputs of the run */
    readonly include?: readonly 'outputs'[] | null;
  };
};

/** What a run would cost */
export type RunEstimate = {
  readonly credits: number;
  readonly costUsd: number;
  /** False if a price, or the length of a list, is known only at run time */
  readonly exact: boolean;
  readonly breakdown: readonly {
    readonly nodeId: string;
    readonly nodeLabel: string;
    readonly credits: number;
    readonly cached: boolean;
    /** `credential`: billed to the workspace's own credential, for 0 credits */
    readonly paidBy: 'credits' | 'credential';
    readonly credentialId: string | null;
    readonly costUsd: number | null;
  }[];
  /** With keep or pins: the nodes whose results come from an earlier run, except sample results */
  readonly kept?: readonly string[];
  /** The nodes that take their sample result */
  readonly sampled?: readonly string[];
  /** true: a provider is missing, and useSample could take its place */
  readonly hasSample?: boolean;
  /** Providers that nodes of the run need and that are not set up */
  readonly needs?: readonly string[];
  /** The balance, or what is left of your monthly limit if that is less */
  readonly availableCredits: number;
  /** Reasons why a node could not run, for example a provider that is not configured */
  readonly issues: readonly {
    readonly nodeId: string;
    readonly code: string;
    readonly message: string;
  }[];
  readonly meta?: {
    readonly warnings: readonly string[];
  };
};

/** One server-sent event of a run: its fields `event`, `id` and `data` */
export type RunEvent = SnapshotEvent | NodeEvent | ExecutionEvent | ProgressEvent;

/** How to run a workflow, and which webhook to notify */
export type RunRequest = {
  /** Values by input name or node ID: a string, number, JSON or list; for media a URL, {url} or {mediaId} */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** By node ID, the config fields to set for this run only, such as {"picture": {"model": "fast"}}. `nodeType` gives a model node another model with the same kind of result; the node keeps the settings that the model accepts. Checked like a change of the workflow; needs the scope workflows:write. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Echoed in the delivery, with members in the same order */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Run only these nodes and the nodes that they need */
  readonly targets?: readonly string[];
  /** An ended execution of this workflow whose results are reused if they are still valid */
  readonly keep?: {
    readonly executionId: string;
    /** Run these nodes and all nodes after them again */
    readonly again?: readonly string[];
  };
  /** By node ID, the execution of this workflow whose result is used instead of running the node */
  readonly pins?: Readonly<Record<string, string>>;
  /** Nodes whose provider cannot be used take the result that came with the template, free of charge */
  readonly useSample?: boolean;
  readonly useCache?: boolean;
  readonly timeoutMs?: number;
  readonly maxCredits?: number;
  readonly webhook?: {
    /** https; plain http for localhost only */
    readonly url: string;
    readonly secret?: string | null;
    /** `outputs`: the event contains the outputs of the run */
    readonly include?: readonly 'outputs'[] | null;
  };
};

/** How to author a video */
export type SceneGraphContract = {
  readonly data: {
    readonly mode: 'sceneGraph';
    readonly nodeType: 'video:renderer';
    readonly configPath: 'config.props.sceneGraph';
    /** How to write a scene graph */
    readonly doc?: string;
    /** JSON Schema 2020-12 */
    readonly jsonSchema?: Readonly<Record<string, unknown>>;
    readonly readerNote: string;
    readonly scopeNote: string;
  };
};

/** When a workflow runs by itself */
export type Schedule = {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly name: string;
  readonly cron: string | null;
  readonly everySeconds: number | null;
  readonly timeZone: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly maxCredits: number | null;
  readonly version: 'published' | 'current';
  readonly overlap: 'skip' | 'queue' | 'allow' | 'cancel_previous';
  readonly catchUp: 'latest' | 'all' | 'none';
  readonly jitterSeconds: number;
  readonly isActive: boolean;
  readonly pausedReason: 'access_lost' | 'credits' | 'unpublished' | 'failures' | null;
  readonly nextRunAt: string | null;
  readonly lastRunAt: string | null;
  readonly lastExecutionId: string | null;
  /** The user as whom it runs */
  readonly createdBy: number;
  readonly createdAt: string;
};

/** What to change. `cron` replaces `everySeconds`, and the other way round. */
export type ScheduleChange = {
  /** Five fields (minute, hour, day of the month, month, day of the week), or a name such as `@daily` */
  readonly cron?: string;
  /** An interval in elapsed time, which starts when it is set */
  readonly everySeconds?: number;
  /** Such as `Europe/Berlin` */
  readonly timeZone?: string;
  readonly maxCredits?: number | null;
  readonly name?: string;
  /** Values by input name or node ID, as in the request to run a workflow; stored by node ID */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Which version of the workflow each run uses */
  readonly version?: 'published' | 'current';
  /** What to do if the previous run has not ended: `skip` the new one, `queue` it, `allow` both, or cancel the previous one */
  readonly overlap?: 'skip' | 'queue' | 'allow' | 'cancel_previous';
  /** Which times to run that were missed in the last 24 hours because no worker was running: the `latest`, `all` (at most 100, one after the other) or `none` */
  readonly catchUp?: 'latest' | 'all' | 'none';
  /** Delays all runs by one random time of at most this long */
  readonly jitterSeconds?: number;
  readonly isActive?: boolean;
};

/** One page of a list */
export type SchedulePage = {
  readonly data: readonly Schedule[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** When a schedule would run */
export type SchedulePreview = {
  /** The next five times */
  readonly times: readonly string[];
};

/** When a schedule would run */
export type SchedulePreviewRequest = {
  /** Five fields (minute, hour, day of the month, month, day of the week), or a name such as `@daily` */
  readonly cron?: string;
  /** An interval in elapsed time, which starts when it is set */
  readonly everySeconds?: number;
  /** Such as `Europe/Berlin` */
  readonly timeZone?: string;
};

/** When to run a workflow: `cron` or `everySeconds`, and with what */
export type ScheduleRequest = {
  /** Five fields (minute, hour, day of the month, month, day of the week), or a name such as `@daily` */
  readonly cron?: string;
  /** An interval in elapsed time, which starts when it is set */
  readonly everySeconds?: number;
  /** Such as `Europe/Berlin` */
  readonly timeZone?: string;
  /** The credits that each run may cost */
  readonly maxCredits?: number;
  readonly name?: string;
  /** Values by input name or node ID, as in the request to run a workflow; stored by node ID */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Which version of the workflow each run uses */
  readonly version?: 'published' | 'current';
  /** What to do if the previous run has not ended: `skip` the new one, `queue` it, `allow` both, or cancel the previous one */
  readonly overlap?: 'skip' | 'queue' | 'allow' | 'cancel_previous';
  /** Which times to run that were missed in the last 24 hours because no worker was running: the `latest`, `all` (at most 100, one after the other) or `none` */
  readonly catchUp?: 'latest' | 'all' | 'none';
  /** Delays all runs by one random time of at most this long */
  readonly jitterSeconds?: number;
  readonly isActive?: boolean;
};

/** When the SCIM token was created and used */
export type ScimToken = {
  /** The base URL that the identity provider calls */
  readonly url: string;
  readonly lastUsedAt: string | null;
  readonly createdAt: string | null;
};

/** The challenge of the sign-in, and one of `code`, `recoveryCode` and `assertion` */
export type SecondFactorInput = {
  readonly challenge: string;
  /** The six digits of an authenticator app */
  readonly code?: string;
  readonly recoveryCode?: string;
  readonly assertion?: PasskeyAssertion;
};

/** The second factors of your account */
export type SecondFactors = {
  /** Whether an authenticator app is set up */
  readonly totp: boolean;
  readonly passkeys: readonly Passkey[];
  /** The number of recovery codes that are left */
  readonly recoveryCodes: number;
  readonly requiredBy: string | null;
  /** False if browsers offer no passkeys for BASE_URL: an IP address, or HTTP */
  readonly passkeysAvailable: boolean;
};

/** The sign-in continues with a second factor */
export type SecondStep = {
  readonly needs: 'second_factor';
  /** Valid for 10 minutes and five tries */
  readonly challenge: string;
  /** How the factor can be proved */
  readonly methods: readonly ('passkey' | 'totp' | 'recovery_code')[];
  readonly passkey: Readonly<Record<string, unknown>> | null;
};

/** The signed-in user */
export type Session = {
  readonly user: {
    readonly userId: number;
    /** Not case-sensitive */
    readonly email: string;
    readonly name: string;
    readonly isAuthor: boolean;
    readonly isAdmin: boolean;
    readonly scopes: readonly (
      | 'workflows:read'
      | 'workflows:write'
      | 'workflows:execute'
      | 'account:admin'
      | 'instance:admin'
    )[];
    readonly personalTeamId: string;
  };
  /** The active workspace */
  readonly workspace: {
    readonly teamId: string | null;
    readonly name: string;
    readonly role: 'OWNER' | 'EDITOR' | 'VIEWER';
  };
  readonly teams: readonly {
    readonly id: string;
    readonly name: string;
    readonly role: 'OWNER' | 'EDITOR' | 'VIEWER';
  }[];
  /** Number of your pending team invitations */
  readonly invitations: number;
  readonly plan: string;
  /** Credits of the active workspace */
  readonly credits: {
    readonly balance: number;
    readonly held: number;
  };
  readonly storage: {
    /** Your files in all workspaces, incomplete uploads, batches and tables */
    readonly usedBytes: number;
    readonly limitBytes: number | null;
  };
  readonly expiresAt: string;
  /** Whether this service requires a second factor that the session lacks */
  readonly needsSecondFactor: boolean;
};

/** The account of the first user */
export type SetUpInput = {
  /** The part of the link after # */
  readonly token: string;
  /** Not case-sensitive */
  readonly email: string;
  readonly name: string;
  readonly password: string;
};

/** Email and password */
export type SignInInput = {
  /** Not case-sensitive */
  readonly email: string;
  readonly password: string;
};

/** The available sign-in methods */
export type SignInMethods = {
  readonly password: true;
  /** Whether browsers can use passkeys here */
  readonly passkeys: boolean;
  /** Whether the service mails links for forgotten passwords */
  readonly mail: boolean;
  readonly openid: {
    readonly issuer: string;
    /** Where a browser starts the sign-in; accepts `next` */
    readonly startUrl: string;
  } | null;
  /** True if nobody can sign in yet: the first user must open the link that the service printed */
  readonly needsSetup: boolean;
};

/** The first event: the current record of the run */
export type SnapshotEvent = {
  readonly event: 'snapshot';
  /** Increases with each event; send it back as Last-Event-ID */
  readonly id: number;
  readonly data: Execution;
};

/** Charges, in credits */
export type Spending = {
  readonly teamId: string | null;
  /** The first day (UTC) */
  readonly from: string;
  /** Today (UTC) */
  readonly to: string;
  readonly total: number;
  /** One entry per day, oldest first */
  readonly days: readonly {
    readonly date: string;
    readonly credits: number;
  }[];
  /** Most expensive first */
  readonly models: readonly {
    readonly nodeType: string | null;
    readonly label: string | null;
    readonly credits: number;
    readonly charges: number;
  }[];
  /** The 20 most expensive workflows */
  readonly workflows: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly credits: number;
  }[];
  /** Calls that were billed to the workspace's own credentials and cost no credits */
  readonly credentials: readonly {
    readonly credentialId: string;
    readonly name: string;
    readonly kind: string;
    /** The known cost of its calls, in USD */
    readonly costUsd: number;
    readonly calls: number;
    /** Calls of unknown cost */
    readonly unpricedCalls: number;
  }[];
};

/** What runs cost in a period, by group */
export type SpendingReport = {
  readonly teamId: string | null;
  readonly groupBy: 'team' | 'member' | 'key' | 'workflow' | 'model' | 'provider' | 'credential';
  readonly from: string;
  readonly to: string;
  readonly total: {
    readonly credits: number;
    /** Known cost in USD of calls with the workspace's own credentials */
    readonly usd: number;
    /** Charges of nodes, and calls with own credentials */
    readonly calls: number;
    readonly runs: number;
  };
  /** Most expensive first */
  readonly data: readonly {
    readonly key: string | null;
    readonly label: string;
    readonly credits: number;
    /** Known cost in USD of calls with the workspace's own credentials */
    readonly usd: number;
    /** Charges of nodes, and calls with own credentials */
    readonly calls: number;
    readonly runs: number;
  }[];
  /** The groups beyond `limit`. `runs` is not known */
  readonly others: {
    readonly credits: number;
    /** Known cost in USD of calls with the workspace's own credentials */
    readonly usd: number;
    /** Charges of nodes, and calls with own credentials */
    readonly calls: number;
    readonly runs: number;
  };
  readonly days: readonly {
    readonly date: string;
    readonly credits: number;
    readonly usd: number;
  }[];
};

/** A run that a schedule started */
export type StartedFiring = {
  readonly executionId: string;
  readonly scheduleId: string;
};

/** A run that was started */
export type StartedRun = {
  readonly executionId: string;
};

/** The request succeeded */
export type Success = {
  readonly success: true;
};

/** A table that was uploaded for a batch */
export type Table = {
  readonly tableId: string;
  readonly format: 'csv' | 'jsonl';
  readonly delimiter: 'comma' | 'semicolon' | 'tab' | null;
  /** Such as `utf-8`, `utf-16le`, `windows-1252` or `shift_jis` */
  readonly encoding: string;
  readonly columns: readonly string[];
  /** The number of rows */
  readonly total: number;
  /** The first 20 rows. Long cells are cut. */
  readonly sample: readonly (readonly unknown[])[];
  /** Rows that cannot be used. A batch over such a table is refused. */
  readonly problems: readonly {
    /** The line of the file, from 1 */
    readonly line: number;
    readonly message: string;
  }[];
};

/** A table in a list */
export type TableListItem = {
  readonly tableId: string;
  readonly format: 'csv' | 'jsonl';
  readonly delimiter: 'comma' | 'semicolon' | 'tab' | null;
  readonly encoding: string;
  /** The number of rows */
  readonly total: number;
  /** What the table takes of your storage */
  readonly bytes: number;
  /** Whether a batch over the table was accepted. Such a table does not count toward the limits of tables. */
  readonly isUsed: boolean;
  readonly createdAt: string;
  readonly expiresAt: string;
};

/** One page of a list */
export type TablePage = {
  readonly data: readonly TableListItem[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** A workspace that several users share */
export type Team = {
  /** Team ID, `team_…` */
  readonly id: string;
  readonly name: string;
  readonly role: 'OWNER' | 'EDITOR' | 'VIEWER';
  readonly requiresSecondFactor: boolean;
  readonly createdAt: string;
};

/** A workflow of a team, with its daily budget */
export type TeamBudget = {
  readonly workflowId: string;
  readonly name: string;
  readonly dailyCreditBudget: number | null;
  /** Charged and reserved for runs accepted today (UTC) */
  readonly spentToday: number;
};

/** One page of a list */
export type TeamBudgetPage = {
  readonly data: readonly TeamBudget[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** A person who is invited to a team */
export type TeamInvitation = {
  readonly id: string;
  readonly role: 'OWNER' | 'EDITOR' | 'VIEWER';
  readonly invitedBy: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly email: string | null;
  readonly userId: number | null;
  readonly name: string | null;
  /** Whether it has expired; invite the person again to renew it */
  readonly isExpired: boolean;
  /** Send it to the invited person. It works only for an account with the invited email */
  readonly url: string;
  /** Whether the link of an invitation is mailed to the person */
  readonly isMailed?: boolean;
};

/** The person to invite */
export type TeamInvitationInput = {
  /** Not case-sensitive */
  readonly email: string;
  readonly role: 'OWNER' | 'EDITOR' | 'VIEWER';
};

/** One page of a list */
export type TeamInvitationPage = {
  readonly data: readonly TeamInvitation[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** One page of a list */
export type TeamPage = {
  readonly data: readonly Team[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** The providers and models that runs of a team may use */
export type TeamPolicy = {
  readonly providers: readonly ('fal' | 'replicate' | 'openai' | 'elevenlabs' | 'comfyui')[] | null;
  readonly models: {
    readonly allow: readonly string[] | null;
    readonly deny: readonly string[];
  };
};

/** The providers and models to allow */
export type TeamPolicyInput = {
  readonly providers: readonly ('fal' | 'replicate' | 'openai' | 'elevenlabs' | 'comfyui')[] | null;
  readonly models: {
    readonly allow: readonly string[] | null;
    readonly deny: readonly string[];
  };
};

/** A workflow to start from */
export type Template = {
  readonly title: string;
  /** `tpl_…` */
  readonly id: string;
  /** A file of the service, or a published workflow */
  readonly source: 'shipped' | 'published';
  readonly workflowId: string | null;
  readonly slug: string | null;
  readonly description: string | null;
  readonly shelf: 'verbs' | 'ads' | 'video' | 'text-and-sound' | null;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly card: string | null;
  readonly poster: string | null;
  readonly preview: {
    readonly url: string;
    readonly contentType: string;
  } | null;
  /** Without notes and groups */
  readonly nodeCount: number;
  /** The providers that its nodes need, such as fal */
  readonly needs: readonly string[];
  /** Whether every node can run in this service, and the credits of your active workspace cover `credits` */
  readonly runsNow: boolean;
  /** Whether it could run if your active workspace had `credits` */
  readonly needsCredits: boolean;
  /** Whether copies include recorded results */
  readonly hasSample: boolean;
  readonly credits: number | null;
  /** False if a price or a number of calls is known only at run time */
  readonly creditsExact: boolean;
  readonly views: number;
  readonly canDuplicate: boolean;
  readonly isOwner: boolean;
  readonly isPublished: boolean;
  readonly publishedAt: string | null;
};

/** A template with its graph and recorded results */
export type TemplateDetail = {
  readonly title: string;
  /** `tpl_…` */
  readonly id: string;
  /** A file of the service, or a published workflow */
  readonly source: 'shipped' | 'published';
  readonly workflowId: string | null;
  readonly slug: string | null;
  readonly description: string | null;
  readonly shelf: 'verbs' | 'ads' | 'video' | 'text-and-sound' | null;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly card: string | null;
  readonly poster: string | null;
  readonly preview: {
    readonly url: string;
    readonly contentType: string;
  } | null;
  /** Without notes and groups */
  readonly nodeCount: number;
  /** The providers that its nodes need, such as fal */
  readonly needs: readonly string[];
  /** Whether every node can run in this service, and the credits of your active workspace cover `credits` */
  readonly runsNow: boolean;
  /** Whether it could run if your active workspace had `credits` */
  readonly needsCredits: boolean;
  /** Whether copies include recorded results */
  readonly hasSample: boolean;
  readonly credits: number | null;
  /** False if a price or a number of calls is known only at run time */
  readonly creditsExact: boolean;
  readonly views: number;
  readonly canDuplicate: boolean;
  readonly isOwner: boolean;
  readonly isPublished: boolean;
  readonly publishedAt: string | null;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly sample: {
    readonly nodeStates: readonly Readonly<Record<string, unknown>>[];
  } | null;
};

/** One page of a list */
export type TemplatePage = {
  readonly data: readonly Template[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** A code of the new secret */
export type TotpCode = {
  /** The six digits of an authenticator app */
  readonly code: string;
};

/** A secret for an authenticator app, shown once */
export type TotpSetup = {
  /** Base 32, to enter by hand */
  readonly secret: string;
  /** For a QR code */
  readonly uri: string;
};

/** Starts runs of a workflow when something happens */
export type Trigger = {
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string;
  readonly kind: 'hook' | 'after' | 'feed' | 'bucket';
  readonly name: string;
  /** The settings of this kind, without secrets */
  readonly config: {
    readonly hasSecret?: boolean;
  } & Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly maxCredits: number | null;
  readonly isActive: boolean;
  readonly pausedReason: string | null;
  readonly lastRunAt: string | null;
  readonly lastExecutionId: string | null;
  readonly createdBy: number;
  readonly createdAt: string;
};

/** What to change */
export type TriggerChange = {
  readonly name?: string;
  /** The settings of this kind */
  readonly config?: {
    readonly secret?: string | null;
    /** after: the workflow whose runs start this one */
    readonly workflowId?: string;
    /** after: the final statuses of runs that count; by default COMPLETED */
    readonly statuses?: readonly ('COMPLETED' | 'FAILED' | 'TIMEOUT' | 'CANCELLED')[];
    /** feed: the URL of an RSS or Atom feed */
    readonly url?: string;
    /** feed: how often to poll; by default every 15 minutes */
    readonly everyMinutes?: number;
    /** bucket: the prefix of the files, below `inbox/` in the bucket of the service */
    readonly prefix?: string;
  };
  /** By input name or node ID, a JSON pointer into the payload; an empty pointer selects all of it. If the payload has no value there, the node keeps its own. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly maxCredits?: number | null;
  readonly isActive?: boolean;
  /** hook: creates a new token; the old one stops working */
  readonly renewToken?: true;
};

/** An entry of the history of a trigger */
export type TriggerEvent = {
  readonly at: string;
  readonly outcome: 'accepted' | 'skipped' | 'refused';
  readonly reason: string | null;
  readonly executionId: string | null;
};

/** One page of a list */
export type TriggerEventPage = {
  readonly data: readonly TriggerEvent[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** One page of a list */
export type TriggerPage = {
  readonly data: readonly Trigger[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** What starts runs of the workflow */
export type TriggerRequest = {
  /** `hook`: a request; `after`: the end of a run of another workflow; `feed`: a new item; `bucket`: a new file */
  readonly kind: 'hook' | 'after' | 'feed' | 'bucket';
  readonly name?: string;
  /** The settings of this kind */
  readonly config?: {
    readonly secret?: string | null;
    /** after: the workflow whose runs start this one */
    readonly workflowId?: string;
    /** after: the final statuses of runs that count; by default COMPLETED */
    readonly statuses?: readonly ('COMPLETED' | 'FAILED' | 'TIMEOUT' | 'CANCELLED')[];
    /** feed: the URL of an RSS or Atom feed */
    readonly url?: string;
    /** feed: how often to poll; by default every 15 minutes */
    readonly everyMinutes?: number;
    /** bucket: the prefix of the files, below `inbox/` in the bucket of the service */
    readonly prefix?: string;
  };
  /** By input name or node ID, a JSON pointer into the payload; an empty pointer selects all of it. If the payload has no value there, the node keeps its own. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly maxCredits?: number | null;
  readonly isActive?: boolean;
};

/** How many notices you have not read */
export type UnreadNotices = {
  /** How many notices you have not read */
  readonly unread: number;
};

/** The outcome for a caller */
export type UpdatedCaller = {
  readonly workflowId: string;
  readonly name: string;
  /** With `dryRun`, `updated` means that it can be updated */
  readonly outcome: 'updated' | 'unchanged' | 'refused';
  /** Why it was refused */
  readonly issues?: readonly {
    readonly code: string;
    readonly message: string;
    readonly nodeId?: string;
  }[];
  readonly lostPorts: readonly LostPort[];
};

/** The outcome for each caller */
export type UpdatedCallers = {
  readonly data: readonly UpdatedCaller[];
  /** The number of other callers, which you cannot read; at most 10,000 */
  readonly hidden: number;
  readonly nextCursor: string | null;
};

export type UploadForm = {
  /** Up to 4 MB */
  readonly file: string;
  /** Of a video; images are measured */
  readonly width?: number;
  /** Of a video; images are measured */
  readonly height?: number;
  /** Seconds, of a video or sound */
  readonly duration?: number;
} | null;

/** An account */
export type User = {
  readonly userId: number;
  /** Not case-sensitive */
  readonly email: string;
  readonly name: string;
  readonly plan: string;
  readonly isAuthor: boolean;
  readonly isAdmin: boolean;
  readonly disabled: boolean;
  readonly createdAt: string;
};

/** The fields of an account to change */
export type UserChanges = {
  readonly name?: string;
  /** Shares and invitations for the old email follow; links that set a password stop working. Check that it belongs to the person */
  readonly email?: string;
  readonly plan?: string;
  readonly isAuthor?: boolean;
  readonly isAdmin?: boolean;
  /** Disables the account; its keys and sessions stop working within 5 seconds */
  readonly disabled?: boolean;
};

/** The account to create */
export type UserInput = {
  /** Not case-sensitive */
  readonly email: string;
  readonly name: string;
  /** Default: DEFAULT_PLAN */
  readonly plan?: string;
  /** Default: DEFAULT_CREDITS */
  readonly credits?: number;
  readonly isAuthor?: boolean;
  /** Whether sessions of the account have the scope instance:admin */
  readonly isAdmin?: boolean;
  /** Creates a link where the user sets a password, valid for 72 hours and shown once */
  readonly invite?: boolean;
  /** The page that opens when the user has set a password, such as `/flow/wf_…` */
  readonly next?: string;
  /** Creates a key with these scopes, shown once */
  readonly keyScopes?: readonly (
    | 'workflows:read'
    | 'workflows:write'
    | 'workflows:execute'
    | 'account:admin'
    | 'instance:admin'
  )[];
};

/** An account, its credits, and when it was last seen in a session */
export type UserListItem = {
  readonly userId: number;
  /** Not case-sensitive */
  readonly email: string;
  readonly name: string;
  readonly plan: string;
  readonly isAuthor: boolean;
  readonly isAdmin: boolean;
  readonly disabled: boolean;
  readonly createdAt: string;
  readonly hasPassword: boolean;
  readonly hasSecondFactor: boolean;
  /** Credits of the personal workspace */
  readonly credits: {
    readonly balance: number;
    readonly held: number;
  };
  readonly lastSeenAt: string | null;
};

/** One page of a list */
export type UserPage = {
  readonly data: readonly UserListItem[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** A version with its graph */
export type Version = {
  readonly version: number;
  /** Author of the version */
  readonly userId: number;
  /** Name of the author */
  readonly userName: string;
  readonly createdAt: string;
  readonly isCurrent: boolean;
  /** Whether it is the public version */
  readonly isPublished: boolean;
  readonly workflowId: string;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
};

/** A version without its graph */
export type VersionListItem = {
  readonly version: number;
  /** Author of the version */
  readonly userId: number;
  /** Name of the author */
  readonly userName: string;
  readonly createdAt: string;
  readonly isCurrent: boolean;
  /** Whether it is the public version */
  readonly isPublished: boolean;
};

/** One page of a list */
export type VersionPage = {
  readonly data: readonly VersionListItem[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** A composition with slots */
export type VideoTemplate = {
  readonly id: string;
  readonly label: string;
  readonly category: string;
  readonly compositionId: string;
  readonly description: string;
  /** URL of an image */
  readonly thumbnail: string;
  readonly fps: number;
  readonly width: number;
  readonly height: number;
  readonly durationInFrames: number;
  readonly defaultProps: unknown;
  /** Label and description of each prop without a port */
  readonly props: Readonly<Record<string, PropText>>;
  readonly inputMappings: readonly InputMapping[];
};

/** The compositions that an account may use */
export type VideoTemplateList = {
  readonly data: readonly VideoTemplate[];
};

/** A composition */
export type VideoTemplateResponse = {
  readonly data: VideoTemplate;
};

/** The response to a sample event */
export type WebhookTest = {
  readonly delivered: boolean;
  readonly eventId: string;
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly response: string | null;
};

/** A graph with its settings, as this reader may see it */
export type Workflow = {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly webhookId?: string | null;
  readonly webhookUrl?: string | null;
  readonly isActive: boolean;
  readonly isPublished: boolean;
  readonly tags: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly userId: number;
  readonly teamId: string | null;
  readonly folderId: string | null;
  readonly linkPermission: 'PRIVATE' | 'VIEW' | 'DUPLICATE';
  readonly publishedSlug: string | null;
  readonly publishedAt: string | null;
  readonly publishSettings: Readonly<Record<string, unknown>> | null;
  readonly poster: string | null;
  readonly media: Readonly<Record<string, unknown>> | null;
  readonly secrets: Readonly<Record<string, unknown>> | null;
  readonly views: number;
  readonly dailyCreditBudget?: number | null;
  readonly executionEngine?: 'standard';
  readonly lastEditorHeartbeatAt?: string | null;
  readonly isOwner: boolean;
  readonly canEdit: boolean;
  readonly canDuplicate: boolean;
  readonly userRole: 'OWNER' | 'EDITOR' | 'VIEWER' | 'ANONYMOUS';
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly meta?: WriteMeta;
};

/** The current state of the workflow */
export type WorkflowChangedEvent = {
  readonly event: 'changed';
  readonly data: {
    readonly version: number;
    readonly updatedAt: string;
    readonly userId: number | null;
    readonly sessionId: string | null;
  };
};

/** The fields of a workflow to change */
export type WorkflowChanges = {
  readonly name?: string;
  readonly description?: string | null;
  readonly nodes?: readonly NodeInput[];
  readonly edges?: readonly EdgeInput[];
  readonly tags?: readonly string[];
  readonly isActive?: boolean;
  readonly webhookId?: string | null;
  readonly webhookUrl?: string | null;
  readonly folderId?: string | null;
  /** False to keep the coordinates as sent */
  readonly autoLayout?: boolean;
  readonly secrets?: Readonly<
    Record<
      string,
      | string
      | {
          readonly value: string;
          /** Hosts that may receive it in requests, e.g. api.example.com, *.example.org:8443 */
          readonly hosts: readonly string[];
        }
    >
  > | null;
  readonly poster?: string | null;
  /** The value that you read, to detect that someone else changed the workflow since */
  readonly updatedAt?: unknown;
  /** Same as updatedAt */
  readonly baseUpdatedAt?: unknown;
};

/** The credentials that a workflow uses instead of the defaults of its workspace, by provider */
export type WorkflowCredentials = {
  readonly fal?: string | null;
  readonly replicate?: string | null;
  readonly openai?: string | null;
  readonly elevenlabs?: string | null;
  readonly comfyui?: string | null;
};

/** Changes of nodes and edges. If one operation fails, none is applied */
export type WorkflowEditRequest = {
  readonly operations: readonly {
    readonly op:
      | 'add_node'
      | 'remove_node'
      | 'connect'
      | 'disconnect'
      | 'set_config'
      | 'rename'
      | 'replace_node_type'
      | 'bypass'
      | 'restore';
    /** Without it, `rename` renames the workflow */
    readonly nodeId?: string;
    /** For `add_node` and `replace_node_type` */
    readonly nodeType?: string;
    readonly label?: string;
    /** `set_config` merges these fields. null restores the default, unless the field accepts null */
    readonly config?: Readonly<Record<string, unknown>>;
    /** For `connect` and `disconnect`: `node.port -> node.port`, such as `idea.text -> picture.prompt` */
    readonly edge?: string;
  }[];
  /** Lay out the whole board again */
  readonly arrange?: boolean;
};

/** One server-sent event of a workflow, with its fields `event` and `data` */
export type WorkflowEvent = WorkflowChangedEvent | PresenceEvent;

/** A workflow as one file */
export type WorkflowFile = {
  readonly format: 'graphwright-workflow';
  readonly formatVersion: 1;
  readonly exportedAt: string;
  readonly name: string;
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  /** The components that the graph calls and that you may duplicate */
  readonly components?: readonly {
    /** ID in the calls of the file */
    readonly id: string;
    /** Version in the calls of the file */
    readonly version: number;
    /** Whether calls of the latest version mean this one */
    readonly isLatest: boolean;
    readonly name: string;
    readonly description: string | null;
    readonly tags: readonly string[];
    readonly nodes: readonly Node[];
    readonly edges: readonly Edge[];
  }[];
  readonly media: readonly {
    /** ID in the graph */
    readonly mediaId: string;
    /** Downloaded if `data` is absent */
    readonly url: string;
    readonly name: string;
    readonly contentType: string;
    /** Hex digits */
    readonly sha256?: string;
    readonly width: number | null;
    readonly height: number | null;
    readonly duration: number | null;
    /** Base64; at most 25 MB for all files */
    readonly data?: string;
    readonly bytes: number;
  }[];
};

/** The response of GET /workflows/{id}/export, or `source` or `mediaId` of a file of ComfyUI */
export type WorkflowFileInput = {
  readonly format?: 'graphwright-workflow';
  readonly formatVersion?: 1;
  readonly name?: string;
  readonly description?: string | null;
  readonly tags?: readonly string[];
  readonly nodes?: readonly NodeInput[];
  readonly edges?: readonly EdgeInput[];
  /** Workflows that the graphs call */
  readonly components?: readonly {
    /** ID in the calls of the file */
    readonly id: string;
    /** Version in the calls of the file */
    readonly version: number;
    /** Whether calls of the latest version mean this one */
    readonly isLatest?: boolean;
    readonly name: string;
    readonly description?: string | null;
    readonly tags?: readonly string[];
    readonly nodes: readonly NodeInput[];
    readonly edges: readonly EdgeInput[];
  }[];
  /** Files used by the graphs */
  readonly media?: readonly {
    /** ID in the graph */
    readonly mediaId: string;
    /** Downloaded if `data` is absent */
    readonly url: string;
    readonly name: string;
    readonly contentType: string;
    /** Hex digits */
    readonly sha256?: string;
    readonly width: number | null;
    readonly height: number | null;
    readonly duration: number | null;
    /** Base64; at most 25 MB for all files */
    readonly data?: string;
  }[];
  /** The file, as JSON or as text: an export, or a workflow of ComfyUI or fal */
  readonly source?: unknown;
  /** A PNG or WebP image that contains a graph of ComfyUI */
  readonly mediaId?: string;
  /** With `source` or `mediaId`: only report what would be imported */
  readonly dryRun?: boolean;
};

/** The workflow to create */
export type WorkflowInput = {
  readonly name: string;
  readonly description?: string | null;
  readonly nodes: readonly NodeInput[];
  readonly edges: readonly EdgeInput[];
  readonly tags?: readonly string[];
  readonly isActive?: boolean;
  readonly webhookId?: string | null;
  readonly mediaId?: string | null;
  readonly folderId?: string | null;
  readonly secrets?: Readonly<
    Record<
      string,
      | string
      | {
          readonly value: string;
          /** Hosts that may receive it in requests, e.g. api.example.com, *.example.org:8443 */
          readonly hosts: readonly string[];
        }
    >
  > | null;
  /** False to keep the coordinates as sent */
  readonly autoLayout?: boolean;
  /** ID of an existing workflow to replace */
  readonly id?: string;
};

/** A workflow without its graph */
export type WorkflowListItem = {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly webhookId?: string | null;
  readonly webhookUrl?: string | null;
  readonly isActive: boolean;
  readonly isPublished: boolean;
  readonly tags: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly executionCount: number;
  readonly lastExecutedAt: string | null;
  readonly userId?: number;
  readonly teamId?: string | null;
  readonly folderId?: string | null;
  readonly linkPermission?: 'PRIVATE' | 'VIEW' | 'DUPLICATE';
  readonly publishedSlug?: string | null;
  readonly poster?: string | null;
  readonly isOwner?: boolean;
  readonly canEdit?: boolean;
  readonly userRole?: 'OWNER' | 'EDITOR' | 'VIEWER';
  /** The number of workflows that call it as a component */
  readonly callerCount?: number;
  readonly lastExecution?: {
    readonly id: string;
    readonly status:
      | 'QUEUED'
      | 'RUNNING'
      | 'WAITING'
      | 'CANCELLING'
      | 'COMPLETED'
      | 'FAILED'
      | 'TIMEOUT'
      | 'CANCELLED';
    readonly createdAt: string;
    readonly finishedAt: string | null;
  } | null;
  /** Who shared it with you. For old shares, who created it */
  readonly sharedBy?: {
    readonly userId: number;
    readonly name: string;
  };
  readonly sharedAt?: string;
  /** Whether you have not opened it yet */
  readonly isNew?: boolean;
};

/** The newest completed result of each node */
export type WorkflowResults = {
  /** Results by node id */
  readonly nodes: Readonly<
    Record<
      string,
      {
        /** The newest run that has the result, `ex_…` */
        readonly executionId: string;
        readonly finishedAt: string | null;
        /** Whether the node and everything upstream are as they were in that run */
        readonly isCurrent: boolean;
        /** A media result */
        readonly outputUrl?: string;
        /** Several media results, in the order of the list */
        readonly outputUrls?: readonly string[];
        readonly text?: string;
        readonly texts?: readonly string[];
        /** A number or JSON result */
        readonly value?: unknown;
        readonly values?: readonly unknown[];
        /** The values of all output ports, if several have one */
        readonly ports?: readonly {
          /** The output port */
          readonly id: string;
          /** Type of its value, such as `TEXT` or `LIST` */
          readonly type: string;
          readonly text?: string;
          /** A number, JSON or a list */
          readonly value?: unknown;
          /** A media result */
          readonly url?: string;
          /** The seed from which a model made it: that of the run, or the one that the provider chose */
          readonly seed?: number;
        }[];
        /** The seed from which a model made it: that of the run, or the one that the provider chose */
        readonly seed?: number;
        /** The seeds of `outputUrls`, in the same order; null for a result without a seed */
        readonly seeds?: readonly (number | null)[];
        /** Details of a rendered video */
        readonly render?: {
          readonly width: number | null;
          readonly height: number | null;
          readonly duration: number | null;
          readonly fps: number;
          readonly frameCount: number;
          /** The poster, JPEG */
          readonly posterUrl: string;
          /** The codecs that made it: ffmpeg or codec-host */
          readonly backend: string;
          readonly warnings: readonly string[];
        };
        /** true: the recorded result of the template; the node did not run */
        readonly fromSample?: boolean;
        /** true: values were truncated. `GET /executions/{id}/outputs/{nodeId}` has the complete values. */
        readonly truncated?: boolean;
      }
    >
  >;
};

/** Pending work, and the workers */
export type Workload = {
  readonly runs: {
    /** Ready, waiting for a worker */
    readonly queued: number;
    /** Running on a worker */
    readonly running: number;
    /** Waiting for a provider */
    readonly waiting: number;
  };
  readonly oldestQueuedSeconds: number | null;
  readonly jobs: readonly {
    readonly task: string;
    readonly state: 'ready' | 'scheduled' | 'running' | 'failed';
    readonly count: number;
  }[];
  readonly workers: readonly {
    readonly id: string;
    readonly hostname: string;
    readonly pid: number;
    readonly startedAt: string;
    readonly heartbeatAt: string;
    /** Whether it sent a heartbeat within 20 s */
    readonly isAlive: boolean;
    readonly runs: number;
  }[];
};

/** A run in the list of a workspace or of the instance */
export type WorkspaceRun = {
  /** `ex_…` */
  readonly id: string;
  readonly workflowId: string;
  readonly workflowName: string | null;
  /** Who started the run */
  readonly userId: number;
  readonly userName: string;
  readonly teamId: string | null;
  readonly workspaceName: string | null;
  readonly status:
    | 'QUEUED'
    | 'RUNNING'
    | 'WAITING'
    | 'CANCELLING'
    | 'COMPLETED'
    | 'FAILED'
    | 'TIMEOUT'
    | 'CANCELLED';
  readonly trigger:
    | 'api'
    | 'editor'
    | 'mcp'
    | 'cli'
    | 'resume'
    | 'sample'
    | 'batch'
    | 'schedule'
    | 'hook'
    | 'after'
    | 'feed'
    | 'bucket'
    | 'app';
  /** The paid node types in the run */
  readonly models: readonly string[];
  readonly preview: {
    /** Up to four inputs, or the prompts of a workflow without input nodes */
    readonly inputs: readonly {
      /** Label of the node */
      readonly label: string;
      /** Up to 200 characters */
      readonly text?: string;
      readonly url?: string;
      readonly contentType?: string;
      readonly posterUrl?: string;
    }[];
    /** Up to six results */
    readonly outputs: readonly {
      /** Label of the node */
      readonly label: string;
      /** Up to 200 characters */
      readonly text?: string;
      readonly url?: string;
      readonly contentType?: string;
      readonly posterUrl?: string;
    }[];
  } | null;
  readonly batch: {
    /** `bat_…` */
    readonly id: string;
    /** Number of rows */
    readonly total: number;
    readonly completed: number;
    readonly failed: number;
    readonly running: number;
  } | null;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly nodeId: string | null;
    /** The type of the failed node */
    readonly nodeType?: string;
  } | null;
  readonly progress: {
    readonly done: number;
    readonly total: number;
  };
  readonly credits: {
    readonly estimated: number;
    readonly held: number;
    readonly charged: number;
    readonly released: number;
  };
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Whether you may read the run itself. Workflows that are only shared with you do not count */
  readonly mayOpen: boolean;
};

/** One page of a list */
export type WorkspaceRunPage = {
  readonly data: readonly WorkspaceRun[];
  /** Null on the last page */
  readonly nextCursor: string | null;
};

/** Lint results of the written graph */
export type WriteMeta = {
  readonly warnings: readonly string[];
  /** Lint issues, at most 500 */
  readonly issues: readonly LintIssue[];
  /** Not all issues are listed */
  readonly truncated?: true;
  /** With truncated: the number of issues */
  readonly total?: number;
};

/** The written page */
export type WrittenPage = {
  readonly success: true;
  /** URL of the page */
  readonly url: string;
  readonly page: {
    readonly title: string;
    /** Lowercase letters, digits and hyphens */
    readonly slug: string;
    /** Optional if event names it */
    readonly type?: 'TOOL' | 'FEATURE' | 'APP' | 'MODEL' | 'ARTICLE';
    /** Default: the title */
    readonly subtitle?: string | null;
    readonly body_markdown?: string | null;
    readonly heroImage?: string | null;
    readonly isPublished?: boolean;
    readonly meta_description?: string | null;
    readonly seoKeywords?: readonly string[] | null;
    readonly canonicalUrl?: string | null;
    readonly ogImage?: string | null;
    readonly pillar?: string | null;
    readonly c2aTitle?: string | null;
    readonly c2aSubtitle?: string | null;
    /** Default: Start Creating */
    readonly c2aButtonCopy?: string | null;
    /** Default: /workflows */
    readonly c2aLink?: string | null;
    readonly valueProps?:
      | readonly {
          readonly title: string;
          readonly description: string;
          readonly icon?: string;
          readonly image?: string;
        }[]
      | null;
    readonly faqSchema?:
      | readonly {
          readonly question: string;
          readonly answer: string;
        }[]
      | null;
    readonly howToSteps?:
      | readonly {
          readonly title: string;
          readonly description: string;
          readonly image?: string;
        }[]
      | null;
    readonly contentBlocks?:
      | readonly {
          readonly type: string;
        }[]
      | null;
    readonly crossLinks?:
      | readonly {
          readonly url: string;
          readonly anchorText: string;
          readonly description?: string;
        }[]
      | null;
    readonly quickAnswer?: {
      readonly question: string;
      readonly answer: string;
      readonly bullets?: readonly string[];
      readonly variant?: 'default' | 'highlight' | 'compact';
    } | null;
    /** The page shows its preview if the workflow is public */
    readonly workflowId?: string | null;
    readonly subcategory?: string | null;
    /** Default: depends on the type */
    readonly parentCategory?: 'features' | 'models' | 'articles' | null;
    readonly event?:
      | 'create_tool'
      | 'create_feature'
      | 'create_app'
      | 'create_model'
      | 'create_article'
      | 'update_page';
    readonly author: string;
    readonly publishedAt: string | null;
    readonly createdAt: string;
    readonly updatedAt: string;
  };
  readonly meta?: {
    readonly warnings: readonly string[];
  };
};
