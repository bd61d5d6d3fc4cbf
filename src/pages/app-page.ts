// The HTML that the web application starts from, and what stands in its place while it cannot.
import { renderDocument, SITE_NAME } from './document.ts';
import { html, trusted } from './html.ts';
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
}

export function renderAppPage({ theme, entry, scripts, styles, pageStyles }: AppPage): string {
  return html`<!doctype html>
<html lang="en"${theme === undefined ? undefined : html` data-theme="${theme}"`}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${SITE_NAME}</title><meta name="robots" content="noindex">
<link rel="icon" href="${ICON_PATH}" type="image/svg+xml">
${[PALETTE_PATH, ...styles].map(path => html`<link rel="stylesheet" href="${path}">`)}
${scripts.map(path => html`<link rel="modulepreload" href="${path}">`)}
<script type="module" src="${entry}"></script>
<script type="application/json" id="page-styles">${trusted(inScript(pageStyles))}</script></head>
<body><div id="app"></div><noscript><p>${SITE_NAME} needs JavaScript here. Its <a href="/docs">API</a> and the <a href="/blog">blog</a> do without.</p></noscript></body></html>`.toString();
}

/** JSON that cannot end the element it stands in. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

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
