// X-Request-Id: the caller's where it has a sane form, else a new UUID.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export function requestIdOf(req?: Pick<IncomingMessage, 'headers'>): string {
  const given = req?.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._-]{8,128}$/.test(given) ? given : randomUUID();
}
