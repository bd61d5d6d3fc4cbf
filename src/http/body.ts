// Parses request bodies, which must be UTF-8 JSON. Rejects text that the database cannot store, deep nesting, and
// properties that could pollute prototypes.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest, preValidationHookHandler } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { markInexactNumbers, mayHaveInexactNumbers, parseExactJson } from '../lib/exact-numbers.ts';
import { joinMembers, parseMemberTexts } from '../lib/json-scan.ts';
import { findShapeProblem } from '../lib/json-shape.ts';
import { JsonText } from '../lib/json-text.ts';
import { isRecord } from '../lib/record.ts';
import { workFor } from '../lib/work.ts';
import { yieldTurn } from '../lib/yield-turn.ts';
import type { Server } from './deps.ts';
import { readBytes } from './read-bytes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Properties of the body that are passed on as raw text. `opaque` ones are not validated: any JSON object is valid.
     */
    rawProperties?: Readonly<Record<string, 'validated' | 'opaque'>>;
    /**
     * What happens to numbers that JavaScript would round: `reject` parses them as Infinity, so that validation rejects
     * them by their path; `keep` parses them as raw JSON, which is stored as it was sent. Default: they are rounded.
     */
    inexactNumbers?: 'reject' | 'keep';
  }
}

/** Makes JSON the only content type. Routes that accept other types register their own parser. */
export function registerBodyParsers(server: Server): void {
  const parseSecurely = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  const parseJson = (req: FastifyRequest, text: string): unknown => {
    let result: unknown;
    const finish = (err: Error | null, value: unknown): void => {
      if (err !== null) throw explainParseError(text);
      result = value;
    };
    // Calls `finish` before it returns.
    void parseSecurely(req, text, finish);
    return result;
  };
  server.addContentTypeParser('application/json', async (req: FastifyRequest, payload: IncomingMessage) => {
    const body = await readBytes(req, payload);
    const steps = parseInSteps(req, body, parseJson);
    return body.length < LONG_BODY_BYTES ? finishNow(steps) : workFor(req.work, () => finishInTurns(steps));
  });
}

/** Shorter bodies are parsed within milliseconds. */
const LONG_BODY_BYTES = 100_000;

/** Parses a body. Each step may take tens of milliseconds for the longest body. */
function* parseInSteps(
  req: FastifyRequest,
  body: Buffer,
  parseJson: (req: FastifyRequest, text: string) => unknown,
): Generator<void, unknown> {
  if (body.length === 0) return undefined;
  const fault = findBodyFault(req, body);
  if (fault !== undefined) throw fault;
  yield;
  const { inexactNumbers } = req.routeOptions.config;
  const { properties, rest } = extractRawProperties(req, readText(body));
  const text = inexactNumbers === 'reject' ? markInexactNumbers(rest) : rest;
  yield;
  const value = parseJson(req, text);
  yield;
  // Only escapes can contain such characters: the bytes are valid UTF-8, and JSON has no raw control characters.
  if (SUSPECT_ESCAPE.test(text) && !isStorable(value)) throw createUnstorableError();
  const parsed = inexactNumbers === 'keep' && mayHaveInexactNumbers(text) ? parseExactJson(text) : value;
  return isRecord(parsed) ? Object.assign(parsed, properties) : parsed;
}

function finishNow(steps: Generator<void, unknown>): unknown {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Yields a turn between the steps and before the body is validated, so that bodies that arrive together take turns. */
async function finishInTurns(steps: Generator<void, unknown>): Promise<unknown> {
  for (;;) {
    await yieldTurn();
    const step = steps.next();
    if (step.done !== true) continue;
    await yieldTurn();
    return step.value;
  }
}

/**
 * Parses a JSON body that a route has read itself, under the same limits, with its exact numbers: see `parseExactJson`. Throws
 * 400 `invalid_json`.
 */
export function parseJsonBody(req: FastifyRequest, body: Buffer): unknown {
  const fault = findBodyFault(req, body);
  if (fault !== undefined) throw fault;
  const text = readText(body);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw explainParseError(text);
  }
  if (SUSPECT_ESCAPE.test(text) && !isStorable(value)) throw createUnstorableError();
  return mayHaveInexactNumbers(text) ? parseExactJson(text) : value;
}

/** Returns the text without the byte order mark that some programs write. */
const readText = (body: Buffer): string => body.toString('utf8').replace(/^\ufeff/, '');

interface RawProperties {
  readonly properties: Readonly<Record<string, JsonText>>;
  /** The body without the opaque properties. */
  readonly rest: string;
}

/** Returns the properties that the route passes on as raw text, if they are objects. */
function extractRawProperties({ routeOptions }: FastifyRequest, text: string): RawProperties {
  const { rawProperties } = routeOptions.config;
  if (rawProperties === undefined || !isJson(text)) return { properties: {}, rest: text };
  const texts = parseMemberTexts(text);
  const properties: Record<string, JsonText> = {};
  for (const [name, use] of Object.entries(rawProperties)) {
    const property = texts.get(name);
    if (property?.startsWith('{') !== true) continue;
    properties[name] = new JsonText(property);
    if (use === 'opaque') texts.delete(name);
  }
  return { properties, rest: Object.keys(properties).length === 0 ? text : joinMembers(texts) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Replaces an absent body with an empty object on routes where all properties are optional. */
export function registerOptionalBodies(server: Server): void {
  const setEmptyBody: preValidationHookHandler = (req, _reply, done) => {
    // `null` is a body, and validation rejects it.
    if (req.body === undefined) req.body = {};
    done();
  };
  server.addHook('onRoute', route => {
    if (isOptionalBody(route.schema?.body as BodySchema | undefined))
      route.preValidation = [setEmptyBody, route.preValidation ?? []].flat();
  });
}

/** The part of a body's schema that determines whether the body may be absent. */
export interface BodySchema {
  readonly type?: unknown;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly anyOf?: readonly BodySchema[];
}

/** Returns whether an empty object matches the schema. */
export function isOptionalBody(schema: BodySchema | undefined): boolean {
  if (schema?.anyOf !== undefined) return schema.anyOf.some(isOptionalBody);
  const { type, required = [], minProperties = 0 } = schema ?? {};
  return type === 'object' && required.length === 0 && minProperties === 0;
}

function findBodyFault({ headers }: FastifyRequest, body: Buffer): AppError | undefined {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    return new AppError(
      'unsupported_type',
      `Content-Encoding: ${encoding} is not supported. Send the body uncompressed.`,
    );
  if (!isUtf8(body)) return new AppError('invalid_json', 'The body is not valid UTF-8.');
  const problem = findShapeProblem(body);
  return problem === undefined ? undefined : new AppError('invalid_request', `The body ${problem}.`);
}

/**
 * Finds the syntax error, which Fastify's parser does not report. If JSON.parse accepts the text, it contains a
 * forbidden property name.
 */
function explainParseError(text: string): AppError {
  try {
    JSON.parse(text);
  } catch (err) {
    return new AppError('invalid_json', `The body is not valid JSON: ${(err as Error).message}.`, {
      cause: err,
    });
  }
  return new AppError(
    'invalid_json',
    'The body must not have a property __proto__ or constructor.prototype. Remove it.',
  );
}

const createUnstorableError = (): AppError =>
  new AppError(
    'invalid_request',
    'The body contains a character that cannot be stored: NUL, or half of a surrogate pair. Remove it.',
  );

const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

function isStorable(root: unknown): boolean {
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === 'string') {
      if (!value.isWellFormed() || value.includes('\0')) return false;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) stack.push(key, member);
    }
  }
  return true;
}
