// The OpenAPI document, completed: what the routes' schemas leave open comes from the tables next to this file.
import { CompletionEvent } from '../../runs/run-answer.schema.ts';
import { isOptionalBody } from '../body.ts';
import type { Reauthentication } from '../reauthentication.ts';
import { ACCOUNT_OPERATIONS } from './account-operations.ts';
import { nameSchemas } from './components.ts';
import { errorExamples, exampleOf, requestExampleOf } from './examples.ts';
import { answerHeadersOf, HEADER_PARAMETERS, HEADERS, headerParametersOf, isConditional } from './headers.ts';
import { linksOf } from './links.ts';
import type { Content, Document, Operation, OperationLines, Response } from './operation.ts';
import { anyRefusal, ERROR_ISSUE_SCHEMA, ERROR_SCHEMA, type Refusals, refusalsOf } from './refusals.ts';
import { RUN_OPERATIONS } from './run-operations.ts';
import { SIGN_IN_OPERATIONS } from './sign-in-operations.ts';
import { TAGS } from './tags.ts';
import { WORKFLOW_OPERATIONS } from './workflow-operations.ts';

/** Every operation by method and path. */
export const OPERATIONS: OperationLines = {
  ...WORKFLOW_OPERATIONS,
  ...RUN_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...SIGN_IN_OPERATIONS,
};

/** What the service sends: the document's `webhooks`. */
const WEBHOOKS = {
  executionEnded: {
    post: {
      operationId: 'executionEnded',
      tags: ['Webhooks'],
      summary: 'A run has ended',
      description:
        'Sent to `webhook.url` of the run until it is answered with 2xx, twelve times at most. The body is signed as sent: ' +
        '`X-Service-Signature`, and the headers of Standard Webhooks, where the run gave a secret.',
      security: [],
      requestBody: { required: true, content: { 'application/json': { schema: CompletionEvent } } },
      responses: { '2XX': { description: 'Delivered' }, '4XX': { description: 'Sent again later' } },
    },
  },
};

/** Adds to each operation what follows from its line, method, parameters and security, and names the schemas. */
export function completeDocument<D extends Document>(document: D): D {
  const refusals: Refusals = new Map();
  const paths = Object.fromEntries(
    Object.entries(document.paths ?? {}).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [
          method,
          complete(`${method.toUpperCase()} ${path}`, operation, refusals),
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
        ...Object.fromEntries(sorted(schemas)),
      },
      responses: Object.fromEntries(sorted(refusals)),
      parameters: HEADER_PARAMETERS,
      headers: HEADERS,
      examples: errorExamples(codesOf(refusals)),
    },
  };
}

/** Those that some operation refuses with; the others are refused before any is reached. */
function codesOf(refusals: Refusals): ReadonlySet<string> {
  return new Set(
    [...refusals.values()].flatMap(({ content = {} }) =>
      Object.keys(content['application/json']?.examples ?? {}),
    ),
  );
}

function sorted<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function complete(name: string, operation: Operation, refusals: Refusals): Operation {
  const line = OPERATIONS[name];
  if (line === undefined) throw new Error(`${name} has no line in the tables of http/openapi.`);
  const [operationId, description, codes = [], statuses = []] = line;
  const parameters = [
    // Those of headers are described once, below.
    ...(operation.parameters ?? []).filter(parameter => parameter.in !== 'header'),
    ...headerParametersOf(operationId),
  ];
  const successes = successesOf(operationId, operation.responses ?? {}, statuses);
  const answers = Object.keys(successes);
  const whole = { ...operation, operationId, parameters, ...requestBodyOf(operationId, operation) };
  return {
    ...whole,
    description: `${description}${reauthenticationNote(operation)}${scopeNote(operation)}`,
    security: (operation.security ?? []).map(way => mapValues(way, () => [])),
    responses: {
      ...successes,
      ...withHeaders(
        operationId,
        refusalsOf({ ...whole, isRead: name.startsWith('GET ') }, codes, refusals),
        refusals,
      ),
      ...(answers.some(status => status.startsWith('2')) ? {} : { default: anyRefusal(refusals) }),
    },
  };
}

/** Bearer keys have scopes here, though OpenAPI lists scopes of OAuth alone: they are said in words. */
function scopeNote({ security = [] }: Operation): string {
  const [scope] = security[0]?.apiKey ?? [];
  return scope === undefined ? '' : `\n\nNeeds the scope \`${scope}\`.`;
}

const REAUTHENTICATION_NOTES: Readonly<Record<Reauthentication, string>> = {
  always: 'A session',
  'for OWNER': 'For the role OWNER a session',
};

function reauthenticationNote({ 'x-reauthentication': when }: Operation): string {
  if (when === undefined) return '';
  return `\n\n${REAUTHENTICATION_NOTES[when]} that last proved itself over 15 minutes ago is refused with \`reauthentication_required\`: \`POST /api/v1/auth/reauthenticate\`, then send it again.`;
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, to: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value)]));
}

// Of a route that reads the bytes itself, so that there is nothing to validate.
const RAW_BODY = { required: true, content: { 'application/octet-stream': { schema: {} } } };

function requestBodyOf(operationId: string, { requestBody }: Operation): object {
  if (operationId === 'putUpload') return { requestBody: RAW_BODY };
  if (requestBody === undefined) return {};
  const isOptional = isOptionalBody(requestBody.content?.['application/json']?.schema);
  const content = withExample(requestExampleOf(operationId), requestBody.content ?? {});
  return { requestBody: { ...requestBody, content, required: !isOptional } };
}

const TITLES: Readonly<Record<string, string>> = {
  200: 'Done',
  201: 'Made',
  202: 'Accepted; it goes on',
  204: 'Nothing is left to say',
  206: 'The range that was asked for',
  301: 'It has moved',
  302: 'The browser goes on there',
  303: 'The browser goes on there',
  307: 'It is at the store',
  304: 'The copy you have is still right',
};

function successesOf(
  operationId: string,
  responses: Readonly<Record<string, Response>>,
  statuses: readonly number[],
): Readonly<Record<string, Response>> {
  const bare = [...statuses, ...(isConditional(operationId) ? [304] : [])];
  const all: Readonly<Record<string, Response>> = {
    ...responses,
    ...Object.fromEntries(bare.map(status => [String(status), {}])),
  };
  return Object.fromEntries(
    // A redirect has no body; Fastify's plugin writes one of no schema.
    Object.entries(all).map(([status, { content, ...response }]) => [
      status,
      {
        ...response,
        description: TITLES[status] ?? '',
        headers: answerHeadersOf(operationId, Number(status)),
        ...(content === undefined || status.startsWith('3')
          ? {}
          : { content: withExample(exampleOf(operationId, status), content) }),
        ...linksOf(operationId, status),
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

/** A refusal's headers are the same wherever it is given. */
function withHeaders(
  operationId: string,
  given: Readonly<Record<string, Response>>,
  refusals: Refusals,
): Readonly<Record<string, Response>> {
  for (const [status, { $ref = '' }] of Object.entries(given)) {
    const name = $ref.split('/').at(-1) ?? '';
    const response = refusals.get(name);
    if (response !== undefined && response.headers === undefined)
      refusals.set(name, { ...response, headers: answerHeadersOf(operationId, Number(status)) });
  }
  return given;
}
