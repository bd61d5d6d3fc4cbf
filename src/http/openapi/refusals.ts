// What each operation may refuse with: a response for each status, its codes a closed set, an example for each code.
import { ERROR_CODES, type ErrorCode } from '../../lib/errors.ts';
import { hasExample } from './examples.ts';
import type { Operation, Response } from './operation.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const TEXT = { type: 'string' } as const;

/** The form of every refusal, under `components.schemas`. */
export const ERROR_SCHEMA = {
  type: 'object',
  description: 'Every refusal: a sentence for people, and a code for programs.',
  required: ['error', 'code', 'requestId'],
  properties: {
    error: { ...TEXT, description: 'A sentence that a person can act on' },
    code: {
      ...TEXT,
      enum: CODES,
      description: CODES.map(code => `- \`${code}\`: ${ERROR_CODES[code][1]}`).join('\n'),
    },
    requestId: { ...TEXT, description: 'The X-Request-Id of the answer' },
    retryAfter: { type: 'integer', description: 'With 429: Unix seconds, as X-RateLimit-Reset' },
    insufficientCredits: { type: 'boolean', const: true, description: 'With 402' },
    requiredCredits: { type: 'integer', description: 'With 402: what the run would cost' },
    availableCredits: { type: 'integer', description: 'With 402: what there is' },
    breakdown: {
      type: 'array',
      description: 'With 402: the cost of each node',
      items: {
        type: 'object',
        properties: { nodeId: TEXT, nodeLabel: TEXT, credits: { type: 'integer' } },
      },
    },
    methods: {
      type: 'array',
      items: { ...TEXT, enum: ['password', 'openid'] },
      description: 'With `reauthentication_required`: how the session can prove itself',
    },
    executionId: { ...TEXT, description: 'With 500 at a start: the run that may have been started' },
    issues: {
      type: 'array',
      description: 'Where several things are wrong at once',
      items: { $ref: '#/components/schemas/ErrorIssue' },
    },
    truncated: { type: 'boolean', const: true, description: 'With issues: not all of them are listed' },
    total: { type: 'integer', description: 'With truncated: how many issues there are' },
  },
};

export const ERROR_ISSUE_SCHEMA = {
  type: 'object',
  description: 'One of several things that are wrong.',
  required: ['code', 'message'],
  properties: {
    severity: { ...TEXT, enum: ['error', 'warning'], description: 'Of what lint finds' },
    path: { ...TEXT, description: 'A JSON pointer into the body' },
    nodeId: TEXT,
    edgeId: TEXT,
    code: TEXT,
    message: TEXT,
    suggestion: TEXT,
  },
};

/** The responses that operations refer to, under `components.responses`: one for each set of codes in use. */
export type Refusals = Map<string, Response>;

/** The responses of an operation by status. They are added to `refusals` where they are new. */
export function refusalsOf(
  operation: Operation & { readonly isRead: boolean },
  own: readonly ErrorCode[],
  refusals: Refusals,
): Readonly<Record<string, Response>> {
  const common = commonCodes(operation, operation.isRead);
  const byStatus = Map.groupBy(
    CODES.filter(code => own.includes(code) || common.includes(code)),
    code => ERROR_CODES[code][0],
  );
  const form = formOf(operation);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = [`${form}${status}`, ...codes].join('-');
      if (!refusals.has(name)) refusals.set(name, toResponse(codes, form));
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** The `default` response of an operation that only redirects: linters ask for it where no 2xx is. */
export function anyRefusal(refusals: Refusals): Response {
  refusals.set('RefusalDefault', {
    description: 'Any other refusal',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: { internal_error: { $ref: '#/components/examples/internal_error' } },
      },
    },
  });
  return { $ref: '#/components/responses/RefusalDefault' };
}

/** What follows from an operation's security, parameters and body. */
function commonCodes(
  { security = [], 'x-reauthentication': when }: Operation,
  isRead: boolean,
): readonly ErrorCode[] {
  const [credential] = security;
  const isOpen = security.some(way => Object.keys(way).length === 0);
  const scopes = credential?.apiKey ?? [];
  return [
    'invalid_request',
    // Any request but a GET may come with a body, asked for or not.
    ...(isRead
      ? []
      : (['invalid_json', 'request_timeout', 'payload_too_large', 'unsupported_type'] as const)),
    ...(credential === undefined || isOpen ? [] : (['unauthorized'] as const)),
    // Where a session is asked for, a key that comes in its place is looked at too.
    ...(credential?.apiKey === undefined && credential?.session === undefined
      ? []
      : (['invalid_api_key', 'expired_api_key'] as const)),
    ...(!isRead && security.some(way => 'session' in way) ? (['cross_site_request'] as const) : []),
    ...(scopes.length === 0 ? [] : (['insufficient_scope'] as const)),
    ...(when === undefined ? [] : (['reauthentication_required'] as const)),
    'rate_limited',
    'internal_error',
    'unavailable',
  ];
}

type Form = 'Refusal' | 'Page' | 'Storage';

/** Pages answer browsers in HTML; the address that stands in for a bucket answers in XML. */
function formOf({ tags = [], operationId }: Operation): Form {
  if (tags.includes('Pages')) return 'Page';
  return operationId === 'putUpload' ? 'Storage' : 'Refusal';
}

function toResponse(codes: readonly ErrorCode[], form: Form): Response {
  const json = {
    'application/json': {
      schema: {
        allOf: [
          { $ref: '#/components/schemas/Error' },
          { type: 'object', properties: { code: { ...TEXT, enum: codes } } },
        ],
      },
      examples: Object.fromEntries(
        codes.filter(hasExample).map(code => [code, { $ref: `#/components/examples/${code}` }]),
      ),
    },
  };
  const html = { 'text/html': { schema: TEXT } };
  const xml = { 'application/xml': { schema: TEXT } };
  return {
    description: codes.map(code => `\`${code}\`: ${ERROR_CODES[code][1]}`).join('\n\n'),
    content: form === 'Storage' ? xml : form === 'Page' ? { ...html, ...json } : json,
  };
}
