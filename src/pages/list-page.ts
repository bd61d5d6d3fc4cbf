// Renders the list of a section's pages, newest first, twelve per page.
import type { ContentList } from '../services/content/present-content.ts';
import { renderCards } from './cards.ts';
import { renderDocument } from './document.ts';
import { type Html, html } from './html.ts';
import { renderJsonLd, toBreadcrumbs } from './json-ld.ts';
import { getListPath, SECTIONS } from './sections.ts';
import type { Site } from './site.ts';

export function renderListPage(list: ContentList, { baseUrl }: Pick<Site, 'baseUrl'>): string {
  const section = SECTIONS[list.category];
  const { cards, page, pageCount } = list;
  const title = page === 1 ? section.title : `${section.title}, page ${page}`;
  return renderDocument({
    title,
    description: section.description,
    canonical: baseUrl + getListPath(section, page),
    head: renderJsonLd([toBreadcrumbs([[section.title, baseUrl + section.path]])]),
    section: section.path,
    main: html`<div class="wrap"><div class="hero"><h1>${title}</h1><p class="lead">${section.description}</p></div>
${cards.length === 0 ? html`<p class="meta">No pages yet.</p>` : renderCards(cards, 'h2')}
${pageCount > 1 ? renderPager(list, pageCount) : undefined}</div>`,
  });
}

function renderPager({ category, page }: ContentList, pageCount: number): Html {
  const section = SECTIONS[category];
  return html`<nav class="pager" aria-label="Pages"><span>${
    page > 1 ? html`<a rel="prev" href="${getListPath(section, page - 1)}">Newer</a>` : undefined
  }</span><span class="meta">Page ${page} of ${pageCount}</span><span>${
    page < pageCount ? html`<a rel="next" href="${getListPath(section, page + 1)}">Older</a>` : undefined
  }</span></nav>`;
}
