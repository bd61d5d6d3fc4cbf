// Returns the caller's X-Request-Id if it is well-formed, otherwise a new UUID.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export function requestIdOf(req?: Pick<IncomingMessage, 'headers'>): string {
  const given = req?.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._-]{8,128}$/.test(given) ? given : randomUUID();
}
