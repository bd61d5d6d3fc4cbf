// Renders the error page of an authorization request that can be neither granted nor redirected.
import { renderMessagePage } from '../../pages/message-page.ts';

export const PAGE_SOURCES = { 'style-src': "'self'", 'img-src': "'self'" };

/** An error code of RFC 6749 §4.1.2.1. The client can retry the request. */
export const UNAVAILABLE = 'temporarily_unavailable';

const MESSAGES: Readonly<Record<string, string>> = {
  invalid_client:
    'Graphwright does not recognize the app that sent you here. Remove the connection in the app, then connect again.',
  invalid_redirect_uri:
    'The app that sent you here requested a redirect to an address that it did not register. No access was granted.',
  server_error: 'Something went wrong. Try again in a moment.',
  [UNAVAILABLE]: 'Graphwright cannot reach its database. Try again in a few seconds.',
};
export const EXPIRED_MESSAGE =
  'This request has expired or was started in another browser. Return to the app and connect again.';

export function renderErrorPage(
  status: number,
  {
    error,
    error_description: description,
  }: { readonly error: string; readonly error_description?: string | undefined },
): string {
  return renderMessagePage(
    status,
    MESSAGES[error] ?? `The request of the app that sent you here is invalid: ${description ?? error}.`,
  );
}
