// Defines the parts of a tool: its description, its schemas and a function. The protocol layer turns the output of the
// function into responses.
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { AppError, type Issue } from '../lib/errors.ts';
import { findSchemaErrors, type SchemaError } from '../lib/schema-check.ts';
import type { RunDeps } from '../runs/deps.ts';
import type { Scope } from '../services/accounts/actor.ts';
import type { McpCall } from '../services/accounts/agent-caller.ts';

/** Hints that clients use to decide whether to ask their user for permission. */
export interface ToolHints {
  readonly readOnlyHint?: true;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: true;
  readonly openWorldHint: boolean;
}

export const READ_HINTS: ToolHints = { readOnlyHint: true, openWorldHint: false };
export const ADD_HINTS: ToolHints = { destructiveHint: false, openWorldHint: false };
export const CHANGE_HINTS: ToolHints = { destructiveHint: true, openWorldHint: false };

/** What a tool receives with each call. When the signal fires, the tool stops waiting, but never stops the run. */
export interface ToolContext extends Omit<McpCall, 'body'> {
  readonly deps: RunDeps;
  /** Reports progress if the caller requested it. */
  readonly report: (progress: Progress) => Promise<void>;
}

export interface Progress {
  /** Increases with each report. */
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}

/** A file that a result refers to. */
export interface Link {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly size?: number;
}

export interface ToolOutput {
  /** Undefined members are left out. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly links?: readonly Link[];
  /** Small JPEGs in base64. */
  readonly previews?: readonly string[];
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scope: Scope;
  readonly hints: ToolHints;
  /** A plain object without composition, references or unions, which some clients cannot read. */
  readonly input: TObject;
  /** A plain object too. It requires no property, so that errors match it. */
  readonly output: TObject;
  /** Arguments whose numbers are kept exactly as they were sent. Default: none. */
  readonly exactNumberArguments?: readonly string[];
  /** Advice on requesting less if the result is too long. */
  readonly tooLongHint: string;
  call(ctx: ToolContext, input: unknown): Promise<ToolOutput>;
}

interface TypedTool<I extends TObject> extends Omit<Tool, 'input' | 'call'> {
  readonly input: I;
  call(ctx: ToolContext, input: Static<I>): Promise<ToolOutput>;
}

/** Defines a tool whose function is called with validated arguments. */
export function defineTool<I extends TObject>({ call, ...tool }: TypedTool<I>): Tool {
  return {
    ...tool,
    call: (ctx, input) => {
      requireValidArguments(tool, input);
      return call(ctx, input as Static<I>);
    },
  };
}

/** Defines an enum that also states its type, which some clients require. */
export const OneOf = <const T extends string>(values: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values] });
export const Id = (description?: string) =>
  Type.String({ maxLength: 200, ...(description === undefined ? {} : { description }) });
export const Limit = (max: number) => Type.Optional(Type.Integer({ minimum: 1, maximum: max }));
export const Cursor = Type.Optional(Type.String({ maxLength: 200 }));
/** Defines an object with any properties. The description lists them. */
export const AnyObject = (description?: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    ...(description === undefined ? {} : { description }),
  });

/** Makes all properties of a result optional. */
export function OutputSchema(properties: Readonly<Record<string, TSchema>>): TObject {
  return Type.Object(
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])),
  );
}

const MAX_ERRORS = 20;

/** Throws 400 with each invalid argument and its location. */
function requireValidArguments(
  { input: schema, exactNumberArguments = [] }: Pick<Tool, 'input' | 'exactNumberArguments'>,
  input: unknown,
): void {
  const inexactPath = findInexactNumber(input, exactNumberArguments);
  if (inexactPath !== undefined)
    throw createArgumentError([
      { path: inexactPath, message: 'is a number that would lose precision: send it as text' },
    ]);
  const errors = findSchemaErrors(schema, input).slice(0, MAX_ERRORS);
  if (errors.length > 0) throw createArgumentError(errors.map(err => describeError(schema, err)));
}

interface ArgumentError {
  readonly path: string;
  readonly message: string;
}

function describeError(
  schema: TObject,
  { keyword, instancePath, params, message }: SchemaError,
): ArgumentError {
  if (keyword === 'required')
    return { path: `${instancePath}/${params.missingProperty}`, message: 'is missing' };
  if (keyword === 'additionalProperties')
    return {
      path: `${instancePath}/${params.additionalProperty}`,
      message:
        instancePath === ''
          ? `is not an argument; the arguments are ${Object.keys(schema.properties).join(', ')}`
          : 'is not allowed here',
    };
  if (keyword === 'enum')
    return { path: instancePath, message: `must be one of ${params.allowedValues.join(', ')}` };
  return { path: instancePath, message: message ?? 'has the wrong format' };
}

function createArgumentError(errors: readonly ArgumentError[]): AppError {
  const issues: Issue[] = errors.map(err => ({ code: 'invalid_request', ...err }));
  const sentences = errors.map(({ path, message }) => `${path === '' ? 'they' : path} ${message}`);
  return new AppError('invalid_request', `Invalid arguments: ${sentences.join('; ')}.`, { issues });
}

/** Returns the location of a number that JavaScript would round, except in `allowed` arguments. */
function findInexactNumber(root: unknown, allowed: readonly string[]): string | undefined {
  const pending: [string, unknown][] = [['', root]];
  for (const [path, value] of pending) {
    if (JSON.isRawJSON(value)) return path;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value))
      if (value !== root || !allowed.includes(key)) pending.push([`${path}/${key}`, member]);
  }
  return undefined;
}
