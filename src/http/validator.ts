// Compiles route schemas: bodies as they stand, query strings and path parameters with their texts made numbers.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifySchemaCompiler } from 'fastify';

// Faults beyond the first few help nobody, and gathering all of a hostile body's costs time.
const OPTIONS = { allErrors: false, strict: false, validateFormats: false } as const;

export function createValidator(): FastifySchemaCompiler<object> {
  const exact = new Ajv2020(OPTIONS);
  const coercing = new Ajv2020({ ...OPTIONS, coerceTypes: true });
  return ({ schema, httpPart }) => (httpPart === 'body' ? exact : coercing).compile(schema);
}
