// Checks every response of a test app against the OpenAPI document that the app serves.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../../../src/http/deps.ts';

interface Content {
  readonly [type: string]: { readonly schema?: object } | undefined;
}
interface Response {
  readonly $ref?: string;
  readonly content?: Content;
}
interface Operation {
  readonly description?: string;
  readonly responses: Readonly<Record<string, Response>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

/** One response that was sent. */
interface SentResponse {
  readonly operation: string;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export interface Conformance {
  /** Descriptions of the responses so far that violate the document. */
  readonly violations: readonly string[];
}

/** Call this function before the app is ready. */
export function watchResponses(app: Server): Conformance {
  const violations: string[] = [];
  const check = createResponseCheck(app);
  app.addHook('onSend', (req, reply, payload, done) => {
    const sentResponse = toSentResponse(req, reply, payload);
    if (sentResponse !== undefined) {
      const violation = check(sentResponse);
      if (violation !== undefined)
        violations.push(
          `${sentResponse.operation} ${sentResponse.status}: ${violation} in ${sentResponse.text.slice(0, 300)}`,
        );
    }
    done(null, payload);
  });
  return { violations };
}

/** Returns undefined if the response is a stream or comes from a route that is not documented. */
function toSentResponse(
  req: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): SentResponse | undefined {
  const { url, schema } = req.routeOptions;
  if (url === undefined || (schema as { hide?: boolean } | undefined)?.hide === true) return undefined;
  if (req.method === 'OPTIONS' || req.method === 'HEAD') return undefined;
  if (payload !== null && payload !== undefined && typeof payload !== 'string') return undefined;
  return {
    operation: `${req.method.toLowerCase()} ${url.replaceAll(/:(\w+)/g, '{$1}')}`,
    status: reply.statusCode,
    contentType: String(reply.getHeader('content-type') ?? '').split(';')[0] ?? '',
    text: payload ?? '',
  };
}

/** Options that halve the time to compile a schema, for schemas that check only a few values each. */
export const FAST_AJV_OPTIONS = {
  strict: false,
  validateFormats: false,
  allErrors: false,
  inlineRefs: false,
  code: { optimize: false },
} as const;

/** Compiles the schema at a JSON pointer of a document. */
type Compile = (pointer: string) => ValidateFunction;

interface CheckedDocument {
  readonly document: Document;
  readonly compile: Compile;
}

/** The document of the first app of this process, because building one takes longer than most tests. */
let firstDocument: CheckedDocument | undefined;
/** The documents of the apps that sent a response which violates the first document. */
const ownDocuments = new WeakMap<Server, CheckedDocument>();

function buildDocument(app: Server): CheckedDocument {
  const document = app.swagger() as unknown as Document;
  const ajv = new Ajv2020(FAST_AJV_OPTIONS);
  ajv.addSchema(document, 'document');
  const validators = new Map<string, ValidateFunction>();
  const compile: Compile = pointer => {
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `document#/${pointer}` });
    validators.set(pointer, validate);
    return validate;
  };
  return { document, compile };
}

function getOwnDocument(app: Server): CheckedDocument {
  const own = ownDocuments.get(app) ?? buildDocument(app);
  ownDocuments.set(app, own);
  return own;
}

/** The settings of an app change only few schemas of its document, so only a violation is checked with its own. */
function createResponseCheck(app: Server): (sent: SentResponse) => string | undefined {
  return sent => {
    // A worker serves no document.
    if (!app.hasDecorator('swagger')) return undefined;
    firstDocument ??= buildDocument(app);
    return findViolation(firstDocument, sent) === undefined
      ? undefined
      : findViolation(getOwnDocument(app), sent);
  };
}

function findViolation(
  { document, compile }: CheckedDocument,
  { operation, status, contentType, text }: SentResponse,
): string | undefined {
  const [method = '', path = ''] = operation.split(' ');
  const documented = document.paths[path]?.[method];
  // Another test covers undocumented routes.
  if (documented?.description === '') return undefined;
  const description = documented?.responses[status];
  if (description === undefined) return `the document has no such status: ${text.slice(0, 200)}`;
  const name = description.$ref?.split('/').at(-1);
  const { content } = name === undefined ? description : (document.components.responses[name] ?? {});
  if (content === undefined) return text === '' ? undefined : 'the document has no body';
  if (text === '') return undefined;
  if (content[contentType] === undefined) return `the document has no ${contentType}: ${text.slice(0, 200)}`;
  if (contentType !== 'application/json') return undefined;
  const base =
    name === undefined
      ? ['paths', path, method, 'responses', String(status)]
      : ['components', 'responses', name];
  const pointer = [...base, 'content', contentType, 'schema'].map(escapePart).join('/');
  const validate = compile(pointer);
  if (validate(JSON.parse(text))) return undefined;
  const { instancePath, message, params } = validate.errors?.[0] ?? {};
  return `${instancePath} ${message} ${JSON.stringify(params)}`;
}

function escapePart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
