// Provides helpers for routes: documentation and common responses.
import type { FastifyReply, FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import type { Deps } from '../services/deps.ts';

/** Response schemas by status. They only document; responses are not validated. */
type Responses = Readonly<Record<number, TSchema>>;

/** Returns a function that documents the routes of a tag: a summary, response schemas and request schemas. */
export const documented =
  (tag: string) =>
  <S extends FastifySchema = object>(summary: string, response: Responses, schema?: S): { schema: S } => ({
    schema: { tags: [tag], summary, response, ...schema } as FastifySchema as S,
  });

/** Sends 201 with the Location of the new resource. */
export function created(deps: Pick<Deps, 'settings'>, reply: FastifyReply, path: string): FastifyReply {
  return reply.code(201).header('location', `${deps.settings.BASE_URL}${path}`);
}

/** Returns the response of operations that return only success. */
export async function done(work: Promise<void>): Promise<{ readonly success: true }> {
  await work;
  return { success: true };
}
