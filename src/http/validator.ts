// Compiles route schemas. Bodies are validated as sent; query strings and path parameters are coerced first.
import type { FastifySchemaCompiler } from 'fastify';
import { compileCheck } from '../lib/schema-check.ts';

/** Compiles each schema on its first request, because compiling all of them would take a fifth of the start. */
export function createValidator(): FastifySchemaCompiler<object> {
  return ({ schema, httpPart }) =>
    data => {
      const check = compileCheck(schema, httpPart === 'body' ? 'first' : 'coerce');
      return check(data) || { error: (check.errors ?? []).map(fault => ({ ...fault, root: schema })) };
    };
}
