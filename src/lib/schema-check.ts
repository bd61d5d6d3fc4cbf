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
 * How a schema is checked. `first`: stops at the first fault and reports it with its schema and value, for request
 * bodies, since collecting all faults of a hostile body takes time. `coerce`: the same, after converting texts to
 * numbers and booleans, for query strings and path parameters. `all`: reports every fault, in time that grows with the
 * square of their number. `any`: the same schemas, stopping at the first fault.
 */
export type CheckMode = 'first' | 'coerce' | 'all' | 'any';

// One instance per process and mode: each caches what it compiled.
const ENGINES: Readonly<Record<CheckMode, Ajv2020>> = {
  first: new Ajv2020({ ...OPTIONS, verbose: true }),
  coerce: new Ajv2020({ ...OPTIONS, verbose: true, coerceTypes: true }),
  all: new Ajv2020({ ...OPTIONS, allErrors: true, discriminator: true }),
  any: new Ajv2020({ ...OPTIONS, discriminator: true }),
};

export type SchemaFault = ErrorObject;

/** Compiles the schema once per schema object. A check stores its faults in `errors`. */
export function compileCheck(schema: object, mode: CheckMode): ValidateFunction {
  return ENGINES[mode].compile(schema);
}

export function matchesSchema<T extends TSchema>(schema: T, value: unknown): value is Static<T> {
  return compileCheck(schema, 'any')(value) === true;
}

/** In larger values only the first fault is reported: collecting all takes time with the square of their number. */
const MAX_EXPLAINED_OBJECTS = 5000;

/** Returns the faults of the value in the order of the schema, or only the first fault of a large value. */
export function findFaults(schema: object, value: unknown): readonly SchemaFault[] {
  const match = compileCheck(schema, 'any');
  if (match(value)) return [];
  if (hasMoreObjects(value, MAX_EXPLAINED_OBJECTS)) return match.errors ?? [];
  const explain = compileCheck(schema, 'all');
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
