// Renders the HTML that loads the web application, and the pages shown while it is being bundled or when bundling failed.
import { renderDocument, SITE_NAME } from './document.ts';
import { embedJson, html } from './html.ts';
import { RELOAD_SCRIPT } from './message-page.ts';
import { ICON, PALETTE_STYLESHEET } from './stylesheet.ts';

export interface WebAppPage {
  /** The theme that the reader chose. undefined follows the system. */
  readonly theme: 'light' | 'dark' | undefined;
  /** The URL of the first script. */
  readonly entry: string;
  readonly scripts: readonly string[];
  readonly styles: string;
  /** The session as the API returns it. If it is undefined, the page requests it. */
  readonly session: unknown;
}

/** Browsers do not translate the page, because translated text would not change with the application. */
export function renderWebAppPage({ theme, entry, scripts, styles, session }: WebAppPage): string {
  return html`<!doctype html>
<html lang="en" translate="no"${theme === undefined ? undefined : html` data-theme="${theme}"`}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${SITE_NAME}</title><meta name="robots" content="noindex">
<link rel="icon" href="${ICON.path}" type="image/svg+xml">
${[PALETTE_STYLESHEET.path, styles].map(path => html`<link rel="stylesheet" href="${path}">`)}
${scripts.map(path => html`<link rel="modulepreload" href="${path}">`)}
<script type="module" src="${entry}"></script>
${session === undefined ? undefined : embedJson('application/json', session, 'session')}</head>
<body><div id="app"></div><noscript><p>${SITE_NAME} requires JavaScript. The <a href="/docs">API reference</a> and the <a href="/blog">blog</a> work without it.</p></noscript></body></html>`.toString();
}

/** Renders the page shown while the application is being bundled, which reloads itself. */
export function renderPreparingPage(): string {
  return renderDocument({
    title: 'Starting',
    description: 'The application is starting.',
    canonical: undefined,
    head: html`<script src="${RELOAD_SCRIPT.path}" defer></script>`,
    main: html`<div class="wrap"><div class="hero"><h1>Starting…</h1><p class="lead">The service has just started and is preparing the application. This page reloads automatically.</p></div></div>`,
  });
}

export function renderFailedPage(): string {
  return renderDocument({
    title: 'The application could not be started',
    description: 'The application could not be started.',
    canonical: undefined,
    main: html`<div class="wrap"><div class="hero"><h1>The application could not be started</h1><p class="lead">The API works, but the web application does not. Ask an administrator to check the log of the service and restart it.</p><a class="button" href="/docs">Open the API reference</a></div></div>`,
  });
}
