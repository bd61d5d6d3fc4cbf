// Limits the open event streams of this process by account and by network, because each uses a connection and a
// database listener until its caller disconnects.
import { toNetwork } from '../lib/addresses.ts';
import { createRateLimitError } from '../services/accounts/rate-limits.ts';
import type { Deps } from '../services/deps.ts';
import type { Server } from './deps.ts';
import { getClientAddress } from './limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts an open stream until the returned function is called. Throws 429 `too_many_streams`. */
    reserveStream(): () => void;
  }
}

const MAX_PER_ACCOUNT = 20;
const MAX_PER_NETWORK = 200;
/** The Retry-After of a rejected caller: a guess, because nobody knows when a stream will end. */
const RETRY_SECONDS = 10;

export function registerOpenStreams(server: Server, { now }: Pick<Deps, 'now'>): void {
  const openCounts = new Map<string, number>();
  server.decorateRequest('reserveStream', function reserveStream() {
    const quotas: (readonly [key: string, limit: number, owner: string])[] = [
      [`address:${toNetwork(getClientAddress(this))}`, MAX_PER_NETWORK, 'address'],
    ];
    if (this.actor.kind === 'user') quotas.push([`user:${this.actor.userId}`, MAX_PER_ACCOUNT, 'account']);
    for (const [key, limit, owner] of quotas) {
      if ((openCounts.get(key) ?? 0) < limit) continue;
      const reset = Math.ceil(now() / 1000) + RETRY_SECONDS;
      const reason = `This ${owner} has ${limit} open event streams, close one`;
      throw createRateLimitError('too_many_streams', reason, { limit, reset }, now());
    }
    for (const [key] of quotas) openCounts.set(key, (openCounts.get(key) ?? 0) + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      for (const [key] of quotas) {
        const remaining = (openCounts.get(key) ?? 1) - 1;
        if (remaining === 0) openCounts.delete(key);
        else openCounts.set(key, remaining);
      }
    };
  });
}
