// What routes have in common: what the document says of them, and answers that many give.
import type { FastifyReply, FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import type { Deps } from '../services/deps.ts';

/** Answers by status. Their schemas only document: a handler may answer what its service gives. */
type Answers = Readonly<Record<number, TSchema>>;

/** Routes under a tag of the document. A route is a summary, its answers, and the schemas of what it reads. */
export const documented =
  (tag: string) =>
  <S extends FastifySchema = object>(summary: string, response: Answers, schema?: S): { schema: S } => ({
    schema: { tags: [tag], summary, response, ...schema } as FastifySchema as S,
  });

/** 201: what was made; `path` is where it is read. */
export function created(deps: Pick<Deps, 'settings'>, reply: FastifyReply, path: string): FastifyReply {
  return reply.code(201).header('location', `${deps.settings.BASE_URL}${path}`);
}

/** The answer where only success is reported. */
export async function done(work: Promise<void>): Promise<{ readonly success: true }> {
  await work;
  return { success: true };
}
