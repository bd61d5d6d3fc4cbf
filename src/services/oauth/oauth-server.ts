// Decides whether the authorization server is on, and defines the interface by which the routes call mcp/oauth.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopbackHost } from '../../lib/addresses.ts';
import type { Settings } from '../../lib/settings.ts';
import type { UserActor } from '../accounts/actor.ts';

/** The endpoints that oidc-provider handles. */
export type Endpoint = 'authorize' | 'resume' | 'token' | 'register' | 'revoke';

/** The consent page before a decision, or the redirect after it. */
export type ConsentResult =
  | { readonly kind: 'page'; readonly html: string; readonly contentSecurityPolicy: string }
  | { readonly kind: 'redirect'; readonly to: string };

export interface Decision {
  readonly token: string;
  readonly isAllowed: boolean;
  /** The scopes that the person selected in the form. */
  readonly scopes: readonly string[];
}

/** A signed-in person's request for the consent page, or with their decision. */
export interface ConsentRequest {
  readonly raw: IncomingMessage;
  readonly res: ServerResponse;
  readonly uid: string;
  readonly actor: UserActor;
}

export interface OAuthServer {
  /** Returns a function that writes the response. `body` is a form as text, or a JSON value. Throws AppError. */
  prepare(
    endpoint: Endpoint,
    raw: IncomingMessage,
    body: unknown,
  ): Promise<(res: ServerResponse) => Promise<void>>;
  openConsent(request: ConsentRequest): Promise<ConsentResult>;
  decide(request: ConsentRequest, decision: Decision): Promise<ConsentResult>;
}

/** The discovery documents for clients, and the authorization server. */
export interface OAuthMount {
  readonly resourceMetadata: object;
  readonly serverMetadata: object;
  /** Loads the authorization server if necessary. */
  readonly getServer: () => Promise<OAuthServer>;
}

type BaseUrlSettings = Pick<Settings, 'BASE_URL'>;

/**
 * Returns whether the authorization server is on. It needs https, unless only this machine can reach the service, so
 * that no token crosses the network in plain text.
 */
export function isOAuthEnabled({ BASE_URL }: BaseUrlSettings): boolean {
  const { protocol, hostname } = new URL(BASE_URL);
  return protocol === 'https:' || isLoopbackHost(hostname) || hostname === '[::1]';
}

/** Returns the audience of access tokens (RFC 8707). */
export const getMcpResource = ({ BASE_URL }: BaseUrlSettings): string => `${BASE_URL}/mcp`;
