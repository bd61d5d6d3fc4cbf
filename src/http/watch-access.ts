// Checks repeatedly, and when the caller's account changes, whether the caller of a long response may still receive it.
import type { FastifyRequest } from 'fastify';
import { followAccount } from '../services/accounts/end-access.ts';
import type { Deps } from '../services/deps.ts';
import type { AccessCheck } from './admission.ts';

/** Calls back once the credential is no longer valid or `checkAccess` throws. Returns a function to stop. */
export function watchAccess(
  deps: Pick<Deps, 'timing' | 'changeHub'>,
  req: FastifyRequest,
  checkAccess: AccessCheck,
  onEnd: () => void,
): () => void {
  const check = (): void =>
    void req.isStillAuthorized(checkAccess).then(isAuthorized => isAuthorized || onEnd());
  const timer = setInterval(check, deps.timing.accessCheckMs);
  const { actor } = req;
  const unsubscribe = actor.kind === 'user' ? followAccount(deps, actor.userId, check) : undefined;
  return () => {
    clearInterval(timer);
    unsubscribe?.();
  };
}
