// The HTML that the web application starts from, and what stands in its place while it cannot.
import { renderDocument, SITE_NAME } from './document.ts';
import { type Html, html, trusted } from './html.ts';
import { RELOAD_PATH } from './reload-script.ts';
import { ICON_PATH, PALETTE_PATH } from './stylesheet.ts';

export interface AppPage {
  /** As the reader chose it; undefined: as the system has it. */
  readonly theme: 'light' | 'dark' | undefined;
  /** Addresses. */
  readonly entry: string;
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  /** Page → addresses of its styles, for when it is opened later. */
  readonly pageStyles: Readonly<Record<string, readonly string[]>>;
  /** Who is signed in, as the API answers it; undefined: the page has to ask. */
  readonly session: unknown;
}

export function renderAppPage({ theme, entry, scripts, styles, pageStyles, session }: AppPage): string {
  return html`<!doctype html>
<html lang="en"${theme === undefined ? undefined : html` data-theme="${theme}"`}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${SITE_NAME}</title><meta name="robots" content="noindex">
<link rel="icon" href="${ICON_PATH}" type="image/svg+xml">
${[PALETTE_PATH, ...styles].map(path => html`<link rel="stylesheet" href="${path}">`)}
${scripts.map(path => html`<link rel="modulepreload" href="${path}">`)}
<script type="module" src="${entry}"></script>
${json('page-styles', pageStyles)}${session === undefined ? undefined : json('session', session)}</head>
<body><div id="app"></div><noscript><p>${SITE_NAME} needs JavaScript here. Its <a href="/docs">API</a> and the <a href="/blog">blog</a> do without.</p></noscript></body></html>`.toString();
}

/** Data for the scripts. No text in it can end the element it stands in. */
const json = (id: string, value: unknown): Html =>
  html`<script type="application/json" id="${id}">${trusted(JSON.stringify(value).replaceAll('<', '\\u003c'))}</script>`;

/** It asks again by itself. */
export function renderPreparingPage(): string {
  return renderDocument({
    title: 'One moment',
    description: 'The application is being prepared.',
    canonical: undefined,
    head: html`<script src="${RELOAD_PATH}" defer></script>`,
    main: html`<div class="wrap"><div class="hero"><h1>One moment</h1><p class="lead">The service has just started and prepares these pages. This page reloads by itself.</p></div></div>`,
  });
}

export function renderUnpreparedPage(): string {
  return renderDocument({
    title: 'These pages could not be prepared',
    description: 'The application could not be bundled.',
    canonical: undefined,
    main: html`<div class="wrap"><div class="hero"><h1>These pages could not be prepared</h1><p class="lead">The API works, the application does not: the log of the service says why. Whoever runs it can look there, and start it again.</p><a class="button" href="/docs">Open the API reference</a></div></div>`,
  });
}
