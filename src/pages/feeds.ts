// Renders the files for search engines, language models and feed readers: sitemap, robots.txt, llms.txt and RSS.
import type { ContentCard } from '../services/content/present-content.ts';
import { SITE_NAME } from './document.ts';
import { html } from './html.ts';
import { getPagePath, SECTIONS } from './sections.ts';
import { getPublishedPath } from './workflow-drawing.ts';

/** A sitemap may list 50,000 URLs (sitemaps.org). The sections need a few of them. */
export const MAX_SITEMAP_PAGES = 49_990;

export function renderSitemap(
  pages: readonly Pick<ContentCard, 'slug' | 'type' | 'updatedAt'>[],
  workflows: readonly { readonly slug: string; readonly publishedAt: string }[],
  baseUrl: string,
): string {
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${Object.values(SECTIONS).map(({ path }) => html`<url><loc>${baseUrl}${path}</loc></url>`)}
${pages.map(
  page =>
    html`<url><loc>${baseUrl}${getPagePath(page)}</loc><lastmod>${page.updatedAt}</lastmod></url>
`,
)}${workflows.map(
  ({ slug, publishedAt }) =>
    html`<url><loc>${baseUrl}${getPublishedPath(slug)}</loc><lastmod>${publishedAt}</lastmod></url>
`,
)}</urlset>
`.toString();
}

export function renderRobots(baseUrl: string): string {
  return `User-agent: *\nDisallow: /api/\n\nSitemap: ${baseUrl}/sitemap.xml\n`;
}

/** Describes the service to language models (llmstxt.org). */
export function renderLlms(baseUrl: string): string {
  return `# ${SITE_NAME}

> Stores, lints, lays out, runs and publishes workflows: graphs of nodes that make images, video, sound and text.

Agents connect over the Model Context Protocol at ${baseUrl}/mcp. Programs use the API at ${baseUrl}/api/v1.

## Docs

- [Agents](${baseUrl}/docs/guides/agents): adding the service to a client, the tools, their limits
- [API](${baseUrl}/docs/guides/api): conventions, errors, limits, idempotency, webhooks
- [OpenAPI](${baseUrl}/openapi.json): every operation, with examples
- [Node types](${baseUrl}/api/v1/nodes): ports, config and price of each, as JSON
- [Templates](${baseUrl}/api/v1/templates): workflows to copy, as JSON
`;
}

/** Renders RSS 2.0, newest first. */
export function renderRss(posts: readonly ContentCard[], baseUrl: string): string {
  const { path, title, description } = SECTIONS.articles;
  return html`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>${SITE_NAME} ${title}</title><link>${baseUrl}${path}</link><description>${description}</description><language>en</language>
<atom:link href="${baseUrl}${path}/rss.xml" rel="self" type="application/rss+xml"/>
${posts.map(
  post =>
    html`<item><title>${post.title}</title><link>${baseUrl}${getPagePath(post)}</link><guid>${baseUrl}${getPagePath(post)}</guid><pubDate>${new Date(
      post.publishedAt,
    ).toUTCString()}</pubDate><description>${post.summary}</description></item>
`,
)}</channel></rss>
`.toString();
}
