// The one hook that admits a request before its body is read: 401, then the scope, then 429.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { type Actor, ANONYMOUS } from '../services/accounts/actor.ts';
import type { App } from './app.ts';
import { type Authentication, requireAccess } from './auth.ts';
import type { Limits } from './limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether its credential still admits it, and `read` does not refuse it, for answers that take long. */
    isStillAdmitted(read: () => Promise<unknown>): Promise<boolean>;
  }
}

/** Sets `req.actor` and the rate headers, or refuses. A refused request is counted like any other. */
export function registerAdmission(app: App, authentication: Authentication, limits: Limits): void {
  app.decorateRequest('actor');
  app.decorateRequest('dailyUse');
  app.decorateRequest('isStillAdmitted', function isStillAdmitted(read) {
    return isAdmitted(authentication, this, read);
  });
  app.addHook('onRoute', route => {
    if (route.config?.startsRun)
      route.onResponse = (req, reply, done) => {
        limits.settle(req, reply, reply.hasHeader('idempotent-replayed'));
        done();
      };
  });
  const admit = async (req: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const refusal = await identify(authentication, req);
    const usedUp = await limits.count(req, reply);
    if (usedUp !== undefined && (refusal === undefined || isGuess(req, refusal))) throw usedUp;
    if (refusal !== undefined) throw refusal;
    await limits.countExecution(req);
  };
  app.addHook('onRequest', (req, reply, done) => {
    admit(req, reply).then(() => done(), done);
  });
}

/** Sets the actor; the refusal where the credential is wrong or does not reach. */
async function identify(authentication: Authentication, req: FastifyRequest): Promise<AppError | undefined> {
  // Only where no route matched there is no line: that is 404 or 405 to everybody.
  const { access } = req.routeOptions.config;
  try {
    req.actor = await authentication.identify(req, access ?? 'anyone');
    if (access !== undefined) requireAccess(req.actor, access);
    return undefined;
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    if (access !== undefined) return err;
    req.actor = ANONYMOUS;
    return undefined;
  }
}

/** As long as nobody knows, as in an outage, it is. */
async function isAdmitted(
  authentication: Authentication,
  req: FastifyRequest,
  read: () => Promise<unknown>,
): Promise<boolean> {
  const { access = 'anyone' } = req.routeOptions.config;
  try {
    const actor = await authentication.identify(req, access);
    requireAccess(actor, access);
    if (credentialOf(actor) !== credentialOf(req.actor)) return false;
    await read();
    return true;
  } catch (err) {
    return !(err instanceof AppError);
  }
}

const credentialOf = (actor: Actor): string | undefined =>
  actor.kind === 'user' ? actor.credential.id : undefined;

/** A wrong credential may be one of many tries: past the limit of the address it hears 429 alone. */
function isGuess({ headers }: FastifyRequest, { code }: AppError): boolean {
  return headers.authorization !== undefined && code !== 'insufficient_scope';
}
