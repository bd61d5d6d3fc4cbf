// Describes the error responses of each operation: one response per status, with its possible codes and an example of each.

import { ERROR_CODES, type ErrorCode } from '../../lib/errors.ts';
import { PROOF_METHODS } from '../../services/second-factors/prove-factor.ts';
import { hasExample } from './examples.ts';
import { listErrorHeaders } from './headers.ts';
import type { Operation, Response, RouteDescription } from './operation.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const TEXT = { type: 'string' } as const;

/** The schema of every error, under `components.schemas`. */
export const ERROR_SCHEMA = {
  type: 'object',
  description: 'The body of every error response.',
  required: ['error', 'code', 'requestId'],
  properties: {
    error: { ...TEXT, description: 'What is wrong and what to do, for people' },
    code: {
      ...TEXT,
      enum: CODES,
      description: CODES.map(code => `- \`${code}\`: ${ERROR_CODES[code][1]}`).join('\n'),
    },
    requestId: { ...TEXT, description: 'The X-Request-Id of the response' },
    retryAfter: {
      type: 'integer',
      description: 'With 429: when to retry, in Unix seconds, as X-RateLimit-Reset',
    },
    insufficientCredits: { type: 'boolean', const: true, description: 'With 402' },
    requiredCredits: { type: 'integer', description: 'With 402: the cost of the run' },
    availableCredits: { type: 'integer', description: 'With 402: the available credits' },
    breakdown: {
      type: 'array',
      description: 'With 402: the cost of each node',
      items: {
        type: 'object',
        properties: {
          nodeId: TEXT,
          nodeLabel: TEXT,
          credits: { type: 'integer' },
          paidBy: { ...TEXT, enum: ['credits', 'credential'] },
          credentialId: { type: ['string', 'null'] },
          costUsd: { type: ['number', 'null'] },
        },
      },
    },
    methods: {
      type: 'array',
      items: { ...TEXT, enum: [...PROOF_METHODS] },
      description: 'With `reauthentication_required`: the ways to confirm the identity of the session',
    },
    executionId: {
      ...TEXT,
      description: 'With 500 when starting a run: the id of the run, which may have been started',
    },
    callers: {
      type: 'array',
      description: 'With `component_in_use`: workflows that call the component and that you may read',
      items: { type: 'object', properties: { workflowId: TEXT, name: TEXT } },
    },
    hidden: { type: 'integer', description: 'With `component_in_use`: the number of other callers' },
    issues: {
      type: 'array',
      description: 'The individual problems, if the request has several',
      items: { $ref: '#/components/schemas/ErrorIssue' },
    },
    truncated: { type: 'boolean', const: true, description: 'With issues: the list is incomplete' },
    total: { type: 'integer', description: 'With truncated: the total number of issues' },
  },
};

export const ERROR_ISSUE_SCHEMA = {
  type: 'object',
  description: 'One of several problems of a request.',
  required: ['code', 'message'],
  properties: {
    severity: { ...TEXT, enum: ['error', 'warning'], description: 'The severity of a lint result' },
    path: { ...TEXT, description: 'A JSON pointer into the body' },
    nodeId: TEXT,
    edgeId: TEXT,
    port: { ...TEXT, description: 'The id of an input of the node' },
    code: TEXT,
    message: TEXT,
    suggestion: TEXT,
  },
};

/** The error responses that operations refer to, under `components.responses`: one per set of codes in use. */
export type ErrorResponses = Map<string, Response>;

/** Returns references to the error responses of an operation by status. Adds new responses to `errorResponses`. */
export function listErrorResponses(
  operation: Operation,
  { errors: routeCodes = [], isStorage = false, withoutSecondFactor = false }: RouteDescription,
  { isRead, errorResponses }: { readonly isRead: boolean; readonly errorResponses: ErrorResponses },
): Readonly<Record<string, Response>> {
  const commonCodes = listCommonCodes(operation, {
    isRead,
    needsSecondFactor: !withoutSecondFactor,
    checksRole: routeCodes.includes('forbidden'),
  });
  const byStatus = Map.groupBy(
    CODES.filter(code => routeCodes.includes(code) || commonCodes.includes(code)),
    code => ERROR_CODES[code][0],
  );
  const format = isStorage ? 'Storage' : operation.tags?.includes('Pages') ? 'Page' : 'Refusal';
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = [`${format}${status}`, ...codes].join('-');
      if (!errorResponses.has(name)) errorResponses.set(name, toResponse(status, codes, format));
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** Adds the `default` response of operations without a 2xx response, which linters require, and returns a reference. */
export function addDefaultErrorResponse(errorResponses: ErrorResponses): Response {
  errorResponses.set('ErrorDefault', {
    description: 'Any other error',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: { internal_error: { $ref: '#/components/examples/internal_error' } },
      },
    },
  });
  return { $ref: '#/components/responses/ErrorDefault' };
}

/** Returns the error codes that follow from an operation's security, parameters and body. */
function listCommonCodes(
  { security = [], 'x-reauthentication': reauthentication }: Operation,
  {
    isRead,
    needsSecondFactor,
    checksRole,
  }: { readonly isRead: boolean; readonly needsSecondFactor: boolean; readonly checksRole: boolean },
): readonly ErrorCode[] {
  const [credential] = security;
  const isOpen = security.some(alternative => Object.keys(alternative).length === 0);
  const scopes = credential?.apiKey ?? [];
  return [
    'invalid_request',
    // Any request other than GET may have a body, even where none is expected.
    ...(isRead
      ? []
      : (['invalid_json', 'request_timeout', 'payload_too_large', 'unsupported_type'] as const)),
    ...(credential === undefined || isOpen ? [] : (['unauthorized'] as const)),
    // A key that is sent to a route that requires a session is checked too.
    ...(credential?.apiKey === undefined && credential?.session === undefined
      ? []
      : (['invalid_api_key', 'expired_api_key'] as const)),
    ...(!isRead && security.some(alternative => 'session' in alternative)
      ? (['cross_site_request'] as const)
      : []),
    ...(scopes.length === 0 ? [] : (['insufficient_scope'] as const)),
    ...(needsSecondFactor && (!isOpen || checksRole) && security.some(alternative => 'session' in alternative)
      ? (['second_factor_required'] as const)
      : []),
    ...(reauthentication === undefined ? [] : (['reauthentication_required'] as const)),
    'rate_limited',
    'internal_error',
    'unavailable',
  ];
}

/** The format of an error. Pages send HTML to browsers, storage routes send XML. */
type ErrorFormat = 'Refusal' | 'Page' | 'Storage';

function toResponse(status: number, codes: readonly ErrorCode[], format: ErrorFormat): Response {
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
    headers: listErrorHeaders(status),
    content: format === 'Storage' ? xml : format === 'Page' ? { ...html, ...json } : json,
  };
}
