// Completes the OpenAPI document with the descriptions of the routes: ids, descriptions, errors, headers, links and
// examples.
import { CompletionEvent } from '../../runs/read/run-response.schema.ts';
import { type Access, getKeyScope, isKeyOnly, type Reauthentication } from '../access.ts';
import { isOptionalBody } from '../body.ts';
import { nameSchemas } from './components.ts';
import {
  addDefaultErrorResponse,
  ERROR_ISSUE_SCHEMA,
  ERROR_SCHEMA,
  type ErrorResponses,
  listErrorResponses,
} from './error-responses.ts';
import { getExample, getRequestExample, listErrorExamples } from './examples.ts';
import {
  listHeaderParameters,
  listResponseHeaders,
  REQUEST_HEADER_PARAMETERS,
  RESPONSE_HEADER_COMPONENTS,
} from './headers.ts';
import type { Content, Document, Operation, Response, RouteDescription } from './operation.ts';
import { TAGS } from './tags.ts';

/** The document's `webhooks`: requests that the service sends. */
const WEBHOOKS = {
  executionEnded: {
    post: {
      operationId: 'executionEnded',
      tags: ['Webhooks'],
      summary: 'A run has ended',
      description:
        'Sent to the `webhook.url` of the run until the receiver responds with 2xx, at most twelve times. If the run has a ' +
        'webhook secret, the raw body is signed: in `X-Service-Signature` and in the headers of Standard Webhooks.',
      security: [],
      requestBody: { required: true, content: { 'application/json': { schema: CompletionEvent } } },
      responses: {
        '2XX': { description: 'Delivered' },
        '4XX': { description: 'The delivery is retried later' },
      },
    },
  },
};

/**
 * Completes each operation from the description of its route, its method, parameters and security, and names the
 * schemas.
 */
export function completeDocument<D extends Document>(document: D): D {
  const errorResponses: ErrorResponses = new Map();
  const paths = Object.fromEntries(
    Object.entries(document.paths ?? {}).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [
          method,
          completeOperation(`${method.toUpperCase()} ${path}`, operation, errorResponses),
        ]),
      ),
    ]),
  );
  const { value, schemas } = nameSchemas({ paths, webhooks: WEBHOOKS });
  return {
    ...document,
    ...(value as object),
    tags: TAGS,
    components: {
      ...document.components,
      schemas: {
        Error: ERROR_SCHEMA,
        ErrorIssue: ERROR_ISSUE_SCHEMA,
        ...Object.fromEntries(sortByKey(schemas)),
      },
      responses: Object.fromEntries(sortByKey(errorResponses)),
      parameters: REQUEST_HEADER_PARAMETERS,
      headers: RESPONSE_HEADER_COMPONENTS,
      examples: listErrorExamples(listCodes(errorResponses)),
    },
  };
}

/** Returns the error codes of all operations. All other codes are sent before a request reaches an operation. */
function listCodes(errorResponses: ErrorResponses): ReadonlySet<string> {
  return new Set(
    [...errorResponses.values()].flatMap(({ content = {} }) =>
      Object.keys(content['application/json']?.examples ?? {}),
    ),
  );
}

function sortByKey<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function completeOperation(
  name: string,
  { 'x-route': route, ...recorded }: Operation,
  errorResponses: ErrorResponses,
): Operation {
  const { operationId } = recorded;
  if (route === undefined || operationId === undefined)
    throw new Error(
      `${name} has no description. Describe it with \`operation\` from \`createDescriber\`, or hide it.`,
    );
  const security = getSecurity(route.access ?? 'public');
  const { reauthentication } = route;
  const parameters = [
    // `listHeaderParameters` adds references to the header parameters.
    ...(recorded.parameters ?? []).filter(parameter => parameter.in !== 'header'),
    ...listHeaderParameters(route),
  ];
  const responses = listNonErrorResponses(operationId, route, recorded.responses ?? {});
  const operation = {
    ...recorded,
    ...(reauthentication === undefined ? {} : { 'x-reauthentication': reauthentication }),
    security,
    parameters,
    ...createRequestBody(operationId, route, recorded),
  };
  return {
    ...operation,
    description: `${route.description}${describeReauthentication(reauthentication)}${describeScope(operation)}`,
    security: security.map(omitScopes),
    responses: {
      ...responses,
      ...listErrorResponses(operation, route, { isRead: name.startsWith('GET '), errorResponses }),
      ...(Object.keys(responses).some(status => status.startsWith('2'))
        ? {}
        : { default: addDefaultErrorResponse(errorResponses) }),
    },
  };
}

