// Compiles route schemas: bodies are checked as sent, query strings and path parameters with their texts converted.
import type { FastifySchemaCompiler } from 'fastify';
import { compileCheck } from '../lib/schema-check.ts';

/** Compiles a schema at its first request: compiling all of them would take a fifth of a service's start. */
export function createValidator(): FastifySchemaCompiler<object> {
  return ({ schema, httpPart }) =>
    data => {
      const check = compileCheck(schema, httpPart === 'body' ? 'first' : 'coerce');
      return check(data) || { error: (check.errors ?? []).map(fault => ({ ...fault, root: schema })) };
    };
}
