// What the authorization server offers to whoever mounts it: its own module makes one, the routes are given it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UserActor } from '../accounts/actor.ts';

/** The endpoints that the library answers. */
export type Endpoint = 'authorize' | 'resume' | 'token' | 'register' | 'revoke';

/** What a person is shown before they decide, or where they are sent on. */
export type ConsentAnswer =
  | { readonly kind: 'page'; readonly html: string; readonly policy: string }
  | { readonly kind: 'redirect'; readonly to: string };

export interface Decision {
  readonly token: string;
  readonly isAllowed: boolean;
  /** As they stand in the form. */
  readonly scopes: readonly string[];
}

/** A person's visit to the page of a request for authorization. */
export interface Visit {
  readonly raw: IncomingMessage;
  readonly res: ServerResponse;
  readonly uid: string;
  readonly actor: UserActor;
}

export interface OAuthServer {
  /** What answers the request, on the response itself. `body`: a form as text, or a JSON value. Throws AppError. */
  prepare(
    endpoint: Endpoint,
    raw: IncomingMessage,
    body: unknown,
  ): Promise<(res: ServerResponse) => Promise<void>>;
  ask(visit: Visit): Promise<ConsentAnswer>;
  decide(visit: Visit, decision: Decision): Promise<ConsentAnswer>;
}

/** With the documents by which clients find it. */
export interface OAuthMount extends OAuthServer {
  readonly resourceMetadata: object;
  readonly serverMetadata: object;
}
