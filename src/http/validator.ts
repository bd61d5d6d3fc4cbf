// Compiles route schemas: bodies as they stand, query strings and path parameters with their texts made numbers.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifySchemaCompiler } from 'fastify';

// Faults beyond the first few help nobody, and gathering all of a hostile body's costs time.
const OPTIONS = {
  allErrors: false,
  // Errors then have the schema and the value that did not fit.
  verbose: true,
  strict: false,
  validateFormats: false,
  // To inline named schemas and to polish the code takes half of the time to compile, and makes no check faster.
  inlineRefs: false,
  code: { optimize: false },
  // They are the program's own.
  validateSchema: false,
} as const;

// One of each a process: they keep what they compiled, and a process may have several servers.
const exact = new Ajv2020(OPTIONS);
const coercing = new Ajv2020({ ...OPTIONS, coerceTypes: true });

/** A schema is compiled when its first request comes: all of them would be a fifth of a service's start. */
export function createValidator(): FastifySchemaCompiler<object> {
  return ({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? exact : coercing;
    return data => {
      const validate = ajv.compile(schema);
      return validate(data) || { error: (validate.errors ?? []).map(fault => ({ ...fault, root: schema })) };
    };
  };
}
