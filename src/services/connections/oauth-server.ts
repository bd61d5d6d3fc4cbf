// Defines the interface of the authorization server, which its own module implements and the routes use.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UserActor } from '../accounts/actor.ts';

/** The endpoints that the library handles. */
export type Endpoint = 'authorize' | 'resume' | 'token' | 'register' | 'revoke';

/** What is shown to a person before a decision, or where they are redirected. */
export type ConsentResult =
  | { readonly kind: 'page'; readonly html: string; readonly policy: string }
  | { readonly kind: 'redirect'; readonly to: string };

export interface Decision {
  readonly token: string;
  readonly isAllowed: boolean;
  /** As submitted in the form. */
  readonly scopes: readonly string[];
}

/** A person's visit to the page of an authorization request. */
export interface Visit {
  readonly raw: IncomingMessage;
  readonly res: ServerResponse;
  readonly uid: string;
  readonly actor: UserActor;
}

export interface OAuthServer {
  /** Responds to the request directly. `body`: a form as text, or a JSON value. Throws AppError. */
  prepare(
    endpoint: Endpoint,
    raw: IncomingMessage,
    body: unknown,
  ): Promise<(res: ServerResponse) => Promise<void>>;
  openConsent(visit: Visit): Promise<ConsentResult>;
  decide(visit: Visit, decision: Decision): Promise<ConsentResult>;
}

/** Includes the discovery documents for clients. */
export interface OAuthMount extends OAuthServer {
  readonly resourceMetadata: object;
  readonly serverMetadata: object;
}
