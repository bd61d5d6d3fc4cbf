// Renders the frame of every public page: head, header, main, footer.
import { type Html, html, type Piece, toSafeUrl, trustMarkup } from './html.ts';
import { SECTIONS } from './sections.ts';
import { ICON, STYLESHEET } from './stylesheet.ts';

export interface PageDocument {
  readonly title: string;
  readonly description: string;
  /** Absolute URL. undefined excludes the page from search engines. */
  readonly canonical: string | undefined;
  readonly ogType?: 'website' | 'article';
  /** Absolute URL. */
  readonly image?: string | undefined;
  readonly keywords?: readonly string[];
  /** Additional elements for the head. */
  readonly head?: Piece;
  /** Path of the section that the page belongs to. */
  readonly section?: string;
  /** Whether the page has the menus of the site, or is an app, whose visitors do not need them. Default: `site`. */
  readonly frame?: 'site' | 'app';
  readonly main: Html;
}

export const SITE_NAME = 'Graphwright';
const MAX_DESCRIPTION = 300;

export function renderDocument(document: PageDocument): string {
  const { title, canonical, main, section, head, frame } = document;
  const name = title === SITE_NAME ? title : `${title} · ${SITE_NAME}`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${name}</title>
${canonical === undefined ? html`<meta name="robots" content="noindex">` : renderMeta(document, canonical)}
<meta name="theme-color" content="#fdfdfc" media="(prefers-color-scheme:light)"><meta name="theme-color" content="#101216" media="(prefers-color-scheme:dark)">
<link rel="icon" href="${ICON.path}" type="image/svg+xml"><link rel="stylesheet" href="${STYLESHEET.path}">
${frame === 'app' ? undefined : FEED_LINK}${head}</head><body>
<a class="skip" href="#main">Skip to content</a>
${frame === 'app' ? undefined : renderMenuBar(section)}<main id="main">${main}</main>
${frame === 'app' ? APP_FOOTER : SITE_FOOTER}
</body></html>`.toString();
}

const FEED_LINK = html`<link rel="alternate" type="application/rss+xml" title="${SITE_NAME} blog" href="/blog/rss.xml">
`;

const renderMenuBar = (section: string | undefined): Html =>
  html`<header class="bar"><a class="brand" href="/">${LOGO}${SITE_NAME}</a><nav aria-label="Main"><ul class="menu">${Object.values(
    SECTIONS,
  ).map(({ path, title: label }) =>
    renderMenuItem(path, label, section),
  )}${renderMenuItem('/docs', 'API', section)}</ul></nav><ul class="menu own">${READER_LINKS}</ul></header>
`;

const LOGO = trustMarkup(
  '<svg width="22" height="22" viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="3.4" stroke-linecap="round" aria-hidden="true"><circle cx="8" cy="9" r="4.5"/><circle cx="24" cy="23" r="4.5"/><path d="M12.5 9C22 9 10 23 19.5 23"/></svg>',
);

/** The page is the same for everyone, so it has all links. The style sheet hides the links that do not apply. */
const READER_LINKS = html`<li class="to-dark"><a href="/theme/dark" rel="nofollow">Dark</a></li><li class="to-light"><a href="/theme/light" rel="nofollow">Light</a></li><li class="visitor"><a href="/sign-in">Sign in</a></li><li class="user"><a href="/workflows">Workflows</a></li>`;

const SITE_FOOTER = html`<footer class="foot"><div class="wrap top"><p>${SITE_NAME}: workflow graphs for AI media</p><nav aria-label="Footer"><ul class="menu"><li><a href="/docs">API reference</a></li><li><a href="/blog/rss.xml">RSS feed</a></li><li><a href="/sitemap.xml">Sitemap</a></li></ul></nav></div></footer>`;
const APP_FOOTER = html`<footer class="foot"><div class="wrap top"><p>Made with <a href="/">${SITE_NAME}</a></p><ul class="menu own">${READER_LINKS}</ul></div></footer>`;

/** What differs between readers. The style sheet reads it from attributes of the root element. */
export interface Reader {
  /** The chosen theme. undefined follows the system. */
  readonly theme: 'light' | 'dark' | undefined;
  readonly isSignedIn: boolean;
}

const ROOT = '<html lang="en"';

/** Applies the reader's theme and sign-in state to a rendered page. */
export function personalize({ theme, isSignedIn }: Reader, document: string): string {
  const attributes = `${theme === undefined ? '' : ` data-theme="${theme}"`}${isSignedIn ? ' data-user' : ''}`;
  return document.replace(ROOT, ROOT + attributes);
}

function renderMenuItem(path: string, label: string, section: string | undefined): Html {
  const current = path === section ? html` aria-current="true"` : undefined;
  return html`<li><a href="${path}"${current}>${label}</a></li>`;
}

function renderMeta(document: PageDocument, canonical: string): Html {
  const { title, image, keywords = [], ogType = 'website' } = document;
  const description = truncate(document.description, MAX_DESCRIPTION);
  return html`<meta name="description" content="${description}">${
    keywords.length > 0 ? html`<meta name="keywords" content="${keywords.join(', ')}">` : undefined
  }<link rel="canonical" href="${toSafeUrl(canonical, 'absolute')}">
<meta property="og:site_name" content="${SITE_NAME}"><meta property="og:type" content="${ogType}"><meta property="og:title" content="${title}"><meta property="og:description" content="${description}"><meta property="og:url" content="${toSafeUrl(canonical, 'absolute')}">${
    image === undefined
      ? undefined
      : html`<meta property="og:image" content="${toSafeUrl(image, 'absolute')}">`
  }<meta name="twitter:card" content="${image === undefined ? 'summary' : 'summary_large_image'}">`;
}

function truncate(text: string, length: number): string {
  const characters = [...text.replace(/\s+/g, ' ').trim()];
  return characters.length <= length ? characters.join('') : `${characters.slice(0, length - 1).join('')}…`;
}

/** Turns a path of this site into an absolute URL. Absolute URLs stay as they are. */
export function toAbsoluteUrl(baseUrl: string, url: string): string {
  return url.startsWith('/') ? `${baseUrl}${url}` : url;
}
