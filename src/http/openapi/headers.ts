// Describes the headers of requests and responses, and which routes have them.

interface Header {
  readonly description: string;
  readonly schema: object;
  readonly example: string | number;
}

const TEXT = { type: 'string' } as const;
const REQUEST_HEADERS = {
  'Idempotency-Key': {
    description:
      'Makes the request safe to retry. For 24 hours, a request with the same key and body returns the first response. The same key with another body is rejected.',
    schema: { ...TEXT, minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    example: 'order-1042',
  },
  Prefer: {
    description:
      '`wait=N` waits up to N seconds (at most 60) for the run, and returns 200 with the record if it ends in time.',
    schema: TEXT,
    example: 'wait=30',
  },
  'X-Client': {
    description: 'The kind of client. It becomes the `trigger` of the run and has no other effect.',
    schema: { ...TEXT, enum: ['editor', 'cli'] },
    example: 'cli',
  },
  'If-Match': {
    description: 'The `ETag` that you last read. The update is rejected if the workflow has changed since.',
    schema: TEXT,
    example: '"3-1f0c9a"',
  },
  'If-None-Match': {
    description: 'The `ETag` of your copy. Returns 304 if it is current.',
    schema: TEXT,
    example: '"3-1f0c9a"',
  },
  'Last-Event-ID': {
    description: 'The id of the last event that you received. The stream resumes after it.',
    schema: { ...TEXT, pattern: '^\\d{1,9}$' },
    example: '7',
  },
  Range: {
    description: 'A single range of bytes.',
    schema: TEXT,
    example: 'bytes=0-1023',
  },
} as const satisfies Readonly<Record<string, Header>>;

export type RequestHeader = keyof typeof REQUEST_HEADERS;

/** The properties of a route that determine its headers. */
export interface RouteHeaders {
  readonly startsRun?: boolean;
  /** Whether the response has an ETag, and is 304 if `If-None-Match` has the same ETag. */
  readonly isConditional?: boolean;
  /** Headers in addition to those of `startsRun` and `isConditional`. */
  readonly requestHeaders?: readonly RequestHeader[];
  readonly responseHeaders?: readonly ResponseHeader[];
}

/** The document's `components.parameters`. */
export const REQUEST_HEADER_PARAMETERS = Object.fromEntries(
  Object.entries(REQUEST_HEADERS).map(([name, header]) => [
    name,
    { name, in: 'header', required: false, ...header },
  ]),
);

/** Returns references to the request headers of a route. */
export function listHeaderParameters({
  startsRun,
  isConditional,
  requestHeaders = [],
}: RouteHeaders): { readonly $ref: string }[] {
  const names: readonly RequestHeader[] = [
    ...(startsRun ? (['Idempotency-Key', 'Prefer', 'X-Client'] as const) : []),
    ...(isConditional ? (['If-None-Match'] as const) : []),
    ...requestHeaders,
  ];
  return names.map(name => ({ $ref: `#/components/parameters/${name}` }));
}

const NUMBER = { type: 'integer' } as const;

/** The document's `components.headers`. */
export const RESPONSE_HEADER_COMPONENTS = {
  'X-Request-Id': {
    description: 'Identifies the request in the logs. An `X-Request-Id` that you send is used.',
    schema: TEXT,
    example: '3b9a2f0e-6c1d-4a6e-9a4d-0c9f4f1b7a11',
  },
  'X-RateLimit-Limit': {
    description: 'The number of requests allowed in the window.',
    schema: NUMBER,
    example: 60,
  },
  'X-RateLimit-Remaining': {
    description: 'The number of requests left in the window.',
    schema: NUMBER,
    example: 59,
  },
  'X-RateLimit-Reset': {
    description: 'When the window ends, in Unix seconds.',
    schema: NUMBER,
    example: 1_767_225_600,
  },
  'Retry-After': {
    description: 'Seconds to wait before you retry.',
    schema: NUMBER,
    example: 12,
  },
  'WWW-Authenticate': {
    description: 'The error and the required scope of the credential (RFC 6750).',
    schema: TEXT,
    example: 'Bearer error="insufficient_scope", scope="workflows:write"',
  },
  ETag: {
    description: 'Identifies this state of the resource, for `If-None-Match` and `If-Match`.',
    schema: TEXT,
    example: '"3-1f0c9a"',
  },
  Location: {
    description: 'The URL of the resource.',
    schema: TEXT,
    example: 'https://graphwright.example.com/api/v1/executions/ex_01',
  },
  Link: {
    description: 'The URL of the next page, with `rel="next"`, if there is one.',
    schema: TEXT,
    example: '<https://graphwright.example.com/api/v1/workflows?cursor=d2Zf>; rel="next"',
  },
  'Idempotent-Replayed': {
    description: '`true` if this repeats the response to an earlier request with the same `Idempotency-Key`.',
    schema: { ...TEXT, const: 'true' },
    example: 'true',
  },
  'Preference-Applied': {
    description: 'The wait that was applied.',
    schema: TEXT,
    example: 'wait=30',
  },
} as const satisfies Readonly<Record<string, Header>>;

export type ResponseHeader = keyof typeof RESPONSE_HEADER_COMPONENTS;

const EVERY_RESPONSE = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const;
/** 409 is included because another request with the same idempotency key may be in progress. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([409, 429, 503]);
const WITH_LOCATION: ReadonlySet<number> = new Set([201, 301, 302, 303, 307]);

/** Returns references to the headers of an error response, which are the same in every operation. */
export const listErrorHeaders = (status: number) =>
  toReferences([
    ...EVERY_RESPONSE,
    ...(WITH_RETRY_AFTER.has(status) ? (['Retry-After'] as const) : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 308 ? (['Location'] as const) : []),
  ]);

/** Returns references to the headers of a response that is not an error. */
export function listResponseHeaders(
  { startsRun = false, isConditional = false, responseHeaders = [] }: RouteHeaders,
  status: number,
) {
  const isSuccess = status < 300;
  return toReferences([
    ...EVERY_RESPONSE,
    ...(isConditional && (isSuccess || status === 304) ? (['ETag'] as const) : []),
    ...(WITH_LOCATION.has(status) || (status === 202 && startsRun) ? (['Location'] as const) : []),
    ...(startsRun && isSuccess ? (['Idempotent-Replayed', 'Preference-Applied'] as const) : []),
    ...(isSuccess ? responseHeaders : []),
  ]);
}

function toReferences(names: readonly ResponseHeader[]): Readonly<Record<string, { $ref: string }>> {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]));
}
