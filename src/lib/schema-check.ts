// Checks values against JSON Schemas (draft 2020-12). Only this file uses ajv.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';

const OPTIONS = {
  strict: false,
  validateFormats: false,
  // Inlining named schemas and optimizing the code takes half of the compile time and makes no check faster.
  inlineRefs: false,
  code: { optimize: false },
  // The schemas are the program's own; tests compile them with all checks enabled.
  validateSchema: false,
} as const;

/**
 * - `body`, for request bodies: stops at the first error.
 * - `parameters`, for query strings and path parameters: as `body`, after converting strings to numbers and booleans.
 * - `allErrors`, for schemas with discriminated unions: reports all errors, in time quadratic in their number.
 * - `firstError`, for the same schemas: stops at the first error.
 *
 * Errors contain their schema and value.
 */
export type CheckMode = 'body' | 'parameters' | 'allErrors' | 'firstError';

// One instance per process and mode, because an instance caches the schemas that it has compiled.
const AJV_BY_MODE: Readonly<Record<CheckMode, Ajv2020>> = {
  body: new Ajv2020({ ...OPTIONS, verbose: true }),
  parameters: new Ajv2020({ ...OPTIONS, verbose: true, coerceTypes: true }),
  allErrors: new Ajv2020({ ...OPTIONS, verbose: true, allErrors: true, discriminator: true }),
  firstError: new Ajv2020({ ...OPTIONS, verbose: true, discriminator: true }),
};

export type SchemaError = ErrorObject;

/** Compiles the schema once per schema object. A check stores its errors in `errors`. */
export function compileCheck(schema: object, mode: CheckMode): ValidateFunction {
  return AJV_BY_MODE[mode].compile(schema);
}

export function matchesSchema<T extends TSchema>(schema: T, value: unknown): value is Static<T> {
  return compileCheck(schema, 'firstError')(value) === true;
}

/** The errors of a larger value could be so numerous that listing all of them takes seconds. */
const MAX_OBJECTS_FOR_ALL_ERRORS = 5000;

/** Returns the errors of the value in the order of the schema, or only the first error of a large value. */
export function findSchemaErrors(schema: object, value: unknown): readonly SchemaError[] {
  const match = compileCheck(schema, 'firstError');
  if (match(value)) return [];
  if (hasMoreObjects(value, MAX_OBJECTS_FOR_ALL_ERRORS)) return match.errors ?? [];
  const explain = compileCheck(schema, 'allErrors');
  explain(value);
  return explain.errors ?? [];
}

/** Returns whether the value contains more objects and arrays than `max`. */
function hasMoreObjects(root: unknown, max: number): boolean {
  const pending: unknown[] = [root];
  for (let count = 0; pending.length > 0; ) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (++count > max) return true;
    for (const inner of Object.values(value)) pending.push(inner);
  }
  return false;
}
