// Request bodies: JSON only, UTF-8 only, without what the database, a stack or an object's prototype would choke on.
import { isUtf8 } from 'node:buffer';
import type { FastifyRequest, preValidationHookHandler } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { markInexactNumbers } from '../lib/exact-numbers.ts';
import { JsonText, joinMembers, memberTexts } from '../lib/json-text.ts';
import { isRecord } from '../lib/record.ts';
import type { App } from './app.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Members of the body that are handed on as they were sent; `opaque`: nothing looks into them, so any JSON object will do. */
    asSent?: Readonly<Record<string, 'read' | 'opaque'>>;
    /** Whether a number that JavaScript would change arrives as Infinity, to be refused by its place, and not rounded. */
    hasExactNumbers?: boolean;
  }
}

/** Far above what any body needs, far below what recursion over it takes. */
const MAX_NESTING = 256;
/** Of 4 MB, brackets alone could make a million, which take seconds to build and to walk. */
const MAX_CONTAINERS = 400_000;
/** Past some thousand members JavaScript keeps an object as a hash table, which is slow to make and to copy. */
const MAX_MEMBERS = 50_000;

/** Makes JSON the one body type; a route that takes another registers its own. */
export function registerBodyParsers(app: App): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (req, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    const fault = faultOf(req, body);
    if (fault !== undefined) return done(fault);
    const sent = body.toString('utf8');
    const kept = keptMembers(req, sent);
    const text = req.routeOptions.config.hasExactNumbers === true ? markInexactNumbers(kept.rest) : kept.rest;
    return parseJson(req, text, (err, value: unknown) => {
      if (err !== null) return done(explainParseError(text));
      // Only an escape can bring them in: raw bytes were checked above, and raw control characters are no JSON.
      if (SUSPECT_ESCAPE.test(text) && !isStorable(value)) {
        return done(
          new AppError(
            'invalid_request',
            'The body holds a character that cannot be stored: NUL, or half of a surrogate pair.',
          ),
        );
      }
      return done(null, isRecord(value) ? Object.assign(value, kept.members) : value);
    });
  });
}

interface KeptMembers {
  readonly members: Readonly<Record<string, JsonText>>;
  /** The body, less what nothing looks into. */
  readonly rest: string;
}

/** The objects among the members that the route hands on as they were sent. */
function keptMembers({ routeOptions }: FastifyRequest, text: string): KeptMembers {
  const { asSent } = routeOptions.config;
  if (asSent === undefined || !isJson(text)) return { members: {}, rest: text };
  const texts = memberTexts(text);
  const members: Record<string, JsonText> = {};
  for (const [name, use] of Object.entries(asSent)) {
    const member = texts.get(name);
    if (member?.startsWith('{') !== true) continue;
    members[name] = new JsonText(member);
    if (use === 'opaque') texts.delete(name);
  }
  return { members, rest: Object.keys(members).length === 0 ? text : joinMembers(texts) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A body may be absent where all of it is optional: the route then sees an empty one. */
export function registerOptionalBodies(app: App): void {
  const fill: preValidationHookHandler = (req, _reply, done) => {
    // `null` is a body, and not the object that the route asks for.
    if (req.body === undefined) req.body = {};
    done();
  };
  app.addHook('onRoute', route => {
    if (isOptionalBody(route.schema?.body as BodySchema | undefined))
      route.preValidation = [fill, route.preValidation ?? []].flat();
  });
}

/** What of a body's schema says whether it may be absent. */
export interface BodySchema {
  readonly type?: unknown;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly anyOf?: readonly BodySchema[];
}

/** Whether an empty object fits. */
export function isOptionalBody(schema: BodySchema | undefined): boolean {
  if (schema?.anyOf !== undefined) return schema.anyOf.some(isOptionalBody);
  const { type, required = [], minProperties = 0 } = schema ?? {};
  return type === 'object' && required.length === 0 && minProperties === 0;
}

function faultOf({ headers }: FastifyRequest, body: Buffer): AppError | undefined {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    return new AppError('unsupported_type', `Send the body as it is, without Content-Encoding: ${encoding}.`);
  if (!isUtf8(body)) return new AppError('invalid_json', 'The body is not UTF-8.');
  const problem = body.length > MAX_NESTING * 2 ? findShapeProblem(body) : undefined;
  return problem === undefined ? undefined : new AppError('invalid_request', `The body ${problem}.`);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts brackets and colons outside of strings, before anything is built of them. */
function findShapeProblem(body: Buffer): string | undefined {
  let depth = 0;
  let containers = 0;
  // By level, of the object that is open there.
  const members = new Uint32Array(MAX_NESTING + 1);
  for (let index = 0; index < body.length; index++) {
    const byte = body[index];
    if (byte === 0x5b /* [ */ || byte === 0x7b /* { */) {
      depth++;
      containers++;
      if (depth > MAX_NESTING) return `is nested over ${MAX_NESTING} levels deep`;
      if (containers > MAX_CONTAINERS) return `has over ${MAX_CONTAINERS} objects and arrays`;
      members[depth] = 0;
    } else if (byte === 0x5d /* ] */ || byte === 0x7d /* } */) {
      if (depth > 0) depth--;
    } else if (byte === 0x3a /* : */) {
      const count = (members[depth] ?? 0) + 1;
      if (count > MAX_MEMBERS) return `has an object of over ${MAX_MEMBERS} members`;
      members[depth] = count;
    } else if (byte === QUOTE) index = endOfString(body, index);
  }
  return undefined;
}

function endOfString(body: Buffer, start: number): number {
  for (let index = start + 1; index < body.length; index++) {
    if (body[index] === QUOTE) return index;
    if (body[index] === BACKSLASH) index++;
  }
  return body.length;
}

/** Fastify's parser does not say where; where JSON.parse finds nothing wrong, it was a name. */
function explainParseError(text: string): AppError {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (err) {
    return new AppError('invalid_json', `The body is not valid JSON: ${(err as Error).message}.`, {
      cause: err,
    });
  }
  return new AppError('invalid_json', 'The body may have no member __proto__ and no constructor.prototype.');
}

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
