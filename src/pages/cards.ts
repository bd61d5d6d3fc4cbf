// Renders pages as cards with image, date, title and summary. The whole card is a link. Formats dates.
import type { ContentCard } from '../services/content/present-content.ts';
import { type Html, html, toSafeUrl, trustMarkup } from './html.ts';
import { getPagePath } from './sections.ts';

/** Renders the cards. `heading` is one level below the heading of the list. */
export function renderCards(cards: readonly ContentCard[], heading: 'h2' | 'h3'): Html {
  const [open, close] = [trustMarkup(`<${heading}>`), trustMarkup(`</${heading}>`)];
  return html`<ul class="cards">${cards.map(
    card =>
      html`<li class="card" dir="auto">${
        card.image === null
          ? undefined
          : html`<img src="${toSafeUrl(card.image, 'media')}" alt="" loading="lazy">`
      }${
        card.type === 'ARTICLE'
          ? html`<time datetime="${card.publishedAt}">${formatDate(card.publishedAt)}</time>`
          : undefined
      }${open}<a href="${getPagePath(card)}">${card.title}</a>${close}${
        card.summary === card.title ? undefined : html`<p>${card.summary}</p>`
      }</li>`,
  )}</ul>`;
}

const LONG_DATE = new Intl.DateTimeFormat('en', {
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  timeZone: 'UTC',
});

export function formatDate(timestamp: string): string {
  return LONG_DATE.format(new Date(timestamp));
}
