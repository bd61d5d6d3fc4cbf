// Renders error pages: not found, no access, temporarily unavailable.
import { createAsset } from './asset.ts';
import { renderDocument } from './document.ts';
import { html } from './html.ts';

/**
 * Reloads the page after a second. A meta refresh would not reload a URL with a fragment, such as a password link.
 */
export const RELOAD_SCRIPT = createAsset('/pages/reload', 'js', 'setTimeout(()=>location.reload(),1000)');

const TITLES: Readonly<Record<number, string>> = {
  401: 'Sign in required',
  403: 'No access',
  404: 'Page not found',
  429: 'Too many requests',
};

/** `path` is where users return to after they have signed in. */
export function renderMessagePage(status: number, message: string, path = '/'): string {
  const title = TITLES[status] ?? 'Something went wrong';
  return renderDocument({
    title,
    description: message,
    canonical: undefined,
    main: html`<div class="wrap"><div class="hero"><p class="crumbs">${status}</p><h1>${title}</h1><p class="lead">${message}</p>${status === 401 ? html`<a class="button" href="/sign-in?next=${encodeURIComponent(path)}">Sign in</a>` : html`<a class="button" href="/">Go to home page</a>`}</div></div>`,
  });
}

/** Renders the page of an outage, which reloads itself. */
export function renderOutagePage(message: string): string {
  return renderDocument({
    title: 'Service unavailable',
    description: message,
    canonical: undefined,
    head: html`<script src="${RELOAD_SCRIPT.path}" defer></script>`,
    main: html`<div class="wrap"><div class="hero"><p class="crumbs">503</p><h1>Service unavailable</h1><p class="lead">${message} This page reloads automatically.</p></div></div>`,
  });
}