/** Returns the `security` of an operation, with the scope that its key must have. */
function getSecurity(access: Access): Readonly<Record<string, readonly string[]>>[] {
  if (access === 'public') return [];
  if (access === 'content-secret') return [{ contentSecret: [] }];
  if (access === 'anyone') return [{ apiKey: [] }, { session: [] }, {}];
  if (access === 'session') return [{ session: [] }];
  if (access === 'agent') return [{ apiKey: [] }];
  if (isKeyOnly(access)) return [{ apiKey: [getKeyScope(access)] }];
  return [{ apiKey: access === 'signed-in' ? [] : [access] }, { session: [] }];
}

/** Describes the scope in words, because OpenAPI supports scopes only for OAuth. */
function describeScope({ security = [] }: Operation): string {
  const [scope] = security[0]?.apiKey ?? [];
  return scope === undefined ? '' : `\n\nRequires the scope \`${scope}\`.`;
}

const REAUTHENTICATION_NOTES: Readonly<Record<Reauthentication, string>> = {
  always: 'A session',
  'to grant OWNER': 'For the role OWNER, a session',
  'to change requiresSecondFactor': 'To change `requiresSecondFactor`, a session',
  'with a second factor': 'If you have a second factor, a session',
};

function describeReauthentication(when: Reauthentication | undefined): string {
  if (when === undefined) return '';
  return `\n\n${REAUTHENTICATION_NOTES[when]} that was last confirmed more than 15 minutes ago is refused with \`reauthentication_required\`. Call \`POST /api/v1/auth/reauthenticate\`, then repeat the request.`;
}

function omitScopes(alternative: Readonly<Record<string, readonly string[]>>): Record<string, []> {
  return Object.fromEntries(Object.keys(alternative).map(scheme => [scheme, []]));
}

// Storage routes read the bytes themselves, so they have no schema.
const RAW_BODY = { required: true, content: { 'application/octet-stream': { schema: {} } } };

function createRequestBody(
  operationId: string,
  { isStorage }: RouteDescription,
  { requestBody }: Operation,
): object {
  if (isStorage) return { requestBody: RAW_BODY };
  if (requestBody === undefined) return {};
  const isOptional = isOptionalBody(requestBody.content?.['application/json']?.schema);
  const content = withExample(getRequestExample(operationId), requestBody.content ?? {});
  return { requestBody: { ...requestBody, content, required: !isOptional } };
}

const STATUS_DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'The request succeeded',
  201: 'The resource was created',
  202: 'Accepted for processing',
  204: 'No content',
  206: 'The requested range',
  301: 'Moved permanently',
  302: 'Redirects the browser',
  303: 'Redirects the browser',
  307: 'Redirects to the object storage',
  304: 'Not modified: your copy is current',
};

function listNonErrorResponses(
  operationId: string,
  route: RouteDescription,
  responses: Readonly<Record<string, Response>>,
): Readonly<Record<string, Response>> {
  const { otherStatuses = [], isConditional, links = {}, examples = {} } = route;
  const statusesWithoutBody = [...otherStatuses, ...(isConditional ? [304] : [])];
  const allResponses: Readonly<Record<string, Response>> = {
    ...responses,
    ...Object.fromEntries(statusesWithoutBody.map(status => [String(status), {}])),
  };
  return Object.fromEntries(
    // A redirect has no body, but @fastify/swagger adds one without a schema.
    Object.entries(allResponses).map(([status, { content, ...response }]) => [
      status,
      {
        ...response,
        description: STATUS_DESCRIPTIONS[status] ?? '',
        headers: listResponseHeaders(route, Number(status)),
        ...(content === undefined || status.startsWith('3')
          ? {}
          : { content: withExample(getExample(operationId, status, examples[Number(status)]), content) }),
        ...(Number(status) in links ? { links: links[Number(status)] } : {}),
      },
    ]),
  );
}

function withExample(
  example: object | undefined,
  content: Readonly<Record<string, Content>>,
): Readonly<Record<string, Content>> {
  const json = content['application/json'];
  if (example === undefined || json === undefined) return content;
  return { ...content, 'application/json': { ...json, examples: { recorded: example } } };
}
