// The authorization server as it is passed down to these routes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UserActor } from '../../../services/accounts/actor.ts';

export type Endpoint = 'authorize' | 'resume' | 'token' | 'register' | 'revoke';

/** A person's visit to the page of a request for authorization. */
export interface Visit {
  readonly raw: IncomingMessage;
  readonly res: ServerResponse;
  readonly uid: string;
  readonly actor: UserActor;
}

export type ConsentAnswer =
  | { readonly kind: 'page'; readonly html: string; readonly policy: string }
  | { readonly kind: 'redirect'; readonly to: string };

export interface OAuthMount {
  readonly resourceMetadata: object;
  readonly serverMetadata: object;
  /** What answers the request, on the response itself. Throws AppError. */
  prepare(
    endpoint: Endpoint,
    raw: IncomingMessage,
    body: unknown,
  ): Promise<(res: ServerResponse) => Promise<void>>;
  ask(visit: Visit): Promise<ConsentAnswer>;
  decide(
    visit: Visit,
    decision: { readonly token: string; readonly isAllowed: boolean; readonly scopes: readonly string[] },
  ): Promise<ConsentAnswer>;
}
