// 201: what was made, and its address.
import type { FastifyReply } from 'fastify';
import type { Deps } from '../services/deps.ts';

/** The answer to a request that made something; `path` is where it is read. */
export function created(deps: Pick<Deps, 'settings'>, reply: FastifyReply, path: string): FastifyReply {
  return reply.code(201).header('location', `${deps.settings.BASE_URL}${path}`);
}
