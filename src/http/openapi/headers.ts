// Describes the headers of requests and responses, and which operations have them.

interface RequestHeader {
  readonly description: string;
  readonly schema: object;
  readonly example: string | number;
  /** Operation ids. */
  readonly on: readonly string[];
}

const TEXT = { type: 'string' } as const;
const STARTS = ['runWorkflow', 'executeWorkflow', 'resumeExecution'];
const CONDITIONAL = [
  'getWorkflow',
  'getPublished',
  'listNodes',
  'listModels',
  'getSceneGraphContract',
  'listVideoTemplates',
  'getVideoTemplate',
  'downloadMedia',
  'showFeatures',
  'showFeature',
  'showModels',
  'showModel',
  'showBlog',
  'showArticle',
  'showWorkflow',
  'getWorkflowDrawing',
  'getSitemap',
  'getFeed',
];
const TAGGED = [...CONDITIONAL, 'createWorkflow', 'updateWorkflow', 'putUpload'];

const REQUEST_HEADERS: Readonly<Record<string, RequestHeader>> = {
  'Idempotency-Key': {
    description:
      'Makes the request safe to retry. For 24 hours, a request with the same key and body returns the first response; with another body it is refused.',
    schema: { ...TEXT, minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    example: 'order-1042',
    on: STARTS,
  },
  Prefer: {
    description:
      '`wait=N` waits up to N seconds (at most 60) for the run, and returns 200 with the record if it ends in time.',
    schema: TEXT,
    example: 'wait=30',
    on: STARTS,
  },
  'X-Client': {
    description: 'The kind of client. Shown as the `trigger` of the run; it has no other effect.',
    schema: { ...TEXT, enum: ['editor', 'cli'] },
    example: 'cli',
    on: STARTS,
  },
  'If-Match': {
    description: 'The `ETag` that you last read. The update is refused if the workflow has changed since.',
    schema: TEXT,
    example: '"3-1f0c9a"',
    on: ['updateWorkflow'],
  },
  'If-None-Match': {
    description: 'The `ETag` of your copy. Returns 304 if it is current.',
    schema: TEXT,
    example: '"3-1f0c9a"',
    on: CONDITIONAL,
  },
  'Last-Event-ID': {
    description: 'The id of the last event that you received. The stream resumes after it.',
    schema: { ...TEXT, pattern: '^\\d{1,9}$' },
    example: '7',
    on: ['streamExecution'],
  },
  Range: {
    description: 'A single range of bytes.',
    schema: TEXT,
    example: 'bytes=0-1023',
    on: ['downloadMedia'],
  },
};

/** Under `components.parameters`. */
export const HEADER_PARAMETERS = Object.fromEntries(
  Object.entries(REQUEST_HEADERS).map(([name, { on: _, ...header }]) => [
    name,
    { name, in: 'header', required: false, ...header },
  ]),
);

/** References to the request headers of an operation. */
export function headerParametersOf(operationId: string): { readonly $ref: string }[] {
  return Object.entries(REQUEST_HEADERS)
    .filter(([, { on }]) => on.includes(operationId))
    .map(([name]) => ({ $ref: `#/components/parameters/${name}` }));
}

interface ResponseHeader {
  readonly description: string;
  readonly schema: object;
  readonly example: string | number;
  readonly when: (operationId: string, status: number) => boolean;
}

const always = (): boolean => true;
const isGood = (status: number): boolean => status < 300;
const NUMBER = { type: 'integer' } as const;

const RESPONSE_HEADERS: Readonly<Record<string, ResponseHeader>> = {
  'X-Request-Id': {
    description: 'Identifies the request in the logs. An `X-Request-Id` that you send is used.',
    schema: TEXT,
    example: '3b9a2f0e-6c1d-4a6e-9a4d-0c9f4f1b7a11',
    when: always,
  },
  'X-RateLimit-Limit': {
    description: 'The number of requests allowed in the window.',
    schema: NUMBER,
    example: 60,
    when: always,
  },
  'X-RateLimit-Remaining': {
    description: 'The number of requests left in the window.',
    schema: NUMBER,
    example: 59,
    when: always,
  },
  'X-RateLimit-Reset': {
    description: 'When the window ends, in Unix seconds.',
    schema: NUMBER,
    example: 1_767_225_600,
    when: always,
  },
  'Retry-After': {
    description: 'Seconds to wait before you retry.',
    schema: NUMBER,
    example: 12,
    when: (_, status) => status === 429,
  },
  'WWW-Authenticate': {
    description: 'The error and the required scope of the credential (RFC 6750).',
    schema: TEXT,
    example: 'Bearer error="insufficient_scope", scope="workflows:write"',
    when: (_, status) => status === 401,
  },
  ETag: {
    description: 'Identifies this state of the resource, for `If-None-Match` and `If-Match`.',
    schema: TEXT,
    example: '"3-1f0c9a"',
    when: (id, status) => TAGGED.includes(id) && (isGood(status) || status === 304),
  },
  Location: {
    description: 'The URL of the resource.',
    schema: TEXT,
    example: 'https://graphwright.example.com/api/v1/executions/ex_01',
    when: (id, status) =>
      [201, 301, 302, 303, 307].includes(status) || (status === 202 && STARTS.includes(id)),
  },
  Link: {
    description: 'The URL of the next page, with `rel="next"`, if there is one.',
    schema: TEXT,
    example: '<https://graphwright.example.com/api/v1/workflows?cursor=d2Zf>; rel="next"',
    when: (id, status) => isGood(status) && ['listWorkflows', 'listFolders'].includes(id),
  },
  'Idempotent-Replayed': {
    description: '`true` if this repeats the response to an earlier request with the same `Idempotency-Key`.',
    schema: { ...TEXT, const: 'true' },
    example: 'true',
    when: (id, status) => isGood(status) && STARTS.includes(id),
  },
  'Preference-Applied': {
    description: 'The wait that was applied.',
    schema: TEXT,
    example: 'wait=30',
    when: (id, status) => isGood(status) && STARTS.includes(id),
  },
};

/** Under `components.headers`. */
export const HEADERS = Object.fromEntries(
  Object.entries(RESPONSE_HEADERS).map(([name, { when: _, ...header }]) => [name, header]),
);

/** References to the headers of a response. */
export function responseHeadersOf(
  operationId: string,
  status: number,
): Readonly<Record<string, { $ref: string }>> {
  return Object.fromEntries(
    Object.entries(RESPONSE_HEADERS)
      .filter(([, { when }]) => when(operationId, status))
      .map(([name]) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

export const isConditional = (operationId: string): boolean => CONDITIONAL.includes(operationId);
