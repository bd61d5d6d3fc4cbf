// Authenticates each request, checks its access and counts it toward the rate limits, before its body is read.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noteActive } from '../lib/active-accounts.ts';
import { toNetwork } from '../lib/addresses.ts';
import { AppError } from '../lib/errors.ts';
import { type Origin, type Work, workFor } from '../lib/work.ts';
import { getPersonalWorkspaceId } from '../services/accounts/access.ts';
import { type Actor, ANONYMOUS } from '../services/accounts/actor.ts';
import { type Authentication, requireAccess } from './auth.ts';
import type { Server } from './deps.ts';
import type { Limits } from './limits.ts';

/** Throws if the actor, whose teams may have changed since the request arrived, may not read the resource. */
export type AccessCheck = (actor: Actor) => Promise<unknown>;

declare module 'fastify' {
  interface FastifyRequest {
    /** For whom the request works. Set once the request is admitted. */
    work: Work;
    /** Returns whether the credential is still valid and `checkAccess` does not throw, for long-running responses. */
    isStillAuthorized(checkAccess: AccessCheck): Promise<boolean>;
  }
}

/** Sets `req.actor` and the rate limit headers, or rejects the request. Rejected requests count too. */
export function registerAdmission(server: Server, authentication: Authentication, limits: Limits): void {
  server.decorateRequest('actor');
  server.decorateRequest('dailyUse');
  server.decorateRequest('work');
  server.decorateRequest('isStillAuthorized', function isStillAuthorized(checkAccess) {
    return isAuthorized(authentication, this, checkAccess);
  });
  server.addHook('onRoute', route => {
    if (route.config?.startsRun)
      route.onResponse = (req, reply, done) => {
        limits.uncountUnstarted(req, reply, reply.hasHeader('idempotent-replayed'));
        done();
      };
  });
  const authorizeRequest = async (req: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const rejection = await setActor(authentication, req);
    const limitError = await limits.count(req, reply);
    if (limitError !== undefined && (rejection === undefined || isGuess(req, rejection))) throw limitError;
    if (rejection !== undefined) throw rejection;
    await limits.countExecution(req);
    req.work = new RequestWork(getAccount(req), req, reply);
  };
  server.addHook('onRequest', (req, reply, done) => {
    authorizeRequest(req, reply).then(() => done(), done);
  });
  // After the body has arrived, because events of the socket belong to no request.
  server.addHook('preValidation', (req, _reply, done) => {
    const { access } = req.routeOptions.config;
    if (access !== undefined && access !== 'public') noteActive(req.work.account);
    workFor(req.work, done);
  });
}

/** The work of a request ends when its caller disconnects. */
class RequestWork implements Work {
  readonly account: string;
  readonly isAccepted = false;
  readonly origin: Origin;
  readonly #reply: FastifyReply;
  #signal: AbortSignal | undefined;

  constructor(account: string, { ip, id }: FastifyRequest, reply: FastifyReply) {
    this.account = account;
    this.origin = { address: ip, requestId: id };
    this.#reply = reply;
  }

  /** Created at the first use, because most requests need none. */
  get signal(): AbortSignal {
    this.#signal ??= this.#reply.closeSignal();
    return this.#signal;
  }
}

/** Anonymous callers share an account by their network. */
const getAccount = ({ actor, ip }: FastifyRequest): string =>
  actor.kind === 'user' ? getPersonalWorkspaceId(actor.userId) : `network:${toNetwork(ip)}`;

/** Sets the actor. Returns an error if the credential is invalid or insufficient. */
async function setActor(authentication: Authentication, req: FastifyRequest): Promise<AppError | undefined> {
  // The access is undefined only if no route matched, which is 404 or 405 for everybody.
  const { access, withoutSecondFactor = false } = req.routeOptions.config;
  try {
    req.actor = await authentication.identify(req, access ?? 'anyone');
    if (access !== undefined) requireAccess(req.actor, access);
    if (!withoutSecondFactor) req.actor = authentication.requireSecondFactor(req.actor, access);
    return undefined;
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    if (access !== undefined) return err;
    req.actor = ANONYMOUS;
    return undefined;
  }
}

/** Returns whether the request is still authorized. Returns true if the check itself fails, as in an outage. */
async function isAuthorized(
  authentication: Authentication,
  req: FastifyRequest,
  checkAccess: AccessCheck,
): Promise<boolean> {
  const { access = 'anyone' } = req.routeOptions.config;
  try {
    const actor = await authentication.identify(req, access);
    requireAccess(actor, access);
    authentication.requireSecondFactor(actor, access);
    if (getCredentialId(actor) !== getCredentialId(req.actor)) return false;
    await checkAccess(actor);
    return true;
  } catch (err) {
    return !(err instanceof AppError);
  }
}

const getCredentialId = (actor: Actor): string | undefined =>
  actor.kind === 'user' ? actor.credential.id : undefined;

/** Returns whether the request may be guessing credentials. Past the limit of the client IP address, such a request gets only 429. */
function isGuess({ headers }: FastifyRequest, { code }: AppError): boolean {
  return headers.authorization !== undefined && code !== 'insufficient_scope';
}
