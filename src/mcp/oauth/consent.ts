// Handles a person's consent: earlier grants, the question, and the answer.

import { errors, type Provider } from 'oidc-provider';
import { hmacSha256Hex, safeEqual } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { renderConsentPage } from '../../pages/consent-page.ts';
import type { UserActor } from '../../services/accounts/actor.ts';
import {
  type AskingClient,
  findConsent,
  findPerson,
  grantConsent,
} from '../../services/connections/consent.ts';
import type { OAuthKeys } from '../../services/connections/oauth-keys.ts';
import type { ConsentResult, Decision, OAuthServer, Visit } from '../../services/connections/oauth-server.ts';
import type { Deps } from '../../services/deps.ts';
import { showName } from './client-name.ts';
import { EXPIRED, PAGE_POLICY } from './error-page.ts';
import { forwardRequest } from './forwarded-request.ts';
import { describeRedirect, type Redirect } from './redirects.ts';
import { scopesIn } from './requests.ts';

type Result = Parameters<Provider['interactionResult']>[2];

interface Context {
  readonly deps: Deps;
  readonly provider: Provider;
  readonly keys: OAuthKeys;
}

export function createConsent(
  deps: Deps,
  provider: Provider,
  keys: OAuthKeys,
): Pick<OAuthServer, 'ask' | 'decide'> {
  const ctx = { deps, provider, keys };
  return {
    ask: visit => ask(ctx, visit),
    decide: (visit, decision) => decide(ctx, visit, decision),
  };
}

async function ask(ctx: Context, visit: Visit): Promise<ConsentResult> {
  const { deps, keys } = ctx;
  const { client, redirect, scopes, mustAsk } = await readRequest(ctx, visit);
  // With a redirect other than https, another program could impersonate the one that was granted access.
  if (redirect.kind === 'https' && !mustAsk) {
    const grantId = await findConsent(deps, visit.actor, client, scopes);
    if (grantId !== undefined) return finish(ctx, visit, allowed(visit.actor, grantId));
  }
  const person = await findPerson(deps, visit.actor.userId);
  if (person === undefined) throw new AppError('unauthorized', 'The account is gone: sign in again.');
  const html = renderConsentPage({
    uid: visit.uid,
    clientName: client.name,
    redirectHost: redirect.host,
    redirectKind: redirect.kind,
    person,
    scopes,
    token: formToken(keys, visit),
  });
  return { kind: 'page', html, policy: policyFor(redirect) };
}

async function decide(ctx: Context, visit: Visit, decision: Decision): Promise<ConsentResult> {
  if (!safeEqual(decision.token, formToken(ctx.keys, visit)))
    throw new AppError(
      'cross_site_request',
      'The form is not one that this service sent you: open the page again.',
    );
  const { client, scopes } = await readRequest(ctx, visit);
  const granted = decision.isAllowed ? scopes.filter(scope => decision.scopes.includes(scope)) : [];
  if (granted.length === 0) return finish(ctx, visit, REFUSED);
  const refused = scopes.filter(scope => !granted.includes(scope));
  const grantId = await grantConsent(ctx.deps, visit.actor, client, { scopes: granted, refused });
  return finish(ctx, visit, allowed(visit.actor, grantId));
}

async function finish({ provider, deps }: Context, visit: Visit, result: Result): Promise<ConsentResult> {
  const to = await provider.interactionResult(requestOf(deps, visit), visit.res, result, {
    mergeWithLastSubmission: false,
  });
  return { kind: 'redirect', to };
}

const requestOf = ({ settings }: Deps, { raw, uid }: Visit) =>
  forwardRequest(raw, settings.BASE_URL, { method: 'GET', url: `/oauth/interaction/${uid}` });

const REFUSED = { error: 'access_denied', error_description: 'The person granted nothing.' };

const allowed = ({ userId }: UserActor, grantId: string): Result => ({
  login: { accountId: String(userId), remember: false },
  consent: { grantId },
});

/** Bound to session and request, so that another page or person cannot submit it. */
function formToken(keys: OAuthKeys, { uid, actor }: Visit): string {
  return hmacSha256Hex(keys.cookies, JSON.stringify(['consent', uid, actor.userId, actor.credential.id]));
}

interface Request {
  readonly client: AskingClient;
  readonly redirect: Redirect;
  readonly scopes: ReturnType<typeof scopesIn>;
  /** The client requests consent, whatever was granted before. */
  readonly mustAsk: boolean;
}

/** The pending authorization request; a cookie proves that this browser was sent here. Throws 404. */
async function readRequest({ provider, deps }: Context, visit: Visit): Promise<Request> {
  const { uid, params } = await provider.interactionDetails(requestOf(deps, visit), visit.res).catch(explain);
  if (uid !== visit.uid) throw expired();
  const client = await provider.Client.find(String(params.client_id));
  if (client === undefined) throw expired();
  const redirect = describeRedirect(String(params.redirect_uri));
  return {
    client: {
      id: client.clientId,
      name: showName(client.clientName, redirect.host),
      redirectHost: redirect.host,
    },
    redirect,
    scopes: scopesIn(wordsOf(params.scope)),
    mustAsk: wordsOf(params.prompt).has('consent'),
  };
}

const wordsOf = (text: unknown): ReadonlySet<string> =>
  new Set(typeof text === 'string' ? text.split(' ') : []);

/** Chrome also checks the redirect after a form against `form-action`. */
const policyFor = ({ policySource }: Redirect): string =>
  PAGE_POLICY.replace("form-action 'none'", `form-action 'self' ${policySource}`);

const expired = (): AppError => new AppError('not_found', EXPIRED);

function explain(err: unknown): never {
  throw err instanceof errors.SessionNotFound ? expired() : err;
}
