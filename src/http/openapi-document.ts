// What the OpenAPI document says of every operation alike: its id, and the refusals that it can answer with.
import { ERROR_CODES, type ErrorCode } from '../lib/errors.ts';
import { CompletionEvent } from '../runs/run-answer.schema.ts';
import { type BodySchema, isOptionalBody } from './body.ts';

interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly in: string }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: BodySchema }>> };
  readonly responses?: Readonly<Record<string, object>>;
}

export interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const TEXT = { type: 'string' } as const;

const CODE_TABLE = [
  '| code | status | meaning |',
  '| --- | --- | --- |',
  ...CODES.map(code => `| \`${code}\` | ${ERROR_CODES[code].join(' | ')} |`),
].join('\n');

/** The form of every refusal, under `components.schemas`. */
export const ERROR_SCHEMA = {
  type: 'object',
  required: ['error', 'code', 'requestId'],
  properties: {
    error: { ...TEXT, description: 'A sentence that a person can act on' },
    code: { ...TEXT, enum: CODES, description: CODE_TABLE },
    requestId: { ...TEXT, description: 'The X-Request-Id of the answer' },
    retryAfter: { type: 'integer', description: 'With 429: Unix seconds, as X-RateLimit-Reset' },
    issues: {
      type: 'array',
      description: 'Where several things are wrong at once',
      items: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          path: { ...TEXT, description: 'A JSON pointer into the body' },
          nodeId: TEXT,
          edgeId: TEXT,
          code: TEXT,
          message: TEXT,
        },
      },
    },
  },
};

/** One response a status of the error table, under `components.responses`. */
export const ERROR_RESPONSES = Object.fromEntries(
  Map.groupBy(CODES, code => ERROR_CODES[code][0])
    .entries()
    .map(([status, codes]) => [
      `Error${status}`,
      {
        description: codes.map(code => `\`${code}\`: ${ERROR_CODES[code][1]}`).join('\n\n'),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
);

/** What the service sends: the document's `webhooks`. */
const WEBHOOKS = {
  executionEnded: {
    post: {
      summary: 'A run has ended',
      description:
        'Sent to `webhook.url` of the run until it is answered with 2xx, twelve times at most. The body is signed as sent: ' +
        '`X-Service-Signature`, and the headers of Standard Webhooks, where the run gave a secret.',
      requestBody: { content: { 'application/json': { schema: CompletionEvent } } },
      responses: { '2XX': { description: 'Delivered' } },
    },
  },
};

/** Adds to each operation what follows from its method, path, parameters and security. */
export function completeDocument<D extends Document>(document: D): D {
  const paths = Object.entries(document.paths ?? {}).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, complete(method, path, operation)]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths), webhooks: WEBHOOKS };
}

function complete(method: string, path: string, operation: Operation): Operation {
  const refusals = statusesOf(operation).map(status => [
    String(status),
    { $ref: `#/components/responses/Error${status}` },
  ]);
  return {
    operationId: operationIdOf(method, path, operation.tags?.[0] ?? ''),
    ...operation,
    ...requestBodyOf(operation),
    responses: { ...Object.fromEntries(refusals), ...operation.responses },
  };
}

function requestBodyOf({ requestBody }: Operation): object {
  if (requestBody === undefined) return {};
  const isOptional = isOptionalBody(requestBody.content?.['application/json']?.schema);
  return { requestBody: { ...requestBody, required: !isOptional } };
}

function statusesOf({ security, parameters = [], requestBody }: Operation): number[] {
  const takesKey = security === undefined || security.length > 0;
  const namesThing = parameters.some(parameter => parameter.in === 'path');
  return [
    ...(parameters.length > 0 || requestBody !== undefined ? [400] : []),
    ...(takesKey ? [401] : []),
    ...(takesKey && namesThing ? [403] : []),
    ...(namesThing ? [404] : []),
    ...(requestBody === undefined ? [] : [413, 415]),
    429,
    500,
  ];
}

/** `GET /api/v1/workflows/{id}/executions` → `getWorkflowsByIdExecutions`; outside of the API the tag leads. */
function operationIdOf(method: string, path: string, tag: string): string {
  const words = path
    .replace(/^\/api\/v1/, '')
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => `by-${name}`)
    .split(/[^A-Za-z0-9]+/)
    .filter(word => word !== '');
  const named = path.startsWith('/api/') ? words : [tag, ...words];
  return method + named.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
