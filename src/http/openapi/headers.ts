// The headers of requests and answers: each is described once, and a table says which operation has it.

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
      'For 24 hours, a request with the same key and body gets the first answer again; with another body it is refused.',
    schema: { ...TEXT, minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    example: 'order-1042',
    on: STARTS,
  },
  Prefer: {
    description:
      '`wait=N`: wait up to N seconds (60 at most) and answer 200 with the record, if the run ends in time.',
    schema: TEXT,
    example: 'wait=30',
    on: STARTS,
  },
  'X-Client': {
    description: 'Who asks; shown as the run’s `trigger`. Nothing else depends on it.',
    schema: { ...TEXT, enum: ['editor', 'cli'] },
    example: 'cli',
    on: STARTS,
  },
  'If-Match': {
    description: 'The `ETag` that was read. Where the workflow has changed since, the write is refused.',
    schema: TEXT,
    example: '"3-1f0c9a"',
    on: ['updateWorkflow'],
  },
  'If-None-Match': {
    description: 'The `ETag` of the copy you have: 304 where it is still right.',
    schema: TEXT,
    example: '"3-1f0c9a"',
    on: CONDITIONAL,
  },
  'Last-Event-ID': {
    description: 'The id of the last event that arrived: the stream goes on after it.',
    schema: { ...TEXT, pattern: '^\\d{1,9}$' },
    example: '7',
    on: ['streamExecution'],
  },
  Range: {
    description: 'One range of bytes.',
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

interface AnswerHeader {
  readonly description: string;
  readonly schema: object;
  readonly example: string | number;
  readonly when: (operationId: string, status: number) => boolean;
}

const always = (): boolean => true;
const isGood = (status: number): boolean => status < 300;
const NUMBER = { type: 'integer' } as const;

const ANSWER_HEADERS: Readonly<Record<string, AnswerHeader>> = {
  'X-Request-Id': {
    description: 'Names this request to the operator; an `X-Request-Id` that you send is kept.',
    schema: TEXT,
    example: '3b9a2f0e-6c1d-4a6e-9a4d-0c9f4f1b7a11',
    when: always,
  },
  'X-RateLimit-Limit': { description: 'Requests in the window.', schema: NUMBER, example: 60, when: always },
  'X-RateLimit-Remaining': {
    description: 'What is left of them.',
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
    description: 'Seconds to wait before asking again.',
    schema: NUMBER,
    example: 12,
    when: (_, status) => status === 429,
  },
  'WWW-Authenticate': {
    description: 'What the credential lacks (RFC 6750).',
    schema: TEXT,
    example: 'Bearer error="insufficient_scope", scope="workflows:write"',
    when: (_, status) => status === 401,
  },
  ETag: {
    description: 'Names this state of the resource, for `If-None-Match` and `If-Match`.',
    schema: TEXT,
    example: '"3-1f0c9a"',
    when: (id, status) => TAGGED.includes(id) && (isGood(status) || status === 304),
  },
  Location: {
    description: 'Where to find it.',
    schema: TEXT,
    example: 'https://graphwright.example.com/api/v1/executions/ex_01',
    when: (id, status) =>
      [201, 301, 302, 303, 307].includes(status) || (status === 202 && STARTS.includes(id)),
  },
  Link: {
    description: 'The next page, with `rel="next"`, where there is one.',
    schema: TEXT,
    example: '<https://graphwright.example.com/api/v1/workflows?cursor=d2Zf>; rel="next"',
    when: (id, status) => isGood(status) && ['listWorkflows', 'listFolders'].includes(id),
  },
  'Idempotent-Replayed': {
    description: '`true`: this is the first answer again.',
    schema: { ...TEXT, const: 'true' },
    example: 'true',
    when: (id, status) => isGood(status) && STARTS.includes(id),
  },
  'Preference-Applied': {
    description: 'The wait that was honoured.',
    schema: TEXT,
    example: 'wait=30',
    when: (id, status) => isGood(status) && STARTS.includes(id),
  },
};

/** Under `components.headers`. */
export const HEADERS = Object.fromEntries(
  Object.entries(ANSWER_HEADERS).map(([name, { when: _, ...header }]) => [name, header]),
);

/** References to the headers of an answer. */
export function answerHeadersOf(
  operationId: string,
  status: number,
): Readonly<Record<string, { $ref: string }>> {
  return Object.fromEntries(
    Object.entries(ANSWER_HEADERS)
      .filter(([, { when }]) => when(operationId, status))
      .map(([name]) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

export const isConditional = (operationId: string): boolean => CONDITIONAL.includes(operationId);
