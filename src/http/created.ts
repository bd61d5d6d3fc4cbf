// 201: what was created stands at the address of its Location.
import type { FastifyReply } from 'fastify';
import type { Deps } from '../services/deps.ts';

/** Sets 201 and the absolute Location of a path. */
export function created(
  { settings }: Pick<Deps, 'settings'>,
  reply: FastifyReply,
  path: string,
): FastifyReply {
  return reply.code(201).header('location', `${settings.BASE_URL}${path}`);
}
